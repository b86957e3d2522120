/**
 * The watched sessions of one connection at work: feeds the reducer, keeps its timers, and says what
 * it settles. All decisions are the reducer's.
 */
import type { Host, Outgoing } from 'afterturn/plugin';
import { nextStaleTick, reduceStale, unwatchedSession, type Revival, type SessionEnd, type Settle, type StaleEvent, type StaleOptions, type WatchedSession } from 'afterturn/state';
import type { Happening, Version } from './reading.js';
import { BoundedMap } from '../bounded.js';

/** `corrected`: the agent's own end of a call came after all, or its list names the call. */
export type StaleNews = 'settled' | 'corrected';

interface Watched {
  state: WatchedSession;
  /** Cancels the timer, where one runs. */
  cancel: (() => void) | undefined;
  /** The settled calls that the agent ended after all. */
  readonly corrected: Set<string>;
}

const none: readonly OutgoingUpdate[] = [];

/** How many closed sessions are remembered, so that what still comes for them is left alone. */
const MAX_GONE = 1000;
/** How many sessions are watched, not counting those that are at work. */
const MAX_SESSIONS = 1000;
/** How many of them are looked at for one that is at rest. */
const MAX_LOOKED_AT = 16;

function* firstOf<T>(all: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const one of all) {
    if (left-- === 0) return;
    yield one;
  }
}

/** The update that gives a call its final status, and says that the proxy did it. */
function updateOf({ call, status, reason }: Settle, version: Version): object {
  const _meta = { afterturn: { settled: true, reason } };
  const clearsCancel = version === 2 ? { capabilities: null } : {};
  return { sessionUpdate: 'tool_call_update', toolCallId: call, status, ...clearsCancel, _meta };
}

/** The update that tells a call alive again that was settled. */
function aliveAgain({ call, status, canCancel }: Revival): object {
  return { sessionUpdate: 'tool_call_update', toolCallId: call, status, ...(canCancel ? { capabilities: { cancel: {} } } : {}) };
}

export class Watch {
  readonly #sessions = new BoundedMap<string, Watched>(undefined, ({ cancel }) => cancel?.());
  readonly #gone = new Set<string>();

  constructor(
    private readonly host: Host,
    /** As they are for this session now. */
    private readonly optionsFor: (session: string) => StaleOptions,
    private readonly onStale: (what: StaleNews) => void = () => {},
  ) {}

  knows(session: string): boolean {
    return this.#sessions.has(session) || this.#gone.has(session);
  }

  /** The proxy's word was the last about this call's end. */
  hasSettled(session: string, call: string): boolean {
    return typeof this.#sessions.get(session)?.state.finished.get(call) === 'object';
  }

  /** The agent ends a call by itself; what was settled is corrected by that. */
  endedByAgent(session: string, call: string): void {
    const corrected = this.#sessions.get(session)?.corrected;
    if (corrected === undefined || corrected.has(call) || !this.hasSettled(session, call)) return;
    corrected.add(call);
    this.onStale('corrected');
  }

  /** A set-up request or its answer names the session: it is there, perhaps again. */
  opened(session: string): void {
    this.#gone.delete(session);
    if (!this.#sessions.has(session)) this.#watched(session);
  }

  /** What is known of the session was wrong, or is needed no more. */
  forget(session: string): void {
    this.#sessions.get(session)?.cancel?.();
    this.#sessions.delete(session);
  }

  happened(session: string, event: Happening): void {
    this.happenedAt(session, { ...event, at: this.host.now() });
  }

  happenedAt(session: string, event: StaleEvent): void {
    for (const message of this.#reduced(session, event)) this.#say(message);
  }

  /** What has to be said before the message that the event is read from. */
  saidAt(session: string, event: Happening): readonly Outgoing[] {
    return this.#reduced(session, { ...event, at: this.host.now() });
  }

  /** The session is gone: what has to be said before its last message. */
  closed(session: string, why: SessionEnd): readonly Outgoing[] {
    const out = this.#reduced(session, { type: 'sessionEnded', why, at: this.host.now() });
    this.forget(session);
    this.#gone.add(session);
    for (const oldest of this.#gone) {
      if (this.#gone.size <= MAX_GONE) break;
      this.#gone.delete(oldest);
    }
    return out;
  }

  /** The connection loses one of its sides: every session ends. */
  ended(why: SessionEnd): void {
    for (const session of this.#sessions.keys()) this.happened(session, { type: 'sessionEnded', why });
  }

  /** Nothing is said of a session that is gone. */
  #reduced(session: string, event: StaleEvent): readonly OutgoingUpdate[] {
    const known = this.#sessions.get(session);
    if (known === undefined && this.#gone.has(session)) return none;
    const watched = known ?? this.#watched(session);
    const options = this.optionsFor(session);
    const [state, said] = reduceStale(watched.state, event, options);
    watched.state = state;
    this.#schedule(session, watched, options);
    return said.length === 0 ? none : said.map((one) => (one.reason === undefined ? this.#revived(session, watched, one) : this.#settled(session, watched, one, options)));
  }

  #settled(session: string, watched: Watched, settle: Settle, { version }: StaleOptions): OutgoingUpdate {
    watched.corrected.delete(settle.call);
    this.onStale('settled');
    return { method: 'session/update', params: { sessionId: session, update: updateOf(settle, version) } };
  }

  #revived(session: string, watched: Watched, revival: Revival): OutgoingUpdate {
    if (!watched.corrected.has(revival.call)) this.onStale('corrected');
    watched.corrected.delete(revival.call);
    return { method: 'session/update', params: { sessionId: session, update: aliveAgain(revival) } };
  }

  #watched(session: string): Watched {
    const watched: Watched = { state: unwatchedSession, cancel: undefined, corrected: new Set() };
    if (this.#sessions.size >= MAX_SESSIONS) this.#forgetOneAtRest();
    this.#sessions.set(session, watched);
    return watched;
  }

  /** Sessions that nobody closes, such as subagents', would pile up. */
  #forgetOneAtRest(): void {
    for (const [session, watched] of [...firstOf(this.#sessions, MAX_LOOKED_AT)]) {
      const { state } = watched;
      this.#sessions.delete(session);
      if (state.calls.size === 0 && state.prompts.size === 0 && state.replays === 0) return watched.cancel?.();
      // Behind the others: it is not looked at again soon.
      this.#sessions.set(session, watched);
    }
  }

  #say({ method, params }: OutgoingUpdate): void {
    this.host.notify('toClient', method, params, 'settled');
  }

  /** While a timer runs nothing is due before it: what it waits for may become later, and is asked for again then. */
  #schedule(session: string, watched: Watched, options: StaleOptions): void {
    const { state, cancel } = watched;
    if (cancel !== undefined && state.clocks.size > 0) return;
    cancel?.();
    const due = nextStaleTick(state, options);
    watched.cancel = due === undefined ? undefined : this.host.after(Math.max(0, due - this.host.now()), () => {
      watched.cancel = undefined;
      this.happened(session, { type: 'tick' });
    });
  }
}

interface OutgoingUpdate {
  readonly method: string;
  readonly params: unknown;
}
