/**
 * Plays a conversation of a scripted client and a scripted agent through every built-in plugin in one
 * process, on a fake clock. Messages of both sides cross on their way as a seed tells.
 */
import { builtInPlugins, type Settings } from '../../../plugins/index.js';
import type { RecordedMessage } from '../../../src/check/index.js';
import { wired, type Message, type Side, type Wired } from '../../pipeline/harness.js';
import type { Casting, Hall, Players, Way } from '../../e2e/faults/talk.js';

class InProcess {
  readonly recording: RecordedMessage[] = [];
  readonly on: Wired;
  readonly players: Players;
  readonly #inboxes: Record<'client' | 'agent', Message[]> = { client: [], agent: [] };
  #random: number;

  /** `crossings`: 0: nothing crosses. */
  constructor(casting: Casting, settings: Settings, crossings: number) {
    this.#random = crossings;
    this.on = wired(builtInPlugins(settings), { agentCommand: settings.agentCommand });
    this.players = casting({ client: this.#side('client', 'c2p'), agent: this.#side('agent', 'a2p') });
  }

  #side(who: 'client' | 'agent', way: Way): Side {
    let ids = 0;
    const sends = (message: Message): void => {
      const whole = { jsonrpc: '2.0', ...message };
      this.players.sees(way, whole);
      if (who === 'client') this.recording.push({ t: this.on.clock.now(), dir: 'c2a', msg: whole });
      this.on[who].sends(whole);
    };
    return {
      answers: (id, result) => sends({ id, result }),
      refuses: (id, error) => sends({ id, error }),
      notifies: (method, params) => sends({ method, params }),
      requests: (method, params) => {
        sends({ id: (ids += 1), method, params });
        return ids;
      },
    } as Side;
  }

  /** So many of the messages on their way arrive. */
  #next(): number {
    if (this.#random === 0) return Infinity;
    this.#random = (Math.imul(this.#random, 1103515245) + 12345) >>> 0;
    return [0, 1, 2, Infinity][(this.#random >>> 8) % 4] ?? Infinity;
  }

  #takesIn(who: 'client' | 'agent', many: number): boolean {
    this.#inboxes[who].push(...this.on[who].received());
    const arrived = this.#inboxes[who].splice(0, Math.min(many, this.#inboxes[who].length));
    for (const message of arrived) {
      if (who === 'client') this.recording.push({ t: this.on.clock.now(), dir: 'a2c', msg: message });
      this.players.sees(who === 'client' ? 'p2c' : 'p2a', message);
      this.players[who].hears(message);
    }
    return arrived.length > 0;
  }

  readonly hall: Hall = { goesOn: () => true, until: (holds) => this.#until(holds), paces: () => this.#passes(() => this.#next()), waits: (ms) => this.#waits(ms) };

  async #passes(many: () => number = () => Infinity): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      await this.on.settled();
      const came = [this.#takesIn('agent', many()), this.#takesIn('client', many())];
      quiet = came.includes(true) ? 0 : quiet + 1;
      if (this.#random !== 0 && many() < 2) return;
    }
  }

  async #until(holds: () => boolean): Promise<void> {
    for (let round = 0; !holds() && round < 100; round += 1) await this.#waits(10);
    if (!holds()) throw new Error('it never comes to that');
  }

  async #waits(ms: number): Promise<void> {
    const until = this.on.clock.now() + ms;
    await this.#passes();
    while (this.on.clock.now() < until) {
      const next = Math.min(until, this.on.clock.next() ?? until);
      this.on.clock.advance(Math.max(0, next - this.on.clock.now()));
      await this.#passes();
    }
  }

  /** Time passes until nothing waits for it. */
  async rests(): Promise<void> {
    for (let left = 500; left > 0; left -= 1) {
      const next = this.on.clock.next();
      if (next === undefined) return;
      await this.#waits(Math.max(1, next - this.on.clock.now()));
    }
  }
}

export interface PlayedThrough {
  readonly recording: readonly RecordedMessage[];
  readonly log: readonly string[];
  readonly left: readonly string[];
}

/** Plays it to its end. Rejects at the first promise that is broken. */
export async function playedThrough(casting: Casting, settings: Settings, crossings = 0): Promise<PlayedThrough> {
  const one = new InProcess(casting, settings, crossings);
  await one.players.play(one.hall);
  await one.rests();
  return { recording: one.recording, log: one.on.log, left: one.players.left() };
}
