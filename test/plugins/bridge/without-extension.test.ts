/**
 * Agents that speak ACP v1 without the async task extension, for an ACP v2 client: the recordings of
 * gemini-cli and opencode, through all built-in plugins. Every message of both sides is held against
 * the strict schema of its version as it goes by.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import { check } from '../../../src/check/index.js';
import { parseRecording, withMethods, type RecordedMessage } from '../../tools/recording.js';
import { objectOf, updateOf, type Json } from '../../tools/updates.js';
import { played, type Played } from './replayed.js';

const CORPUS = new URL('../../corpus/', import.meta.url);
const names = ['gemini', 'opencode'].flatMap((agent) => readdirSync(new URL(agent, CORPUS), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ndjson')).map((file) => `${agent}/${file.slice(0, -'.ndjson'.length)}`)).sort();

const results = new Map<string, Played>();

function bridged(name: string): Played {
  const known = results.get(name);
  if (known) return known;
  const agentCommand = name.startsWith('gemini') ? ['gemini', '--acp'] : ['opencode', 'acp'];
  const plugins = builtInPlugins({ agentProtocol: 'v1', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand });
  const records = parseRecording(readFileSync(new URL(`${name}.ndjson`, CORPUS), 'utf8'));
  const result = played(records, { plugins, agentCommand, silence: 60_000 });
  results.set(name, result);
  return result;
}

const updatesIn = (records: readonly RecordedMessage[]): Json[] => records.flatMap((record) => updateOf(record) ?? []).map(({ update }) => update);

/** The states that the client was told, and how each turn ended. */
const statesIn = (records: readonly RecordedMessage[]): string[] =>
  updatesIn(records).flatMap(({ sessionUpdate, state, stopReason }) => (sessionUpdate === 'state_update' ? [[state, stopReason].filter((word) => word !== undefined).join(' ')] : []));

const isTurnContent = ({ sessionUpdate, _meta }: Json): boolean =>
  ['agent_message_chunk', 'agent_thought_chunk', 'tool_call_update'].includes(String(sessionUpdate)) && objectOf(objectOf(_meta).afterturn).settled !== true;

test('there is enough to play', () => {
  expect(names.length).toBeGreaterThan(110);
});

describe.each(names)('%s', (name) => {
  test('is valid in both versions, keeps the rules, and names nothing malformed', () => {
    const { clientSide, log } = bridged(name);
    // The recorded client may answer late, or wrongly. Where its `session/new` is refused, the recorded agent goes on all the same.
    const isRefused = name === 'opencode/more/p_mcp_tool.plain';
    expect(check(clientSide).filter(({ by, rule }) => by === 'agent' && !(isRefused && rule.startsWith('A.')))).toEqual([]);
    expect(log).toEqual([]);
  });

  test('background work is not reported', () => {
    expect(updatesIn(bridged(name).clientSide).filter((update) => 'background' in update || update.sessionUpdate === 'subagent_update')).toEqual([]);
  });

  test('every request of the client is answered once', () => {
    const { clientSide } = bridged(name);
    const open = new Map<string, string>();
    for (const { record: { dir, msg }, method } of withMethods(clientSide)) {
      const key = JSON.stringify(msg.id);
      if (dir === 'c2a' && msg.method !== undefined && msg.id !== undefined) open.set(key, msg.method);
      if (dir === 'a2c' && msg.method === undefined) {
        expect(open.get(key), key).toBe(method);
        open.delete(key);
      }
    }
    expect([...open.values()]).toEqual([]);
  });
});

describe('what a turn shows, it shows while the session runs', () => {
  /** A changed mode, which gemini-cli says in a message. */
  const isModeNews = (update: Json): boolean => /^\[MODE_UPDATE\]/.test(String(objectOf(update.content).text));

  test.each(names)('%s', (name) => {
    const shown = new Map<string, string>();
    const seen: string[] = [];
    let replays = false;
    for (const record of bridged(name).clientSide) {
      if (record.dir === 'c2a' && record.msg.method !== undefined) replays = ['session/resume', 'session/fork'].includes(record.msg.method) || (replays && record.msg.method !== 'session/prompt');
      const at = updateOf(record);
      if (at?.update.sessionUpdate === 'state_update') shown.set(at.sessionId, String(at.update.state));
      else if (at && !replays && isTurnContent(at.update) && !isModeNews(at.update) && (shown.get(at.sessionId) ?? 'idle') === 'idle') seen.push(String(at.update.sessionUpdate));
    }
    expect(seen).toEqual([]);
  });
});

