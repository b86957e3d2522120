/** Plays a conversation between a scripted v2 client and a scripted v1 agent, with the built command between them. */
import { agentKinds, ScriptedAgent, type AgentAct } from '../../plugins/conversations/agent.js';
import { ScriptedClient } from '../../plugins/conversations/client.js';
import { ConversationModel } from '../../plugins/conversations/model.js';
import type { Step } from '../../plugins/conversations/script.js';
import type { Message, Side } from '../../pipeline/harness.js';
import type { RecordedMessage } from '../../../src/check/index.js';
import type { Session } from '../session.js';
import { pause } from './run-world.js';
import type { Part, ToldAgent } from './stage.js';
import type { TalkWorld } from './talk-world.js';

const SESSIONS = ['s0', 's1', 's2'] as const;
/** What a step of the script that waits stands for here: the timers of the command are short. */
const longestWait = 40;


/** Joins chunks to messages. */
export function messagesInto(takes: (message: Message) => void): (chunk: Buffer) => void {
  let rest = '';
  const decoder = new TextDecoder();
  return (chunk) => {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) takes(JSON.parse(line) as Message);
  };
}

/** Writes messages in order, some of them in two pieces. */
class Cut {
  #random: number;
  #before: Promise<unknown> | undefined;

  constructor(seed: number) {
    this.#random = seed;
  }

  #next(below: number): number {
    this.#random = (Math.imul(this.#random, 1103515245) + 12345) >>> 0;
    return (this.#random >>> 8) % below;
  }

