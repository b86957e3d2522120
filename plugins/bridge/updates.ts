/**
 * The agent's `session/update`s and its raw feed: each is translated, and told to the foreground
 * before or after it goes out.
 */
import { drop, ruled, type Call, type Outcome, type TextPlaces } from 'afterturn/plugin';
import {
  at, failureAfter, idOf, isChildNews, isContentBlock, isObject, isUpdate, messageKinds, readRawFeed, readUpdate, stringOf, toV2Chunk, toV2ConfigOptions, toV2Meta, toV2PlainUpdate,
  toV2StopNotice, toV2Terminals, toV2ToolCall, toV2UnknownUpdate, TURN_TASK, typeName, withForm, withOptions, type JsonObject, type Signal, type V2Update,
} from 'afterturn/protocol';
import type { Bridge } from './bridge.js';
import type { Children } from './children.js';
import type { Foreground, Happened } from './foreground.js';
import { unmarkedContent } from './own-turns.js';
import { isHistory } from './replay.js';
import type { BridgeSession } from './session.js';
import { threadIn } from './steering.js';
import { userMessagesNamed } from './user-messages.js';

/** The long strings that are told as they came, or in base64. */
const TEXTS = {
  update: {
    content: { text: true, '*': { content: { text: true } } },
    rawOutput: true,
    _meta: { terminal_output: { data: 'base64' }, terminal_output_delta: { data: 'base64' } },
  },
} as const satisfies TextPlaces;

type V1Update = JsonObject & { readonly sessionUpdate: string };
type Translate = (session: BridgeSession, update: V1Update, faults: string[]) => readonly V2Update[];

/** What only a turn says. Commands, titles, options, usage and tasks also come outside of turns. */
const turnContent: ReadonlySet<string> = new Set([
  'agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan', 'plan_update', 'plan_removed', 'compaction_update', 'compaction_summary_chunk',
]);
/** The kinds that tell of tasks, in either version. */
const isTaskKind = (kind: string): boolean => kind.startsWith('async_task_') || kind.startsWith('_async_task_');
/** Of these, what a turn begins with. */
const turnStart: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk', 'tool_call']);

/** What a message of the agent becomes is told by messages of ours. */
const translated = ruled('session/update', drop());

const stopReasonOf = { completed: 'end_turn', failed: 'error', stopped: 'cancelled', unknown: 'cancelled' } as const;

export class Updates {
  readonly #bridge: Bridge;
  readonly #foreground: Foreground;
  readonly #children: Children;
  readonly #translators: ReadonlyMap<string, Translate>;

  constructor(bridge: Bridge, foreground: Foreground, children: Children) {
    this.#bridge = bridge;
    this.#foreground = foreground;
    this.#children = children;
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
    const params = call.withTexts(TEXTS);
    const sessionId = idOf(at(params, 'sessionId'));
    const update = at(params, 'update');
    if (sessionId === undefined || !isUpdate(update)) {
      this.#bridge.report(sessionId ?? '', 'session/update', [`expected a sessionId and an update with a kind, got ${typeName(at(params, 'sessionId'))} and ${typeName(update)}`]);
      return ruled('session/update', drop());
    }
    const session = this.#bridge.ownerOf(this.#bridge.session(sessionId), update);
    if (!session.closed && (session.root.replay !== 'hidden' || !(isHistory(update.sessionUpdate) || isChildNews(update.sessionUpdate)))) this.#pass(session, update, toV2Meta(at(params, '_meta'), this.#bridge.rules));
    return translated;
  }

