/**
 * Messages of plugins that wait in a lane. A message stands behind those that are further on their
 * way and behind its equals, so each plugin's output stays in order, and what a later plugin says
 * about a message comes right behind it. Knows places only.
 */
import type { Buffer } from 'node:buffer';
import type { Frame } from '../wire/frame.js';
import type { Steps } from './compile.js';
import type { Asked } from './pending.js';

/** The bytes that a message came as, within the chunk that it came in. */
export interface LineRange {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
}

/** A message on its way. */
export interface Item {
  /** The first place it meets. */
  readonly at: number;
  readonly frame: Frame;
  /** The request that this is, or answers; `undefined` for a notification. */
  readonly asked: Asked | undefined;
  /** The hooks it meets, where they are known already. */
  readonly steps: Steps | undefined;
  /** Set as long as the message is as it came from the peer. */
  readonly line: LineRange | undefined;
}

export class Queue {
  readonly #items: Item[] = [];

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** The next in order, removed. */
  next(): Item | undefined {
    return this.#items.shift();
  }

  add(item: Item): void {
    this.#insert(this.#items.findIndex(({ at }) => at < item.at), [item]);
  }

  /** What goes on in place of the message at hand: before what its plugin says besides. */
  addFirst(items: readonly Item[]): void {
    const at = items[0]?.at;
    if (at !== undefined) this.#insert(this.#items.findIndex((other) => other.at <= at), items);
  }

  #insert(before: number, items: readonly Item[]): void {
    this.#items.splice(before === -1 ? this.#items.length : before, 0, ...items);
  }
}
