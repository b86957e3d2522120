/**
 * `session/update` of a v2 agent for a v1 client: each kind's rule is in `protocol/bridge-down`, what
 * it needs to know of earlier ones in the session.
 */
import { drop, type Call, type Outcome } from 'afterturn/plugin';
import { backgroundListOf, chunkKindOf, idOf, isUpdate, isV1PlanType, at, objectOf, plansAfter, toV1Chunks, toV1ConfigUpdates, toV1Plan, toV1PlainUpdates, toV1OtherUpdate, untold, typeName, v2OptionsOf, type JsonObject } from 'afterturn/protocol';
import { waitsForInsertion } from 'afterturn/state';
import type { DownCalls } from './calls.js';
import type { DownConnection } from './connection.js';
import type { DownPrompts } from './prompts.js';
import type { DownSession } from './session.js';

type Update = JsonObject & { readonly sessionUpdate: string };
type Row = (session: DownSession, update: Update, faults: string[]) => void;

/** What can come between the last status of a call and the list that its work is on. */
const waitingKinds: ReadonlySet<string> = new Set(['terminal_update', 'terminal_output_chunk', '_async_task_spawned', '_async_task_progress']);

export class DownUpdates {
  readonly #connection: DownConnection;
  readonly #prompts: DownPrompts;
  readonly #calls: DownCalls;
  readonly #rows: ReadonlyMap<string, Row>;

  constructor(connection: DownConnection, prompts: DownPrompts, calls: DownCalls) {
    this.#connection = connection;
    this.#prompts = prompts;
    this.#calls = calls;
    const call: Row = (session, update, faults) => calls.onCall(session, update, faults);
    const terminal: Row = (session, update) => calls.onTerminal(session, update);
    const plan: Row = (session, update) => this.#plan(session, update);
    this.#rows = new Map<string, Row>([
      ['state_update', (session, update) => this.#state(session, update)],
      ['tool_call_update', call],
      ['tool_call_content_chunk', call],
      ['terminal_update', terminal],
      ['terminal_output_chunk', terminal],
      ['plan_update', plan],
      ['plan_removed', plan],
      ['config_option_update', (session, update) => this.#options(session, update)],
    ]);
  }

  onUpdate(call: Call): Outcome {
    const update = at(call.params, 'update');
    const sessionId = idOf(at(call.params, 'sessionId'));
    if (!isUpdate(update) || sessionId === undefined) return drop();
    const session = this.#connection.session(sessionId);
    const faults: string[] = [];
    if (!waitingKinds.has(update.sessionUpdate)) this.#calls.release(session);
    this.#read(session, update, faults);
    this.#connection.report(session, update.sessionUpdate, faults);
    return drop();
  }

  #read(session: DownSession, update: Update, faults: string[]): void {
    const row = this.#rows.get(update.sessionUpdate);
    if (row !== undefined) return row(session, update, faults);
    if (chunkKindOf(update.sessionUpdate) !== undefined) return this.#message(session, update, faults);
    const plain = toV1PlainUpdates(update, this.#connection.client, faults);
    if (plain === undefined) return this.#other(session, update);
    for (const one of plain) this.#connection.send(session, one);
  }

  #other(session: DownSession, update: Update): void {
    const told = toV1OtherUpdate(update);
    if (told !== undefined) this.#connection.send(session, told);
  }

  #state(session: DownSession, update: Update): void {
    this.#calls.flush(session);
    const list = backgroundListOf(update);
    session.live = new Set(typeof list === 'string' ? [] : list.flatMap(({ type, id }) => (type === 'terminal' && id !== undefined ? [id] : [])));
    this.#prompts.onState(session, update);
  }

  /** The client knows what it said itself. In a history, and where it said nothing, user messages are told. */
  #message(session: DownSession, update: Update, faults: string[]): void {
    const messageId = idOf(update.messageId);
    if (messageId === undefined) {
      faults.push(`messageId: expected a text, got ${typeName(update.messageId)}`);
      return;
    }
    const kind = chunkKindOf(update.sessionUpdate) ?? '';
    if (kind === 'user_message_chunk' && !session.replays && this.#isOwn(session, messageId)) return;
    const key = JSON.stringify([kind, messageId]);
    const told = toV1Chunks(update, session.transcript.messages.get(key) ?? untold, faults);
    if (told === undefined) return;
    session.rememberMessage(key, told.message);
    for (const chunk of told.updates) this.#connection.send(session, chunk);
  }

  /** Whether a user message is one of the client's prompts: the agent takes it in, or says more of it. */
  #isOwn(session: DownSession, messageId: string): boolean {
    if (!session.ownMessages.has(messageId)) {
      this.#prompts.inserted(session, messageId);
      if (waitsForInsertion(session.prompts)) session.own(messageId);
    }
    return session.ownMessages.has(messageId);
  }

  #plan(session: DownSession, update: Update): void {
    const { transcript } = session;
    transcript.plans = plansAfter(transcript.plans, update);
    const passes = this.#connection.client.plans && (update.sessionUpdate === 'plan_removed' || isV1PlanType(objectOf(update.plan)?.type));
    this.#connection.send(session, passes ? update : toV1Plan(transcript.plans));
  }

  #options(session: DownSession, update: Update): void {
    const options = v2OptionsOf(update);
    if (options === undefined) return;
    const updates = toV1ConfigUpdates(session.options, options, this.#connection.client, objectOf(update._meta));
    session.options = options;
    for (const one of updates) this.#connection.send(session, one);
  }
}
