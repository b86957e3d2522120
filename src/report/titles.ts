/** What the messages of a recording call its sessions, tool calls and tasks. Pure. */
import type { RecordedMessage } from '../check/index.js';
import { at, idOf, isObject, RAW_FEED, readRawFeed, readRunUpdate, readSubagentUpdate, readUpdate, stringOf, type Signal } from '../protocol/index.js';

/** Titles of one session, by the ids of its tool calls and its tasks. */
export interface SessionTitles {
  readonly title: string | undefined;
  readonly calls: ReadonlyMap<string, string>;
  readonly tasks: ReadonlyMap<string, string>;
}

export type Titles = ReadonlyMap<string, SessionTitles>;

interface Draft {
  title: string | undefined;
  readonly calls: Map<string, string>;
  readonly tasks: Map<string, string>;
}

/** The latest word wins; an empty one is none. */
function put(map: Map<string, string>, id: string, title: string | undefined): void {
  if (title !== undefined && title.trim() !== '') map.set(id, title);
}

function note(draft: Draft, signal: Signal): void {
  if (signal.type === 'toolCall') put(draft.calls, signal.call, signal.facts.title);
  else if (signal.type === 'taskStarted' || signal.type === 'taskChanged' || signal.type === 'taskEnded') {
    // A description that comes later tells of progress.
    put(draft.tasks, signal.task, signal.facts.title ?? (draft.tasks.has(signal.task) ? undefined : signal.facts.description));
  }
}

/** The title of a session: its own, else that of the task whose session it is. */
export const sessionTitle = (titles: Titles, session: string): string | undefined =>
  titles.get(session)?.title ?? [...titles.values()].map(({ tasks }) => tasks.get(session)).find((title) => title !== undefined);

/** By session. What `_meta` holds is not looked at but for the extensions' own words about tasks. */
export function titlesOf(messages: readonly RecordedMessage[]): Titles {
  const titles = new Map<string, Draft>();
  const draftOf = (session: string): Draft => {
    const known = titles.get(session) ?? { title: undefined, calls: new Map(), tasks: new Map() };
    titles.set(session, known);
    return known;
  };
  for (const { dir, msg: { method, params } } of messages) {
    const session = idOf(at(params, 'sessionId'));
    if (dir !== 'a2c' || session === undefined) continue;
    const update = at(params, 'update');
    if (method === RAW_FEED) for (const signal of readRawFeed(params).signals) note(draftOf(session), signal);
    if (method !== 'session/update' || !isObject(update)) continue;
    for (const read of [readUpdate, readSubagentUpdate, readRunUpdate]) for (const signal of read(update).signals) note(draftOf(session), signal);
    if (update.sessionUpdate === 'session_info_update') draftOf(session).title = stringOf(update.title) ?? draftOf(session).title;
  }
  return titles;
}
