/** What the raw feed adds to listed work: how a command ended, where its exit does not say it, and what caused a turn. */
import type { Outcome, Signal } from '../protocol/index.js';
import type { ListedTasks, SaidTask } from './listed-tasks-types.js';

const REMEMBERED = 256;
const nothing: SaidTask = { call: undefined, outcome: undefined, exitCode: undefined };

function withSignal(state: ListedTasks, signal: Signal): ListedTasks {
  if (!('task' in signal) || !('facts' in signal)) return state;
  const before = state.said.get(signal.task) ?? nothing;
  const isEnd = signal.type === 'taskEnded';
  const said: SaidTask = {
    call: signal.facts.toolCallId ?? before.call,
    outcome: isEnd ? signal.outcome : signal.type === 'taskStarted' ? undefined : before.outcome,
    exitCode: (isEnd ? signal.exitCode : undefined) ?? (signal.type === 'taskStarted' ? undefined : before.exitCode),
  };
  const cause = isEnd ? (signal.facts.summary ?? state.cause) : state.cause;
  return { ...state, cause, said: state.said.renew(signal.task, said).bounded(REMEMBERED, () => true) };
}

/** The state with what the feed says. */
export const withFeed = (state: ListedTasks, signals: readonly Signal[]): ListedTasks => signals.reduce(withSignal, state);

/** How the work that a call launched ended, in the feed's words. */
export function saidOf(state: ListedTasks, call: string | undefined): { readonly outcome: Outcome; readonly exitCode: number | undefined } | undefined {
  const said = call === undefined ? undefined : [...state.said.values()].filter((one) => one.call === call).at(-1);
  return said?.outcome === undefined ? undefined : { outcome: said.outcome, exitCode: said.exitCode };
}