  /** A message of the raw feed: it goes on as it is, what it says of turns is told after it. */
  onFeed(call: Call): Outcome {
    const sessionId = idOf(at(call.params, 'sessionId'));
    const session = sessionId === undefined ? undefined : this.#bridge.session(sessionId);
    if (session === undefined || session.closed) return undefined;
    userMessagesNamed(session, at(call.params, 'message'), () => this.#foreground.happened(session, { type: 'takenIn' }));
    const { signals } = readRawFeed(call.params);
    this.#children.fed(session, call.params, signals);
    for (const signal of signals) {
      if (signal.type !== 'sessionState') continue;
      session.feedRuns = signal.running;
      if (!signal.running || !this.#bridge.turnTasks) this.#foreground.happened(session, { type: 'feed', running: signal.running });
    }
    return undefined;
  }

  #pass(session: BridgeSession, update: V1Update, meta: JsonObject | undefined): void {
    if (isChildNews(update.sessionUpdate)) return this.#children.told(session, update);
    if (this.#children.hides(session, update)) return;
    session.failure = failureAfter(session.failure, update);
    const faults: string[] = [];
    const notice = session.root.openStops > 0 ? toV2StopNotice(update) : undefined;
    const work = unmarkedContent(this.#bridge, session, update);
    const isLive = session.history === undefined && notice === undefined;
    const isChunk = messageKinds.has(update.sessionUpdate);
    if (isLive && isChunk && isContentBlock(update.content)) this.#works(session, update, work);
    const out = notice ? [notice] : this.#translate(session, update, faults);
    this.#bridge.report(session.id, update.sessionUpdate, faults);
    if (isLive && !isChunk && out.length > 0) this.#works(session, update, work);
    this.#children.before(session, update);
    for (const one of out) this.#bridge.send(session.id, one, meta);
    this.#children.after(session, update);
    for (const event of this.#turnsIn(session, update)) {
      if (isLive) this.#foreground.happened(session, event);
      else session.history?.turn(event);
    }
    session.history?.onUpdate(update.sessionUpdate);
  }

  /** An update that says something is told to the foreground; a chunk before it is read, for a turn that it begins begins a message. */
  #works(session: BridgeSession, update: V1Update, work: Happened | undefined): void {
    if (turnContent.has(update.sessionUpdate)) this.#foreground.happened(session, { type: 'said', starts: this.#canStart(session, update) });
    if (work) this.#foreground.happened(session, work);
  }

  /**
   * Content starts a turn of the agent's own only where no task tells it, and where its end will be
   * told: by the feed, which says that the session still runs, or by the update that closes a turn.
   * What a subagent does is told by its parent.
   */
  #canStart(session: BridgeSession, update: V1Update): boolean {
    if (!turnStart.has(update.sessionUpdate) || this.#bridge.turnTasks || session.parent !== undefined) return false;
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
    const { history } = session;
    const messageId = history === undefined ? undefined : session.ids.replayed(update, history);
    const chunk = toV2Chunk(messageId === undefined ? update : { ...update, messageId }, session.run, () => this.#bridge.host.uniqueId(), this.#bridge.rules, faults);
    if (chunk === undefined) return [];
    session.run = chunk.run;
    const { kind, messageId: told } = chunk.run;
    if (history === undefined && idOf(update.messageId) === undefined) session.ids.note(kind, told, update.content);
    return [...(history?.before(kind, told) ?? []), chunk.update];
  }

  #toolCall(session: BridgeSession, update: V1Update, faults: string[]): readonly V2Update[] {
    const id = idOf(update.toolCallId);
    const held = id === undefined ? undefined : session.calls.get(id);
    const report = toV2ToolCall(update, held, session.callContext(this.#bridge.rules, id), faults);
    if (id === undefined || report === undefined) return [];
    session.run = undefined;
    session.rememberCall(id, report.call);
    const { terminals, updates } = toV2Terminals(update, report.call, session.terminals, { cwd: session.cwd, habits: this.#bridge.habits }, faults);
    session.rememberTerminals(terminals);
    const out = [...updates, ...(report.update ? [report.update] : [])];
    return session.history?.anew(update, out, held) ?? out;
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
  #turnsIn(session: BridgeSession, update: V1Update): Happened[] {
    if (update.sessionUpdate === 'session_info_update') return threadIn(session, update);
    if (update.sessionUpdate === 'usage_update') return this.#markIn(update);
    return isTaskKind(update.sessionUpdate) ? readUpdate(update).signals.flatMap((signal) => this.#turnIn(signal) ?? []) : [];
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
}
