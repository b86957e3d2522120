/** What the parts of the plugin share: the connection's watch, once it is known what to watch for. */
import { at, idOf } from 'afterturn/protocol';
import type { Plugin } from 'afterturn/plugin';
import type { Happening, Version } from './reading.js';
import type { Watch } from './watch.js';

export class Context {
  /** The client's version, from the answer to `initialize`. */
  version: Version = 1;
  /** Absent before that answer. */
  watch: Watch | undefined;

  happened(session: string, event: Happening): void {
    this.watch?.happened(session, event);
  }
}

export const sessionOf = (paramsOrResult: unknown): string | undefined => idOf(at(paramsOrResult, 'sessionId'));

/** The hooks of one topic. */
export type Hooks = Required<Pick<Plugin, 'toAgent' | 'toClient'>>;

/** Topics share no method, so that their hooks are simply put together. */
export function merged(topics: readonly Hooks[]): Hooks {
  const direction = (of: 'toAgent' | 'toClient'): Hooks['toAgent'] => ({
    calls: Object.assign({}, ...topics.map((topic) => topic[of].calls)) as Hooks['toAgent']['calls'],
    replies: Object.assign({}, ...topics.map((topic) => topic[of].replies)) as Hooks['toAgent']['replies'],
  });
  return { toAgent: direction('toAgent'), toClient: direction('toClient') };
}
