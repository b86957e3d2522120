/**
 * Subagents as child sessions of their own (Subagents RFD): each is announced in its parent by
 * `subagent_update`, and what it does is the foreground work of its session, told as for any other.
 * The agent's words for that are read in `protocol/bridge`; a subagent that the agent shows inside its
 * parent session is told apart by `flattened`.
 */
import { answeringAgent, childOfRun, endingOfOutcome, idOf, isFinal, launchOfReplayed, readChildNews, readSubagentTask, Reason, sessionMessages, terminalsIn, type ChildNews, type Ending, type JsonObject, type Signal } from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import { Flattened } from './flattened.js';
import type { Foreground } from './foreground.js';
import { BridgeSession } from './session.js';
import { BoundedMap } from '../bounded.js';

const MAX_REMEMBERED = 1000;
/** Subagents within subagents. */
const DEEPEST = 64;

export interface Child {
  readonly session: BridgeSession;
  readonly parent: BridgeSession;
  /** How often it was set to work. */
  runs: number;
  /** The work that it does now. */
  run: string | undefined;
  /** A `session/cancel` of its parent fell in this run, which may go on: the raw feed's word on its end counts. */
  spared: boolean;
  /** The agent took it for over, and told nothing of it since. */
  cutOff: boolean;
  /** The agent could not tell what it does. */
  lost: boolean;
}

/** What the raw feed tells of a subagent's task, whose id is the child's. */
interface Task {
  readonly launch?: string;
  readonly role?: string;
  /** It was told to run in the background, and not to have ended. */
  readonly live: boolean;
}

/** Whether a session is of this id, or comes from one that is; also where it comes from too many. */
function comesFrom(session: BridgeSession, id: string): boolean {
  let depth = 0;
  for (let one: BridgeSession | undefined = session; one !== undefined; one = one.parent) if (one.id === id || depth++ >= DEEPEST) return true;
  return false;
}

export class Children {
  readonly #bridge: Bridge;
  readonly #foreground: Foreground;
  readonly #flattened: Flattened;
  readonly #children = new BoundedMap<string, Child>();
  readonly #tasks = new BoundedMap<string, Task>();

  constructor(bridge: Bridge, foreground: Foreground) {
    this.#bridge = bridge;
    this.#foreground = foreground;
    this.#flattened = new Flattened(bridge, this);
    bridge.nameOf = (id) => this.#nameOf(id);
    bridge.ownerOf = (session, update) => this.#flattened.ownerOf(session, update);
    foreground.turnEnds = (session, ending) => this.#flattened.turnEnds(session, ending);
  }

