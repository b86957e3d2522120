/**
 * How the agent is brought to its end when someone asks for it: the client's input ended, the
 * client is gone, or a signal came ("Faults"). Pure: events in, what to do out.
 *
 * The end of the client's input alone is only passed on: a client that is there may still wait for
 * what the agent says, and can send a signal.
 */

/** The longest wait for an agent that was asked to end, before it is killed. */
export const killAfterMs = 5000;
/** How long an agent without a client may take to see the end of its input, before it is asked. */
export const askAfterMs = 2000;
/** An agent that goes on for this long after the client's input ended is named: nobody should wonder why we are there. */
export const tellAfterMs = 10_000;
/**
 * Signals this close together are one request: a terminal tells a whole group, and a wrapper in it
 * (npx) passes the same signal on.
 */
export const oneRequestMs = 500;

export interface Ending {
  readonly phase: 'running' | 'leaving' | 'asked' | 'killed' | 'gone';
  /** The first signal that came to us. */
  readonly signal?: NodeJS.Signals;
  /** The signals passed on as part of the same request. */
  readonly passed?: readonly NodeJS.Signals[];
  readonly since?: number;
  /** What we end by, in place of the agent's own end. */
  readonly endBy?: NodeJS.Signals;
}

export type EndingEvent =
  | { readonly kind: 'clientEnded' }
  | { readonly kind: 'clientGone' }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals; readonly at: number }
  | { readonly kind: 'timeUp' }
  | { readonly kind: 'agentGone' };

export type EndingEffect =
  | { readonly do: 'endInput' }
  | { readonly do: 'signal'; readonly signal: NodeJS.Signals }
  /** Ask again (`timeUp`) after this long, in place of an earlier wait. */
  | { readonly do: 'wait'; readonly ms: number }
  /** Say that the agent goes on although the client's input ended. */
  | { readonly do: 'tell' }
  /** Do not wait for the last bytes any longer. */
  | { readonly do: 'finish' };

type Step = readonly [Ending, readonly EndingEffect[]];

export const initialEnding: Ending = { phase: 'running' };

const endInput: EndingEffect = { do: 'endInput' };
const wait = (ms: number): EndingEffect => ({ do: 'wait', ms });
const pass = (signal: NodeJS.Signals): EndingEffect => ({ do: 'signal', signal });
// An agent that had to be killed did not choose its end: ours is the signal that was asked for.
const kill = (state: Ending): Step => [{ ...state, phase: 'killed', endBy: state.signal }, [pass('SIGKILL')]];

const asked = (state: Ending, signal: NodeJS.Signals, at: number | undefined): Step => [
  { ...state, phase: 'asked', passed: [signal], ...(at === undefined ? {} : { signal, since: at }) },
  [pass(signal), wait(killAfterMs)],
];

function onSignal(state: Ending, signal: NodeJS.Signals, at: number): Step {
  if (state.phase === 'killed') return [state, []];
  const same = state.since !== undefined && at - state.since < oneRequestMs;
  if (state.phase === 'gone') return same ? [state, []] : [{ ...state, endBy: signal }, [{ do: 'finish' }]];
  if (state.signal === undefined) return asked(state, signal, at);
  if (!same) return kill(state);
  const passed = state.passed ?? [];
  return passed.includes(signal) ? [state, []] : [{ ...state, passed: [...passed, signal] }, [pass(signal)]];
}

/** The next state, and what to do. */
export function ending(state: Ending, event: EndingEvent): Step {
  switch (event.kind) {
    case 'clientEnded':
      if (state.phase === 'gone') return [state, []];
      return [state, state.phase === 'running' ? [endInput, wait(tellAfterMs)] : [endInput]];
    case 'clientGone':
      if (state.phase === 'gone') return [state, [{ do: 'finish' }]];
      return state.phase === 'running' ? [{ ...state, phase: 'leaving' }, [endInput, wait(askAfterMs)]] : [state, []];
    case 'signal':
      return onSignal(state, event.signal, event.at);
    case 'timeUp':
      if (state.phase === 'running') return [state, [{ do: 'tell' }]];
      if (state.phase === 'leaving') return asked(state, 'SIGTERM', undefined);
      return state.phase === 'asked' ? kill(state) : [state, []];
    case 'agentGone':
      return [{ ...state, phase: 'gone' }, []];
  }
}
