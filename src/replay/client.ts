/**
 * Plays the client's side of a recording against a live agent: the same replay with its two ends
 * exchanged, and what the agent calls things now in place of what it called them then. Effects come in
 * as ports.
 */
import { arrayOf, isObject } from '../protocol/shape.js';
import type { RecordedJson, RecordedMessage } from '../check/record.js';
import { createReplay, type Replay, type ReplayOptions, type ReplayPorts } from './index.js';

export interface ClientOptions extends ReplayOptions {
  /** The working directory of the sessions that it asks for. Default: the recorded one. */
  readonly cwd?: string;
}

const exchanged = (record: RecordedMessage): RecordedMessage => ({ ...record, dir: record.dir === 'c2a' ? 'a2c' : 'c2a' });

const isId = (key: string): boolean => /Ids?$/.test(key);

/** The ids in a live value that stand where the recorded one has others: recorded to live. */
function* newNames(recorded: unknown, live: unknown, key = ''): Generator<readonly [string, string]> {
  if (typeof recorded === 'string' && typeof live === 'string') {
    if (isId(key) && recorded !== live) yield [recorded, live];
  } else if (isObject(recorded) && isObject(live)) {
    for (const [name, member] of Object.entries(recorded)) yield* newNames(member, live[name], name);
  } else {
    const others = arrayOf(live) ?? [];
    for (const [index, item] of (arrayOf(recorded) ?? []).entries()) yield* newNames(item, others[index], key);
  }
}

/** The value with the names of now. */
function renamed(value: unknown, names: ReadonlyMap<string, string>, cwd: string | undefined, key = ''): unknown {
  if (typeof value === 'string') return key === 'cwd' && cwd !== undefined ? cwd : isId(key) ? (names.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, names, cwd, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renamed(member, names, cwd, name)]));
}

/**
 * A replay of the client of `recording`. It begins with `start`. Requests keep their recorded ids; what
 * the agent calls its sessions, calls and terminals is learned from the message that stands in the
 * place of the recorded one.
 */
export function clientReplay(recording: readonly RecordedMessage[], options: ClientOptions, ports: ReplayPorts): Replay {
  const names = new Map<string, string>();
  // By method and kind the recorded messages of the agent that were not met yet.
  const waiting = recording.filter(({ dir }) => dir === 'a2c').map(({ msg }) => msg);
  const learn = (live: RecordedJson): void => {
    const at = waiting.findIndex((recorded) => placeOf(recorded) === placeOf(live));
    if (at < 0) return;
    const [recorded] = waiting.splice(at, 1);
    for (const [then, now] of newNames(recorded?.params ?? recorded?.result, live.params ?? live.result)) if (!names.has(then)) names.set(then, now);
  };
  const replay = createReplay(recording.map(exchanged), options, {
    ...ports,
    send: (message) => ports.send(message.method === undefined && message.error !== undefined ? message : (renamed(message, names, options.cwd) as RecordedJson)),
  });
  return {
    start: () => replay.start(),
    receive(message) {
      learn(message);
      replay.receive(message);
    },
    get finished() {
      return replay.finished;
    },
    close: () => replay.close(),
  };
}

/** What tells a message's place: the request that it answers, or its method and the kind of its update. */
function placeOf({ id, method, params }: RecordedJson): string {
  if (method === undefined) return `answer ${JSON.stringify(id)}`;
  const update = isObject(params) && isObject(params.update) ? String(params.update.sessionUpdate) : '';
  return `${method} ${update}`;
}
