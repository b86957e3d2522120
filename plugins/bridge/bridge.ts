/**
 * One connection of the bridge: its sessions, what is known of the agent, and the one way in which
 * anything is said to the client. Knows no ACP method.
 */
import type { Host } from 'afterturn/plugin';
import { bridgeHabitsOf, v1AgentFactsOf, type BridgeHabits, type JsonObject, type MetaRules, type V1AgentFacts, type V2Update } from 'afterturn/protocol';
import { countMalformed, type Malformed } from '../malformed.js';
import { BridgeSession } from './session.js';
import { Sessions } from '../bounded.js';

export class Bridge {
  readonly host: Host;
  readonly malformed: Malformed;
  readonly sessions = new Sessions<BridgeSession>();
  readonly rules: MetaRules;
  /** The id under which the client knows a session: a subagent has one for all its runs. */
  nameOf: (id: string) => string = (id) => id;
  /** The session that an update of another one belongs to: a subagent may be shown inside its parent. */
  ownerOf: (session: BridgeSession, update: JsonObject) => BridgeSession = (session) => session;
  agent: V1AgentFacts = v1AgentFactsOf({});
  habits: BridgeHabits = bridgeHabitsOf(undefined);
  /** The agent tells its own turns as tasks. */
  turnTasks = false;
  /** The agent closes each turn with a usage update of its own. */
  marksTurns = false;

  constructor(host: Host, rules: MetaRules) {
    this.host = host;
    this.rules = rules;
    this.malformed = countMalformed(() => host.log);
  }

  /** The agent answered `initialize`. */
  learn(result: unknown): void {
    this.agent = v1AgentFactsOf(result);
    this.habits = bridgeHabitsOf(this.agent.name);
  }

  session(given: string): BridgeSession {
    const id = this.nameOf(given);
    const known = this.sessions.get(id);
    if (known) return known;
    const session = new BridgeSession(id);
    this.sessions.set(id, session);
    return session;
  }

  send(sessionId: string, update: V2Update, meta?: JsonObject): void {
    this.host.notify('toClient', 'session/update', { sessionId, update, ...(meta === undefined ? {} : { _meta: meta }) }, 'session/update');
  }

  /** Tells a state. That of a child is told in its parent too, first, with what is new of their association. */
  tell(session: BridgeSession, state: JsonObject): void {
    if (session.parent !== undefined) this.send(session.parent.id, { sessionUpdate: 'subagent_update', sessionId: session.id, ...session.takeAnnouncement(), state });
    this.send(session.id, { sessionUpdate: 'state_update', ...state });
  }

  /** Names what was left out of a message, if anything was. */
  report(sessionId: string, kind: string, faults: readonly string[]): void {
    if (faults.length > 0) this.malformed.report(sessionId, kind, faults.join('; '));
  }
}