  /** The id that the client knows it by: one for all runs of a subagent, and for its replay. */
  #nameOf(id: string): string {
    const child = childOfRun(id);
    if (this.#children.has(child)) return child;
    const launch = launchOfReplayed(id);
    const replayed = launch === undefined ? undefined : [...this.#tasks].find(([task, known]) => known.launch === launch && this.#children.has(task));
    return replayed?.[0] ?? id;
  }

  get(id: string): Child | undefined {
    return this.#children.get(id);
  }

  task(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  /** The child of this id, which is made where there is none. */
  childOf(parent: BridgeSession, id: string): Child {
    const known = this.#children.get(id);
    if (known !== undefined && known.session.parent === parent && !known.session.closed) return known;
    this.#bridge.sessions.opened(id);
    // No session comes from itself: what is called so is another.
    const session = comesFrom(parent, id) ? new BridgeSession(id) : this.#bridge.session(id);
    Object.assign(session, { parent, cwd: parent.cwd, closed: false });
    const child: Child = { session, parent, runs: 0, run: undefined, spared: false, cutOff: false, lost: false };
    this.#children.set(id, child);
    for (const [oldest, { run }] of this.#children) if (this.#children.size > MAX_REMEMBERED && run === undefined) this.#children.delete(oldest);
    return child;
  }

  /** An update of `parent` about one of its children. */
  told(parent: BridgeSession, update: JsonObject & { readonly sessionUpdate: string }): void {
    const faults: string[] = [];
    const news = readChildNews(update, this.#bridge.rules, faults);
    this.#bridge.report(parent.id, update.sessionUpdate, faults);
    if (news === undefined) return;
    const child = this.#toldOf(parent, this.#nameOf(news.session));
    const role = this.#tasks.get(child.session.id)?.role;
    const describes = Object.keys(news.fields).length > 0 && (child.runs === 0 || parent.root.replay !== 'none');
    this.describe(child, role === undefined || !describes ? news.fields : { ...news.fields, description: role });
    if (parent.root.replay === 'none') this.#goesOn(child, news);
    else this.#history(child, news);
  }

  /** A later run can be told by another session of the same family: the child stays whose it is. */
  #toldOf(teller: BridgeSession, id: string): Child {
    const known = this.#children.get(id);
    return known !== undefined && !known.session.closed && known.parent.root === teller.root ? known : this.childOf(teller, id);
  }

  /** What its association is patched with, which is told with its next state. */
  describe(child: Child, fields: JsonObject): void {
    const { session } = child;
    if (Object.keys(fields).length > 0) session.announcement = { ...session.announcement, ...fields };
    const capabilities = fields.capabilities as { readonly cancel?: unknown } | null | undefined;
    if (capabilities !== undefined) session.cancellable = typeof capabilities?.cancel === 'object' && capabilities.cancel !== null;
  }

  #goesOn(child: Child, { state, prompt }: ChildNews): void {
    // A prompt can begin with it.
    if (state?.state === 'running' && child.runs === 0) this.#foreground.happened(child.parent, { type: 'said', starts: false });
    if (state?.state === 'running') this.start(child, prompt, this.#tasks.get(child.session.id)?.launch);
    else if (state?.state === 'idle') this.#ended(child, state.ending);
    else if (state?.state === 'unknown') {
      child.lost = true;
      this.#bridge.tell(child.session, { state: 'unknown' });
    }
    this.#announce(child);
  }

  /** A replay tells the past: what runs is not touched by it, and nothing of it runs. */
  #history(child: Child, { state }: ChildNews): void {
    if (child.runs === 0 && state?.state === 'idle') this.#bridge.tell(child.session, { state: 'idle', stopReason: state.ending.stopReason });
    this.#announce(child);
  }

  #announce({ session, parent }: Child): void {
    if (session.announcement !== undefined) this.#bridge.send(parent.id, { sessionUpdate: 'subagent_update', sessionId: session.id, ...session.takeAnnouncement() });
  }

  /** It works. With the first prompt, that is shown as the message that it was sent. */
  start(child: Child, prompt?: string, messageId?: string): void {
    const { session, parent } = child;
    if (child.lost && child.run !== undefined) this.#bridge.tell(session, { state: 'running' });
    child.lost = false;
    if (child.run !== undefined) return;
    child.runs += 1;
    child.run = `run ${child.runs}`;
    Object.assign(child, { spared: false, cutOff: false });
    this.#foreground.happened(session, { type: 'ownStarted', id: child.run });
    if (child.runs > 1 || prompt === undefined) return;
    const message = { id: messageId ?? this.#bridge.host.uniqueId(), from: parent.id, to: session.id, text: prompt };
    for (const view of sessionMessages(message)) this.#bridge.send(view.session, view.update);
  }

  /** How its open calls ended was not told. */
  #settle({ session }: Child): void {
    for (const [toolCallId, call] of session.calls) {
      if (isFinal(call)) continue;
      for (const terminalId of terminalsIn(call.fields.content)) this.#bridge.send(session.id, { sessionUpdate: 'terminal_update', terminalId, exitStatus: {} });
      this.#bridge.send(session.id, { sessionUpdate: 'tool_call_update', toolCallId, status: 'cancelled', _meta: { afterturn: { reason: Reason.silentAfterCancel } } });
      session.rememberCall(toolCallId, { ...call, fields: { ...call.fields, status: 'cancelled' } });
    }
  }

  /** Its work is over. */
  end(child: Child, ending: Ending): void {
    if (child.run === undefined) return;
    const { run } = child;
    child.run = undefined;
    child.lost = false;
    this.#foreground.happened(child.session, { type: 'ownEnded', id: run, ending, marks: false });
  }

  /** The agent says that it is over. One that never worked as far as the client knows is idle. */
  #ended(child: Child, ending: Ending): void {
    if (child.spared && ending.stopReason === 'cancelled') {
      child.cutOff = true;
      return;
    }
    if (child.run !== undefined) this.end(child, ending);
    else if (child.runs === 0) this.#bridge.tell(child.session, { state: 'idle', stopReason: ending.stopReason });
  }

