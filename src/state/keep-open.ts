/**
 * Launching calls kept open for a client of ACP v1: the call that started background work stays
 * `in_progress` from the acknowledgement of its launch until the harness reports the end. A pure
 * reducer for one session, bounded, with time in the event. It knows nothing of who asks for what.
 *
 * No timer ends a call, and text neither arms nor ends one.
 */
import type { Signal, TaskWords } from '../protocol/index.js';
import { armed, corrected, mayLaunch, seeAsked, seeUpdate, startedBy } from './keep-open-calls.js';
import { andThen, byTask, caughtUp, isLiveItem, isOpen, itemOf, LEDGER_KEY, type Step } from './keep-open-ends.js';
import type { KeepOpen, KeepOpenEffect, KeepOpenEvent, KeepOpenOptions, KeptCall, KeptTask } from './keep-open-types.js';
import { isTentative } from './ledger-items.js';
import type { Item } from './ledger-types.js';
import { emptyLedger, reduceLedger } from './ledger.js';
import { Table, type Index } from './table.js';

export { concernsLaunch, isAnswered, needsContents, unheardTask } from './keep-open-calls.js';
export { keepOpenRules } from './keep-open-types.js';

const REMEMBERED = 256;

type Told = Pick<Extract<KeepOpenEvent, { type: 'told' }>, 'at' | 'signals' | 'words'>;

export const nothingKeptOpen: KeepOpen = { ledger: emptyLedger(), tasks: Table.empty(), calls: Table.empty(), replays: 0 };

/** Why the end of a task is unknown when its session was built anew. */
const REBUILT = 'the session was set up again with other options, which ends its background work';

const byHeld: Index<KeptTask> = ({ heldUntil }) => (heldUntil === undefined ? undefined : 'held');

const newTask: KeptTask = { taskType: undefined, description: undefined, status: undefined, left: false, heldUntil: undefined, reason: undefined };

function withTask(state: KeepOpen, id: string, change: Partial<KeptTask>): KeepOpen {
  const before = state.tasks.get(id) ?? newTask;
  const changes = Object.entries(change).some(([key, value]) => before[key as keyof KeptTask] !== value);
  if (!changes && state.tasks.has(id)) return state;
  const isOver = (task: string): boolean => !isLiveItem(itemOf(state, task)) && !state.calls.where(byTask, task).some(isOpen);
  return { ...state, tasks: state.tasks.set(id, { ...before, ...change }).bounded(REMEMBERED, (_, task) => task !== id && isOver(task)) };
}

/** The first words count: what a task was armed with. The word of its end comes with the end. */
function withWords(state: KeepOpen, { task, taskType, description }: TaskWords): KeepOpen {
  const known = state.tasks.get(task);
  return withTask(state, task, { taskType: known?.taskType ?? taskType, description: known?.description ?? description });
}

/** The state with what was told, and the tasks whose end or life may have changed. */
type Taken = { readonly state: KeepOpen; readonly touched: ReadonlySet<string> };

function withLiveSet(state: KeepOpen, tasks: readonly string[]): KeepOpen {
  const live = new Set(tasks);
  return [...state.tasks.entries()].reduce((next, [task, { left }]) => (left || live.has(task) ? next : withTask(next, task, { left: true })), state);
}

/** The end of a task, told or told again, in its own word. */
function withEnd(state: KeepOpen, before: Item | undefined, item: Item, signal: Extract<Signal, { type: 'taskEnded' }>, event: Told, { correctsStops, window }: KeepOpenOptions): KeepOpen {
  const status = event.words.find((word) => word.task === signal.task && word.status !== undefined)?.status;
  const held = state.tasks.get(signal.task)?.heldUntil;
  const waits = correctsStops && isTentative(item, signal) && (held !== undefined || before?.phase !== 'ended');
  return withTask(state, signal.task, { status, reason: undefined, heldUntil: waits ? (held ?? event.at + window) : undefined });
}

/** One signal, into the ledger and the words. */
function withSignal(taken: Taken, signal: Signal, event: Told, options: KeepOpenOptions): Taken {
  const { state } = taken;
  if (signal.type === 'liveSet') return { ...taken, state: withLiveSet(state, signal.tasks) };
  if (signal.type !== 'taskStarted' && signal.type !== 'taskChanged' && signal.type !== 'taskEnded') return taken;
  const before = itemOf(state, signal.task);
  const [ledger, facts] = reduceLedger(state.ledger, { session: LEDGER_KEY, at: event.at, signal }, { asyncTasks: options.asyncTasks });
  const item = ledger === state.ledger ? before : itemOf({ ...state, ledger }, signal.task);
  if (item === undefined || item === before) return taken;
  const next = { ...state, ledger };
  const isNews = signal.type !== 'taskChanged' || before === undefined || item.toolCallId !== before.toolCallId;
  const touched = new Set([...taken.touched, ...(isNews ? [signal.task] : []), ...facts.flatMap((fact) => (fact.type === 'itemChanged' ? [] : [fact.item.task]))]);
  return { state: signal.type === 'taskEnded' ? withEnd(next, before, item, signal, event, options) : next, touched };
}

