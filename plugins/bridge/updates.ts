/**
 * The agent's `session/update`s and its raw feed: each is translated, and told to the foreground
 * before or after it goes out.
 */
import { drop, type Call, type Outcome } from 'afterturn/plugin';
import {
  arrayOf, at, idOf, isObject, isUpdate, messageKinds, objectOf, readRawFeed, readUpdate, stringOf, toV2Chunk, toV2ConfigOptions, toV2Meta, toV2PlainUpdate,
  toV2StopNotice, toV2Terminals, toV2ToolCall, toV2UnknownUpdate, TURN_TASK, typeName, withForm, withOptions, type JsonObject, type Signal, type V2Update,
} from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Foreground, Happened } from './foreground.js';
import type { BridgeSession } from './session.js';

type V1Update = JsonObject & { readonly sessionUpdate: string };
type Translate = (session: BridgeSession, update: V1Update, faults: string[]) => readonly V2Update[];

/** What only a turn says. Commands, titles, options, usage and tasks also come outside of turns. */
const turnContent: ReadonlySet<string> = new Set([
  'agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan', 'plan_update', 'plan_removed', 'compaction_update', 'compaction_summary_chunk',
]);
/** Of these, what a turn begins with. */
const turnStart: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk', 'tool_call']);

const stopReasonOf = { completed: 'end_turn', failed: 'error', stopped: 'cancelled', unknown: 'cancelled' } as const;

export class Updates {
  readonly #bridge: Bridge;
  readonly #foreground: Foreground;
  readonly #translators: ReadonlyMap<string, Translate>;

  constructor(bridge: Bridge, foreground: Foreground) {
    this.#bridge = bridge;
    this.#foreground = foreground;
    const chunk: Translate = (session, update, faults) => this.#chunk(session, update, faults);
    const toolCall: Translate = (session, update, faults) => this.#toolCall(session, update, faults);
    this.#translators = new Map<string, Translate>([
      ...[...messageKinds].map((kind) => [kind, chunk] as const),
      ['tool_call', toolCall],
      ['tool_call_update', toolCall],
      ['current_mode_update', (session, update, faults) => this.#mode(session, update, faults)],
      ['config_option_update', (session, update, faults) => this.#config(session, update, faults)],
    ]);
  }

  /** A `session/update` of the agent. */
  onUpdate(call: Call): Outcome {
    const sessionId = idOf(at(call.params, 'sessionId'));
    const update = at(call.params, 'update');
    if (sessionId === undefined || !isUpdate(update)) {
      this.#bridge.report(sessionId ?? '', 'session/update', [`expected a sessionId and an update with a kind, got ${typeName(at(call.params, 'sessionId'))} and ${typeName(update)}`]);
      return drop();
    }
    const session = this.#bridge.session(sessionId);
    if (!session.closed && session.replay !== 'hidden') this.#pass(session, update, toV2Meta(at(call.params, '_meta'), this.#bridge.rules));
    return drop();
  }

