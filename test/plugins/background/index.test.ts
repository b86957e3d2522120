import { describe, expect, it } from 'vitest';
import type { Fact } from 'afterturn/state';
import { validateToClient } from '../../tools/schema.js';
import { background } from '../../../plugins/background/index.js';
import { wired } from '../../pipeline/harness.js';
import { connected, SESSION, type Connected } from './connected.js';

describe('where it stands', () => {
  it.each([
    ['a v1 client', { clientVersion: 1, agentVersion: 1 }],
    ['an agent that answers v1', { agentVersion: 1 }],
    ['a client that negotiated the extension itself', { declared: ['asyncTasks'] }],
  ])('it leaves the list for %s: nothing is touched', (_, options) => {
    const on = connected(options);
    on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell' });
    on.says('state_update', { state: 'running' });
    expect(on.saw()).toEqual(['_async_task_spawned', 'running no list']);
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'terminal/cancel', params: { sessionId: SESSION, terminalId: 'c' } });
    expect(on.asked()).toMatchObject([{ method: 'terminal/cancel' }]);
  });

  it('does nothing before both sides have agreed on a version: a closed session may still speak', () => {
    const on = wired([background({ followUpWindow: 250 })]);
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'session/close', params: { sessionId: SESSION } });
    on.agent.answers(1, {});
    on.agent.notifies('session/update', { sessionId: SESSION, update: { sessionUpdate: '_async_task_spawned', asyncTaskId: 'b', taskType: 'shell' } });
    on.agent.notifies('session/update', { sessionId: SESSION, update: { sessionUpdate: 'state_update', state: 'running' } });
    expect(on.client.received().map(({ method, id }) => method ?? id)).toEqual([1, 'session/update', 'session/update']);
  });

  it('stays after an `initialize` that failed', () => {
    const on = connected({ agentVersion: 2 });
    on.client.sends({ jsonrpc: '2.0', id: 9, method: 'initialize', params: { protocolVersion: 2 } });
    on.agent.refuses(9, { code: -32603, message: 'no' });
    expect(on.saw()).toEqual(['error 9 -32603']);
    on.says('state_update', { state: 'running' });
    expect(on.saw()).toEqual(['running []']);
  });
});

describe('when work is reported from the start', () => {
  it.each<[string, Parameters<typeof connected>[0], string]>([
    ['the extension is acknowledged', {}, 'running []'],
    ['nothing is acknowledged', { acknowledged: [] }, 'running no list'],
    ['sessions ask for the raw feed', { acknowledged: [], asksForRawFeed: () => true }, 'running []'],
    ['Codex acknowledges the tasks, but not the sessions of subagents', { name: '@agentclientprotocol/codex-acp' }, 'running no list'],
    ['Codex acknowledges both', { name: '@agentclientprotocol/codex-acp', acknowledged: ['asyncTasks', 'nativeSubagentSessions'] }, 'running []'],
  ])('%s: %s', (_, options, seen) => {
    const on = connected(options);
    on.says('state_update', { state: 'running' });
    expect(on.saw()).toEqual([seen]);
  });

  it('a source of the raw feed alone lists by it', () => {
    const on = connected({ acknowledged: [], asksForRawFeed: () => true });
    on.says('state_update', { state: 'running' });
    on.says('terminal_update', { terminalId: 'c', command: './run.sh' });
    on.says('tool_call_update', { toolCallId: 'c', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] });
    on.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r', task_type: 'local_bash', description: 'Run it' }] });
    on.raw('task_started', { task_id: 'b', run_id: 'r', tool_use_id: 'c', task_type: 'local_bash' });
    on.client.received();
    on.says('tool_call_update', { toolCallId: 'c', status: 'completed' });
    expect(on.saw()).toEqual(['call c completed', 'terminal c "./run.sh"', 'running [terminal c]']);
    on.raw('background_tasks_changed', { tasks: [] });
    on.raw('task_updated', { task_id: 'b', run_id: 'r', patch: { status: 'completed' } });
    on.raw('task_notification', { task_id: 'b', run_id: 'r', status: 'completed', summary: 'Background command "Run it" completed (exit code 0)' });
    expect(on.saw().filter((line) => !line.startsWith('_claude'))).toEqual(['terminal c exited {"exitCode":0} not cancellable', 'running []']);
  });
});

