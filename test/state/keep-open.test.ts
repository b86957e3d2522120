/** The reducer of kept open calls, event by event. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRawFeed, rawTaskWords, type JsonObject } from '../../src/protocol/index.js';
import { concernsLaunch, keepOpenRules, needsContents, nextKeepOpenTick, nothingKeptOpen, reduceKeepOpen, type KeepOpen, type KeepOpenEffect, type KeepOpenEvent } from '../../src/state/index.js';

const OPTIONS = { asyncTasks: false, correctsStops: true, window: 250 };
const EXTENSION = { asyncTasks: true, correctsStops: true, window: 250 };

type Timeless = KeepOpenEvent extends infer E ? (E extends KeepOpenEvent ? Omit<E, 'at'> & { readonly at?: number } : never) : never;

const update = (update: JsonObject): Timeless => ({ type: 'update', update });
const starts = (toolCallId: string, name = 'Bash', more: JsonObject = {}): Timeless => update({ sessionUpdate: 'tool_call', toolCallId, name, title: 't', status: 'pending', ...more });
const answers = (toolCallId: string, backgroundTaskId: string): Timeless => update({ sessionUpdate: 'tool_call_update', toolCallId, _meta: { claudeCode: { toolResponse: { backgroundTaskId } } } });
const completes = (toolCallId: string, more: JsonObject = {}): Timeless => update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...more });
const fed = (message: JsonObject): Timeless => ({ type: 'told', signals: readRawFeed({ message }).signals, words: rawTaskWords({ message }) });
const ends = (task_id: string, status = 'completed', run_id?: string): Timeless => fed({ subtype: 'task_updated', task_id, patch: { status }, ...(run_id === undefined ? {} : { run_id }) });
const notifies = (task_id: string, summary: string, status = 'completed'): Timeless => fed({ subtype: 'task_notification', task_id, status, summary });
const lives = (...tasks: string[]): Timeless => fed({ subtype: 'background_tasks_changed', tasks: tasks.map((task_id) => ({ task_id, task_type: 'local_bash', description: task_id })) });

function played(events: readonly Timeless[], options = OPTIONS, from: KeepOpen = nothingKeptOpen): { readonly state: KeepOpen; readonly effects: readonly KeepOpenEffect[] } {
  let state = from;
  const effects: KeepOpenEffect[] = [];
  events.forEach((event, index) => {
    const [next, more] = reduceKeepOpen(state, { at: index, ...event } as KeepOpenEvent, options);
    state = next;
    effects.push(...more);
  });
  return { state, effects };
}

/** What the client sees of the effects: `as it came`, or the status and the rules. */
const seen = (effects: readonly KeepOpenEffect[]): unknown[] => effects.map((effect) => (effect.do === 'pass' ? 'as it came' : [effect.do, effect.update.status, ...effect.rules]));

const launched = [starts('T'), lives('b'), answers('T', 'b'), completes('T')];

describe('a launching call', () => {
  it('is changed by named rules only', () => {
    expect(seen(played([...launched, ends('b'), notifies('b', 'It is done.'), completes('T')]).effects)).toEqual([
      'as it came', ['change', undefined, 'named'], ['change', 'in_progress', 'named', 'keptOpen'],
      ['send', 'completed', 'settled'], ['send', 'completed', 'refined'], ['change', 'completed', 'named'],
    ]);
  });

  it('has one rule for each way to go wrong', () => {
    const exit = { _meta: { terminal_exit: { terminal_id: 'T', exit_code: 0, signal: null } } };
    expect(seen(played([starts('T'), lives('b'), answers('T', 'b'), completes('T', exit)]).effects).at(-1)).toEqual(['change', 'in_progress', 'named', 'keptOpen', 'launchExit']);
    expect(seen(played([starts('T'), answers('T', 'b'), ends('b', 'failed'), completes('T')]).effects).at(-1)).toEqual(['change', 'failed', 'named', 'merged']);
    expect(seen(played([...launched, completes('T')]).effects).at(-1)).toEqual(['change', 'in_progress', 'named', 'straggler']);
    expect(seen(played([...launched, ends('b', 'failed'), completes('T')]).effects).at(-1)).toEqual(['change', 'failed', 'named', 'straggler']);
    expect(seen(played([...launched, ends('b', 'killed'), ends('b', 'completed')]).effects).at(-1)).toEqual(['send', 'completed', 'corrected']);
    expect(seen(played([...launched, ends('b', 'completed', 'r1'), lives(), fed({ subtype: 'background_tasks_changed', tasks: [{ task_id: 'b', run_id: 'r2' }] })]).effects).at(-1)).toEqual(['send', 'in_progress', 'reopened']);
    expect(seen(played([...launched, { type: 'ended', reason: 'over' }]).effects).at(-1)).toEqual(['send', 'failed', 'unknown']);
    expect(Object.keys(keepOpenRules)).toHaveLength(10);
  });

  it('changes nothing else of a frame', () => {
    const frame = { zeta: 1, sessionUpdate: 'tool_call_update', toolCallId: 'T', status: 'completed', _meta: { other: { a: 1 }, claudeCode: { toolName: 'Bash' } }, rawOutput: { x: [1] }, locations: [] };
    const effect = played([...launched.slice(0, 3), update(frame)]).effects.at(-1);
    expect(effect).toEqual({
      do: 'change', rules: ['named', 'keptOpen'],
      update: { ...frame, status: 'in_progress', _meta: { other: { a: 1 }, claudeCode: { toolName: 'Bash', backgroundTask: { taskId: 'b', taskType: 'local_bash', description: 'b' } } } },
    });
    expect(Object.keys(effect?.do === 'change' ? effect.update : {})).toEqual(Object.keys(frame));
  });
});

