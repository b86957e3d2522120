/**
 * A client-side recording as events: what each message means for the rules, with the session it
 * belongs to. Knows the shapes of ACP, no rules. A member of another type than expected counts as
 * absent; that is for schema validation.
 */
import { backgroundListOf } from '../protocol/background-list.js';
import { Reason } from '../protocol/reasons.js';
import { arrayOf, at, isObject, objectOf, stringOf, type JsonObject } from '../protocol/shape.js';
import type { ProtocolVersion } from '../protocol/versions.js';
import { isWhole } from './connection.js';
import type { RecordedJson, RecordedMessage } from './record.js';

/** `terminal:<id>`, `tool_call:<id>`, `subagent:<id>`, or another type with its own JSON. */
export type ItemKey = string;

/** What a state says of background work: its items, that it says nothing, or that it cannot be read. */
export type Listed = readonly ItemKey[] | 'not reported' | 'malformed';

export type CheckEvent = Body extends infer One ? (One extends Body ? Place & One : never) : never;

export interface Place {
  readonly t: number;
  /** The line of the recording, from 1. */
  readonly line: number;
  readonly session: string;
}

type Body =
  | StateEvent
  /** `begins`: the update that v1 has for a new call. `isOfExit`: a proxy ends it because the agent is gone. */
  | { readonly type: 'call'; readonly begins: boolean; readonly id: string; readonly status: string | undefined; readonly cancel: boolean | undefined; readonly terminals: readonly string[] | undefined; readonly told: TerminalWords; readonly isOfExit: boolean }
  | { readonly type: 'terminal'; readonly id: string; readonly exited: boolean | undefined; readonly signal: string | undefined; readonly cancel: boolean | undefined }
  | { readonly type: 'child'; readonly id: string; readonly state: StateFacts | undefined; readonly cancel: boolean | undefined }
  | { readonly type: 'userMessage'; readonly id: string }
  /** A subagent's session in the words of the private extension. */
  | { readonly type: 'spawned'; readonly id: string; readonly kind: string }
  | { readonly type: 'update'; readonly kind: string }
  /** The client's requests and the agent's answers. `opened`: the session that the answer made. */
  | { readonly type: 'request'; readonly key: string; readonly method: string; readonly replays: boolean; readonly item: ItemKey | undefined }
  | { readonly type: 'answer'; readonly key: string; readonly method: string; readonly accepted: boolean; readonly code: number | undefined; readonly opened: string | undefined; readonly stopReason: string | undefined; readonly messageId: string | undefined }
  | { readonly type: 'cancel' }
  /** The envelope: a response that answers no open request, a request under the id of an open one. */
  | { readonly type: 'surplus'; readonly id: string }
  | { readonly type: 'reused'; readonly id: string; readonly method: string }
  /** The agent's requests and the client's answers. `about`: the items that the subject can stand for. `terminal`: the client's, by its id. */
  | { readonly type: 'ask'; readonly method: string; readonly key: string; readonly about: readonly ItemKey[]; readonly options: readonly string[]; readonly terminal: string | undefined }
  | { readonly type: 'reply'; readonly method: string; readonly key: string; readonly outcome: string | undefined; readonly option: string | undefined; readonly terminal: string | undefined }
  /** The agent waits no longer for the answer to its request. */
  | { readonly type: 'withdrawn'; readonly key: string }
  /** The recording is over. */
  | { readonly type: 'end' };

/** What `_meta` of a call says of a terminal that the agent runs (`terminal_info`, `terminal_output`, `terminal_exit`): its id. */
export interface TerminalWords {
  readonly info: string | undefined;
  readonly output: string | undefined;
  readonly exit: string | undefined;
}

export interface StateFacts {
  readonly state: string;
  readonly stopReason: string | undefined;
  readonly listed: Listed;
}

export interface StateEvent extends StateFacts {
  readonly type: 'state';
}

function listedIn(update: JsonObject): Listed {
  const list = backgroundListOf(update);
  return typeof list === 'string' ? list : list.map(({ key }) => key);
}

const stateFacts = (update: JsonObject): StateFacts => ({
  state: stringOf(update.state) ?? '',
  stopReason: stringOf(update.stopReason),
  listed: listedIn(update),
});

/** Whether cancel is advertised; `undefined`: the update leaves it as it is. */
const cancelIn = (update: JsonObject): boolean | undefined =>
  update.capabilities === undefined ? undefined : isObject(at(update.capabilities, 'cancel'));

