/** What a hook made of a message. Knows hooks that throw and hooks that promise, not what an outcome does. */
import type { Outcome } from '../plugin.js';
import type { Frame } from '../wire/frame.js';
import type { Step } from './compile.js';
import type { Asked } from './pending.js';

/** A hook's outcome, or why it failed. */
export type Settled = { readonly outcome: Outcome } | { readonly failure: unknown };

/** Runs a hook on a message. A hook that promises is not waited for here. */
export function outcomeOf(frame: Frame, asked: Asked | undefined, { run }: Step): Settled | Promise<Outcome> {
  try {
    const outcome = run(frame, asked);
    return isThenable(outcome) ? Promise.resolve(outcome) : { outcome };
  } catch (failure) {
    return { failure };
  }
}

const isThenable = (outcome: Outcome | Promise<Outcome>): outcome is Promise<Outcome> =>
  typeof outcome === 'object' && outcome !== null && typeof (outcome as { then?: unknown }).then === 'function';
