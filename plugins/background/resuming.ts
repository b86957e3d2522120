/**
 * One `session/resume` on its way, for one session: what is said meanwhile of tasks waits, and replayed
 * output of live terminals is told apart from what they print now. What it means is `state/history`'s
 * to say.
 */
import { isTaskSignal, newsOf, pastSignal, startsOf, type LedgerEvent, type SessionLedger, type TaskSignal } from 'afterturn/state';
import type { JsonObject } from 'afterturn/protocol';
import { BoundedSet, MOST } from '../bounded.js';

type Told = LedgerEvent['signal'];

export class Resuming {
  /** Requests that are open. */
  open = 1;
  /** Something came that may be history. */
  touched = false;
  #tasks: TaskSignal[] = [];
  readonly #begun = new BoundedSet<string>();

  /**
   * `replays`: history may come. `rebuilt`: the agent is asked for another session under the same id, and builds it anew.
   * `revives`: it was asked for while a close was open, whose end of the session it outlives.
   */
  constructor(
    public replays: boolean,
    public rebuilt: boolean,
    public revives: boolean,
  ) {}

  /** One more request is open. */
  with({ replays, rebuilt, revives }: Resuming): this {
    return Object.assign(this, { open: this.open + 1, replays: this.replays || replays, rebuilt: this.rebuilt || rebuilt, revives: this.revives || revives });
  }

  /** The signals that count now. */
  now(session: SessionLedger, signals: readonly Told[]): readonly Told[] {
    return signals.flatMap((signal): readonly Told[] => {
      if (!isTaskSignal(signal)) return [this.replays ? pastSignal(session, signal) : signal];
      if (this.#tasks.length < MOST) this.#tasks.push(signal);
      return [];
    });
  }

  /** What lives, and started here: known from now on. */
  takeStarts(session: SessionLedger): readonly TaskSignal[] {
    const starts = startsOf(session, this.#tasks);
    this.#tasks = this.#tasks.filter((signal) => !starts.includes(signal));
    return starts;
  }

  /** What became of what lives here. */
  takeNews(session: SessionLedger): readonly TaskSignal[] {
    const news = newsOf(session, this.#tasks);
    this.#tasks = [];
    return news;
  }

  /** Whether the agent's update of a live terminal tells the past: it does from the moment on from which the terminal is begun anew. */
  isPastOutput(update: JsonObject): boolean {
    if (!this.replays) return false;
    const id = String(update.terminalId);
    if (update.sessionUpdate === 'terminal_update' && ('output' in update || update.exitStatus === null)) this.#begun.add(id);
    return this.#begun.has(id);
  }
}
