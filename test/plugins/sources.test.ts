/** What is asked of the agent in the client's name, and what of the raw feed reaches the client. */
import { describe, expect, it } from 'vitest';
import { ASKED, asSent, CLAUDE, connected, isUntouched, NEW, sdkMessage, SUBTYPES, type Options } from './asking.js';
import { sources } from '../../plugins/sources.js';
import { wired, type Message } from '../pipeline/harness.js';

describe('a plain v1 client of claude-agent-acp', () => {
  it('speaks `initialize` byte for byte', () => {
    const on = connected({ clientCapabilities: { fs: { readTextFile: true } } });
    expect(on.toAgent).toBe('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}}\n');
    expect(on.toClient).toBe(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":${JSON.stringify(CLAUDE)}}}\n`);
  });

  it.each(['session/new', 'session/load', 'session/resume', 'session/fork'])('asks for what is needed of the raw feed with %s', (method) => {
    const params = { sessionId: 's', cwd: '/project', mcpServers: [], _meta: { other: 1, claudeCode: { options: { model: 'x' } } } };
    expect(asSent(connected(), method, params)).toEqual({ ...params, _meta: { other: 1, claudeCode: { options: { model: 'x' }, emitRawSDKMessages: ASKED } } });
  });

  it('sends every later set-up request of the session with the same addition, byte for byte', () => {
    const on = connected();
    const added = (method: string, params: Message, id: number): string => JSON.stringify(asSent(on, method, params, id)._meta);
    const first = added('session/new', { cwd: '/project', mcpServers: [] }, 1);
    on.agent.answers(1, { sessionId: 's' });
    expect(first).toBe(`{"claudeCode":{"emitRawSDKMessages":${JSON.stringify(ASKED)}}}`);
    for (const [id, method] of ['session/load', 'session/resume', 'session/fork'].entries()) expect(added(method, { sessionId: 's', cwd: '/project', mcpServers: [] }, id + 2)).toBe(first);
  });

  it('keeps the addition when the client asks for less than before, and merges it when the client asks for more', () => {
    const on = connected();
    const emits = (method: string, asked: Message, id: number): Message =>
      asSent(on, method, { sessionId: 's', cwd: '/project', ...(asked === undefined ? {} : { _meta: { claudeCode: { emitRawSDKMessages: asked } } }) }, id)._meta.claudeCode.emitRawSDKMessages;
    const init = { type: 'system', subtype: 'init' };
    expect(emits('session/new', [init], 1)).toEqual([init, ...ASKED]);
    on.agent.answers(1, { sessionId: 's' });
    expect(emits('session/resume', undefined, 2)).toEqual([init, ...ASKED]);
    expect(emits('session/resume', [ASKED[0]], 3)).toEqual([init, ...ASKED]);
    expect(emits('session/resume', [{ type: 'assistant' }], 4)).toEqual([{ type: 'assistant' }, ...ASKED]);
    expect(emits('session/resume', true, 5)).toBe(true);
    expect(emits('session/load', false, 6)).toBe(true);
  });

  it('gets nothing of the raw feed', () => {
    const on = connected();
    asSent(on, 'session/new', { cwd: '/project' });
    on.agent.sends(sdkMessage('session_state_changed'));
    on.agent.answers(1, { sessionId: 's' });
    for (const subtype of SUBTYPES) on.agent.sends(sdkMessage(subtype));
    expect(on.client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: { sessionId: 's' } }]);
  });

  it('gets what it asked for itself, and only that, in each session', () => {
    const on = connected();
    asSent(on, 'session/new', { cwd: '/project', _meta: { claudeCode: { emitRawSDKMessages: [{ type: 'system', subtype: 'task_started' }] } } });
    on.agent.answers(1, { sessionId: 's' });
    asSent(on, 'session/fork', { sessionId: 's', cwd: '/project' }, 2);
    on.agent.answers(2, { sessionId: 'forked' });
    on.client.received();
    on.agent.sends(sdkMessage('task_started'), sdkMessage('task_updated'), sdkMessage('task_started', 'forked'));
    expect(on.client.received()).toEqual([sdkMessage('task_started')]);
  });

  it('gets what it asked for of a session that is still being made', () => {
    const on = connected();
    asSent(on, 'session/new', { cwd: '/project', _meta: { claudeCode: { emitRawSDKMessages: true } } });
    on.agent.sends(sdkMessage('init'));
    expect(on.client.received()).toEqual([sdkMessage('init')]);
  });

  it('that asks for enough itself is not rewritten', () => {
    const on = connected();
    const line = '{"id":1.0, "jsonrpc":"2.0","method":"session/new","params":{"_meta":{"claudeCode":{"emitRawSDKMessages":[{"type":"system"}]}}}}';
    on.client.sends(line);
    expect(on.agent.receivedLines()).toEqual([line]);
  });

  it('is asked about by origin too', () => {
    const on = connected();
    const byOrigin = { type: 'system', subtype: 'task_started', origin: 'human' };
    expect(asSent(on, 'session/new', { _meta: { claudeCode: { emitRawSDKMessages: [byOrigin] } } })._meta.claudeCode.emitRawSDKMessages).toEqual([byOrigin, ...ASKED]);
    on.agent.answers(1, { sessionId: 's' });
    on.client.received();
    on.agent.sends(sdkMessage('task_started'));
    expect(on.client.received()).toEqual([]);
  });
});

