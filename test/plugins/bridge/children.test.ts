/** Subagents in the private extension's form, and in that of the Subagents RFD, around a bridged agent. */
import { describe, expect, test } from 'vitest';
import { chunk, connected, type Connected } from './connected.js';
import type { Message } from '../../pipeline/harness.js';

/** What the client saw: each update with its session, shortened. */
const saw = (on: Connected): Message[] => on.told().map((message: Message) => {
  if (message.sessionUpdate !== undefined) return ['s', message];
  if (message.method === 'session/update') return [message.params.sessionId, message.params.update];
  return message.method === undefined ? [message.result ?? message.error] : [message.method, message.params];
});
const updates = (on: Connected, sessionId: string, ...all: Message[]): void => all.forEach((update) => on.agent.notifies('session/update', { sessionId, update }));
const fed = (on: Connected, subtype: string, members: object): void => on.agent.notifies('_claude/sdkMessage', { sessionId: 's', message: { type: 'system', subtype, ...members } });

const spawned = (more: object = {}): Message => ({ sessionUpdate: 'subagent_spawned', subagentSessionId: 'c', name: 'Search', task: 'find it', prompt: 'find it', capabilities: {}, ...more });
const stateUpdate = (state: string, more: object = {}): Message => ({ sessionUpdate: 'subagent_state_update', subagentSessionId: 'c', state, ...more });
const told = (state: object, more: object = {}, sessionId = 'c'): Message => ['s', { sessionUpdate: 'subagent_update', sessionId, ...more, state }];
const itsState = (state: object, sessionId = 'c'): Message => [sessionId, { sessionUpdate: 'state_update', ...state }];
const running = { state: 'running' };
const ended = { state: 'idle', stopReason: 'end_turn' };

/** A connection in which the subagent `c` works, while a prompt runs. */
function working(more: object = {}): Connected {
  const on = connected();
  on.runs();
  on.updates(spawned(more));
  saw(on);
  return on;
}

describe('a subagent of the extension', () => {
  test('is announced, works in its own session, and is sent its prompt', () => {
    const on = connected();
    on.runs();
    on.updates(spawned());
    const message = { sessionUpdate: 'session_message', messageId: expect.any(String), senderSessionId: 's', recipientSessionId: 'c', content: [{ type: 'text', text: 'find it' }] };
    const [announced, works, outgoing, incoming, ...rest] = saw(on);
    expect([announced, works]).toEqual([told(running, { title: 'Search', capabilities: {} }), itsState(running)]);
    expect([outgoing, incoming]).toEqual([['s', { ...message, recipientMessageId: outgoing[1].messageId }], ['c', { ...message, senderMessageId: outgoing[1].messageId }]]);
    expect(rest).toEqual([]);
  });

  test('says what it says in its own session, which starts no turn', () => {
    const on = working();
    const prompt = on.prompts('more');
    on.agent.answers(prompt as string, { stopReason: 'end_turn' });
    saw(on);
    updates(on, 'c', chunk('looking', 'm1'), { sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'pending', _meta: { claudeCode: { parentToolUseId: 'T' } } });
    expect(saw(on)).toEqual([
      ['c', { ...chunk('looking', 'm1') }],
      ['c', { sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'ls', kind: 'execute', status: 'pending', _meta: { claudeCode: { parentToolUseId: 'T' } } }],
    ]);
  });

  test('is idle when its run is over, and works again in the next one, under the same id', () => {
    const on = working();
    on.updates(stateUpdate('completed'));
    expect(saw(on)).toEqual([told(ended), itsState(ended)]);
    on.updates(spawned({ subagentSessionId: 'c:generation:2', task: '<task-notification>' }));
    expect(saw(on)).toEqual([told(running, { title: 'Search', description: '<task-notification>', capabilities: {} }), itsState(running)]);
    updates(on, 'c:generation:2', chunk('again', 'm2'));
    on.updates(stateUpdate('failed', { subagentSessionId: 'c:generation:2' }));
    const failed = { state: 'idle', stopReason: 'error', error: { code: -32603, message: 'The subagent failed' } };
    expect(saw(on)).toEqual([['c', { ...chunk('again', 'm2') }], told(failed), itsState(failed)]);
  });

  test('told twice to be over is told once', () => {
    const on = working();
    on.updates(stateUpdate('completed'), stateUpdate('completed'));
    expect(saw(on)).toEqual([told(ended), itsState(ended)]);
  });

  test('within a subagent is one of that', () => {
    const on = working();
    updates(on, 'c', spawned({ subagentSessionId: 'd', name: 'Inner', prompt: undefined }));
    expect(saw(on)).toEqual([
      ['c', { sessionUpdate: 'subagent_update', sessionId: 'd', title: 'Inner', description: 'find it', capabilities: {}, state: running }],
      itsState(running, 'd'),
    ]);
  });

  test('within a subagent stays the one of that when a later run of it is told by the root', () => {
    const on = working();
    updates(on, 'c', spawned({ subagentSessionId: 'd', name: 'Inner', prompt: undefined }), stateUpdate('completed', { subagentSessionId: 'd' }));
    on.updates(stateUpdate('completed'));
    saw(on);
    on.updates(spawned({ subagentSessionId: 'd:generation:2', name: 'Inner', prompt: undefined }));
    expect(saw(on)).toEqual([
      ['c', { sessionUpdate: 'subagent_update', sessionId: 'd', title: 'Inner', description: 'find it', capabilities: {}, state: running }],
      itsState(running, 'd'),
    ]);
    on.updates(stateUpdate('completed', { subagentSessionId: 'd:generation:2' }));
    expect(saw(on)).toEqual([['c', { sessionUpdate: 'subagent_update', sessionId: 'd', state: ended }], itsState(ended, 'd')]);
  });

  test('can be the first that a prompt brings: it is taken in before', () => {
    const on = connected();
    on.prompts();
    on.updates(spawned({ prompt: undefined, task: undefined }));
    expect(saw(on).map(([first, said]) => said?.sessionUpdate ?? Object.keys(first))).toEqual(['user_message', ['messageId'], 'state_update', 'subagent_update', 'state_update']);
  });

  test('is described by its role, and its prompt has the id of the call that launched it, where the raw feed tells them', () => {
    const on = connected();
    on.runs();
    fed(on, 'task_started', { task_id: 'c', task_type: 'local_agent', tool_use_id: 'T', subagent_type: 'explorer' });
    on.updates(spawned());
    expect(saw(on).filter(([method]) => method !== '_claude/sdkMessage').map(([, { description, messageId }]) => description ?? messageId)).toEqual(['explorer', undefined, 'T', 'T']);
  });

  test('that is malformed is left out, and named', () => {
    const on = working();
    on.updates(spawned({ subagentSessionId: 7 }), stateUpdate('exploded'));
    expect(saw(on)).toEqual([]);
    expect(on.log).toHaveLength(2);
  });
});

