/**
 * One direction: messages in order, one at a time, through the hooks of the plugins on the way.
 * A hook that returns a promise holds this direction until it settles; what arrives waits.
 * Knows hooks and places, not what messages mean and not where bytes come from.
 */
import type { Direction, Log, Outcome } from '../plugin.js';
import { NotAMessage, type Frame } from '../wire/frame.js';
import type { Outbox } from '../wire/outbox.js';
import { kindIn } from '../wire/peek.js';
import { kinds, type Step, type Steps } from './compile.js';
import { errorText } from './error-text.js';
import { Gate } from './gate.js';
import type { Intake } from './intake.js';
import type { Origins } from './origins.js';
import type { OpenRequests } from './pending.js';
import { Queue, type Item } from './queue.js';
import { outcomeOf, type Settled } from './settled.js';
import { effectOf, refusal, type Effect } from './verdicts.js';

/** With this many unread bytes a lane asks its reader to pause. */
const unreadLimit = 64 * 1024;
/** With this many bytes of answers and the like that the other side does not read, too: as a proxy process would. */
const backlogLimit = 1024 * 1024;
/** A hook that holds a lane this long is named in a warning. Milliseconds. */
const holdWarning = 10_000;

export interface LanePorts {
  readonly direction: Direction;
  readonly intake: Intake;
  readonly outbox: Outbox;
  /** The way out of the other direction: what plugins answer goes there. */
  readonly reverse: Outbox;
  /** Requests that travelled in this direction and were sent on. */
  readonly requests: OpenRequests;
  /** Who made what, where somebody wants to know. */
  readonly origins: Origins | undefined;
  readonly log: Log;
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** The reader may go on. */
  readonly resume: () => void;
}