describe('nothing is asked for', () => {
  it('with `--source none`', () => isUntouched(connected({ source: 'none' })));
  it('of another agent', () => isUntouched(connected({ agent: { name: 'gemini-cli', version: '1.0.0' } })));
  it('of a claude-agent-acp without the raw feed', () => isUntouched(connected({ agent: { name: '@agentclientprotocol/claude-agent-acp', version: '0.25.3' } })));
  it('for a client that negotiated the extension itself, whatever the source', () => {
    const declared = { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } };
    for (const source of ['auto', 'async-tasks', 'claude-raw'] as const) {
      const on = connected({ source, clientCapabilities: declared, answer: declared });
      expect(JSON.parse(on.toAgent).params.clientCapabilities).toEqual(declared);
      expect(JSON.parse(on.toClient).result._meta).toEqual(declared._meta);
      isUntouched(on);
    }
  });
});

describe('`--source async-tasks` for a v1 client', () => {
  const air = { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } };
  const answer = { _meta: air, agentCapabilities: { sessionCapabilities: { list: {}, subagents: {} } } };
  const asyncTasks = (more: Options = {}) => connected({ source: 'async-tasks', answer, ...more });

  it('declares the extension and nothing else, and hides the answer to it', () => {
    const on = asyncTasks({ clientCapabilities: { fs: {}, _meta: { terminal_output: true } } });
    expect(JSON.parse(on.toAgent).params.clientCapabilities).toEqual({ fs: {}, _meta: { terminal_output: true, ...air } });
    expect(JSON.parse(on.toClient).result).toEqual({ protocolVersion: 1, agentInfo: CLAUDE, agentCapabilities: { sessionCapabilities: { list: {} } } });
  });

  it('declares it for a client that has no capabilities, and never a terminal', () => {
    expect(JSON.parse(asyncTasks().toAgent).params).toEqual({ protocolVersion: 1, clientCapabilities: { _meta: air } });
  });

  it('asks for no raw feed', () => {
    const on = asyncTasks();
    on.client.sends(NEW);
    expect(on.agent.receivedLines()).toEqual([NEW]);
  });
});

describe('a v2 client of claude-agent-acp', () => {
  const status = { type: 'system', subtype: 'status' };

  /** What the agent is asked for, when it has answered `initialize` in this version. */
  function asked(answer: Message): Message {
    const { atClient, atAgent } = sources({ source: 'auto' });
    const on = wired([atClient, atAgent]);
    on.client.sends({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {}, clientCapabilities: {} } });
    on.agent.answers(0, answer);
    on.agent.received();
    const { emitRawSDKMessages } = asSent(on, 'session/new', { cwd: '/project' })._meta.claudeCode;
    on.agent.answers(1, { sessionId: 's' });
    on.client.received();
    on.agent.sends(sdkMessage('status'));
    expect(on.client.received()).toEqual([]);
    expect(asSent(on, 'session/resume', { sessionId: 's', cwd: '/project' }, 2)._meta.claudeCode.emitRawSDKMessages).toEqual(emitRawSDKMessages);
    return emitRawSDKMessages;
  }

  it('asks an agent that speaks v1 for the names of the messages that it takes in, and for what makes it forget its tasks, too, and keeps them from the client', () => {
    expect(asked({ protocolVersion: 1, agentInfo: CLAUDE })).toEqual([...ASKED, status, { type: 'conversation_reset' }]);
  });

  it('does not ask an agent that speaks v2: that tells them itself', () => {
    expect(asked({ protocolVersion: 2, info: CLAUDE })).toEqual(ASKED);
  });
});
