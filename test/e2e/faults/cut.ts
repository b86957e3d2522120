/** Writes messages in order, some of them in two pieces with a gap between. Which is told by a seed. */
import type { Message } from '../../pipeline/harness.js';
import { pause } from './run-world.js';

export class Cut {
  #random: number;
  #before: Promise<unknown> | undefined;

  constructor(seed: number) {
    this.#random = seed;
  }

  #next(below: number): number {
    this.#random = (Math.imul(this.#random, 1103515245) + 12345) >>> 0;
    return (this.#random >>> 8) % below;
  }

  writes(message: Message, write: (bytes: Buffer) => void): void {
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    if (this.#next(4) > 0) return this.follows(() => write(bytes));
    const at = this.#next(bytes.length);
    const gap = this.#next(3);
    this.follows(async () => {
      write(bytes.subarray(0, at));
      await pause(gap);
      write(bytes.subarray(at));
    });
  }

  /** Behind what was written before. */
  follows(run: () => unknown): void {
    if (this.#before === undefined) {
      const ran = run();
      if (!(ran instanceof Promise)) return;
      this.#before = ran;
    } else this.#before = this.#before.then(run);
    const mine = this.#before;
    void mine.then(() => {
      if (this.#before === mine) this.#before = undefined;
    });
  }
}

/** Joins chunks to messages. */
export function messagesInto(takes: (message: Message) => void): (chunk: Buffer) => void {
  let rest = '';
  const decoder = new TextDecoder();
  return (chunk) => {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) takes(JSON.parse(line) as Message);
  };
}