/** A start, or what comes later, names a call: it is armed, and open again when it was passed as final. */
function namedLate(state: KeepOpen, task: string, options: KeepOpenOptions): Step {
  const id = itemOf(state, task)?.toolCallId;
  const call = id === undefined ? undefined : state.calls.get(id);
  if (id === undefined || call === undefined || startedBy(state, id, options) !== task || !mayLaunch(call.name, options)) return [state, []];
  const right = corrected(state, call, options);
  if (call.task !== undefined || !options.asyncTasks) return [right === call ? state : { ...state, calls: state.calls.set(id, right) }, []];
  const named = armed(state, call, {}, options);
  if (named.task === undefined) return [state, []];
  if (!named.final) return [{ ...state, calls: state.calls.set(id, named) }, []];
  const [next, effects] = seeUpdate(state, { sessionUpdate: 'tool_call_update', toolCallId: id }, options);
  return [next, effects.map((effect): KeepOpenEffect => (effect.do === 'change' ? { ...effect, do: 'send' } : effect))];
}

function told(state: KeepOpen, event: Told, options: KeepOpenOptions): Step {
  const taken = event.signals.reduce<Taken>((next, signal) => withSignal(next, signal, event, options), { state, touched: new Set() });
  const start: Step = [event.words.reduce(withWords, taken.state), []];
  const named = [...taken.touched].reduce((step, task) => andThen(step, (next) => namedLate(next, task, options)), start);
  const [only, ...others] = taken.touched;
  if (only === undefined) return named;
  return others.length === 0 ? caughtUpEach(named, named[0].calls.where(byTask, only)) : caughtUpAll(named, (task) => taken.touched.has(task));
}

function caughtUpAll(start: Step, concerns: (task: string) => boolean, last = false): Step {
  return caughtUpEach(start, start[0].calls.values().filter(({ task }) => task !== undefined && concerns(task)), last);
}

function caughtUpEach(start: Step, calls: readonly KeptCall[], last = false): Step {
  return calls.reduce((step, { id }) => andThen(step, (state) => caughtUp(state, id, last)), start);
}

/** Nobody will report how these end. */
function lostSight(state: KeepOpen, reason: string, at: number, options: KeepOpenOptions): KeepOpen {
  const tasks = new Set([...state.calls.values()].flatMap((call) => (call.task !== undefined && isOpen(call) && itemOf(state, call.task)?.phase !== 'ended' ? [call.task] : [])));
  const ended = (next: KeepOpen, task: string): KeepOpen => {
    const signal: Signal = { type: 'taskEnded', source: 'native', task, outcome: 'unknown', facts: {} };
    return withTask(withSignal({ state: next, touched: new Set() }, signal, { at, signals: [signal], words: [] }, options).state, task, { reason });
  };
  return [...tasks].reduce(ended, state);
}

const released = (state: KeepOpen, isDue: (until: number) => boolean): KeepOpen =>
  [...state.tasks.entries()].reduce((next, [task, { heldUntil }]) => (heldUntil !== undefined && isDue(heldUntil) ? withTask(next, task, { heldUntil: undefined }) : next), state);

/** One event: the state after it, and what goes to the client, in order. The same state comes back when nothing changed. */
export function reduceKeepOpen(state: KeepOpen, event: KeepOpenEvent, options: KeepOpenOptions): readonly [KeepOpen, readonly KeepOpenEffect[]] {
  switch (event.type) {
    case 'update':
      return seeUpdate(state, event.update, options);
    case 'asked':
      return seeAsked(state, event.toolCall, options);
    case 'told':
      return told(state, event, options);
    case 'replayStarted':
      return [{ ...state, replays: state.replays + 1 }, []];
    case 'replayEnded': {
      const replays = Math.max(0, state.replays - 1);
      const answered: KeepOpen = { ...(event.rebuilt ? lostSight(state, REBUILT, event.at, options) : state), replays };
      return caughtUpAll([answered, []], () => true, event.rebuilt);
    }
    case 'tick':
      return caughtUpAll([released(state, (until) => until <= event.at), []], () => true);
    case 'ended':
      return caughtUpAll([lostSight(released(state, () => true), event.reason, event.at, options), []], () => true, true);
  }
}

/** When the next `tick` is due, in milliseconds of the event clock. */
export function nextKeepOpenTick(state: KeepOpen): number | undefined {
  let due: number | undefined;
  for (const { heldUntil } of state.tasks.where(byHeld, 'held')) due = Math.min(due ?? Infinity, heldUntil ?? Infinity);
  return due;
}
