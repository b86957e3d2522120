/**
 * The requests that set sessions up, as far as background work depends on them: which are open, and
 * whether one asked for another session than the requests before it did. claude-agent-acp builds a
 * live session anew then, and its background work dies.
 */
import type { Call, Reply } from 'afterturn/plugin';
import { at, idOf, rawRequestFor, rawRequestOf, sessionOptionsKey, type RawRequest } from 'afterturn/protocol';
import { BoundedMap } from '../bounded.js';

/** The requests that set a session up; those that bring a known one to life again; those that end one. */
export const SETUP = ['session/new', 'session/load', 'session/resume', 'session/fork'] as const;
export const REVIVING: ReadonlySet<string> = new Set(['session/load', 'session/resume']);

interface Options {
  readonly key: string;
  readonly rawRequest: RawRequest | undefined;
}

interface OpenSetup {
  readonly session: string | undefined;
  readonly options: Options;
}

export interface AnsweredSetup {
  readonly session: string | undefined;
  /** The agent built a session anew that it had. */
  readonly rebuilt: boolean;
}

const keyOf = (method: string, id: unknown): string => JSON.stringify([method, id]);

export class Setups {
  readonly #known = new BoundedMap<string, Options>();
  readonly #open = new BoundedMap<string, OpenSetup[]>();

  /** `adds`: the raw feed is asked for in the client's name. */
  constructor(private readonly adds: boolean) {}

  #optionsOf(call: Call): Options {
    const asked = rawRequestOf(call.params);
    const before = this.#known.get(idOf(at(call.params, 'sessionId')) ?? '');
    const rawRequest = this.adds ? rawRequestFor(before?.rawRequest, asked) : asked;
    return { key: sessionOptionsKey(call.params, rawRequest), rawRequest };
  }

  /** Whether a request asks for another session than the ones before it, under the same id. */
  differs(call: Call): boolean {
    const known = REVIVING.has(call.method) ? this.#known.get(idOf(at(call.params, 'sessionId')) ?? '') : undefined;
    return known !== undefined && known.key !== this.#optionsOf(call).key;
  }

  /** The session that a request is about to bring to life again. */
  opened(call: Call): string | undefined {
    const session = idOf(at(call.params, 'sessionId'));
    const key = keyOf(call.method, call.id);
    const setup: OpenSetup = { session: REVIVING.has(call.method) ? session : undefined, options: this.#optionsOf(call) };
    this.#open.set(key, [...(this.#open.get(key) ?? []), setup]);
    return setup.session;
  }

  answered(reply: Reply): AnsweredSetup {
    const key = keyOf(reply.to.method, reply.to.id);
    const [setup, ...others] = this.#open.get(key) ?? [];
    if (others.length > 0) this.#open.set(key, others);
    else this.#open.delete(key);
    if (setup === undefined || reply.error !== undefined) return { session: setup?.session, rebuilt: false };
    const session = setup.session ?? idOf(at(reply.result, 'sessionId'));
    const before = session === undefined ? undefined : this.#known.get(session);
    if (session !== undefined) this.#known.set(session, setup.options);
    return { session: setup.session, rebuilt: before !== undefined && before.key !== setup.options.key };
  }

  forget(session: string): void {
    this.#known.delete(session);
  }
}