describe('a message that the agent gives no id', () => {
  test.each(names.filter((name) => name.startsWith('gemini')))('%s: ends with its turn', (name) => {
    const turns = new Map<unknown, number>();
    let turn = 0;
    for (const { sessionUpdate, state, messageId } of updatesIn(bridged(name).clientSide)) {
      if (sessionUpdate === 'user_message' || state === 'idle') turn += 1;
      if (sessionUpdate !== 'agent_message_chunk' && sessionUpdate !== 'agent_thought_chunk') continue;
      expect(turns.get(`${sessionUpdate} ${String(messageId)}`) ?? turn).toBe(turn);
      turns.set(`${sessionUpdate} ${String(messageId)}`, turn);
    }
  });

  test('is one message', () => {
    const chunks = updatesIn(bridged('gemini/s_second_prompt.plain').clientSide).filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    const texts = new Map<unknown, string>();
    for (const { messageId, content } of chunks) texts.set(messageId, (texts.get(messageId) ?? '') + String(objectOf(content).text));
    expect([...texts.values()]).toEqual(['Running it.', 'Second answer.']);
  });
});

describe('a permission request', () => {
  test.each(names)('%s: is about a call that was announced', (name) => {
    const announced = new Set<unknown>();
    for (const { dir, msg } of bridged(name).clientSide) {
      const { update, subject } = objectOf(msg.params);
      if (dir === 'a2c' && msg.method === 'session/update') announced.add(objectOf(update).toolCallId);
      if (dir === 'a2c' && msg.method === 'session/request_permission') expect(announced).toContain(objectOf(objectOf(subject).toolCall).toolCallId);
    }
  });

  test('of opencode asks in its own words about the call as it is', () => {
    const request = bridged('opencode/more/m4_external_directory.plain').clientSide.find(({ msg }) => msg.method === 'session/request_permission');
    expect(request?.msg.params).toMatchObject({ title: '/etc', subject: { toolCall: { toolCallId: 'call_read_1', title: 'read', kind: 'read', rawInput: { filePath: '/etc/hostname' } } } });
  });

  test('that comes before the call itself is known tells it', () => {
    const request = bridged('opencode/e11_own_turn_permission.plain').clientSide.find(({ msg }) => msg.method === 'session/request_permission');
    expect(request?.msg.params).toMatchObject({ title: './hello.sh', subject: { toolCall: { title: './hello.sh', rawInput: { command: './hello.sh' } } } });
  });
});

