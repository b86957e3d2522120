/**
 * Plays a conversation through every built-in plugin, to a model of the protocol and to the checker.
 */
import { builtInPlugins } from '../../../plugins/index.js';
import { check, type Finding, type RecordedMessage } from '../../../src/check/index.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import { agentKinds } from './agent-kinds.js';
import { ScriptedAgent, type AgentAct } from './agent.js';
import { ScriptedClient } from './client.js';
import { ConversationModel } from './model.js';
import type { Script, Step } from './script.js';

const SESSIONS = ['s0', 's1', 's2'] as const;

/** What the client gets in place of a message. */
export type Spoil = (message: Message) => readonly Message[];

class Conversation {
  readonly recording: RecordedMessage[] = [];
  readonly on: Wired;
  readonly model: ConversationModel;
  readonly agent: ScriptedAgent;
  readonly client: ScriptedClient;

  readonly #spoil: Spoil;

  constructor({ agent, stale }: Script, spoil: Spoil) {
    this.#spoil = spoil;
    const kind = agentKinds[agent];
    this.on = wired(builtInPlugins({ agentProtocol: 'v1', source: 'async-tasks', followUpWindow: 250, stale, staleAfter: 2000, agentCommand: ['agent'] }));
    this.model = new ConversationModel(kind.ownTurns !== 'none');
    const told = (way: 'c2p' | 'a2p') => (message: Message): void => {
      this.model.sees(way, message);
      if (way === 'c2p') this.#record('c2a', message);
    };
    this.agent = new ScriptedAgent(heard(this.on.agent, told('a2p')), kind);
    this.client = new ScriptedClient(heard(this.on.client, told('c2p')));
  }

  #record(dir: 'c2a' | 'a2c', msg: Message): void {
    this.recording.push({ t: this.on.clock.now(), dir, msg });
  }

  /** Both sides take in what came, and what follows from it. */
  async passes(isSlow = false): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet++) {
      if (isSlow) await this.on.settled();
      for (const message of this.on.agent.received()) {
        quiet = 0;
        this.model.sees('p2a', message);
        this.agent.hears(message);
      }
      for (const message of this.on.client.received().flatMap(this.#spoil)) {
        quiet = 0;
        this.#record('a2c', message);
        this.model.sees('p2c', message);
        this.client.hears(message);
      }
    }
  }

  /** Time passes, from timer to timer. */
  async waits(ms: number): Promise<void> {
    const until = this.on.clock.now() + ms;
    while (this.on.clock.now() < until) {
      const next = Math.min(until, this.on.clock.next() ?? until);
      this.on.clock.advance(Math.max(0, next - this.on.clock.now()));
      await this.passes();
    }
  }

  async does(one: Step): Promise<void> {
    if (one.by === 'clock') return this.waits(one.ms);
    if (one.by === 'client') this.client.does(one.act, one.session, one.pick);
    else this.agent.does(one.act, one.session, one.pick);
    await this.passes(one.act === 'cancelItem' || one.act === 'answerStop' || one.act === 'answerClose');
  }

  /** Time passes until nothing waits for it. */
  async rests(): Promise<void> {
    for (let left = 500; left > 0; left--) {
      const next = this.on.clock.next();
      if (next === undefined) return;
      await this.waits(Math.max(1, next - this.on.clock.now()));
    }
  }

  /** What is open is answered, the agent's work ends, and time passes. */
  async ends(): Promise<void> {
    const acts: readonly AgentAct[] = ['answerSetUp', 'answerStop', 'endTurn', 'endTask', 'answerClose'];
    for (let round = 0; round < 60 && this.#isBusy(); round++) {
      for (const of of SESSIONS) {
        for (let left = 0; left < 3; left++) await this.does({ by: 'client', act: 'answer', session: of, pick: 0 });
        for (const act of acts) await this.does({ by: 'agent', act, session: of, pick: 1 });
      }
    }
    await this.rests();
  }

  #isBusy(): boolean {
    return [...this.agent.sessions.values()].some((one) => one.inTurn || one.isClosing || one.loads.length > 0 || one.stops.length > 0 || one.asks.size > 0 || one.tasks.some(({ state }) => state === 'running')) || this.client.isAsked;
  }
}

/** A side whose messages are seen before they are sent. */
function heard(side: Wired['client'], sees: (message: Message) => void): Wired['client'] {
  let ids = 0;
  const sends: Wired['client']['sends'] = (...messages) => messages.forEach((message: Message) => {
    sees(message);
    side.sends(message);
  });
  return {
    ...side, sends,
    answers: (id, result) => sends({ jsonrpc: '2.0', id, result }),
    refuses: (id, error) => sends({ jsonrpc: '2.0', id, error }),
    notifies: (method, params) => sends({ jsonrpc: '2.0', method, params }),
    requests: (method, params) => {
      sends({ jsonrpc: '2.0', id: ++ids, method, params });
      return ids;
    },
  };
}

export interface Played {
  readonly findings: readonly Finding[];
  readonly recording: readonly RecordedMessage[];
  readonly log: readonly string[];
}

/** Plays a conversation to its end. Throws `Broken` at the first rule of the model that is broken. */
export async function play(one: Script, spoil: Spoil = (message) => [message]): Promise<Played> {
  const conversation = new Conversation(one, spoil);
  conversation.client.begins();
  await conversation.passes();
  for (const _ of SESSIONS) {
    conversation.client.opens();
    await conversation.passes();
  }
  for (const each of one.steps) await conversation.does(each);
  await conversation.ends();
  conversation.model.over();
  return { findings: check(conversation.recording).filter(({ by }) => by === 'agent'), recording: conversation.recording, log: conversation.on.log };
}
