import { describe, expect, it } from 'vitest';
import { readUpdate, type JsonObject, type Reading } from 'afterturn/protocol';

const read = (sessionUpdate: string, members: JsonObject): Reading => readUpdate({ sessionUpdate, ...members });

describe.each(['async_task', '_async_task'])('%s_* of the extension', (prefix) => {
  it('tells a start with all its facts', () => {
    const spawned = {
      asyncTaskId: 'b51', name: 'Run the build', taskType: 'shell', description: 'Run the build in background', showInTranscript: false, canStop: true, toolCallId: 'toolu_1',
    };
    expect(read(`${prefix}_spawned`, spawned)).toEqual({
      signals: [{
        type: 'taskStarted', source: 'async', task: 'b51',
        facts: { title: 'Run the build', description: 'Run the build in background', taskType: 'shell', canCancel: true, toolCallId: 'toolu_1' },
      }],
    });
  });

  it('tells a start without a launching call, which a progress brings', () => {
    expect(read(`${prefix}_spawned`, { asyncTaskId: 'b51', taskType: 'shell', canStop: true }).signals).toEqual([
      { type: 'taskStarted', source: 'async', task: 'b51', facts: { taskType: 'shell', canCancel: true } },
    ]);
    expect(read(`${prefix}_progress`, { asyncTaskId: 'b51', toolCallId: 'toolu_1', outputFilePath: '/tmp/b51.output' }).signals).toEqual([
      { type: 'taskChanged', source: 'async', task: 'b51', facts: { toolCallId: 'toolu_1', outputFile: '/tmp/b51.output' } },
    ]);
  });

  it.each([['completed'], ['failed'], ['stopped']])('tells the end %s, with what comes with it', (state) => {
    expect(read(`${prefix}_state_update`, { asyncTaskId: 'b51', state, outputFilePath: '/tmp/x', summary: 'done' }).signals).toEqual([
      { type: 'taskEnded', source: 'async', task: 'b51', outcome: state, facts: { outputFile: '/tmp/x', summary: 'done' } },
    ]);
  });

  it('tells paused and running apart', () => {
    expect(read(`${prefix}_state_update`, { asyncTaskId: 'w', state: 'paused' }).signals).toEqual([{ type: 'taskChanged', source: 'async', task: 'w', facts: {}, paused: true }]);
    expect(read(`${prefix}_state_update`, { asyncTaskId: 'w', state: 'running' }).signals).toEqual([{ type: 'taskChanged', source: 'async', task: 'w', facts: {}, paused: false }]);
    expect(read(`${prefix}_state_update`, { asyncTaskId: 'w', state: 'pending' })).toEqual({ signals: [] });
  });

  it('takes null members as absent', () => {
    expect(read(`${prefix}_progress`, { asyncTaskId: 'w', description: null, toolCallId: null, outputFilePath: null })).toEqual({
      signals: [{ type: 'taskChanged', source: 'async', task: 'w', facts: {} }],
    });
  });

  it.each<[string, JsonObject]>([
    ['no id', { taskType: 'shell' }],
    ['an empty id', { asyncTaskId: '', taskType: 'shell' }],
    ['a number as id', { asyncTaskId: 7, taskType: 'shell' }],
    ['an object as id', { asyncTaskId: {}, taskType: 'shell' }],
    ['a type that is no string', { asyncTaskId: 'b', taskType: 5 }],
    ['a canStop that is no boolean', { asyncTaskId: 'b', taskType: 'shell', canStop: 'yes' }],
    ['a call that is no string', { asyncTaskId: 'b', taskType: 'shell', toolCallId: ['c'] }],
    ['a name that is no string', { asyncTaskId: 'b', taskType: 'shell', name: { secret: 'x' } }],
  ])('makes nothing of a start with %s, and says what is wrong by types only', (_, members) => {
    const { signals, problem } = read(`${prefix}_spawned`, members);
    expect(signals).toEqual([]);
    expect(problem).toMatch(/is (undefined|string|number|object|array), expected (a non-empty )?(string|boolean)/);
    expect(problem).not.toMatch(/secret/);
  });

  it.each<[string, JsonObject]>([
    ['no id', { state: 'completed' }],
    ['no state', { asyncTaskId: 'b' }],
    ['a state that is no string', { asyncTaskId: 'b', state: true }],
    ['an unknown state', { asyncTaskId: 'b', state: 'exploded' }],
  ])('makes nothing of a state update with %s', (_, members) => {
    const { signals, problem } = read(`${prefix}_state_update`, members);
    expect(signals).toEqual([]);
    expect(problem).toBeTypeOf('string');
    expect(problem).not.toMatch(/exploded/);
  });

  it('still tells an end when something beside it is malformed: else its work would be listed for ever', () => {
    const { signals, problem } = read(`${prefix}_state_update`, { asyncTaskId: 'b', state: 'failed', summary: 12, outputFilePath: '/tmp/o' });
    expect(signals).toEqual([{ type: 'taskEnded', source: 'async', task: 'b', outcome: 'failed', facts: { outputFile: '/tmp/o' } }]);
    expect(problem).toBe('summary is number, expected string');
  });

  it('still tells the rest of a progress', () => {
    const { signals, problem } = read(`${prefix}_progress`, { asyncTaskId: 'b', toolCallId: 'c', description: [] });
    expect(signals).toEqual([{ type: 'taskChanged', source: 'async', task: 'b', facts: { toolCallId: 'c' } }]);
    expect(problem).toBe('description is array, expected string');
  });
});

describe('an update of another kind', () => {
  it.each([['agent_message_chunk'], ['usage_update'], ['async_task_exploded'], ['toString'], ['__proto__']])('%s tells nothing', (sessionUpdate) => {
    expect(read(sessionUpdate, { asyncTaskId: 'b', toolCallId: 'c' })).toEqual({ signals: [] });
  });

  it('tells nothing without a kind', () => {
    expect(readUpdate({})).toEqual({ signals: [] });
    expect(readUpdate({ sessionUpdate: 5 })).toEqual({ signals: [] });
  });
});