/** What the client is told of foreground work. */
test.each<[string, string, string[]]>([
  ['gemini/s_second_prompt.plain', 'a second prompt stops the first, and both end as the second', ['running', 'idle end_turn']],
  ['gemini/s2_second_prompt_permission_open.plain', 'it takes back what the first one asked', ['running', 'requires_action', 'running', 'idle end_turn']],
  ['gemini/more/s3_second_prompt_streaming.plain', 'a first one that ends before the second is worked on has an end of its own', ['running', 'idle cancelled', 'running', 'idle end_turn']],
  ['gemini/e5_subagent_permission.plain', 'a prompt that hangs is cancelled', ['running', 'idle cancelled']],
  ['gemini/t_two_sessions.plain', 'two sessions at once', ['running', 'running', 'idle cancelled', 'idle end_turn']],
  ['gemini/k_load_part2.plain', 'history that goes on after the answer is no turn', ['idle', 'running', 'idle end_turn']],
  ['gemini/more/o_set_mode.plain', 'nor is a changed mode', ['running', 'idle end_turn']],
  ['gemini/more/n2_error_429.plain', 'an error after a while', ['running', 'idle error']],
  ['gemini/more/n3_error_400.plain', 'an error at once', []],
  ['gemini/more/n7_max_session_turns.plain', 'a limit', ['running', 'idle max_turn_requests']],
  ['opencode/more/s_second_prompt.plain', 'a queued prompt', ['running', 'idle end_turn', 'running', 'idle end_turn']],
  ['opencode/s2_second_prompt_cancel.plain', 'a queued prompt is cancelled with the first', ['running', 'idle cancelled']],
  ['opencode/g6_cancel_then_prompt.plain', 'a cancelled turn that says end_turn', ['running', 'idle cancelled', 'running', 'idle end_turn']],
  ['opencode/more/n_error_500.plain', 'the same, of a prompt that retries for ever', ['running', 'idle cancelled']],
  ['opencode/e4_background_subagent.plain', 'a turn of its own', ['running', 'idle end_turn', 'running', 'idle end_turn']],
  ['opencode/e6_background_subagent_cancel_own.plain', 'one that is cancelled', ['running', 'idle end_turn', 'running', 'idle cancelled']],
  ['opencode/e7_background_subagent_prompt_own.plain', 'one that a prompt takes over', ['running', 'idle end_turn', 'running', 'idle end_turn']],
  ['opencode/e11_own_turn_permission.plain', 'one that asks', ['running', 'idle end_turn', 'running', 'requires_action', 'running', 'idle end_turn']],
  ['opencode/e10_background_subagent_during_turn.plain', 'none while a prompt runs', ['running', 'idle end_turn', 'running', 'idle end_turn']],
  ['opencode/l8_permission_close.plain', 'a close while it asks', ['running', 'requires_action', 'running', 'idle cancelled']],
  ['opencode/i_fork.plain', 'the history of a fork is no turn', ['running', 'idle end_turn', 'running', 'idle end_turn']],
])('%s: %s', (name, _, states) => {
  expect(statesIn(bridged(name).clientSide)).toEqual(states);
});

test('a prompt that takes a turn over is the message before what follows', () => {
  const words = updatesIn(bridged('opencode/e7_background_subagent_prompt_own.plain').clientSide)
    .flatMap(({ sessionUpdate, content, toolCallId, status }) => (sessionUpdate === 'user_message' ? ['user'] : sessionUpdate === 'agent_message_chunk' ? [String(objectOf(content).text)] : [`${String(toolCallId)} ${String(status)}`]));
  expect(words.slice(words.lastIndexOf('user') - 1, words.lastIndexOf('user') + 4)).toEqual(['call_bash_2 in_progress', 'user', 'call_bash_2 in_progress', 'call_bash_2 completed', 'Hi ']);
});

test('codes that are HTTP statuses pass', () => {
  const ended = updatesIn(bridged('gemini/more/n2_error_429.plain').clientSide).find(({ stopReason }) => stopReason === 'error');
  expect(objectOf(ended?.error).code).toBe(429);
  const refused = bridged('gemini/more/n3_error_400.plain').clientSide.find(({ msg }) => msg.error !== undefined);
  expect(objectOf(refused?.msg.error).code).toBe(400);
});

test('modes and models are options', () => {
  const { toAgent, clientSide } = bridged('gemini/more/o_set_mode.plain');
  const setters = toAgent.flatMap(({ method, params }) => (String(method).startsWith('session/set_') ? [`${String(method)} ${String(objectOf(params).modeId ?? objectOf(params).modelId)}`] : []));
  expect(setters).toEqual(['session/set_mode yolo', 'session/set_mode nonsense', 'session/set_mode default', 'session/set_mode plan', 'session/set_model gemini-2.5-flash']);
  const last = updatesIn(clientSide).findLast(({ sessionUpdate }) => sessionUpdate === 'config_option_update');
  expect(last?.configOptions).toMatchObject([{ configId: 'mode', currentValue: 'plan' }, { configId: 'model', currentValue: 'gemini-2.5-flash' }]);
});

test('an agent without close and list has both', () => {
  const answers = bridged('gemini/more/f2_server_session_close.plain').clientSide.filter(({ dir, msg }) => dir === 'a2c' && [3, 4].includes(Number(msg.id)));
  expect(answers.map(({ msg }) => msg.result)).toEqual([{}, { sessions: [] }]);
});
