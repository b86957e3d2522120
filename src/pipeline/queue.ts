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

/** So many places of messages that have left may stay. */
const SPARE = 64;

export class Queue {
  #items: Item[] = [];
  /** Where the next is: a plugin may have thousands wait, and they are not moved up for each that leaves. */
  #first = 0;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** The next in order, removed. */
  next(): Item | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#first++;
    if (this.#first > SPARE && this.#first * 2 > this.#items.length) this.#moveUp();
    return item;
  }

  add(item: Item): void {
    let place = this.#items.length;
    while (place > this.#first && (this.#items[place - 1] as Item).at < item.at) place--;
    this.#items.splice(place, 0, item);
  }

  /** What goes on in place of the message at hand: before what its plugin says besides. */
  addFirst(items: readonly Item[]): void {
    const at = items[0]?.at;
    if (at === undefined) return;
    let place = this.#first;
    while (place < this.#items.length && (this.#items[place] as Item).at > at) place++;
    this.#items.splice(place, 0, ...items);
  }

  #moveUp(): void {
    this.#items = this.#items.slice(this.#first);
    this.#first = 0;
  }
}
