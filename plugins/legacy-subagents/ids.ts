/**
 * Ids of tool calls and terminals where several sessions are shown as one. Each is unique within its own
 * session only (ACP "Tool Calls"), so an id that another session had first gets its session's name. Knows
 * no subagents.
 */
import { arrayOf, isObject, objectOf, type JsonObject } from 'afterturn/protocol';
import { BoundedMap } from '../bounded.js';

const KINDS = ['toolCallId', 'terminalId'] as const;
type Kind = (typeof KINDS)[number];

const MAX_REMEMBERED = 4096;

export class SharedIds {
  /** The session that had an id first, by the session that shows it, the kind and the id. */
  readonly #owners = new BoundedMap<string, string>(MAX_REMEMBERED);

  /** The id in `root`, which shows what `session` does. */
  shown(root: string, session: string, kind: Kind, id: string): string {
    const key = JSON.stringify([root, kind, id]);
    const owner = this.#owners.get(key) ?? session;
    this.#owners.delete(key);
    this.#owners.set(key, owner);
    return owner === session ? id : `${session}:${id}`;
  }

  /** The update, or any other object that names calls and terminals so, with its ids as they are shown; itself where they are the same. */
  in(root: string, session: string, named: JsonObject): JsonObject {
    const items = arrayOf(named.content);
    const changes = Object.entries({
      ...this.#own(root, session, named),
      ...(items === undefined ? (isObject(named.content) ? { content: this.#item(root, session, named.content) } : {}) : { content: this.#items(root, session, items) }),
    }).filter(([key, value]) => named[key] !== value);
    return changes.length === 0 ? named : { ...named, ...Object.fromEntries(changes) };
  }

  #own(root: string, session: string, named: JsonObject): JsonObject {
    return Object.fromEntries(KINDS.flatMap((kind) => (typeof named[kind] === 'string' ? [[kind, this.shown(root, session, kind, named[kind])]] : [])));
  }

  #items(root: string, session: string, items: readonly unknown[]): readonly unknown[] {
    const shown = items.map((item) => this.#item(root, session, item));
    return shown.some((item, index) => item !== items[index]) ? shown : items;
  }

  #item(root: string, session: string, item: unknown): unknown {
    const terminal = objectOf(item);
    if (terminal?.type !== 'terminal' || typeof terminal.terminalId !== 'string') return item;
    const terminalId = this.shown(root, session, 'terminalId', terminal.terminalId);
    return terminalId === terminal.terminalId ? item : { ...terminal, terminalId };
  }
}
