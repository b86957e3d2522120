/**
 * A recording as the steps of its agent's side: messages to wait for, messages to send, bytes to
 * write into the output files that the messages name. Times are in milliseconds of the replay.
 */
import type { RecordedJson, RecordedMessage } from '../check/record.js';
import type { RequestId } from '../wire/jsonrpc.js';
import { mappedPaths, type Outputs } from './output-files.js';

export type Step = Expected | Sent | Written;

/** A message of the client. `optional`: the replay goes on when it does not come in time. */
export interface Expected {
  readonly kind: 'await';
  readonly t: number;
  readonly message: RecordedJson;
  readonly optional: boolean;
  /** It stops a turn that the agent started itself; `session/cancel` says the same. */
  readonly stopsTurn: boolean;
}

export interface Sent {
  readonly kind: 'send';
  readonly t: number;
  readonly message: RecordedJson;
  /** It is sent only if the request with this recorded id arrived: the line in which the agent says that it was told to stop. */
  readonly tells: RequestId | undefined;
}

/** `data` is base64. An empty one makes the file. */
interface Written {
  readonly kind: 'write';
  readonly t: number;
  readonly path: string;
  readonly data: string;
}

export interface StepOptions {
  /** How many times faster than recorded. Default 1. */
  readonly speed?: number;
  /** No wait between two steps is longer than this, before `speed` counts. Default: as recorded. */
  readonly longestWait?: number;
  /** What the tasks' output files receive, by task id or id of the launching call. */
  readonly outputs?: Outputs;
  /** Where the file that the recording calls `path` is to be. Without it no file is written. */
  readonly outputFile?: (path: string) => string;
}

const STOPS: ReadonlySet<string> = new Set(['_session/async_task/stop', 'terminal/cancel', 'tool_call/cancel']);
const isNotification = (message: RecordedJson): boolean => message.method !== undefined && message.id === undefined;
/** A proxy may answer these itself, or not send them at all. */
const isOptional = (message: RecordedJson): boolean =>
  isNotification(message) || (message.method !== undefined && (STOPS.has(message.method) || message.method.startsWith('_')));

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** The tasks that are turns, by their id. */
function turnTasks(records: readonly RecordedMessage[]): ReadonlySet<unknown> {
  const updates = records.map(({ msg }) => field(msg.params, 'update'));
  return new Set(updates.filter((update) => field(update, 'taskType') === 'turn').map((update) => field(update, 'asyncTaskId')));
}

/** A message of the agent without an id, or a notice. Between a stop and its answer it speaks of the stop. */
function isRemark({ msg }: RecordedMessage): boolean {
  const update = field(msg.params, 'update');
  const kind = field(update, 'sessionUpdate');
  return kind === 'notice' || (kind === 'agent_message_chunk' && field(update, 'messageId') === undefined);
}

/** The recorded id of the stop that each remark speaks of. */
function remarks(records: readonly RecordedMessage[]): ReadonlyMap<RecordedMessage, RequestId> {
  const found = new Map<RecordedMessage, RequestId>();
  let stop: RequestId | undefined;
  for (const record of records) {
    const { dir, msg } = record;
    if (dir === 'c2a' && msg.method === '_session/async_task/stop') stop = msg.id;
    else if (dir === 'a2c' && msg.method === undefined && msg.id === stop) stop = undefined;
    else if (dir === 'a2c' && stop !== undefined && isRemark(record)) found.set(record, stop);
  }
  return found;
}

/** Replaces every `from` by its `to` in all strings of a JSON value. */
function rewritten<T>(value: T, paths: ReadonlyMap<string, string>): T {
  if (paths.size === 0) return value;
  const text = (part: string): string => [...paths].reduce((done, [from, to]) => done.replaceAll(from, to), part);
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return text(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, child]) => [name, walk(child)]));
  };
  return walk(value) as T;
}

/** The writes of all files, in time: an empty one where the traffic first names the file. */
function writesOf(records: readonly RecordedMessage[], options: StepOptions, paths: ReadonlyMap<string, string>): Written[] {
  const files = mappedPaths(records, options.outputs ?? {});
  return [...files]
    .flatMap(([recorded, chunks]): Written[] => {
      const path = paths.get(recorded) ?? recorded;
      const named = records.find(({ dir, msg }) => dir === 'a2c' && JSON.stringify(msg).includes(recorded))?.t ?? 0;
      return [{ kind: 'write', t: named, path, data: '' }, ...chunks.map(({ atMs, data }): Written => ({ kind: 'write', t: Math.max(atMs, named), path, data }))];
    })
    .sort((one, other) => one.t - other.t);
}

/** The steps of the agent's side of a recording, in order. */
export function stepsOf(records: readonly RecordedMessage[], options: StepOptions): Step[] {
  const { outputFile, speed = 1, longestWait = Infinity } = options;
  const recordedPaths = outputFile ? [...mappedPaths(records, options.outputs ?? {}).keys()] : [];
  const paths = new Map(recordedPaths.map((path) => [path, outputFile?.(path) ?? path]));
  const turns = turnTasks(records);
  const writes = outputFile ? writesOf(records, options, paths) : [];
  const steps: Step[] = [];
  const remarked = remarks(records);
  for (const record of records) {
    const { t, dir, msg } = record;
    while (writes[0] && writes[0].t <= t) steps.push(writes.shift() as Written);
    steps.push(
      dir === 'a2c'
        ? { kind: 'send', t, message: rewritten(msg, paths), tells: remarked.get(record) }
        : { kind: 'await', t, message: msg, optional: isOptional(msg), stopsTurn: turns.has(field(msg.params, 'asyncTaskId')) },
    );
  }
  steps.push(...writes);
  let clock = 0;
  let recorded = steps[0]?.t ?? 0;
  return steps.map((step) => {
    clock += Math.max(0, Math.min(step.t - recorded, longestWait)) / speed;
    recorded = step.t;
    return { ...step, t: clock };
  });
}