describe('what it does not change', () => {
  it('passes byte for byte', () => {
    const on = connected();
    on.says('state_update', { state: 'running' });
    on.client.received();
    const update = (members: string): string => `{ "jsonrpc":"2.0","method":"session/update","params":{"update":{${members}},"sessionId":"${SESSION}"} }`;
    const lines = [
      update('"sessionUpdate":"agent_message_chunk","n":1.0,"content":{"type":"text","text":"\\u00e9"}'),
      update('"sessionUpdate":"tool_call_update","toolCallId":"f","status":"completed","rawOutput":12345678901234567890'),
      update('"sessionUpdate":"terminal_update","terminalId":"f","exitStatus":{"exitCode":0}'),
      update('"sessionUpdate":"never_heard_of","toolCallId":5'),
      update('"sessionUpdate":7'),
      '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"state_update","state":"idle"}}}',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":null}}',
      '{"jsonrpc":"2.0","method":"session/update"}',
      '{"jsonrpc":"2.0","method":"_claude/sdkMessage","params":{"message":{"type":"system","subtype":"task_started","task_id":"x"}}}',
    ];
    on.agent.sends(...lines);
    expect(on.client.receivedLines()).toEqual(lines);
  });

  it('lists of the agent\'s own pass byte for byte too', () => {
    const on = connected({ acknowledged: [] });
    const line = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${SESSION}","update":{"sessionUpdate":"state_update","state":"idle","background":[{"type":"_other","x":1.0}]}}}`;
    on.agent.sends(line);
    expect(on.client.receivedLines()).toEqual([line]);
  });

  it('big numbers survive in what is changed', () => {
    const on = connected();
    on.agent.sends(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${SESSION}","update":{"sessionUpdate":"state_update","state":"running","_meta":{"n":12345678901234567890}}}}`);
    expect(on.client.receivedLines()[0]).toContain('"n":12345678901234567890');
  });
});

describe('exit codes', () => {
  it('are told whatever digits carry them', () => {
    const on = connected({ name: 'other-agent' });
    on.runsShell();
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'failed' });
    on.agent.sends(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${SESSION}","update":{"sessionUpdate":"terminal_update","terminalId":"c","exitStatus":{"exitCode":3.0},"n":12345678901234567890}}}`);
    expect(on.client.received().at(-1).params.update.exitStatus).toEqual({ exitCode: 3 });
  });
});

describe('what the ledger learns', () => {
  it('is told in the order of the wire', () => {
    const facts: string[] = [];
    const on = connected({ onFact: (fact: Fact) => facts.push(`${fact.type} ${fact.session} ${fact.item.task}`) });
    on.runsShell();
    on.says('_async_task_state_update', { asyncTaskId: 'b', state: 'completed' });
    expect(facts).toEqual(['itemStarted s b', 'itemDetached s b', 'itemEnded s b']);
  });
});

/** Malformed forms of every legacy kind. */
const malformed: readonly (readonly [string, object])[] = [
  ['_async_task_spawned', { taskType: 'shell', toolCallId: 'c' }],
  ['_async_task_spawned', { asyncTaskId: null, taskType: 'shell' }],
  ['_async_task_spawned', { asyncTaskId: 7, taskType: 'shell' }],
  ['_async_task_spawned', { asyncTaskId: '', taskType: 'shell' }],
  ['_async_task_spawned', { asyncTaskId: 'x', taskType: { secret: 'payload' } }],
  ['_async_task_spawned', { asyncTaskId: 'x', taskType: 'shell', toolCallId: 5 }],
  ['_async_task_spawned', { asyncTaskId: 'x', taskType: 'shell', canStop: 'secret' }],
  ['_async_task_progress', { outputFilePath: '/tmp/x' }],
  ['_async_task_progress', { asyncTaskId: ['x'] }],
  ['_async_task_state_update', { state: 'completed' }],
  ['_async_task_state_update', { asyncTaskId: 'x' }],
  ['_async_task_state_update', { asyncTaskId: 'x', state: 'secret' }],
  ['_async_task_state_update', { asyncTaskId: 'x', state: 0 }],
];
const malformedRaw: readonly (readonly [string, object])[] = [
  ['task_started', {}],
  ['task_started', { task_id: 4 }],
  ['task_updated', { patch: { status: 'completed' } }],
  ['task_updated', { task_id: 'x', patch: { status: 'secret' } }],
  ['task_notification', { task_id: 'x', status: 'secret' }],
  ['task_notification', { task_id: 'x' }],
  ['background_tasks_changed', {}],
  ['background_tasks_changed', { tasks: [{ task_type: 'local_bash', description: 'secret' }, 5] }],
  ['session_state_changed', { state: null }],
];

