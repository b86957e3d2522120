import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadRecording, recordingNames, withMethods } from './recording.js';
import { validateToAgent, validateToClient, type Version } from './schema.js';

interface Rejection {
  readonly why: string;
  readonly version: Version;
  readonly method?: string;
  readonly message: unknown;
  readonly error: string;
}

const rejections = readFileSync(new URL('../corpus/rejection/to-client.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Rejection);

const update = (kind: Record<string, unknown>) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: kind } });

describe('every message of the native v2 recordings is valid', () => {
  test.each(recordingNames('v2'))('%s', (name) => {
    const errors = withMethods(loadRecording(name)).flatMap(({ record, method }, line) =>
      (record.dir === 'a2c' ? validateToClient : validateToAgent)('v2', record.msg, { method }).map((error) => `${line + 1}: ${error}`));
    expect(errors).toEqual([]);
  });
});

describe('what claude-agent-acp sends a v1 client is valid by the unstable form, but for its own extensions', () => {
  const EXTENSIONS = [
    /^params\/update\/sessionUpdate: must match pattern/,
    /^result\/agentCapabilities\/sessionCapabilities: .*\(subagents\)$/,
    /^result: .*\(sessionId\)$/,
  ];
  test.each([...recordingNames('legacy'), ...recordingNames('plain')])('%s', (name) => {
    const errors = withMethods(loadRecording(name)).flatMap(({ record, method }) =>
      record.dir === 'a2c' ? validateToClient('v1-unstable', record.msg, { method }) : []);
    expect(errors.filter((error) => !EXTENSIONS.some((known) => known.test(error)))).toEqual([]);
  });
});

describe('broken messages are named', () => {
  test.each(rejections.map((rejection) => [`${rejection.version}: ${rejection.why}`, rejection] as const))('%s', (_, { version, method, message, error }) => {
    const errors = validateToClient(version, message, { method });
    expect(errors.join('\n')).toContain(error);
  });

  test('one fault is one error, at its place', () => {
    expect(validateToClient('v2', update({ sessionUpdate: 'state_update', state: 'idle', background: [{ type: 'terminal' }] })))
      .toEqual(["params/update/background/0: must have required property 'terminalId'"]);
    expect(validateToClient('v2', update({ sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: { exit_code: 0 } })))
      .toEqual(['params/update/exitStatus: must NOT have unevaluated properties (exit_code)']);
    expect(validateToClient('v2', update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'stopped' })))
      .toEqual(['params/update/status: must match pattern "^(?:pending|in_progress|paused|completed|failed|cancelled|_.*)$"']);
    expect(validateToClient('v2', update({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 7 })))
      .toEqual(['params/update/title: must be string,null']);
  });
});

describe('extensions pass', () => {
  test.each([
    ['an update kind', update({ sessionUpdate: '_foo', anything: 1 })],
    ['a state', update({ sessionUpdate: 'state_update', state: '_waiting', background: [] })],
    ['an item type', update({ sessionUpdate: 'state_update', state: 'idle', background: [{ type: '_cron', when: 'noon' }] })],
    ['a status and a kind', update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: '_queued', kind: '_bash' })],
    ['a stop reason', update({ sessionUpdate: 'state_update', state: 'idle', stopReason: '_budget', background: [] })],
    ['_meta', update({ sessionUpdate: 'tool_call_update', toolCallId: 't', _meta: { claudeCode: { toolName: 'Bash' } } })],
    ['raw input and output', update({ sessionUpdate: 'tool_call_update', toolCallId: 't', rawInput: { command: 'x' }, rawOutput: [1, 'a', null] })],
    ['a notification', { jsonrpc: '2.0', method: '_auth/status_update', params: { anything: true } }],
    ['a request', { jsonrpc: '2.0', id: 'x', method: '_host/ask', params: null }],
  ])('%s', (_, message) => {
    expect(validateToClient('v2', message)).toEqual([]);
  });

  test('a cancellation of a request', () => {
    expect(validateToClient('v2', { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 3 } })).toEqual([]);
  });

  test('an error with any data', () => {
    expect(validateToClient('v2', { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'x', data: { terminalId: 't' } } }, { method: 'terminal/cancel' })).toEqual([]);
  });
});
