/**
 * Subagents that the agent shows inside their parent session: every update of theirs names the call
 * that launched them. Here they get child sessions, and what is theirs is told there. The launching
 * call stays what it is.
 *
 * Nothing but the raw feed tells how such a subagent ends when its launching call does not wait for
 * it. Without the feed it is part of the turn, and ends with that.
 */
import { arrayOf, at, endingOfOutcome, idOf, launchedInBackground, launchesSubagent, launchOfUpdate, objectOf, stringOf, type Ending, type JsonObject, type SubagentTask } from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Child, Children } from './children.js';
import type { BridgeSession } from './session.js';

const MAX_REMEMBERED = 1000;

interface Launch {
  readonly child: Child;
  /** The call was answered, and the subagent goes on. */
  inBackground: boolean;
}

/** A map that forgets its oldest entries. */
class Remembered<V> extends Map<string, V> {
  override set(key: string, value: V): this {
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= MAX_REMEMBERED) break;
      this.delete(oldest);
    }
    return this;
  }
}

export class Flattened {
  readonly #bridge: Bridge;
  readonly #children: Children;
  /** By the ids of the calls that launched them. */
  readonly #launches = new Remembered<Launch>();
  /** Whose the calls and tasks of subagents are, by their ids. */
  readonly #owners = new Remembered<BridgeSession>();

  constructor(bridge: Bridge, children: Children) {
    this.#bridge = bridge;
    this.#children = children;
  }

  has(child: Child): boolean {
    return [...this.#launches.values()].some((launch) => launch.child === child);
  }

  /** The session that an update, or a tool call that the user is asked about, belongs to. */
  ownerOf(session: BridgeSession, update: JsonObject): BridgeSession {
    if (session.parent !== undefined) return session;
    const ids = [idOf(update.asyncTaskId), idOf(update.toolCallId)].filter((id) => id !== undefined);
    const launch = launchOfUpdate(update);
    if (launch === undefined && (ids.length === 0 || this.#owners.size === 0)) return session;
    const owner = this.#ownerIn(ids) ?? (launch === undefined ? undefined : this.#launched(session, launch).child.session);
    if (owner !== undefined) for (const id of ids) this.#owners.set(id, owner);
    return owner === undefined || owner.closed ? session : owner;
  }

  #ownerIn(ids: readonly string[]): BridgeSession | undefined {
    return ids.map((id) => this.#owners.get(id)).find((owner) => owner !== undefined);
  }

  /** The subagent that `call` launched; it works if it was not heard of before. */
  #launched(session: BridgeSession, call: string, id?: string): Launch {
    const known = this.#launches.get(call);
    if (known !== undefined && !known.child.session.closed) return known;
    const parent = this.#owners.get(call) ?? session;
    const child = this.#children.childOf(parent, id ?? `afterturn:${call}`);
    const launch: Launch = { child, inBackground: false };
    this.#launches.set(call, launch);
    const { title, rawInput } = parent.calls.get(call)?.fields ?? {};
    const role = stringOf(at(rawInput, 'subagent_type')) ?? this.#children.task(child.session.id)?.role;
    this.#children.describe(child, {
      ...(typeof title === 'string' ? { title } : {}),
      ...(role === undefined ? {} : { description: role }),
      _meta: { claudeCode: { parentToolUseId: call } },
    });
    this.#children.start(child, stringOf(at(rawInput, 'prompt')), call);
    return launch;
  }

  /** The raw feed tells of a subagent's run. One whose launching call is not shown has its own session already. */
  taskStarted(session: BridgeSession, { task, launch }: SubagentTask): void {
    if (launch === undefined) return;
    const known = this.#launches.get(launch);
    if (known !== undefined) return this.#children.start(known.child);
    const owner = this.#owners.get(launch) ?? session;
    if (launchesSubagent(owner.calls.get(launch)?.fields.name)) this.#launched(session, launch, task);
  }

  /** A launching call that waited for its subagent is about to end: the subagent has. */
  before(session: BridgeSession, update: JsonObject): void {
    const launch = this.#launches.get(idOf(update.toolCallId) ?? '');
    if (launch === undefined || launch.inBackground || launchedInBackground(update) !== undefined || (update.status !== 'completed' && update.status !== 'failed')) return;
    const { child } = launch;
    const stopped = update.status === 'failed' && session.turns.cancelled;
    this.#children.end(child, endingOfOutcome(stopped ? 'stopped' : update.status));
    if (update.status === 'completed') this.#reply(child, update);
  }

  /** The subagent's answer, in the transcript of the session that asked for it. */
  #reply({ session, parent }: Child, update: JsonObject): void {
    const content = (arrayOf(update.content) ?? []).flatMap((item) => (at(item, 'type') === 'content' && at(item, 'content', 'type') === 'text' ? [{ type: 'text', text: at(item, 'content', 'text') }] : []));
    if (content.length === 0) return;
    const message = { messageId: `${idOf(update.toolCallId) ?? ''}:reply`, senderSessionId: session.id, recipientSessionId: parent.id, content };
    this.#bridge.send(parent.id, { sessionUpdate: 'session_message', ...message });
  }

  /** A launching call went out: it may have been answered while its subagent goes on. */
  after(session: BridgeSession, update: JsonObject): void {
    const call = idOf(update.toolCallId);
    const background = call === undefined || !launchesSubagent(objectOf(session.calls.get(call)?.fields)?.name) ? undefined : launchedInBackground(update);
    if (call !== undefined && background !== undefined) this.#launched(session, call, background.agent).inBackground = true;
  }

  /** The turn of `session` ends, and with it what is not known to go on. */
  turnEnds(session: BridgeSession, { stopReason, error }: Ending): void {
    for (const { child } of this.#launches.values()) {
      if (child.parent.root !== session || this.#children.task(child.session.id)?.live === true) continue;
      this.#children.end(child, { stopReason, ...(error === undefined ? {} : { error }) });
    }
  }
}