  /** A message of the raw feed, which knows a subagent as a task of the child's id. */
  fed(session: BridgeSession, params: unknown, signals: readonly Signal[]): void {
    const started = readSubagentTask(params);
    if (started !== undefined) this.#remember(started.task, { ...(started.launch === undefined ? {} : { launch: started.launch }), ...(started.role === undefined ? {} : { role: started.role }) });
    for (const signal of signals) {
      if (signal.type === 'taskStarted' && signal.facts.taskType === 'subagent') this.#remember(signal.task, { live: true });
      if (signal.type !== 'taskEnded' || !this.#tasks.has(signal.task)) continue;
      this.#remember(signal.task, { live: false });
      const child = this.#children.get(signal.task);
      if (child === undefined || !(child.spared || this.#flattened.has(child))) continue;
      if (child.cutOff) this.#settle(child);
      this.end(child, endingOfOutcome(signal.outcome));
    }
    if (started !== undefined) this.#flattened.taskStarted(session, started);
  }

  #remember(task: string, facts: Partial<Task>): void {
    this.#tasks.set(task, { live: false, ...this.#tasks.get(task), ...facts });
    for (const [oldest, { live }] of this.#tasks) if (this.#tasks.size > MAX_REMEMBERED && !live) this.#tasks.delete(oldest);
  }

  /**
   * Whether an update is about the launching call of a subagent that has a session of its own: the client
   * was not told of that call. Some versions of the agent let such a word through.
   */
  hides(session: BridgeSession, update: JsonObject): boolean {
    const call = idOf(update.toolCallId);
    if (update.sessionUpdate !== 'tool_call_update' || call === undefined || session.calls.has(call)) return false;
    const launched = [...this.#children.values()].find(({ session: { id } }) => id === answeringAgent(update) || this.#tasks.get(id)?.launch === call);
    return launched !== undefined && !this.#flattened.has(launched);
  }

  /** An update of `session` is about to go out, or went out: what it says of a subagent that is shown inside it. */
  before(session: BridgeSession, update: JsonObject): void {
    this.#flattened.before(session, update);
  }

  after(session: BridgeSession, update: JsonObject): void {
    this.#flattened.after(session, update);
  }

  /** All that come from `session`, the innermost first. */
  descendants(session: BridgeSession): BridgeSession[] {
    return [...this.#children.values()].flatMap((child) => (child.session.parent === session ? [...this.descendants(child.session), child.session] : []));
  }

  /** The client sent `session/cancel` for `session`: what runs in the background beside it may go on. */
  cancelled(session: BridgeSession): void {
    for (const { id } of this.descendants(session)) {
      const child = this.#children.get(id);
      if (child?.run !== undefined && this.#tasks.get(id)?.live === true) child.spared = true;
    }
  }

  /** Those that a `session/cancel` for `session` stops with it. */
  stoppedWith(session: BridgeSession): BridgeSession[] {
    return this.descendants(session).filter(({ id }) => this.#children.get(id)?.spared !== true);
  }

  /** `session` was closed. */
  forget(session: BridgeSession): void {
    for (const { id } of this.descendants(session)) this.#children.delete(id);
  }
}