describe('a task that comes back', () => {
  const settled = [...launched, ends('b')];
  it('without a run id re-opens its call only when it had left the live set', () => {
    expect(seen(played([...settled, lives('b')]).effects).at(-1)).toEqual(['send', 'completed', 'settled']);
    expect(seen(played([...settled, lives(), lives('b')]).effects).at(-1)).toEqual(['send', 'in_progress', 'reopened']);
    expect(seen(played([...launched, lives(), ends('b'), lives('b'), ends('b', 'failed')]).effects).slice(-2)).toEqual([['send', 'in_progress', 'reopened'], ['send', 'failed', 'settled']]);
  });
});

describe('the state', () => {
  it('is the same when nothing changed', () => {
    const { state } = played([...launched, ends('b')]);
    for (const event of [update({ sessionUpdate: 'tool_call_update', toolCallId: 'X', status: 'completed' }), update({ sessionUpdate: 'tool_call' }), ends('b'), { type: 'tick' } as Timeless, fed({ subtype: 'session_state_changed', state: 'idle' })]) {
      expect(played([event], OPTIONS, state).state).toBe(state);
    }
  });

  it('forgets calls and tasks that are over, oldest first, and never an open one', () => {
    const many = Array.from({ length: 1000 }, (_, index) => [starts(`c${index}`), lives('b', `t${index}`), answers(`c${index}`, `t${index}`), completes(`c${index}`), ends(`t${index}`)]).flat();
    const { state } = played([...launched, ...many]);
    expect(state.calls.size).toBeLessThan(300);
    expect(state.tasks.size).toBeLessThan(300);
    expect(state.calls.get('T')?.task).toBe('b');
    expect(state.calls.has('c0')).toBe(false);
    expect(state.calls.has('c999')).toBe(true);
    expect(seen(played([ends('b')], OPTIONS, state).effects)).toEqual([['send', 'completed', 'settled']]);
  });

  it('keeps nothing of calls that can launch nothing', () => {
    const edits = Array.from({ length: 50 }, (_, index) => starts(`e${index}`, 'Edit', { content: [{ type: 'diff' }] }));
    expect(played(edits).state).toBe(nothingKeptOpen);
  });
});

describe('time', () => {
  const spawned = { type: 'told', words: [], signals: [{ type: 'taskStarted', source: 'async', task: 'b', facts: { toolCallId: 'T' } }] } as Timeless;
  const became = (outcome: 'stopped' | 'completed', at: number) => ({ type: 'told', at, words: [], signals: [{ type: 'taskEnded', source: 'async', task: 'b', outcome, facts: {} }] }) as Timeless;

  it('is asked for only by a `stopped` that may be corrected', () => {
    const { state } = played([starts('T'), spawned, completes('T')], EXTENSION);
    expect(nextKeepOpenTick(state)).toBe(undefined);
    const stopped = played([became('stopped', 1000)], EXTENSION, state).state;
    expect(nextKeepOpenTick(stopped)).toBe(1250);
    expect(nextKeepOpenTick(played([became('stopped', 1100)], EXTENSION, stopped).state)).toBe(1250);
    expect(nextKeepOpenTick(played([became('completed', 1002)], EXTENSION, stopped).state)).toBe(undefined);
    expect(played([{ type: 'tick', at: 1249 }], EXTENSION, stopped).effects).toEqual([]);
    expect(seen(played([{ type: 'tick', at: 1250 }], EXTENSION, stopped).effects)).toEqual([['send', 'failed', 'settled']]);
  });
});

