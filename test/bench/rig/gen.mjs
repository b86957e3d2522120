// gen.mjs FOLDER: writes the payload files; the same bytes each time. claude-raw and claude-async are
// mix and chunks with the background work of claude-agent-acp in it, told by its raw feed or its extension.
import { mkdirSync, writeFileSync } from 'node:fs';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });

let seed = 12345;
function random() {
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return seed / 0x7fffffff;
}
const between = (low, high) => Math.floor(low + random() * (high - low));

const words = 'the agent reads file and then edits function return value const let await import export type string number test pass fail error line diff patch apply run shell output result'.split(' ');

function text(length) {
  let result = '';
  while (result.length < length) result += words[between(0, words.length)] + (random() < 0.08 ? '\n' : ' ');
  return result.slice(0, length);
}

const update = (fields) => `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'sess-0001', update: fields } })}\n`;
const message = (content) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: content } });
const chunk = () => message(random() < 0.1 ? `${text(between(18, 78))} – “ok” ✓ é漢字` : text(between(20, 100)));

let calls = 0;
function toolUpdate() {
  calls += 1;
  const length = between(2048, 20480);
  const [status, content] =
    random() < 0.5
      ? ['completed', { type: 'content', content: { type: 'text', text: text(length) } }]
      : ['in_progress', { type: 'diff', path: '/home/u/src/file.ts', oldText: text(length / 2), newText: text(length / 2) }];
  return update({ sessionUpdate: 'tool_call_update', toolCallId: `toolu_${calls}`, status, content: [content] });
}

function terminalOutput() {
  const length = between(4096, 65536);
  let data = '';
  while (data.length < length) data += `\u001b[32m✔\u001b[39m ${text(between(30, 100))}\r\n`;
  const content = [{ type: 'terminal', terminalId: 'term-1' }];
  const _meta = { terminal_output: { terminal_id: 'term-1', data: data.slice(0, length) } };
  return update({ sessionUpdate: 'tool_call_update', toolCallId: `toolu_${calls}`, status: 'in_progress', content, _meta });
}

function mixed() {
  const kind = random();
  return kind < 0.8 ? chunk() : kind < 0.92 ? toolUpdate() : terminalOutput();
}

const sdk = (subtype, fields) => `${JSON.stringify({ jsonrpc: '2.0', method: '_claude/sdkMessage', params: { sessionId: 'sess-0001', message: { type: 'system', subtype, ...fields } } })}\n`;

let tasks = 0;
/** A command that goes to the background and ends, as each of the two tells it. */
function backgroundCommand(isRaw) {
  tasks += 1;
  const [task, call] = [`task-${tasks}`, `toolu_bg_${tasks}`];
  const task_id = task;
  const bash = { claudeCode: { toolName: 'Bash' } };
  const launch = [
    update({ _meta: { ...bash, ...(isRaw ? {} : { terminal_info: { terminal_id: call } }) }, toolCallId: call, sessionUpdate: 'tool_call', name: 'Bash', status: 'pending', title: 'make', kind: 'execute', content: isRaw ? [] : [{ type: 'terminal', terminalId: call }] }),
    update({ toolCallId: call, sessionUpdate: 'tool_call_update', rawInput: { command: 'make', run_in_background: true } }),
  ];
  if (isRaw) {
    return [
      ...launch,
      sdk('task_started', { task_id, tool_use_id: call, description: 'make', is_backgrounded: true, task_type: 'local_bash' }),
      update({ _meta: { claudeCode: { ...bash.claudeCode, toolResponse: { backgroundTaskId: task } } }, toolCallId: call, sessionUpdate: 'tool_call_update' }),
      update({ toolCallId: call, sessionUpdate: 'tool_call_update', status: 'completed' }),
      sdk('task_updated', { task_id, patch: { status: 'completed' } }),
      sdk('task_notification', { task_id, tool_use_id: call, status: 'completed', summary: 'Background command "make" completed (exit code 0)' }),
    ].join('');
  }
  return [
    ...launch,
    update({ sessionUpdate: 'async_task_spawned', asyncTaskId: task, name: 'make', taskType: 'shell', description: 'make', showInTranscript: false, canStop: true, toolCallId: call }),
    update({ _meta: { terminal_exit: { terminal_id: call, exit_code: 0, signal: null } }, toolCallId: call, sessionUpdate: 'tool_call_update', status: 'completed' }),
    sdk('task_notification', { task_id, tool_use_id: call, status: 'completed', summary: 'Background command "make" completed (exit code 0)' }),
    update({ sessionUpdate: 'async_task_state_update', asyncTaskId: task, state: 'completed' }),
  ].join('');
}

/** Every thousandth line is a whole command in the background. */
const working = (isRaw, make) => (_, index) => (index % 1000 === 999 ? backgroundCommand(isRaw) : make());

const lines = (count, make) => Array.from({ length: count }, make).join('');
writeFileSync(`${folder}/mix.ndjson`, lines(2000, mixed));
writeFileSync(`${folder}/chunks.ndjson`, lines(20_000, chunk));
for (const isRaw of [true, false]) {
  const told = isRaw ? 'raw' : 'async';
  writeFileSync(`${folder}/claude-${told}.ndjson`, lines(2000, working(isRaw, mixed)));
  writeFileSync(`${folder}/claude-${told}-chunks.ndjson`, lines(20_000, working(isRaw, chunk)));
}
writeFileSync(`${folder}/tiny.ndjson`, message('.').repeat(100_000));
writeFileSync(`${folder}/big10.ndjson`, message(text(10 * 1024 * 1024)));