describe('session/cancel', () => {
  test('of the parent spares a subagent that the raw feed calls alive: its word counts', () => {
    const on = connected();
    const id = on.runs();
    fed(on, 'background_tasks_changed', { tasks: [{ task_id: 'c', task_type: 'local_agent' }] });
    on.updates(spawned());
    updates(on, 'c', { sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'pending', content: [{ type: 'terminal', terminalId: 't' }] });
    on.client.notifies('session/cancel', { sessionId: 's' });
    on.updates(stateUpdate('cancelled'));
    on.agent.answers(id as string, { stopReason: 'cancelled' });
    saw(on);
    fed(on, 'task_updated', { task_id: 'c', patch: { status: 'completed' } });
    expect(saw(on).filter(([method]) => method !== '_claude/sdkMessage')).toEqual([
      ['c', { sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: {} }],
      ['c', { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'cancelled', _meta: { afterturn: { reason: 'the agent told nothing more of the subagent after a cancel' } } }],
      told(ended), itsState(ended),
    ]);
  });

  test('of the parent kills one that the raw feed says was killed', () => {
    const on = connected();
    on.runs();
    fed(on, 'background_tasks_changed', { tasks: [{ task_id: 'c', task_type: 'local_agent' }] });
    on.updates(spawned());
    on.client.notifies('session/cancel', { sessionId: 's' });
    saw(on);
    on.updates(stateUpdate('cancelled'));
    fed(on, 'task_notification', { task_id: 'c', status: 'killed' });
    const cancelled = { state: 'idle', stopReason: 'cancelled' };
    expect(saw(on).filter(([method]) => method !== '_claude/sdkMessage')).toEqual([told(cancelled), itsState(cancelled)]);
  });

  test.each([
    ['nobody but the extension tells of it', () => {}],
    ['the raw feed has seen it end', (on: Connected) => {
      fed(on, 'background_tasks_changed', { tasks: [{ task_id: 'c', task_type: 'local_agent' }] });
      fed(on, 'task_updated', { task_id: 'c', patch: { status: 'killed' } });
    }],
  ])('of the parent, where %s: its word is believed', (_, before) => {
    const on = working();
    before(on);
    on.client.notifies('session/cancel', { sessionId: 's' });
    saw(on);
    on.updates(stateUpdate('cancelled'));
    const cancelled = { state: 'idle', stopReason: 'cancelled' };
    expect(saw(on)).toEqual([told(cancelled), itsState(cancelled)]);
  });

  test('of a subagent that the agent cannot stop passes, and changes nothing', () => {
    const on = working();
    on.asked();
    on.client.notifies('session/cancel', { sessionId: 'c' });
    expect(on.asked()).toEqual([['session/cancel', { sessionId: 'c' }]]);
    on.updates(stateUpdate('completed'));
    expect(saw(on)).toEqual([told(ended), itsState(ended)]);
  });

  test('of one that it can stop makes it cancelled, whatever it says', () => {
    const on = connected();
    on.runs();
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', title: 'Search', capabilities: { cancel: {} }, state: running });
    expect(saw(on)).toEqual([told(running, { title: 'Search', capabilities: { cancel: {} } }), itsState(running)]);
    on.client.notifies('session/cancel', { sessionId: 'c' });
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', state: { state: 'idle', stopReason: 'end_turn' } });
    const cancelled = { state: 'idle', stopReason: 'cancelled' };
    expect(saw(on)).toEqual([told(cancelled), itsState(cancelled)]);
  });
});

