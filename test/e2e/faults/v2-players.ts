/** A v2 client and a v1 agent with the extension for background work, which say what a random script tells them. */
import { agentKinds } from '../../plugins/conversations/agent-kinds.js';
import { ScriptedAgent, type AgentAct } from '../../plugins/conversations/agent.js';
import { ScriptedClient } from '../../plugins/conversations/client.js';
import { Broken, ConversationModel } from '../../plugins/conversations/model.js';
import type { Script } from '../../plugins/conversations/script.js';
import type { Message } from '../../pipeline/harness.js';
import type { Casting, Hall, Way } from './talk.js';

const SESSIONS = ['s0', 's1', 's2'] as const;
const lastActs: readonly AgentAct[] = ['answerSetUp', 'answerStop', 'endTurn', 'endTask', 'answerClose'];
/** How often at most what is left to do is done before it counts as never done. */
const rounds = 4000;

/** What a client was told last of a session. */
interface State {
  readonly state: string;
  readonly background?: readonly unknown[];
}

/** The sessions of which the agent has nothing more to say: it has closed them, and was not asked for them again. */
class ClosedSessions {
  readonly #closed = new Set<string>();
  readonly #closes = new Map<unknown, string>();

  sees(way: Way, { id, method, params, error }: Message): void {
    if (way === 'p2a' && method === 'session/close') this.#closes.set(id, params.sessionId);
    if (way === 'p2a' && (method === 'session/load' || method === 'session/resume')) this.#closed.delete(params.sessionId);
    const session = way === 'a2p' && method === undefined && error === undefined ? this.#closes.get(id) : undefined;
    if (session !== undefined) this.#closed.add(session);
  }

  has(session: string): boolean {
    return this.#closed.has(session);
  }
}

export const v2Players = (script: Script): Casting => ({ client: clientSide, agent: agentSide }) => {
  const kind = agentKinds[script.agent];
  const model = new ConversationModel(kind.ownTurns !== 'none');
  const agent = new ScriptedAgent(agentSide, kind);
  const client = new ScriptedClient(clientSide);
  const states = new Map<string, State>();
  const closed = new ClosedSessions();
  let answers = 0;

  function isAtRest(): boolean {
    try {
      model.over();
      return true;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return false;
    }
  }

  async function comesToRest({ goesOn, waits }: Hall): Promise<void> {
    for (let round = 0; goesOn() && round < rounds; round += 1) {
      for (const session of SESSIONS) {
        for (let left = 0; left < 3; left += 1) client.does('answer', session, 0);
        for (const act of lastActs) if (!closed.has(session)) agent.does(act, session, 1);
      }
      await waits(round < 20 ? 2 : 10);
      if (isAtRest() && ![...agent.sessions.values()].some(({ tasks }) => tasks.some(({ state }) => state === 'running'))) return;
    }
    if (goesOn()) model.over();
  }

  return {
    agent, client,
    sees(way, message) {
      if (way === 'p2c' && message.method === undefined) answers += 1;
      if (way === 'p2c' && message.params?.update?.sessionUpdate === 'state_update') states.set(message.params.sessionId, message.params.update);
      closed.sees(way, message);
      model.sees(way, message);
    },
    ends: () => undefined,
    left: () => [...states].filter(([, { state, background = [] }]) => state !== 'idle' || background.length > 0).map(([id, { state, background }]) => `${id} is left ${state} with ${JSON.stringify(background)}`),
    async play(hall) {
      client.begins();
      await hall.until(() => answers === 1);
      for (const _ of SESSIONS) client.opens();
      await hall.until(() => answers === 1 + SESSIONS.length);
      for (const step of script.steps) {
        if (!hall.goesOn()) return;
        if (step.by === 'clock') await hall.waits(step.ms);
        else if (step.by === 'client') client.does(step.act, step.session, step.pick);
        else if (!closed.has(step.session)) agent.does(step.act, step.session, step.pick);
        if (step.by !== 'clock') await hall.paces();
      }
      await comesToRest(hall);
    },
  };
};