const exitedIn = (update: JsonObject): boolean | undefined =>
  update.exitStatus === undefined ? undefined : isObject(update.exitStatus);

/** The terminals that a call's content shows; `undefined`: the update leaves the content as it is. */
function terminalsIn({ content }: JsonObject): readonly string[] | undefined {
  if (content === null) return [];
  return arrayOf(content)?.filter((part) => at(part, 'type') === 'terminal').map((part) => stringOf(at(part, 'terminalId')) ?? '');
}

const wordsIn = ({ _meta: meta }: JsonObject): TerminalWords => {
  const id = (...names: readonly string[]): string | undefined => names.map((name) => stringOf(at(meta, name, 'terminal_id'))).find((one) => one !== undefined);
  return { info: id('terminal_info'), output: id('terminal_output', 'terminal_output_delta'), exit: id('terminal_exit') };
};

type ReadUpdate = (update: JsonObject) => Body;

const callIn = (begins: boolean): ReadUpdate => (update) =>
  ({ type: 'call', begins, id: stringOf(update.toolCallId) ?? '', status: stringOf(update.status), cancel: cancelIn(update), terminals: terminalsIn(update), told: wordsIn(update), isOfExit: stringOf(at(update._meta, 'afterturn', 'reason')) === Reason.agentExited });

const UPDATES_V1: Readonly<Record<string, ReadUpdate>> = {
  tool_call: callIn(true),
  tool_call_update: callIn(false),
  subagent_spawned: (update) => ({ type: 'spawned', kind: 'subagent_spawned', id: stringOf(update.subagentSessionId) ?? '' }),
  subagent_update: (update) => ({ type: 'spawned', kind: 'subagent_update', id: stringOf(update.sessionId) ?? '' }),
};

const UPDATES_V2: Readonly<Record<string, ReadUpdate>> = {
  _subagent_update: (update) => ({ type: 'spawned', kind: '_subagent_update', id: stringOf(update.subagentSessionId) ?? '' }),
  state_update: (update) => ({ type: 'state', ...stateFacts(update) }),
  tool_call_update: callIn(false),
  terminal_update: (update) => ({ type: 'terminal', id: stringOf(update.terminalId) ?? '', exited: exitedIn(update), signal: stringOf(at(update.exitStatus, 'signal')), cancel: cancelIn(update) }),
  subagent_update: (update) => ({ type: 'child', id: stringOf(update.sessionId) ?? '', state: isObject(update.state) ? stateFacts(update.state) : undefined, cancel: cancelIn(update) }),
  user_message: ({ messageId }) => ({ type: 'userMessage', id: stringOf(messageId) ?? '' }),
  user_message_chunk: ({ messageId }) => ({ type: 'userMessage', id: stringOf(messageId) ?? '' }),
};

function ofUpdate(params: JsonObject, version: ProtocolVersion): Body {
  const update = objectOf(params.update) ?? {};
  const kind = stringOf(update.sessionUpdate) ?? '';
  const updates = version === 1 ? UPDATES_V1 : UPDATES_V2;
  const read = Object.hasOwn(updates, kind) ? updates[kind] : undefined;
  return read ? read(update) : { type: 'update', kind };
}

/** The items that a permission's subject stands for: its call, its terminal. v1 has the call beside it. */
function subjectKeys(params: JsonObject): ItemKey[] {
  const call = stringOf(at(params, 'toolCall', 'toolCallId')) ?? stringOf(at(params, 'subject', 'toolCall', 'toolCallId')) ?? stringOf(at(params, 'subject', 'toolCallId'));
  const terminal = stringOf(at(params, 'subject', 'terminalId'));
  return [...(call === undefined ? [] : [`tool_call:${call}`]), ...(terminal === undefined ? [] : [`terminal:${terminal}`])];
}

const optionsIn = ({ options }: JsonObject): readonly string[] => (arrayOf(options) ?? []).map((option) => stringOf(at(option, 'optionId')) ?? '');

/** What a cancel by its id is about. */
function cancelled(method: string, params: JsonObject): ItemKey | undefined {
  if (method === 'terminal/cancel') return `terminal:${stringOf(params.terminalId) ?? ''}`;
  return method === 'tool_call/cancel' ? `tool_call:${stringOf(params.toolCallId) ?? ''}` : undefined;
}