describe('what a subagent asks', () => {
  const ask = { sessionId: 'c', toolCall: { toolCallId: 't', title: 'rm', kind: 'execute', status: 'pending' }, options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }] };

  test('is asked in its session, which waits for the answer; the parent does not', () => {
    const on = working();
    const id = on.agent.requests('session/request_permission', ask);
    const asked = on.told();
    const params = asked.at(-1).params;
    expect([params.sessionId, params.subject.toolCall.toolCallId]).toEqual(['c', 't']);
    expect(asked.slice(-3, -1)).toEqual([{ sessionUpdate: 'subagent_update', sessionId: 'c', state: { state: 'requires_action' } }, expect.objectContaining({ params: { sessionId: 'c', update: { sessionUpdate: 'state_update', state: 'requires_action' } } })]);
    on.asked();
    on.client.answers(asked.at(-1).id, { outcome: { outcome: 'selected', optionId: 'y' } });
    expect(on.asked()).toEqual([[{ outcome: { outcome: 'selected', optionId: 'y' } }]]);
    expect(saw(on)).toEqual([told(running), itsState(running)]);
    expect(id).toBeDefined();
  });

  test('stays open when the parent is cancelled and the subagent goes on, and is withdrawn when its work is over', () => {
    const on = working();
    fed(on, 'background_tasks_changed', { tasks: [{ task_id: 'c', task_type: 'local_agent' }] });
    on.agent.requests('session/request_permission', ask);
    const question = on.told().at(-1).id;
    on.asked();
    on.client.notifies('session/cancel', { sessionId: 's' });
    expect(on.asked()).toEqual([['session/cancel', { sessionId: 's' }]]);
    on.updates(stateUpdate('cancelled'));
    fed(on, 'task_updated', { task_id: 'c', patch: { status: 'completed' } });
    expect(saw(on)).toContainEqual(['$/cancel_request', { requestId: question }]);
  });

  test('is answered `cancelled` when the parent is cancelled, and the subagent with it', () => {
    const on = working();
    on.agent.requests('session/request_permission', ask);
    on.told();
    on.asked();
    on.client.notifies('session/cancel', { sessionId: 's' });
    expect(on.asked()).toEqual([['session/cancel', { sessionId: 's' }], [{ outcome: { outcome: 'cancelled' } }]]);
  });

  test('in a later run is asked under the id of the child', () => {
    const on = working();
    on.updates(stateUpdate('completed'), spawned({ subagentSessionId: 'c:generation:2' }));
    on.agent.requests('session/request_permission', { ...ask, sessionId: 'c:generation:2' });
    expect(on.told().at(-1).params.sessionId).toBe('c');
  });
});

describe('the form of the Subagents RFD', () => {
  test('patches the association; a state is told in both sessions', () => {
    const on = connected();
    on.runs();
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', title: 'Search', cwd: '/w/tree' });
    expect(saw(on)).toEqual([['s', { sessionUpdate: 'subagent_update', sessionId: 'c', title: 'Search', cwd: '/w/tree' }]]);
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', state: running });
    expect(saw(on)).toEqual([told(running), itsState(running)]);
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', cwd: null, capabilities: null });
    expect(saw(on)).toEqual([['s', { sessionUpdate: 'subagent_update', sessionId: 'c', cwd: null, capabilities: null }]]);
  });

  test('what cannot be told is unknown, until it is told again', () => {
    const on = connected();
    on.runs();
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', state: running });
    saw(on);
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', state: { state: 'unknown' } });
    expect(saw(on)).toEqual([told({ state: 'unknown' }), itsState({ state: 'unknown' })]);
    on.updates({ sessionUpdate: 'subagent_update', sessionId: 'c', state: running });
    expect(saw(on)).toEqual([told(running), itsState(running)]);
  });

  test('its messages between sessions pass', () => {
    const on = working();
    const message = { sessionUpdate: 'session_message', messageId: 'm', senderSessionId: 's', recipientSessionId: 'c', content: [{ type: 'text', text: 'go' }] };
    on.updates(message);
    expect(saw(on)).toEqual([['s', message]]);
  });
});