  writes(message: Message, write: (bytes: Buffer) => void): void {
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    if (this.#next(4) > 0) return this.follows(() => write(bytes));
    const at = this.#next(bytes.length);
    const gap = this.#next(3);
    this.follows(async () => {
      write(bytes.subarray(0, at));
      await pause(gap);
      write(bytes.subarray(at));
    });
  }

  /** Behind what was written before. */
  follows(run: () => unknown): void {
    if (this.#before === undefined) {
      const ran = run();
      if (!(ran instanceof Promise)) return;
      this.#before = ran;
    } else this.#before = this.#before.then(run);
    const mine = this.#before;
    void mine.then(() => {
      if (this.#before === mine) this.#before = undefined;
    });
  }
}

/** A side of a conversation whose messages go out this way. */
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
  readonly #world: TalkWorld;
  readonly recording: RecordedMessage[] = [];
  /** What was broken on the way. */
  readonly faults: string[] = [];
  readonly lives: ToldAgent[] = [];
  readonly model: ConversationModel;
  readonly #agent: ScriptedAgent;
  readonly #client: ScriptedClient;
  readonly #cuts: { readonly client: Cut; readonly agent: Cut };
  readonly #takes = { agent: [] as ((chunk: Buffer) => void)[] };
  #session: Session | undefined;
  /** Messages so far. */
  #count = { client: 0, agent: 0 };
  /** Something cuts it short. */
  isCut = false;
  /** It came to its rest. */
  isDone = false;

  constructor(world: TalkWorld) {
    this.#world = world;
    const kind = agentKinds[world.script.agent];
    this.model = new ConversationModel(kind.ownTurns !== 'none');
    this.#cuts = { client: new Cut(world.cuts), agent: new Cut(world.cuts + 1) };
    this.#agent = new ScriptedAgent(sideOf((message) => this.#agentSends(message)), kind);
    this.#client = new ScriptedClient(sideOf((message) => this.#clientSends(message)));
  }

  begins(agent: ToldAgent): void {
    this.lives.push(agent);
    this.#takes.agent.push(messagesInto((message) => this.#guarded(() => {
      if (agent !== this.lives.at(-1)) return;
      this.model.sees('p2a', message);
      this.#agent.hears(message);
    })));
    void agent.inputOver.then(() => this.#cuts.agent.follows(() => agent.exits(this.#world.end.kind === 'rests' ? this.#world.end.code : 0)));
  }

  hears(bytes: Buffer, agent: ToldAgent): void {
    this.#guarded(() => this.#takes.agent[this.lives.indexOf(agent)]?.(bytes));
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
    if (agent === undefined || this.isDone || (this.isCut && end.kind === 'agentDies')) return;
    this.#guarded(() => this.model.sees('a2p', message));
    this.#cuts.agent.writes(message, (bytes) => agent.says(bytes));
    this.#count.agent += 1;
    if (end.kind !== 'agentDies' || this.#count.agent < end.after) return;
    this.isCut = true;
    const { by } = end;
    this.#cuts.agent.follows(() => (typeof by === 'number' ? agent.exits(by) : agent.endsBy(by)));
  }

  #clientSends(message: Message): void {
    if (this.isCut && this.#world.end.kind !== 'agentDies') return;
    this.#guarded(() => this.model.sees('c2p', message));
    this.recording.push({ t: 0, dir: 'c2a', msg: message });
    this.#cuts.client.writes(message, (bytes) => this.#session?.write(bytes));
    this.#counted();
  }

  /** One more message of the client's side; it may be the last. */
  #counted(): void {
    this.#count.client += 1;
    const { end } = this.#world;
    if (this.isCut || this.isDone || end.kind === 'rests' || end.kind === 'agentDies' || this.#count.client < end.after) return;
    this.isCut = true;
    this.#cuts.client.follows(() => {
      if (end.kind === 'signals') this.#session?.process.kill(end.signal);
      else if (end.kind === 'endsInput') this.#session?.endInput();
      else for (const stream of [this.#session?.process.stdout, this.#session?.process.stdin]) stream?.destroy();
    });
  }

  #clientHears(message: Message): void {
    this.recording.push({ t: 0, dir: 'a2c', msg: message });
    this.model.sees('p2c', message);
    this.#client.hears(message);
    this.#counted();
  }

  async #does(step: Step): Promise<void> {
    if (step.by === 'clock') return pause(Math.min(step.ms, longestWait));
    if (step.by === 'client') this.#client.does(step.act, step.session, step.pick);
    else this.#agent.does(step.act, step.session, step.pick);
    await (this.#world.pace === 0 ? new Promise(setImmediate) : pause(this.#world.pace));
  }

  /** Everything that both sides have to say, until it is cut or at rest. `isOver`: the command has ended. */
  async plays(session: Session, isOver: () => boolean): Promise<void> {
    this.#session = session;
    const takes = messagesInto((message) => this.#guarded(() => this.#clientHears(message)));
    session.process.stdout?.on('data', (chunk: Buffer) => this.#guarded(() => takes(chunk)));
    const goesOn = (): boolean => !this.isCut && !isOver() && this.faults.length === 0;
    const until = async (holds: () => boolean): Promise<void> => {
      for (const since = performance.now(); goesOn() && !holds() && performance.now() - since < 30_000; ) await pause(3);
    };
    this.#client.begins();
    await until(() => this.recording.some(({ dir }) => dir === 'a2c'));
    for (const _ of SESSIONS) this.#client.opens();
    await until(() => this.#agent.sessions.size === SESSIONS.length && this.recording.filter(({ dir, msg }) => dir === 'a2c' && msg.result !== undefined).length === SESSIONS.length + 1);
    for (const step of this.#world.script.steps) if (goesOn()) await this.#does(step);
    const acts: readonly AgentAct[] = ['answerSetUp', 'answerStop', 'endTurn', 'endTask', 'answerClose'];
    for (let round = 0; goesOn() && (round < 60 ? this.#isBusy() || !this.#isAtRest() : !this.#isAtRest()) && round < 6000; round += 1) {
      for (const of of SESSIONS) {
        for (let left = 0; left < 3; left += 1) this.#client.does('answer', of, 0);
        for (const act of acts) this.#agent.does(act, of, 1);
      }
      await pause(round < 20 ? 2 : 10);
    }
    if (!goesOn()) return;
    this.#guarded(() => this.model.over());
    this.isDone = true;
    this.#cuts.client.follows(() => session.endInput());
  }

  #isAtRest(): boolean {
    try {
      this.model.over();
      return true;
    } catch {
      return false;
    }
  }

  #isBusy(): boolean {
    return [...this.#agent.sessions.values()].some((one) => one.inTurn || one.isClosing || one.loads.length > 0 || one.stops.length > 0 || one.asks.size > 0 || one.tasks.some(({ state }) => state === 'running')) || this.#client.isAsked;
  }
}
