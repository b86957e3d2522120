/**
 * Counts what is made for one place and what arrives there, and says so in words. Knows numbers and
 * reasons, not what is counted.
 */
import type { Log } from '../plugin.js';

/** One of what is counted, and several. */
export type Counted = readonly [one: string, several: string];

type Reason = Error & { readonly code?: unknown; readonly syscall?: unknown };

/** A response of a collector can be long; an error that groups others has no message of its own. */
function textOf(error: Reason | undefined): string {
  const text = error === undefined ? 'no reason was given' : error.message || String(error.code ?? error.name);
  return (text.split('\n')[0] ?? '').slice(0, 200);
}

/** Nobody is there: to try again within a second helps as little as to wait. */
const isUnreachable = ({ syscall }: Reason): boolean => syscall === 'connect' || syscall === 'getaddrinfo';

export class Tally {
  readonly #counted: Counted;
  readonly #place: string;
  readonly #log: Log;
  readonly #advice: string;
  #missing = 0;
  #isNamed = false;
  #isClosing = false;
  #reason: string | undefined;
  #giveUp!: () => void;
  /** Resolves when, at the end, it has turned out that nobody is there. */
  readonly unreachable: Promise<void>;

  /** `advice` is said where the place does not take this at all. */
  constructor(counted: Counted, place: string, log: Log, advice = '') {
    this.#counted = counted;
    this.#place = place;
    this.#log = log;
    this.#advice = advice;
    this.unreachable = new Promise((resolve) => (this.#giveUp = resolve));
  }

  made(count: number): void {
    this.#missing += count;
  }

  delivered(count: number): void {
    this.#missing -= count;
  }

  /** What was sent before is contained in what was delivered now. */
  deliveredAll(): void {
    this.#missing = 0;
  }

  /** An attempt has failed; there may be another one. */
  tried(error: Error): void {
    this.#reason = textOf(error);
    if (this.#isClosing && isUnreachable(error)) this.#giveUp();
  }

  /** There will be no other attempt. The first such loss is named, unless the end is near and names all. */
  lost(error: Error | undefined): void {
    this.#reason = textOf(error) + (isNotTaken(error) ? this.#advice : '');
    if (this.#isNamed || this.#isClosing) return;
    this.#isNamed = true;
    this.#log.warn(`${this.#counted[1]} cannot be delivered to ${this.#place}: ${this.#reason}; further losses are only counted`);
  }

  /** From now on losses are named by `report`. */
  closing(): void {
    this.#isClosing = true;
  }

  /** Says how much was not delivered. For the end, when nothing more is waited for. */
  report(): void {
    if (this.#missing <= 0) return;
    const [one, several] = this.#counted;
    const what = this.#missing === 1 ? `1 ${one} was` : `${this.#missing} ${several} were`;
    this.#log.warn(`${what} not delivered to ${this.#place}: ${this.#reason ?? 'no answer in time'}`);
  }
}

/** HTTP's "Not Found" and gRPC's "Unimplemented": the place has no way in for this signal. */
const isNotTaken = (error: Reason | undefined): boolean => error?.code === 404 || error?.code === 12;
