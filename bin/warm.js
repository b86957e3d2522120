// Sessions whose only purpose is V8's code cache: the launcher (afterturn.js) writes one for each script
// that has none, at the end of the session that read it, with what was compiled on the way. So a script's
// first session here says what its cache holds. Knows sessions, not scripts.
'use strict';
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

/** Answers all that it is asked with all that may be an answer, and says something in each turn. */
const agent = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const tell = (told) => say(told.method === undefined ? { method: 'session/update', params: { sessionId: 's', update: told } } : told);
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const [answer, turn] = process.argv.slice(1).map((text) => JSON.parse(text));
  const told = method === 'session/prompt' ? turn : [];
  // In v2 a prompt is answered when it is taken in.
  if (answer.protocolVersion === 1) told.forEach(tell);
  if (id !== undefined) say({ id, result: { ...answer, sessionId: 's', stopReason: 'end_turn' } });
  if (answer.protocolVersion === 2) told.forEach(tell);
});`;

const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } };
const call = [{ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', kind: 'execute', status: 'pending', rawInput: {} }, { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' }];
/** A text that is long enough to be moved without being read. */
const long = 'line of text\n'.repeat(100);
const terminal = { terminal_id: 't' };
const report = (fields, kind = 'tool_call_update', toolCallId = 'c') => ({ sessionUpdate: kind, toolCallId, ...fields });
const raw = (subtype, fields) => ({ method: '_claude/sdkMessage', params: { sessionId: 's', message: { type: 'system', subtype, ...fields } } });
/** What calls show, in all forms that v1 has. */
const shown = [
  report({ title: 'x', kind: 'execute', status: 'pending', content: [{ type: 'terminal', terminalId: 't' }], _meta: { terminal_info: terminal } }, 'tool_call'),
  ...[long, 'x'].map((data) => report({ status: 'in_progress', content: [{ type: 'terminal', terminalId: 't' }], _meta: { terminal_output: { ...terminal, data } } })),
  ...[long, 'x'].map((newText) => report({ status: 'in_progress', content: [{ type: 'diff', path: '/x', oldText: long.slice(0, 200), newText }] })),
  ...[long, 'x'].map((text) => report({ status: 'in_progress', content: [{ type: 'content', content: { type: 'text', text } }] })),
  report({ status: 'completed', _meta: { terminal_exit: { ...terminal, exit_code: 0, signal: null } } }),
  chunk, chunk,
];
/** A command that goes to the background and ends, as the raw feed tells it, and as the extension does. */
const launch = [report({ title: 'x', kind: 'execute', status: 'pending', content: [], _meta: { claudeCode: { toolName: 'Bash' } } }, 'tool_call', 'b'), report({ rawInput: { command: 'x', run_in_background: true } }, undefined, 'b')];
const ended = raw('task_notification', { task_id: 'k', tool_use_id: 'b', status: 'completed', summary: 'Background command "x" completed (exit code 0)' });
const byFeed = [
  ...launch,
  raw('task_started', { task_id: 'k', tool_use_id: 'b', description: 'x', is_backgrounded: true, task_type: 'local_bash' }),
  report({ _meta: { claudeCode: { toolName: 'Bash', toolResponse: { backgroundTaskId: 'k' } } } }, undefined, 'b'),
  report({ status: 'completed' }, undefined, 'b'),
  raw('task_updated', { task_id: 'k', patch: { status: 'completed' } }),
  ended,
];
const byExtension = [
  ...launch,
  { sessionUpdate: 'async_task_spawned', asyncTaskId: 'k', name: 'x', taskType: 'shell', description: 'x', showInTranscript: false, canStop: true, toolCallId: 'b' },
  report({ status: 'completed' }, undefined, 'b'),
  ended,
  { sessionUpdate: 'async_task_state_update', asyncTaskId: 'k', state: 'completed' },
];
const callInV2 = ['pending', 'completed'].map((status) => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'x', kind: 'execute', status }));
const states = (...updates) => [{ sessionUpdate: 'state_update', state: 'running' }, ...updates, { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' }];

const v1 = { protocolVersion: 1, agentCapabilities: {} };
const claude = { ...v1, agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' } };
const extended = { ...claude, _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } };
const v2 = { protocolVersion: 2, info: { name: 'a', version: '1' }, capabilities: {} };
const v1Client = { protocolVersion: 1, clientCapabilities: {} };
const v2Client = { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} };

/** Nobody listens there. */
const traced = (protocol) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_PROTOCOL: protocol });

/** In this order, each after the one before: the first is the plain one. */
const sessions = [
  { client: v1Client, answer: v1, turn: [chunk] },
  { client: v1Client, answer: claude, turn: [...call, ...byFeed, ...shown] },
  { client: v2Client, answer: extended, turn: [...call, ...byExtension, ...shown] },
  { client: v2Client, answer: v2, turn: states(...callInV2, chunk) },
  { client: v1Client, answer: v2, turn: states(...callInV2, chunk), options: ['--agent-protocol', 'v2'] },
  { client: v1Client, answer: v1, turn: [...call, ...byExtension, chunk], env: traced('http/protobuf') },
  { client: v1Client, answer: v1, turn: [...call, ...byExtension, chunk], env: traced('grpc') },
];

/** One short session, each request after the answer to the one before. */
function run({ client, answer, turn, options = [], env = {} }) {
  const command = [join(__dirname, 'afterturn.js'), ...options, '--', process.execPath, '-e', agent, '--', JSON.stringify(answer), JSON.stringify(turn)];
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'ignore'], env });
  const requests = [['initialize', client], ['session/new', { cwd: '/', mcpServers: [] }], ['session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] }]];
  const ask = () => {
    const [method, params] = requests.shift() ?? [];
    if (method === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: method, method, params })}\n`);
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined && method === undefined) ask();
  });
  child.stdin.on('error', () => {});
  ask();
  const timer = setTimeout(() => child.kill(), 10_000);
  return new Promise((resolve) => child.on('close', () => (clearTimeout(timer), resolve())));
}

exports.warm = async () => {
  for (const session of sessions) await run(session);
};
