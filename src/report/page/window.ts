/** The part of the time that is shown. Pure. */

export interface Shown {
  /** Milliseconds of the timeline. */
  readonly from: number;
  readonly to: number;
}

/** Less than this is not shown at once. Milliseconds. */
const LEAST = 5;
/** Room beside the whole. */
const MARGIN = 0.01;

export const whole = (length: number): Shown => ({ from: 0, to: length * (1 + MARGIN) });

/** The same length within the whole. */
export function within({ from, to }: Shown, length: number): Shown {
  const most = whole(length).to;
  const span = Math.min(most, Math.max(LEAST, to - from));
  const start = Math.min(Math.max(0, from), most - span);
  return { from: start, to: start + span };
}

/** `factor` times as much time, around `at`. */
export function zoomed({ from, to }: Shown, factor: number, length: number, at = (from + to) / 2): Shown {
  return within({ from: at - (at - from) * factor, to: at + (to - at) * factor }, length);
}

/** Later by a part of what is shown; earlier where it is negative. */
export const moved = ({ from, to }: Shown, part: number, length: number): Shown => {
  const by = (to - from) * part;
  return within({ from: from + by, to: to + by }, length);
};

/** All of something, with room beside it. */
export const around = (start: number, end: number, length: number): Shown => {
  const room = Math.max(LEAST, (end - start) * 0.1);
  return within({ from: start - room, to: end + room }, length);
};