export class Lane {
  readonly #ports: LanePorts;
  readonly #queue = new Queue();
  readonly #gate: Gate;
  #running = false;
  /** A hook's promise holds the lane; when it settles this is what is left to do. */
  #held = false;
  #goOn: (() => void) | undefined;
  #cancelWarning: (() => void) | undefined;
  #paused = false;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(ports: LanePorts) {
    this.#ports = ports;
    this.#gate = new Gate({ opened: () => this.#run(), after: ports.after });
  }

  /** Takes bytes. False: pause the reader, until `resume`. */
  push(chunk: Uint8Array): boolean {
    if (this.#closed) return true;
    const { intake, outbox } = this.#ports;
    if (intake.push(chunk, this.#isAtRest)) this.#run();
    else outbox.flush();
    this.#paused = this.#isBlocked || intake.unread >= unreadLimit;
    return !this.#paused;
  }

  /** Tells a reader that waits when it may go on. */
  resume(): void {
    if (!this.#paused || this.#closed || this.#isBlocked || this.#ports.intake.unread > 0) return;
    this.#paused = false;
    this.#ports.resume();
  }

  /** Puts a plugin's message in its place: behind the one at hand, before those not looked at yet. */
  insert(item: Item): void {
    if (this.#closed) return;
    this.#queue.add(item);
    this.#run();
  }

  /** Looks at nothing that arrives from now on, until the function that it returns is called. */
  holdBack(): () => void {
    return this.#gate.hold();
  }

  /** No more bytes will come. Resolves when everything has been written. */
  end(): Promise<void> {
    this.#ports.intake.ended = true;
    this.#gate.end();
    this.#run();
    return this.idle();
  }

  /** Resolves when no message is at hand or waits. */
  idle(): Promise<void> {
    if (this.#closed || (!this.#held && !this.#running && !this.#hasHeldEnd)) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Ignores everything from now on. */
  close(): void {
    this.#closed = true;
    this.#cancelWarning?.();
    this.#wake();
  }

  #wake(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  /** What has begun to go on is not torn apart. */
  get #isHeldBack(): boolean {
    return this.#gate.isShut && !this.#ports.intake.midLine;
  }

  /** The last bytes have not been looked at yet. */
  get #hasHeldEnd(): boolean {
    return this.#isHeldBack && this.#ports.intake.ended;
  }

  get #isBlocked(): boolean {
    return this.#ports.outbox.full || this.#ports.reverse.backlog >= backlogLimit;
  }

  /** No message is at hand or waits. */
  get #isAtRest(): boolean {
    return !this.#running && !this.#held && this.#goOn === undefined && this.#queue.isEmpty && !this.#gate.isShut;
  }

  #run(): void {
    if (this.#running || this.#held || this.#closed) return;
    this.#running = true;
    try {
      while (!this.#held && !this.#closed && this.#step());
    } finally {
      this.#running = false;
      this.#ports.outbox.flush();
    }
    if (this.#held) return;
    if (!this.#hasHeldEnd) this.#wake();
    this.resume();
  }

  /** Does the next thing. False: there is none. */
  #step(): boolean {
    const goOn = this.#goOn;
    if (goOn !== undefined) {
      this.#goOn = undefined;
      goOn();
      return true;
    }
    // What arrives may end the line that a message of our own waits for.
    const item = this.#nextOwn() ?? (this.#isHeldBack ? undefined : this.#ports.intake.next()) ?? this.#nextOwn();
    if (item === undefined) return false;
    if (item !== 'passed') this.#walk(item, item.steps ?? this.#stepsOf(item), 0);
    return true;
  }

  /** The next message of a plugin. None starts in the middle of a line. */
  #nextOwn(): Item | undefined {
    return this.#ports.intake.midLine ? undefined : this.#queue.next();
  }

  #stepsOf({ at, frame, asked }: Item): Steps {
    const { table } = this.#ports.intake;
    if (frame.kind === 'reply') return asked === undefined ? [] : table.replySteps(asked, at);
    return table.callSteps(frame.method, frame.method === kinds.method ? kindIn(frame.unread, kinds) : undefined);
  }

  /** Lets a message meet its hooks, from `steps[index]` on, and sends what is left of it. */
  #walk(item: Item, steps: Steps, index: number): void {
    for (let i = index; i < steps.length; i++) {
      const step = steps[i] as Step;
      if (step.at < item.at || !step.seat.active) continue;
      const outcome = outcomeOf(item.frame, item.asked, step);
      if (outcome instanceof Promise) {
        this.#hold(item, steps, i, outcome);
        return;
      }
      const next = this.#after(item, step, outcome);
      if (next === undefined) return;
      if (next === item) continue;
      // What changed may have other hooks.
      item = next;
      steps = next.steps ?? this.#stepsOf(next);
      i = -1;
    }
    this.#send(item);
  }

  #hold(item: Item, steps: Steps, index: number, promise: Promise<Outcome>): void {
    const { direction, log, after, now } = this.#ports;
    const { at, seat } = steps[index] as Step;
    this.#held = true;
    this.#cancelWarning = after(holdWarning, () => {
      log.warn(`plugin "${seat.plugin.name}" holds all messages ${direction} for ${holdWarning / 1000} s: ${nameOf(item)}`);
    });
    const settle = (settled: Settled): void => {
      this.#cancelWarning?.();
      this.#held = false;
      this.#goOn = () => {
        // Those behind see it only now.
        if (item.frame.kind === 'request') item.asked?.looksFrom(at + 1, item.frame.method, now());
        const next = this.#after(item, steps[index] as Step, settled);
        if (next === item) this.#walk(item, steps, index + 1);
        else if (next !== undefined) this.#walk(next, next.steps ?? this.#stepsOf(next), 0);
      };
      this.#run();
    };
    promise.then((outcome) => settle({ outcome }), (failure: unknown) => settle({ failure }));
  }

  /** What goes on of a message after this step: itself, another, or nothing. */
  #after(item: Item, step: Step, settled: Settled): Item | undefined {
    const effect = this.#effect(item, step, settled);
    this.#ports.origins?.followed(this.#ports.direction, item.frame, step.seat.plugin.name, 'outcome' in settled ? settled.outcome : undefined, effect);
    const { asked } = item;
    const at = step.at + 1;
    switch (effect.go) {
      case 'on': {
        if (effect.frame === item.frame) return item;
        if (effect.frame.kind === 'request') asked?.looksFrom(at, effect.frame.method, this.#ports.now());
        return { at, frame: effect.frame, asked, steps: undefined, line: undefined };
      }
      case 'pieces': {
        const pieces = effect.frames.map((frame) => (frame === item.frame ? { ...item, at } : noted(frame, at)));
        this.#queue.addFirst(pieces.slice(1));
        return pieces[0];
      }
      case 'again':
        return { ...item, at: step.at, steps: undefined };
      case 'back':
        if (asked !== undefined) step.seat.host.answer(asked, effect.reply);
        return undefined;
      case 'parked':
        if (asked !== undefined) step.seat.host.park(asked);
        return undefined;
      case 'nowhere':
      case 'elsewhere':
        return undefined;
    }
  }

  /** The effect of a hook's outcome. A hook that failed is named, and costs no message. */
  #effect(item: Item, { seat }: Step, settled: Settled): Effect {
    const { log, direction, intake } = this.#ports;
    const { name, onHookError } = seat.plugin;
    try {
      try {
        if ('failure' in settled) throw settled.failure;
        const effect = effectOf(item.frame, settled.outcome);
        if (effect.go === 'again') seat.become(effect.plugin);
        return effect;
      } catch (error) {
        if (error instanceof NotAMessage) throw error;
        log.error(`plugin "${name}" failed ${direction} on ${nameOf(item)}: ${errorText(error)}`);
        return onHookError === 'refuse' ? refusal(item.frame, name) : { go: 'on', frame: item.frame };
      }
    } catch (error) {
      if (!(error instanceof NotAMessage)) throw error;
      intake.reject(item);
      return { go: 'elsewhere' };
    }
  }

  /** The message has met all its plugins. */
  #send(item: Item): void {
    const { outbox, requests, intake, origins, direction } = this.#ports;
    const { asked, frame, line } = item;
    if (frame.kind === 'reply' && asked?.owner !== undefined) {
      origins?.dropped(direction, frame, asked.owner.name);
      asked.owner.replied(asked, frame);
      return;
    }
    if (frame.kind === 'request' && asked !== undefined && (asked.owner !== undefined || intake.hasToRemember(asked.idText))) requests.add(asked);
    outbox.told ||= asked?.owner === undefined;
    if (line !== undefined) return outbox.pass(line.buffer, line.start, line.end);
    origins?.sent(direction, frame, outbox);
    outbox.send(frame.pieces);
    // What is told of the next message comes after this one.
    if (origins !== undefined) outbox.flush();
  }
}

const noted = (frame: Frame, at: number): Item => ({ at, frame, asked: undefined, steps: undefined, line: undefined });

const nameOf = ({ frame, asked }: Item): string => frame.kind === 'reply' ? `the reply to ${asked?.asSent.method ?? 'a request'}` : frame.method;
