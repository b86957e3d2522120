/**
 * The `background` list of a state snapshot, as an agent tells it.
 *
 * Follows the v2 Background Work RFD ("The `background` list on state snapshots").
 */
import { arrayOf, at, stringOf, type JsonObject } from './shape.js';

/** The types that ACP has, and the member that holds the id. */
const ID_MEMBERS = { terminal: 'terminalId', tool_call: 'toolCallId', subagent: 'sessionId' } as const;

export type BackgroundType = keyof typeof ID_MEMBERS;

/** One entry. `id` is `undefined` for a type that ACP does not have: it stands for live work all the same. */
export interface BackgroundEntry {
  /** Sets it apart from every other entry of the session. */
  readonly key: string;
  readonly type: string;
  readonly id: string | undefined;
}

/** What a state says of background work: its items, that it says nothing, or that it cannot be read. */
export type BackgroundList = readonly BackgroundEntry[] | 'not reported' | 'malformed';

export const isBackgroundType = (type: string): type is BackgroundType => Object.hasOwn(ID_MEMBERS, type);

function entryOf(item: unknown): BackgroundEntry | undefined {
  const type = stringOf(at(item, 'type'));
  if (type === undefined) return undefined;
  if (!isBackgroundType(type)) return { key: `${type}:${JSON.stringify(item)}`, type, id: undefined };
  const id = stringOf(at(item, ID_MEMBERS[type]));
  return id === undefined ? undefined : { key: `${type}:${id}`, type, id };
}

/** The list of a `state_update`, or of the `state` of a `subagent_update`. */
export function backgroundListOf({ background }: JsonObject): BackgroundList {
  if (background === undefined || background === null) return 'not reported';
  const entries = arrayOf(background)?.map(entryOf);
  return entries?.every((entry) => entry !== undefined) ? entries : 'malformed';
}
