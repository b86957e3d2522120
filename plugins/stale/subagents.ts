/**
 * The sessions of subagents (Subagents RFD), which no request of the client's sets up: what one leaves
 * unfinished is over with its run, and what a replay of the session that it comes from tells of it is
 * history, of which the last state counts.
 */
import type { JsonObject } from 'afterturn/protocol';
import type { Outgoing } from 'afterturn/plugin';
import type { Context } from './context.js';
import { stateSeen, type Happening } from './reading.js';
import { BoundedMap, FEW } from '../bounded.js';

/** The work of a subagent's session, which no prompt of the client's starts, is watched as a prompt of this name. */
const RUN = 'run of a subagent';
/** Subagents within subagents. */
const DEEPEST = 64;

interface Subagent {
  readonly parent: string;
  /** It is at work. */
  running: boolean;
  /** History of it is being told, and the last state in it. */
  replayed: boolean;
  last: JsonObject | undefined;
}

export class Subagents {
  readonly #context: Context;
  readonly #known = new BoundedMap<string, Subagent>(FEW);
  /** How many replays of a session are on their way. */
  readonly #replays = new BoundedMap<string, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** `parent` tells of it. */
  told(id: string, parent: string): void {
    if (!this.#known.has(id)) this.#known.set(id, { parent, running: false, replayed: false, last: undefined });
    const root = this.#rootOf(id);
    if (this.#replays.has(root)) this.#replay(id);
  }

  replayStarted(root: string): void {
    this.#replays.set(root, (this.#replays.get(root) ?? 0) + 1);
    for (const id of this.#known.keys()) if (this.#rootOf(id) === root) this.#replay(id);
  }

  replayEnded(root: string): void {
    const left = (this.#replays.get(root) ?? 1) - 1;
    if (left > 0) return void this.#replays.set(root, left);
    this.#replays.delete(root);
    for (const [id, subagent] of this.#known) {
      if (!subagent.replayed || this.#rootOf(id) !== root) continue;
      const { last } = subagent;
      Object.assign(subagent, { replayed: false, last: undefined });
      for (const event of last === undefined ? [] : this.#seen(id, subagent, last)) this.#context.happened(id, event);
      this.#context.happened(id, { type: 'replayEnded' });
    }
  }

  /** A state of any session: what has to be said before it. */
  state(id: string, update: JsonObject): readonly Outgoing[] {
    const { watch } = this.#context;
    const subagent = this.#known.get(id);
    if (subagent?.replayed === true) {
      subagent.last = update;
      return [];
    }
    return this.#seen(id, subagent, update).flatMap((event) => watch?.saidAt(id, event) ?? []);
  }

  /** A run begins with its state, before what the state says. */
  #seen(id: string, subagent: Subagent | undefined, update: JsonObject): readonly Happening[] {
    if (subagent !== undefined && typeof update.state === 'string') this.#runs(id, subagent, update.state !== 'idle');
    return stateSeen(update);
  }

  #runs(id: string, subagent: Subagent, running: boolean): void {
    if (subagent.running === running) return;
    subagent.running = running;
    if (running) for (const type of ['promptSent', 'promptInserted'] as const) this.#context.happened(id, { type, prompt: RUN });
  }

  #replay(id: string): void {
    const subagent = this.#known.get(id);
    if (subagent === undefined || subagent.replayed) return;
    subagent.replayed = true;
    this.#context.happened(id, { type: 'replayStarted' });
  }

  #rootOf(id: string): string {
    let root = id;
    for (let depth = 0; depth < DEEPEST; depth++) {
      const parent = this.#known.get(root)?.parent;
      if (parent === undefined) break;
      root = parent;
    }
    return root;
  }
}