const idOf = ({ id }: RecordedJson): string => JSON.stringify(id ?? null);

/** The event of a message with a method. */
function ofCall({ dir, msg }: RecordedMessage, method: string, params: JsonObject, version: ProtocolVersion): Body | undefined {
  if (dir === 'a2c' && method === 'session/update') return ofUpdate(params, version);
  if (method === '$/cancel_request') return dir === 'a2c' ? { type: 'withdrawn', key: JSON.stringify(params.requestId ?? null) } : undefined;
  if (dir === 'a2c') return msg.id === undefined ? { type: 'update', kind: method } : { type: 'ask', method, key: idOf(msg), about: subjectKeys(params), options: optionsIn(params), terminal: stringOf(params.terminalId) };
  if (method === 'session/cancel') return { type: 'cancel' };
  const replays = method === 'session/load' || isObject(params.replayFrom);
  return msg.id === undefined ? undefined : { type: 'request', key: idOf(msg), method, replays, item: cancelled(method, params) };
}

const other = (dir: RecordedMessage['dir']): RecordedMessage['dir'] => (dir === 'a2c' ? 'c2a' : 'a2c');

/** The requests of both sides that are open, by sender and id, and the ids that were ever answered. */
class Requests {
  readonly #open = new Map<string, { method: string; session: string }[]>();
  readonly #answered = new Set<string>();

  /** Whether the id was that of an open request already. */
  opened(key: string, method: string, session: string): boolean {
    // Each process has ids of its own, and a connection begins with this.
    if (method === 'initialize') this.#open.clear();
    const before = this.#open.get(key) ?? [];
    this.#open.set(key, [...before, { method, session }]);
    return before.length > 0;
  }

  answered(key: string): { readonly method: string; readonly session: string } | undefined {
    const asked = this.#open.get(key)?.shift();
    if (asked) this.#answered.add(key);
    return asked;
  }

  /** The session of an open request. */
  sessionOf(key: string): string | undefined {
    return this.#open.get(key)?.[0]?.session;
  }

  wasAnswered(key: string): boolean {
    return this.#answered.has(key);
  }
}

/**
 * The events of a recording, in order, with `end` for each session last. A recording that does not
 * begin with `initialize` may answer requests that it does not show.
 */
export function eventsOf(records: readonly RecordedMessage[], version: ProtocolVersion): CheckEvent[] {
  const requests = new Requests();
  const whole = isWhole(records);
  const sessions = new Set<string>();
  const events: CheckEvent[] = [];
  records.forEach((record, index) => {
    const { t, dir, msg } = record;
    const place = { t, line: record.line ?? index + 1 };
    const id = idOf(msg);
    if (msg.method !== undefined) {
      const params = objectOf(msg.params) ?? {};
      // A request that is taken back belongs to its session.
      const session = stringOf(params.sessionId) ?? requests.sessionOf(`${dir} ${JSON.stringify(params.requestId)}`) ?? '';
      if (msg.id !== undefined && requests.opened(`${dir} ${id}`, msg.method, session)) events.push({ ...place, session, type: 'reused', id, method: msg.method });
      const body = ofCall(record, msg.method, params, version);
      if (body) events.push({ ...place, session, ...body });
      if (session !== '') sessions.add(session);
      return;
    }
    if (msg.id === undefined) return;
    const key = `${other(dir)} ${id}`;
    const asked = requests.answered(key);
    if (!asked) {
      if (whole || requests.wasAnswered(key)) events.push({ ...place, session: '', type: 'surplus', id });
      return;
    }
    const { method, session } = asked;
    events.push({
      ...place,
      session,
      ...(dir === 'c2a'
        ? { type: 'reply' as const, key: id, method, outcome: stringOf(at(msg.result, 'outcome', 'outcome')), option: stringOf(at(msg.result, 'outcome', 'optionId')), terminal: stringOf(at(msg.result, 'terminalId')) }
        : { type: 'answer' as const, key: id, method, accepted: msg.error === undefined, code: msg.error?.code, opened: stringOf(at(msg.result, 'sessionId')), stopReason: stringOf(at(msg.result, 'stopReason')), messageId: stringOf(at(msg.result, 'messageId')) }),
    });
  });
  const { t = 0, line = records.length } = records.at(-1) ?? {};
  return [...events, ...[...sessions].map((session): CheckEvent => ({ t, line, session, type: 'end' }))];
}
