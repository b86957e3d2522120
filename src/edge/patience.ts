/**
 * Waiting that ends: for the last steps of a session, none of which may hold its end for ever.
 * Knows time only.
 */

const tickMs = 50;

/**
 * Resolves true when `work` settled, false when it took longer than `ms`. Time in which `excused`
 * says true does not count: a client that reads slowly is no reason to lose its bytes.
 */
export async function settledWithin(work: Promise<unknown>, ms: number, excused: () => boolean = () => false): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<false>((resolve) => {
    let spent = 0;
    timer = setInterval(() => {
      if (!excused()) spent += tickMs;
      if (spent >= ms) resolve(false);
    }, tickMs);
  });
  try {
    return await Promise.race([work.then(() => true, () => true), tooLong]);
  } finally {
    clearInterval(timer);
  }
}