describe('malformed updates', () => {
  const listed = (on: Connected): string[] => {
    on.says('state_update', { state: 'running' });
    on.says('state_update', { state: 'idle' });
    return on.saw();
  };

  it.each(malformed)('%s %o invents nothing, does not reach the client, and does not stop the session', (kind, members) => {
    const on = connected();
    on.says(kind, members);
    expect(on.saw()).toEqual([]);
    expect(listed(on)).toEqual(['running []', 'idle []']);
    on.runsShell();
    on.says(kind, members);
    on.says('state_update', { state: 'running' });
    expect(on.saw()).toEqual(['running [terminal c]']);
    expect(on.log).toHaveLength(1);
  });

  it.each(malformedRaw)('the raw feed\'s %s %o invents nothing, and does not stop the session', (subtype, members) => {
    for (const options of [{}, { acknowledged: [], asksForRawFeed: () => true }]) {
      const on = connected(options);
      on.raw(subtype, members);
      on.client.received();
      expect(listed(on)).toEqual(['running []', 'idle []']);
      expect(on.log).toHaveLength(1);
    }
  });

  it('are named once per kind and session, by types and key names only, with totals at the end', async () => {
    const on = connected();
    for (let i = 0; i < 3; i++) for (const [kind, members] of malformed) on.says(kind, members);
    for (const [subtype, members] of malformedRaw) on.raw(subtype, members);
    on.says('_async_task_spawned', { taskType: 'shell' }, 'other');
    expect(on.log.map((line) => line.replace(/: [^:]*$/, ''))).toEqual([
      'warn: malformed _async_task_spawned of session s', 'warn: malformed _async_task_progress of session s', 'warn: malformed _async_task_state_update of session s',
      'warn: malformed _claude/sdkMessage of session s', 'warn: malformed _async_task_spawned of session other',
    ]);
    await on.relay.close();
    expect(on.log.slice(5)).toEqual([
      'warn: malformed _async_task_spawned: 22 in all.', 'warn: malformed _async_task_progress: 6 in all.', 'warn: malformed _async_task_state_update: 12 in all.', 'warn: malformed _claude/sdkMessage: 9 in all.',
    ]);
    expect(on.log.join('\n')).not.toMatch(/secret|payload/);
  });

  it('an unknown task type is no malformed one: it is a tool call', () => {
    const on = connected();
    on.runsWorkflow({ taskType: 'never_heard_of' });
    on.says('state_update', { state: 'running' });
    expect(on.saw()).toEqual(['running [tool_call w1]']);
    expect(on.log).toEqual([]);
  });

  it('an end with something malformed beside it still ends its item', () => {
    const on = connected();
    on.runsWorkflow();
    on.says('_async_task_state_update', { asyncTaskId: 'w', state: 'completed', summary: { secret: 1 } });
    expect(on.saw()).toEqual(['call w1 completed not cancellable']);
    expect(on.log).toHaveLength(1);
  });

  it('of tool calls and terminals pass, and are named', () => {
    const on = connected();
    on.says('tool_call_update', { status: 'completed' });
    on.says('terminal_update', { terminalId: 3 });
    on.says('state_update', { state: 5 });
    expect(on.client.received().map(({ params }) => params.update)).toEqual([
      { sessionUpdate: 'tool_call_update', status: 'completed' }, { sessionUpdate: 'terminal_update', terminalId: 3 }, { sessionUpdate: 'state_update', state: 5, background: [] },
    ]);
    expect(on.log).toHaveLength(3);
  });
});

describe('every update that it makes', () => {
  it('is valid by the schema', () => {
    const on = connected();
    on.says('state_update', { state: 'running' });
    on.says('_async_task_spawned', { asyncTaskId: 'own', taskType: 'shell', name: './x' });
    on.says('tool_call_update', { toolCallId: 'z', status: 'failed' });
    on.says('_async_task_spawned', { asyncTaskId: 'call', taskType: 'monitor', toolCallId: 'z', canStop: true });
    on.says('tool_call_update', { toolCallId: 'late', status: 'in_progress', title: 'Late' });
    on.says('state_update', { state: 'idle', stopReason: 'end_turn' });
    on.says('_async_task_progress', { asyncTaskId: 'own', toolCallId: 'late' });
    on.says('_async_task_state_update', { asyncTaskId: 'call', state: 'paused' });
    on.says('_async_task_state_update', { asyncTaskId: 'own', state: 'failed' });
    on.clock.advance(1000);
    on.client.sends({ jsonrpc: '2.0', id: 5, method: 'session/close', params: { sessionId: SESSION } });
    on.agent.answers(on.agent.received().at(-1).id, {});
    const messages = on.client.received();
    expect(messages.length).toBeGreaterThan(12);
    expect(messages.flatMap((message) => validateToClient('v2', message, { method: 'session/close' }))).toEqual([]);
  });
});
