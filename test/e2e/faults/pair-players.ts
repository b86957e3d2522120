/** A client of either version and an agent of ACP v2, or both of v1 with the private extension, which say what a random script tells them. */
import { agentKinds } from '../../plugins/conversations/agent-kinds.js';
import { ScriptedAgent, type AgentAct } from '../../plugins/conversations/agent.js';
import { ScriptedClient, type ClientAct } from '../../plugins/conversations/client.js';
import type { PairScript } from '../../plugins/conversations/pair-script.js';
import { ScriptedV1Client, v1Clients, type V1ClientAct } from '../../plugins/conversations/v1-client.js';
import { v2AgentKinds } from '../../plugins/conversations/v2-agent-kinds.js';
import { ScriptedV2Agent, type V2AgentAct } from '../../plugins/conversations/v2-agent.js';
import type { Message, Side } from '../../pipeline/harness.js';
import { PairPromises } from './pair-promises.js';
import type { Casting, Hall } from './talk.js';

const ROOTS = ['s0', 's1'] as const;
const SESSIONS = [...ROOTS, 's0/c', 's1/c'] as const;
/** How often at most what is left to do is done before it counts as never done. */
const rounds = 1500;

interface Client {
  begins(): void;
  opens(): void;
  hears(message: Message): void;
  does(act: string, session: string, pick: number): void;
}

interface Agent {
  hears(message: Message): void;
  does(act: string, session: string, pick: number): unknown;
  /** What is left to do in a session in the end. */
  readonly lastActs: readonly string[];
  /** Work goes on that this is the id of, or the id of the call that launched it. */
  isLive(id: string): boolean;
}

function agentOf({ agent }: PairScript, side: Side): Agent {
  if ('v1' in agent) {
    const v1 = new ScriptedAgent(side, agentKinds[agent.v1]);
    return {
      hears: (message) => v1.hears(message),
      // Of a session that it has closed it has nothing more to say.
      does: (act, session, pick) => v1.sessions.get(session)?.isClosed !== true && v1.does(act as AgentAct, session, pick),
      lastActs: ['answerSetUp', 'answerStop', 'endTurn', 'endTask', 'answerClose'] satisfies AgentAct[],
      isLive: (id) => [...v1.sessions.values()].some(({ tasks }) => tasks.some((task) => task.state === 'running' && task.acknowledged && task.id === id)),
    };
  }
  const v2 = new ScriptedV2Agent(side, v2AgentKinds[agent.v2]);
  return {
    hears: (message) => v2.hears(message), does: (act, session, pick) => v2.does(act as V2AgentAct, session, pick),
    lastActs: ['insert', 'answerSetUp', 'answerStop', 'endChild', 'endTurn', 'endItem', 'answerClose'] satisfies V2AgentAct[],
    isLive: (id) => [...v2.sessions.values()].some(({ items }) => items.some((item) => item.id === id || item.call?.id === id)),
  };
}

function clientOf({ client }: PairScript, side: Side): Client {
  if (client === 'v2') {
    const v2 = new ScriptedClient(side);
    return { begins: () => v2.begins(), opens: () => v2.opens(), hears: (message) => v2.hears(message), does: (act, session, pick) => v2.does(act as ClientAct, session, pick) };
  }
  const v1 = new ScriptedV1Client(side, v1Clients[client]);
  return { begins: () => v1.begins(), opens: () => v1.opens(), hears: (message) => v1.hears(message), does: (act, session, pick) => v1.does(act as V1ClientAct, session, pick) };
}

/** `isPrompt`: no process is between that others can keep waiting. */
export const pairPlayers = (script: PairScript, isPrompt = false): Casting => ({ client: clientSide, agent: agentSide }) => {
  const agent = agentOf(script, agentSide);
  const client = clientOf(script, clientSide);
  const promises = new PairPromises(script, (id) => agent.isLive(id), isPrompt);

  async function comesToRest({ goesOn, waits }: Hall): Promise<void> {
    for (let round = 0; goesOn() && round < rounds; round += 1) {
      for (const session of SESSIONS) {
        for (let left = 0; left < 3; left += 1) client.does('answer', session, 0);
        for (const act of agent.lastActs) agent.does(act, session, 1);
      }
      await waits(round < 20 ? 2 : 20);
      if (round > 3 && promises.unfinished().length === 0) return;
    }
    if (goesOn()) throw new Error(`all comes to its rest: ${promises.unfinished().join('; ')}`);
  }

  return {
    agent, client, leavesWorkBehind: true,
    sees: (way, message) => promises.sees(way, message),
    ends: () => promises.ends(),
    left: () => promises.left(),
    async play(hall) {
      client.begins();
      await hall.until(() => promises.answers === 1);
      for (const _ of ROOTS) client.opens();
      await hall.until(() => promises.answers === 1 + ROOTS.length);
      for (const step of script.steps) {
        if (!hall.goesOn()) return;
        if (step.by === 'clock') await hall.waits(step.ms);
        else if (step.by === 'client') client.does(step.act, step.session, step.pick);
        else agent.does(step.act, step.session, step.pick);
        if (step.by !== 'clock') await hall.paces();
      }
      await comesToRest(hall);
    },
  };
};