  /** A message of the raw feed: it goes on as it is, what it says of turns is told after it. */
  onFeed(call: Call): Outcome {
    const sessionId = idOf(at(call.params, 'sessionId'));
    const session = sessionId === undefined ? undefined : this.#bridge.session(sessionId);
    if (session === undefined || session.closed || session.replay !== 'none') return undefined;
    this.#userMessages(session, at(call.params, 'message'));
    for (const signal of readRawFeed(call.params).signals) {
      if (signal.type !== 'sessionState') continue;
      session.feedRuns = signal.running;
      if (!signal.running || !this.#bridge.turnTasks) this.#foreground.happened(session, { type: 'feed', running: signal.running });
    }
    return undefined;
  }

  #pass(session: BridgeSession, update: V1Update, meta: JsonObject | undefined): void {
    const faults: string[] = [];
    const notice = session.openStops > 0 ? toV2StopNotice(update) : undefined;
    const out = notice ? [notice] : this.#translate(session, update, faults);
    this.#bridge.report(session.id, update.sessionUpdate, faults);
    const isLive = session.replay === 'none' && notice === undefined;
    if (isLive && out.length > 0 && turnContent.has(update.sessionUpdate)) this.#foreground.happened(session, { type: 'said', starts: this.#canStart(session, update) });
    for (const one of out) this.#bridge.send(session.id, one, meta);
    if (isLive) for (const event of this.#turnsIn(update)) this.#foreground.happened(session, event);
  }

  /**
   * Content starts a turn of the agent's own only where no task tells it, and where its end will be
   * told: by the feed, which says that the session still runs, or by the update that closes a turn.
   */
  #canStart(session: BridgeSession, update: V1Update): boolean {
    if (!turnStart.has(update.sessionUpdate) || this.#bridge.turnTasks) return false;
    return session.feedRuns ?? this.#bridge.marksTurns;
  }

  #translate(session: BridgeSession, update: V1Update, faults: string[]): readonly V2Update[] {
    const translate = this.#translators.get(update.sessionUpdate);
    if (translate) return translate(session, update, faults);
    const plain = toV2PlainUpdate(update, this.#bridge.rules, faults);
    if (plain) return plain.update ? [plain.update] : [];
    const unknown = toV2UnknownUpdate(update, faults);
    return unknown ? [unknown] : [];
  }

  #chunk(session: BridgeSession, update: V1Update, faults: string[]): readonly V2Update[] {
    const chunk = toV2Chunk(update, session.run, () => this.#bridge.host.uniqueId(), this.#bridge.rules, faults);
    if (chunk === undefined) return [];
    session.run = chunk.run;
    return [chunk.update];
  }

  #toolCall(session: BridgeSession, update: V1Update, faults: string[]): readonly V2Update[] {
    const id = idOf(update.toolCallId);
    const report = toV2ToolCall(update, id === undefined ? undefined : session.calls.get(id), session.callContext(this.#bridge.rules), faults);
    if (id === undefined || report === undefined) return [];
    session.run = undefined;
    session.rememberCall(id, report.call);
    const { terminals, updates } = toV2Terminals(update, report.call, session.terminals, { cwd: session.cwd, habits: this.#bridge.habits }, faults);
    session.rememberTerminals(terminals);
    return [...updates, ...(report.update ? [report.update] : [])];
  }

  #mode(session: BridgeSession, update: V1Update, faults: string[]): readonly V2Update[] {
    const modeId = stringOf(update.currentModeId);
    if (modeId === undefined) faults.push(`currentModeId: expected a string, got ${typeName(update.currentModeId)}`);
    if (modeId === undefined || session.config === undefined) return [];
    const config = withForm(session.config, 'mode', modeId);
    if (config === session.config) return [];
    session.config = config;
    return [{ sessionUpdate: 'config_option_update', configOptions: config.options }];
  }

  #config(session: BridgeSession, update: V1Update, faults: string[]): readonly V2Update[] {
    const options = toV2ConfigOptions(update.configOptions, this.#bridge.rules, faults);
    if (options === undefined) return [];
    session.config = withOptions(session.config, options);
    return [{ sessionUpdate: 'config_option_update', configOptions: session.config.options }];
  }

  /** What an update says of the agent's own turns. */
  #turnsIn(update: V1Update): Happened[] {
    if (update.sessionUpdate === 'usage_update') return this.#markIn(update);
    return readUpdate(update).signals.flatMap((signal) => this.#turnIn(signal) ?? []);
  }

  #markIn(update: V1Update): Happened[] {
    const marks = isObject(at(update, '_meta', '_claude/origin'));
    if (marks) this.#bridge.marksTurns = true;
    return marks || (this.#bridge.marksTurns && isObject(update.cost)) ? [{ type: 'marked' }] : [];
  }

  #turnIn(signal: Signal): Happened | undefined {
    if (signal.type === 'taskStarted' && signal.facts.taskType === TURN_TASK) {
      this.#bridge.turnTasks = true;
      return { type: 'ownStarted', id: signal.task };
    }
    if (signal.type !== 'taskEnded') return undefined;
    return { type: 'ownEnded', id: signal.task, ending: { stopReason: stopReasonOf[signal.outcome] }, marks: this.#bridge.marksTurns };
  }

  /** The feed tells the id that a user message has in the agent's own history. It is told when the message was taken in. */
  #userMessages(session: BridgeSession, message: unknown): void {
    if (objectOf(message)?.subtype !== 'status') return;
    const fresh = (arrayOf(at(message, 'user_message_uuids')) ?? []).flatMap((id) => idOf(id) ?? []).filter((id) => !session.userMessages.has(id));
    const latest = fresh.at(-1);
    if (latest === undefined) return;
    for (const id of fresh) session.userMessages.add(id);
    session.nextUserMessage = latest;
    this.#foreground.happened(session, { type: 'said', starts: false });
    session.nextUserMessage = undefined;
  }
}
