/**
 * Requests that wait for an answer: who asked, and what each plugin on the way saw. Ids of peers are
 * never rewritten; of two open requests with one id the first is answered first.
 * Knows ids as JSON text, so `1` and `"1"` stay apart. Knows nothing of lanes.
 */
import type { Direction } from '../plugin.js';
import type { Frame } from '../wire/frame.js';

/** A plugin that asked. */
export interface Owner {
  readonly name: string;
  /** Takes the reply. Only the first counts. */
  replied(asked: Asked, reply: Frame): void;
}

/** A request as one plugin saw it. */
export interface Sight {
  readonly method: string;
  /** Milliseconds of `Host.now`. */
  readonly seenAt: number;
}

/** An open request on its way, or where it went. */
export class Asked {
  readonly idText: string;
  /** The way that the request takes; its reply takes the other. */
  readonly direction: Direction;
  /** The plugin that asked; `undefined`: the peer did. */
  readonly owner: Owner | undefined;
  readonly #sights: (Sight & { readonly from: number })[] = [];

  constructor(idText: string, direction: Direction, owner: Owner | undefined) {
    this.idText = idText;
    this.direction = direction;
    this.owner = owner;
  }

  /** From this place on the request looks like this. */
  looksFrom(from: number, method: string, seenAt: number): void {
    this.#sights.push({ from, method, seenAt });
  }

  /** The request as the plugin at this place saw it; `undefined`: it did not pass there. */
  sightAt(place: number): Sight | undefined {
    return this.#sights.findLast(({ from }) => from <= place);
  }

  /** The request as every plugin saw it; `undefined`: it changed on its way, or some did not see it. */
  get onlySight(): Sight | undefined {
    const [first] = this.#sights;
    return this.#sights.length === 1 && first?.from === 0 ? first : undefined;
  }

  /** The request as its asker sent it. */
  get asSent(): Sight {
    return this.#sights[0] as Sight;
  }
}

const simpleText = /^(?:0|-?[1-9]\d{0,14}|"[^"\\\u0000-\u001f]*")$/;

/** One text for all the ways to write the same id: `1.0` is answered as `1` by most. */
const keyOf = (idText: string): string => (simpleText.test(idText) ? idText : JSON.stringify(JSON.parse(idText)));

/** Longer than any id that serves as one; what is remembered of requests is bounded by it. */
const longestId = 1024;

/** The text is a JSON-RPC id (section 4): a string, a number or null, and none that somebody made to be large. */
export function isId(idText: string): boolean {
  if (idText.length > longestId) return false;
  if (simpleText.test(idText)) return true;
  try {
    const id: unknown = JSON.parse(idText);
    return id === null || typeof id === 'string' || typeof id === 'number';
  } catch {
    return false;
  }
}

/** So many requests of a peer are remembered at most; of those that are never answered the oldest are forgotten. */
const peerLimit = 16 * 1024;
/** So many are forgotten in one go. */
const many = peerLimit >> 3;

/** Open requests by id, first in, first out. */
export class OpenRequests {
  /** How many of them plugins asked. */
  own = 0;
  readonly #byKey = new Map<string, Asked[]>();
  /** Those of peers, the oldest first. */
  readonly #peers = new Set<Asked>();

  get empty(): boolean {
    return this.#byKey.size === 0;
  }

  add(asked: Asked): void {
    const key = keyOf(asked.idText);
    const same = this.#byKey.get(key);
    if (same === undefined) this.#byKey.set(key, [asked]);
    else same.push(asked);
    if (asked.owner !== undefined) this.own++;
    else {
      this.#peers.add(asked);
      if (this.#peers.size > peerLimit) this.#forgetOldest();
    }
  }

  /** The request that a reply with this id answers. The same text comes before the same value. */
  find(idText: string): Asked | undefined {
    const same = this.#byKey.get(keyOf(idText));
    return same?.find((asked) => asked.idText === idText) ?? same?.[0];
  }

  /** The same, removed. */
  take(idText: string): Asked | undefined {
    const asked = this.find(idText);
    if (asked === undefined) return undefined;
    this.#remove(asked);
    if (asked.owner !== undefined) this.own--;
    return asked;
  }

  /** Forgets what the peer asked: nobody wants to see the replies. */
  forgetPeer(): void {
    for (const asked of this.#peers) this.#remove(asked);
  }

  #remove(asked: Asked): void {
    const key = keyOf(asked.idText);
    const same = this.#byKey.get(key);
    this.#peers.delete(asked);
    same?.splice(same.indexOf(asked), 1);
    if (same?.length === 0) this.#byKey.delete(key);
  }

  #forgetOldest(): void {
    for (const asked of this.#peers) {
      if (this.#peers.size <= peerLimit - many) return;
      this.#remove(asked);
    }
  }
}
