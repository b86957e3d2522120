import { describe, expect, it } from 'vitest';
import { noListedTasks, reduceListedTasks, taskOf, type ListedTasks, type ListedTasksEvent, type ListedTasksOptions } from '../../src/state/index.js';

const options: ListedTasksOptions = { exitLineInOutput: false, marks: false, subagents: true, turnName: 'Working' };

/** The state after these events, and the kinds of what was told. */
function after(...events: readonly ListedTasksEvent[]): { state: ListedTasks; told: string[] } {
  return events.reduce<{ state: ListedTasks; told: string[] }>(
    ({ state, told }, event) => {
      const [next, more] = reduceListedTasks(state, event, options);
      return { state: next, told: [...told, ...more.map(({ place, update }) => `${place} ${update.sessionUpdate} ${String(update.asyncTaskId)} ${String(update.state ?? '')}`.trim())] };
    },
    { state: noListedTasks, told: [] },
  );
}
const update = (sessionUpdate: string, members: object = {}): ListedTasksEvent => ({ type: 'update', update: { sessionUpdate, ...members }, isChild: false });
const lists = (state: string, ...terminals: readonly string[]): ListedTasksEvent => update('state_update', { state, background: terminals.map((terminalId) => ({ type: 'terminal', terminalId })) });

describe('reduceListedTasks', () => {
  it('gives the same state back for what tells nothing new', () => {
    const { state } = after({ type: 'promptSent' }, lists('running', 't'), update('terminal_update', { terminalId: 't', command: 'make' }));
    for (const event of [update('terminal_update', { terminalId: 't', command: 'make' }), update('terminal_output_chunk', { terminalId: 't', data: 'eA==' }), update('agent_message_chunk'), update('state_update', { state: 'unknown' })]) {
      expect(reduceListedTasks(state, event, options)[0]).toBe(state);
    }
  });

  it('tells a start before its list, and an end after what the work itself says', () => {
    const { told } = after({ type: 'promptSent' }, lists('running', 't'), update('terminal_update', { terminalId: 't', exitStatus: { exitCode: 1 } }), lists('idle'));
    expect(told).toEqual(['before _async_task_spawned t', 'after _async_task_state_update t failed']);
  });

  it('knows a task until its end was told', () => {
    const { state } = after({ type: 'promptSent' }, lists('running', 't'));
    expect(taskOf(state, 't')).toMatchObject({ type: 'terminal', id: 't', ended: false });
    const [ended] = reduceListedTasks(state, update('terminal_update', { terminalId: 't', exitStatus: {} }), options);
    expect(taskOf(ended, 't')).toBeUndefined();
  });

  it('forgets what no task needs, and never what one does', () => {
    const calls = Array.from({ length: 600 }, (_, index) => update('tool_call_update', { toolCallId: `c${index}`, status: 'completed' }));
    const { state } = after({ type: 'promptSent' }, update('tool_call_update', { toolCallId: 'launch', content: [{ type: 'terminal', terminalId: 't' }] }), lists('running', 't'), ...calls);
    expect(state.calls.size).toBeLessThanOrEqual(256);
    expect(state.calls.has('launch')).toBe(true);
  });

  it('ends everything once when nothing more is heard of the session', () => {
    const { state, told } = after(lists('running', 't'), { type: 'ended', reason: 'closed' }, { type: 'ended', reason: 'closed' });
    expect(told.slice(2)).toEqual(['before _async_task_state_update t stopped', 'before _async_task_state_update afterturn:turn:1 stopped']);
    expect(state).toBe(noListedTasks);
  });

  it('does not tell a turn twice that asks the user in between', () => {
    expect(after(lists('running'), lists('requires_action'), lists('running'), lists('idle')).told).toEqual(['before _async_task_spawned afterturn:turn:1', 'before _async_task_state_update afterturn:turn:1 completed']);
  });

  it('starts and ends nothing by the raw feed alone', () => {
    const fed = (type: 'taskStarted' | 'taskEnded'): ListedTasksEvent => ({ type: 'fed', signals: [{ type, source: 'raw', task: 'b', outcome: 'completed', facts: { toolCallId: 'c' } }] });
    expect(after(fed('taskStarted'), fed('taskEnded')).told).toEqual([]);
  });
});