test('a close ends the subagents of the session before it, and their sessions with it', () => {
  const on = working();
  updates(on, 'c', spawned({ subagentSessionId: 'd', prompt: undefined }));
  saw(on);
  on.asked();
  on.client.requests('session/close', { sessionId: 's' });
  on.agent.answers(on.asked()[0][2], {});
  const cancelled = { state: 'idle', stopReason: 'cancelled' };
  expect(saw(on)).toEqual([
    ['c', { sessionUpdate: 'subagent_update', sessionId: 'd', state: cancelled }], itsState(cancelled, 'd'),
    told(cancelled), itsState(cancelled), itsState(cancelled, 's'), [{}],
  ]);
  updates(on, 'c', chunk('late', 'm'));
  on.updates(stateUpdate('completed'));
  expect(saw(on)).toEqual([]);
});

test('a subagent is no session of the connection', () => {
  const on = connected({ protocolVersion: 1, agentInfo: { name: 'a', version: '1' }, agentCapabilities: {} });
  on.updates(spawned());
  saw(on);
  on.client.requests('session/list', {});
  expect(saw(on)).toEqual([[{ sessions: [{ sessionId: 's', cwd: '/project' }] }]]);
});

describe('the replay of a subagent', () => {
  const replayed = (launch: string, more: object = {}): Message => ({ sessionUpdate: 'subagent_spawned', subagentSessionId: `s:replay-subagent:${launch}`, name: 'Search', task: 'find it', capabilities: {}, ...more });
  const over = (launch: string): Message => ({ sessionUpdate: 'subagent_state_update', subagentSessionId: `s:replay-subagent:${launch}`, state: 'completed' });
  const replays = (on: Connected): (() => void) => {
    on.client.requests('session/resume', { sessionId: 's', cwd: '/project', replayFrom: { type: 'start' } });
    const own = on.asked().at(-1)[2] as string;
    return () => on.agent.answers(own, {});
  };

  test('that the client knows is that of the same child, which goes on', () => {
    const on = connected();
    on.runs();
    fed(on, 'task_started', { task_id: 'c', task_type: 'local_agent', tool_use_id: 'T', subagent_type: 'finder', description: 'Search' });
    on.updates(spawned());
    saw(on);
    const answers = replays(on);
    on.updates(replayed('T'));
    updates(on, 's:replay-subagent:T', chunk('looking', 'm1'));
    on.updates(over('T'));
    answers();
    expect(saw(on)).toEqual([
      ['s', { sessionUpdate: 'subagent_update', sessionId: 'c', title: 'Search', description: 'finder', capabilities: {} }],
      ['c', { sessionUpdate: 'agent_message', messageId: 'm1', content: [] }],
      ['c', chunk('looking', 'm1')],
      ['s', { sessionUpdate: 'state_update', state: 'running' }],
      [{}],
    ]);
    on.updates(stateUpdate('completed'));
    expect(saw(on)).toEqual([told(ended), itsState(ended)]);
  });

  test('that nobody here knows is a child of its own, and idle', () => {
    const on = connected();
    const answers = replays(on);
    on.updates(replayed('U'), over('U'));
    answers();
    expect(saw(on).slice(0, -2)).toEqual([
      ['s', { sessionUpdate: 'subagent_update', sessionId: 's:replay-subagent:U', title: 'Search', description: 'find it', capabilities: {} }],
      told(ended, {}, 's:replay-subagent:U'), itsState(ended, 's:replay-subagent:U'),
    ]);
  });
});

describe('subagents that cannot be', () => {
  test('no session comes from itself, and what it says goes on', () => {
    const on = working();
    updates(on, 'c', spawned({ subagentSessionId: 's' }));
    updates(on, 's', spawned({ subagentSessionId: 's' }));
    saw(on);
    updates(on, 's', chunk('here', 'm1'));
    updates(on, 'c', chunk('there', 'm2'));
    expect(saw(on)).toEqual([['s', chunk('here', 'm1')], ['c', chunk('there', 'm2')]]);
    expect(on.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test('a chain of them without end costs no more for its length', () => {
    const on = working();
    for (let n = 0; n < 20_000; n += 1) updates(on, n === 0 ? 'c' : `n${n}`, spawned({ subagentSessionId: `n${n + 1}` }));
    saw(on);
    updates(on, 'n20000', chunk('deep', 'm1'));
    expect(saw(on)).toEqual([['n20000', chunk('deep', 'm1')]]);
    expect(on.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });
});
