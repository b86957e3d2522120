import { describe, expect, it } from 'vitest';
import { exitCodeOfSummary, RAW_SUBTYPES, readRawFeed, type JsonObject, type Reading } from 'afterturn/protocol';

const read = (subtype: string, members: JsonObject = {}): Reading => readRawFeed({ sessionId: 's', message: { type: 'system', subtype, ...members } });

describe('the raw feed', () => {
  it('tells the live set: each member is a start, the set itself ends nothing', () => {
    expect(read('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_bash', description: 'build' }, { task_id: 'w', task_type: 'local_workflow' }] })).toEqual({
      signals: [
        { type: 'taskStarted', source: 'raw', task: 'b', facts: { description: 'build', taskType: 'shell', run: 'r1' } },
        { type: 'taskStarted', source: 'raw', task: 'w', facts: { taskType: 'workflow' } },
        { type: 'liveSet', tasks: ['b', 'w'] },
      ],
    });
    expect(read('background_tasks_changed', { tasks: [] })).toEqual({ signals: [{ type: 'liveSet', tasks: [] }] });
  });

  it('takes task_started as facts: a foreground Agent has one too', () => {
    expect(read('task_started', { task_id: 'b', tool_use_id: 'c', task_type: 'local_agent', description: 'look' }).signals).toEqual([
      { type: 'taskChanged', source: 'raw', task: 'b', facts: { description: 'look', taskType: 'subagent', toolCallId: 'c' } },
    ]);
  });

  it.each([[{ ambient: true }], [{ skip_transcript: true }]])('marks housekeeping: %o', (mark) => {
    expect(read('task_started', { task_id: 'b', ...mark }).signals).toEqual([{ type: 'taskChanged', source: 'raw', task: 'b', facts: { ambient: true } }]);
    expect(read('background_tasks_changed', { tasks: [{ task_id: 'b', ...mark }] }).signals[0]).toEqual({ type: 'taskStarted', source: 'raw', task: 'b', facts: { ambient: true } });
  });

  it('keeps a task type that it does not know', () => {
    expect(read('task_started', { task_id: 'b', task_type: 'remote_trigger' }).signals[0]).toMatchObject({ facts: { taskType: 'remote_trigger' } });
  });

  it.each([['completed', 'completed'], ['failed', 'failed'], ['killed', 'stopped'], ['stopped', 'stopped']])('task_updated to %s is the end %s', (status, outcome) => {
    expect(read('task_updated', { task_id: 'b', run_id: 'r', patch: { status, end_time: 1 } }).signals).toEqual([
      { type: 'taskEnded', source: 'raw', task: 'b', outcome, facts: { run: 'r' } },
    ]);
  });

  it('tells pauses, resumptions and renamings', () => {
    expect(read('task_updated', { task_id: 'b', patch: { status: 'paused' } }).signals[0]).toMatchObject({ type: 'taskChanged', paused: true });
    expect(read('task_updated', { task_id: 'b', patch: { status: 'running' } }).signals[0]).toMatchObject({ type: 'taskChanged', paused: false });
    expect(read('task_updated', { task_id: 'b', patch: { description: 'new' } }).signals).toEqual([{ type: 'taskChanged', source: 'raw', task: 'b', facts: { description: 'new' } }]);
  });

  it('reads the exit code of a task_notification from the harness\'s summary', () => {
    const summary = 'Background command "./fail.sh" failed with exit code 3';
    expect(read('task_notification', { task_id: 'b', status: 'failed', output_file: '/tmp/o', summary }).signals).toEqual([
      { type: 'taskEnded', source: 'raw', task: 'b', outcome: 'failed', facts: { outputFile: '/tmp/o', summary }, exitCode: 3 },
    ]);
  });

  it('tells when the session runs', () => {
    expect(read('session_state_changed', { state: 'running' })).toEqual({ signals: [{ type: 'sessionState', running: true }] });
    expect(read('session_state_changed', { state: 'requires_action' })).toEqual({ signals: [{ type: 'sessionState', running: true }] });
    expect(read('session_state_changed', { state: 'idle' })).toEqual({ signals: [{ type: 'sessionState', running: false }] });
  });

  it('tells that the conversation begins anew', () => {
    const message = { type: 'conversation_reset', new_conversation_id: 'n', trigger: 'clear' };
    expect(readRawFeed({ sessionId: 's', message })).toEqual({ signals: [{ type: 'conversationReset' }] });
    expect(readRawFeed({ sessionId: 's', message: { type: 'assistant' } })).toEqual({ signals: [] });
  });

  it('has a reader for every subtype that is asked for', () => {
    for (const subtype of RAW_SUBTYPES) expect(read(subtype).problem, subtype).toBeTypeOf('string');
  });

  it.each<[string, string, JsonObject]>([
    ['no task id', 'task_updated', { patch: { status: 'completed' } }],
    ['a task id of the wrong type', 'task_notification', { task_id: 4, status: 'completed' }],
    ['an unknown end', 'task_notification', { task_id: 'b', status: 'vanished' }],
    ['no end', 'task_notification', { task_id: 'b' }],
    ['tasks that are no list', 'background_tasks_changed', { tasks: { b: {} } }],
    ['a state of the wrong type', 'session_state_changed', { state: 1 }],
  ])('makes nothing of a message with %s', (_, subtype, members) => {
    const { signals, problem } = read(subtype, members);
    expect(signals).toEqual([]);
    expect(problem).toBeTypeOf('string');
  });

  it('names an unknown status of a patch, and keeps its facts', () => {
    expect(read('task_updated', { task_id: 'b', patch: { status: 'vanished', description: 'd' } })).toEqual({
      signals: [{ type: 'taskChanged', source: 'raw', task: 'b', facts: { description: 'd' } }],
      problem: 'patch.status is an unknown word, expected running, paused, completed, failed or killed',
    });
  });

  it('leaves out the members of the live set that it cannot read, and names the first', () => {
    expect(read('background_tasks_changed', { tasks: [{ task_type: 'local_bash' }, 'b', { task_id: 'b' }] })).toEqual({
      signals: [{ type: 'taskStarted', source: 'raw', task: 'b', facts: {} }, { type: 'liveSet', tasks: ['b'] }],
      problem: 'tasks[].task_id is undefined, expected a non-empty string',
    });
    expect(read('background_tasks_changed', { tasks: [null] }).problem).toBe('tasks[] is null, expected object');
  });

  it('makes nothing of other subtypes, and names what is no message', () => {
    expect(read('status', { status: 'requesting' })).toEqual({ signals: [] });
    expect(readRawFeed({ message: { type: 'assistant' } })).toEqual({ signals: [] });
    for (const params of [undefined, null, 'text', {}, { message: null }, { message: [] }]) {
      expect(readRawFeed(params)).toEqual({ signals: [], problem: expect.stringMatching(/^message is \w+, expected object$/) as string });
    }
  });
});

describe('the exit code in a summary', () => {
  it.each([
    ['Background command "x" completed (exit code 0)', 0],
    ['Background command "x" failed with exit code 137', 137],
    ['Monitor "x" stream ended', undefined],
    ['exit code 3', undefined],
    ['failed with exit code 99999999999999', undefined],
    [undefined, undefined],
  ])('%s is %s', (summary, code) => {
    expect(exitCodeOfSummary(summary)).toBe(code);
  });
});