const ids = ['T1', 'T2'] as const;
const tasks = ['b1', 'b2'] as const;
const anyEvent: fc.Arbitrary<Timeless> = fc.oneof(
  fc.constantFrom(...ids).map((id) => starts(id)),
  fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...tasks)).map(([id, task]) => answers(id, task)),
  fc.constantFrom(...ids).map((id) => completes(id)),
  fc.subarray([...tasks]).map((live) => lives(...live)),
  fc.tuple(fc.constantFrom(...tasks), fc.constantFrom('completed', 'failed', 'killed')).map(([task, status]) => ends(task, status)),
  fc.constantFrom(...tasks).map((task) => notifies(task, 'A sentence.')),
  fc.constantFrom<Timeless>({ type: 'replayStarted' }, { type: 'replayEnded', rebuilt: false }, { type: 'replayEnded', rebuilt: true }, { type: 'tick' }),
);

describe('any order of events', () => {
  it('never gives a client of v1 what v1 lacks, tells an end once, and leaves no call open at the end', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const all: Timeless[] = [...events, { type: 'replayEnded', rebuilt: false }, { type: 'ended', reason: 'over' }];
        const shown = new Map<unknown, string>();
        let state = nothingKeptOpen;
        const steps = all.flatMap((event) => {
          const step = played([event], OPTIONS, state);
          state = step.state;
          const startedCall = event.type === 'update' && event.update.sessionUpdate === 'tool_call' ? event.update.toolCallId : undefined;
          return step.effects.map((effect) => ({ effect, startedCall }));
        });
        for (const { effect, startedCall } of steps) {
          // A call that starts again under its old id is told of anew.
          if (startedCall !== undefined) shown.delete(startedCall);
          if (effect.do === 'pass') continue;
          const { toolCallId, status } = effect.update;
          expect([undefined, 'pending', 'in_progress', 'completed', 'failed']).toContain(status);
          expect(effect.rules.length).toBeGreaterThan(0);
          if (effect.do !== 'send') continue;
          const text = JSON.stringify(effect.update);
          expect(shown.get(toolCallId)).not.toBe(text);
          shown.set(toolCallId, text);
        }
        expect([...state.calls.values()].filter(({ task, shown: end }) => task !== undefined && end === undefined)).toEqual([]);
        expect(played([{ type: 'ended', reason: 'over' }], OPTIONS, state).effects).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

/** As a hook sees a message before it asks for its contents. */
const outlined = (update: JsonObject): JsonObject => JSON.parse(JSON.stringify(update, (_, value: unknown) => (typeof value === 'string' && value.length > 1024 ? '' : value))) as JsonObject;

const long = 'x'.repeat(2000);
const content = fc.constantFrom<JsonObject>({}, {}, { content: [] }, { content: [{ type: 'content', content: { type: 'text', text: long } }] }, { content: [{ type: 'terminal', terminalId: 'T1' }] }, { content: null });
const meta = fc.constantFrom<JsonObject>(
  {}, {}, { terminal_output: { terminal_id: 'T1', data: long } }, { terminal_exit: { terminal_id: 'T1', exit_code: 0, signal: null } }, { claudeCode: { toolName: 'Bash' } },
  { claudeCode: { toolName: 'Read' } }, { claudeCode: { toolResponse: { backgroundTaskId: 'b1', stdout: long } } }, { claudeCode: { toolName: 'Bash', toolResponse: { backgroundTaskId: long } } },
);
const anyUpdate = fc.record({
  sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update', 'tool_call_update'), toolCallId: fc.constantFrom(...ids), status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed'), rawOutput: fc.constantFrom(long, 'short'),
}, { requiredKeys: ['sessionUpdate', 'toolCallId'] }).chain((update) => fc.tuple(content, meta).map(([more, _meta]): Timeless => ({ type: 'update', update: { ...update, ...more, _meta } })));

describe('an update whose contents are not needed', () => {
  it('says the same in outline', () => {
    let outlines = 0;
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.oneof(anyEvent, anyUpdate, anyUpdate), { maxLength: 30 }), (anyTool, events) => {
        const options = { ...OPTIONS, anyTool };
        let state = nothingKeptOpen;
        for (const event of events) {
          const whole = played([event], options, state);
          const outline = event.type === 'update' ? outlined(event.update) : undefined;
          if (outline !== undefined && concernsLaunch(state, outline, options) && !needsContents(state, outline, options)) {
            outlines++;
            const short = played([update(outline)], options, state);
            expect(short.effects).toEqual(whole.effects);
            expect(short.effects).toEqual([{ do: 'pass' }]);
            expect(short.state.calls.entries()).toEqual(whole.state.calls.entries());
            expect(short.state.tasks.entries()).toEqual(whole.state.tasks.entries());
          }
          state = whole.state;
        }
      }),
      { numRuns: 1000 },
    );
    expect(outlines).toBeGreaterThan(500);
  });
});
