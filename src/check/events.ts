/**
 * A client-side recording of ACP v2 as events: what each message means for the rules of background
 * work, with the session it belongs to. Knows the shapes of v2, no rules. A member of another type
 * than expected counts as absent; that is for schema validation.
 */
import { arrayOf, at, isObject, objectOf, stringOf, type JsonObject } from '../protocol/shape.js';
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
  | { readonly type: 'call'; readonly id: string; readonly status: string | undefined; readonly cancel: boolean | undefined; readonly terminals: readonly string[] | undefined }
  | { readonly type: 'terminal'; readonly id: string; readonly exited: boolean | undefined; readonly signal: string | undefined; readonly cancel: boolean | undefined }
  | { readonly type: 'child'; readonly id: string; readonly state: StateFacts | undefined; readonly cancel: boolean | undefined }
  | { readonly type: 'userMessage' }
  | { readonly type: 'update'; readonly kind: string }
  /** The client's requests and the agent's answers. `opened`: the session that the answer made. */
  | { readonly type: 'request'; readonly method: string; readonly replays: boolean }
  | { readonly type: 'answer'; readonly method: string; readonly accepted: boolean; readonly code: number | undefined; readonly opened: string | undefined }
  | { readonly type: 'cancel' }
  /** The agent's requests and the client's answers. `about`: the items that the subject can stand for. */
  | { readonly type: 'ask'; readonly method: string; readonly key: string; readonly about: readonly ItemKey[] }
  | { readonly type: 'reply'; readonly key: string }
  /** The recording is over. */
  | { readonly type: 'end' };

export interface StateFacts {
  readonly state: string;
  readonly stopReason: string | undefined;
  readonly listed: Listed;
}

export interface StateEvent extends StateFacts {
  readonly type: 'state';
}

const ITEM_IDS: Readonly<Record<string, string>> = { terminal: 'terminalId', tool_call: 'toolCallId', subagent: 'sessionId' };

function itemKey(item: unknown): ItemKey | undefined {
  const type = stringOf(at(item, 'type'));
  if (type === undefined) return undefined;
  const member = Object.hasOwn(ITEM_IDS, type) ? ITEM_IDS[type] : undefined;
  if (member === undefined) return `${type}:${JSON.stringify(item)}`;
  const id = stringOf(at(item, member));
  return id === undefined ? undefined : `${type}:${id}`;
}

function listedIn(update: JsonObject): Listed {
  const { background } = update;
  if (background === undefined || background === null) return 'not reported';
  const keys = arrayOf(background)?.map(itemKey);
  return keys?.every((key) => key !== undefined) ? keys : 'malformed';
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

const UPDATES: Readonly<Record<string, (update: JsonObject) => Body>> = {
  state_update: (update) => ({ type: 'state', ...stateFacts(update) }),
  tool_call_update: (update) => ({ type: 'call', id: stringOf(update.toolCallId) ?? '', status: stringOf(update.status), cancel: cancelIn(update), terminals: terminalsIn(update) }),
  terminal_update: (update) => ({ type: 'terminal', id: stringOf(update.terminalId) ?? '', exited: exitedIn(update), signal: stringOf(at(update.exitStatus, 'signal')), cancel: cancelIn(update) }),
  subagent_update: (update) => ({ type: 'child', id: stringOf(update.sessionId) ?? '', state: isObject(update.state) ? stateFacts(update.state) : undefined, cancel: cancelIn(update) }),
  user_message: () => ({ type: 'userMessage' }),
  user_message_chunk: () => ({ type: 'userMessage' }),
};

function ofUpdate(params: JsonObject): Body {
  const update = objectOf(params.update) ?? {};
  const kind = stringOf(update.sessionUpdate) ?? '';
  const read = Object.hasOwn(UPDATES, kind) ? UPDATES[kind] : undefined;
  return read ? read(update) : { type: 'update', kind };
}

/** The items that a permission's subject stands for: its call, its terminal. */
function subjectKeys(params: JsonObject): ItemKey[] {
  const call = stringOf(at(params, 'subject', 'toolCall', 'toolCallId')) ?? stringOf(at(params, 'subject', 'toolCallId'));
  const terminal = stringOf(at(params, 'subject', 'terminalId'));
  return [...(call === undefined ? [] : [`tool_call:${call}`]), ...(terminal === undefined ? [] : [`terminal:${terminal}`])];
}

const idOf = ({ id }: RecordedJson): string => JSON.stringify(id ?? null);

/** The event of a message with a method. */
function ofCall({ dir, msg }: RecordedMessage, method: string, params: JsonObject): Body | undefined {
  if (dir === 'a2c' && method === 'session/update') return ofUpdate(params);
  if (dir === 'a2c') return msg.id === undefined ? { type: 'update', kind: method } : { type: 'ask', method, key: idOf(msg), about: subjectKeys(params) };
  if (method === 'session/cancel') return { type: 'cancel' };
  const replays = method === 'session/load' || isObject(params.replayFrom);
  return msg.id === undefined ? undefined : { type: 'request', method, replays };
}

/** The events of a recording, in order, with `end` for each session last. */
export function eventsOf(records: readonly RecordedMessage[]): CheckEvent[] {
  const open = new Map<string, { method: string; session: string }[]>();
  const sessions = new Set<string>();
  const events: CheckEvent[] = [];
  records.forEach((record, index) => {
    const { t, dir, msg } = record;
    const place = { t, line: index + 1 };
    if (msg.method !== undefined) {
      const params = objectOf(msg.params) ?? {};
      const session = stringOf(params.sessionId) ?? '';
      const key = `${dir} ${idOf(msg)}`;
      if (msg.id !== undefined) open.set(key, [...(open.get(key) ?? []), { method: msg.method, session }]);
      const body = ofCall(record, msg.method, params);
      if (body) events.push({ ...place, session, ...body });
      if (session !== '') sessions.add(session);
      return;
    }
    const asked = open.get(`${dir === 'a2c' ? 'c2a' : 'a2c'} ${idOf(msg)}`)?.shift();
    if (!asked) return;
    const { method, session } = asked;
    events.push({
      ...place,
      session,
      ...(dir === 'c2a'
        ? { type: 'reply' as const, key: idOf(msg) }
        : { type: 'answer' as const, method, accepted: msg.error === undefined, code: msg.error?.code, opened: stringOf(at(msg.result, 'sessionId')) }),
    });
  });
  const last = records.at(-1)?.t ?? 0;
  return [...events, ...[...sessions].map((session): CheckEvent => ({ t: last, line: records.length, session, type: 'end' }))];
}
