/**
 * A conversation of a scripted client and a scripted agent with the built command between them, and how it
 * is cut short. Knows no ACP: what is said is the players' part.
 */
import type { RecordedMessage } from '../../../src/check/index.js';
import type { Message, Side } from '../../pipeline/harness.js';
import type { Session } from '../session.js';
import { Cut, messagesInto } from './cut.js';
import { pause } from './run-world.js';
import type { Part, ToldAgent } from './stage.js';
import type { TalkEnd } from './talk-world.js';

/** Between the client and the command, or between the agent and it; from the left to the right, and back. */
export type Way = 'c2p' | 'p2c' | 'a2p' | 'p2a';

/** What goes on around the players. */
export interface Hall {
  /** Nothing has cut it short, and nothing is broken. */
  goesOn(): boolean;
  /** Resolves when it holds, or after half a minute. */
  until(holds: () => boolean): Promise<void>;
  /** Between two steps. */
  paces(): Promise<void>;
  /** A step of the script that waits: the timers of the command are short. */
  waits(ms: number): Promise<void>;
}

export interface Players {
  readonly client: { hears(message: Message): void };
  readonly agent: { hears(message: Message): void };
  /** A message on its way. Throws where it breaks a promise. */
  sees(way: Way, message: Message): void;
  /** Says everything that there is to say, until both are at rest. Rejects where they do not come to it. */
  play(hall: Hall): Promise<void>;
  /** It is about to end, from whatever side: what goes on is over then. */
  ends(): void;
  /** A v2 agent leaves work behind, and asks about it. */
  readonly leavesWorkBehind?: boolean;
  /** What is broken when the client has heard all that there was: work that it was not told the end of. */
  left(): readonly string[];
}

export type Casting = (sides: { readonly client: Side; readonly agent: Side }) => Players;

export interface Ending {
  readonly end: TalkEnd;
  readonly pace: number;
  readonly cuts: number;
}

const longestWait = 40;
const patience = 30_000;

/** A side whose messages go out this way. */
function sideOf(send: (message: Message) => void): Side {
  let ids = 0;
  const sends = (message: Message): void => send({ jsonrpc: '2.0', ...message });
  return {
    answers: (id, result) => sends({ id, result }),
    refuses: (id, error) => sends({ id, error }),
    notifies: (method, params) => sends({ method, params }),
    requests(method, params) {
      sends({ id: (ids += 1), method, params });
      return ids;
    },
  } as Side;
}

export class Talk implements Part {
  readonly recording: RecordedMessage[] = [];
  /** What was broken on the way. */
  readonly faults: string[] = [];
  readonly lives: ToldAgent[] = [];
  /** Something cuts it short. */
  isCut = false;
  readonly #world: Ending;
  readonly #players: Players;
  readonly #cuts: { readonly client: Cut; readonly agent: Cut };
  readonly #takes: ((chunk: Buffer) => void)[] = [];
  readonly #count = { client: 0, agent: 0 };
  #session: Session | undefined;
  /** It came to its rest. */
  #isDone = false;

  constructor(world: Ending, casting: Casting) {
    this.#world = world;
    this.#cuts = { client: new Cut(world.cuts), agent: new Cut(world.cuts + 1) };
    this.#players = casting({ client: sideOf((message) => this.#clientSends(message)), agent: sideOf((message) => this.#agentSends(message)) });
  }

  begins(agent: ToldAgent): void {
    this.lives.push(agent);
    this.#takes.push(messagesInto((message) => {
      if (agent !== this.lives.at(-1)) return;
      this.#guarded(() => this.#players.sees('p2a', message));
      this.#guarded(() => this.#players.agent.hears(message));
    }));
    const { end } = this.#world;
    void agent.inputOver.then(() => this.#cuts.agent.follows(() => agent.exits(end.kind === 'rests' ? end.code : 0)));
  }

  hears(bytes: Buffer, agent: ToldAgent): void {
    this.#guarded(() => this.#takes[this.lives.indexOf(agent)]?.(bytes));
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (this.faults.length < 3) this.faults.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
  }

  #agentSends(message: Message): void {
    const agent = this.lives.at(-1);
    const { end } = this.#world;
    if (agent === undefined || this.#isDone || (this.isCut && end.kind === 'agentDies')) return;
    this.#guarded(() => this.#players.sees('a2p', message));
    this.#cuts.agent.writes(message, (bytes) => agent.says(bytes));
    this.#count.agent += 1;
    if (end.kind !== 'agentDies' || this.#count.agent < end.after) return;
    this.#isCutNow();
    const { by } = end;
    this.#cuts.agent.follows(() => (typeof by === 'number' ? agent.exits(by) : agent.endsBy(by)));
  }

  #clientSends(message: Message): void {
    if (this.#isDone || (this.isCut && this.#world.end.kind !== 'agentDies')) return;
    this.#guarded(() => this.#players.sees('c2p', message));
    this.recording.push({ t: 0, dir: 'c2a', msg: message });
    this.#cuts.client.writes(message, (bytes) => this.#session?.write(bytes));
    this.#counted();
  }

  #clientHears(message: Message): void {
    this.recording.push({ t: 0, dir: 'a2c', msg: message });
    this.#guarded(() => this.#players.sees('p2c', message));
    this.#guarded(() => this.#players.client.hears(message));
    this.#counted();
  }

  #isCutNow(): void {
    this.isCut = true;
    this.#players.ends();
  }

  /** One more message of the client's side; it may be the last. */
  #counted(): void {
    this.#count.client += 1;
    const { end } = this.#world;
    if (this.isCut || this.#isDone || end.kind === 'rests' || end.kind === 'agentDies' || this.#count.client < end.after) return;
    this.#isCutNow();
    this.#cuts.client.follows(() => {
      if (end.kind === 'signals') this.#session?.process.kill(end.signal);
      else if (end.kind === 'endsInput') this.#session?.endInput();
      else for (const stream of [this.#session?.process.stdout, this.#session?.process.stdin]) stream?.destroy();
    });
  }

  left(): readonly string[] {
    return this.#players.left();
  }

  get leavesWorkBehind(): boolean {
    return this.#players.leavesWorkBehind === true;
  }

  /** All that both sides have to say, until it is cut short or at rest; then the client's input ends. `isOver`: the command has ended. */
  async plays(session: Session, isOver: () => boolean): Promise<void> {
    this.#session = session;
    const takes = messagesInto((message) => this.#clientHears(message));
    session.process.stdout?.on('data', (chunk: Buffer) => this.#guarded(() => takes(chunk)));
    const goesOn = (): boolean => !this.isCut && !isOver() && this.faults.length === 0;
    const { pace } = this.#world;
    const hall: Hall = {
      goesOn,
      async until(holds) {
        for (const since = performance.now(); goesOn() && !holds() && performance.now() - since < patience; ) await pause(3);
      },
      paces: () => (pace === 0 ? new Promise((resolve) => void setImmediate(resolve)) : pause(pace)),
      waits: (ms) => pause(Math.min(ms, longestWait)),
    };
    await this.#players.play(hall).catch((error: unknown) => void this.faults.push(String(error)));
    if (this.isCut) return;
    this.#isDone = true;
    this.#players.ends();
    this.#cuts.client.follows(() => session.endInput());
  }
}
