/**
 * A scripted client: plays the client's side of a recording against a live agent. It acts when the
 * agent has said what it had said in the recording by then (milestones), after the recorded pause.
 * Session ids and the ids of the agent's requests are the live ones; a permission is answered with
 * the option of the recorded kind.
 */
import { createMilestones } from './milestones.js';
import { withMethods, type RecordedMessage } from './recording.js';
import { listOf, objectOf, stringOf, updateOf } from './updates.js';

type Message = RecordedMessage['msg'];

export interface ClientOptions {
  /** How many times faster than recorded it acts. Default 1. */
  readonly speed?: number;
  /** No pause before an action is longer, in milliseconds of the recording. Default 600. */
  readonly longestWait?: number;
  /** It goes on after this many milliseconds without any message, milestone or not. Default 8000. */
  readonly giveUpAfter?: number;
  /** Silence after which the conversation is over. Default 600. */
  readonly quiet?: number;
}

export interface ClientPorts {
  now(): number;
  after(ms: number, run: () => void): () => void;
  send(message: Message): void;
}

export interface ClientResult {
  /** Both directions, as this client wrote and read them. */
  readonly recording: readonly RecordedMessage[];
  /** Milestones of the recording that never came. */
  readonly missing: readonly string[];
}

interface Action {
  readonly record: RecordedMessage;
  readonly method: string | undefined;
  /** What must have been seen, and how often. */
  readonly needs: ReadonlyMap<string, number>;
  /** Milliseconds from the last of them to the action, as recorded. */
  readonly pause: number;
}

/** The client's actions, and after them the end of the conversation (`record` of the last message). */
function actionsOf(recording: readonly RecordedMessage[]): { readonly actions: readonly Action[]; readonly end: ReadonlyMap<string, number> } {
  const milestones = createMilestones();
  const actions: Action[] = [];
  let last = recording[0]?.t ?? 0;
  for (const { record, method } of withMethods(recording)) {
    if (record.dir === 'c2a') {
      actions.push({ record, method, needs: new Map(milestones.counts), pause: record.t - last });
      last = record.t;
    } else if (milestones.seen(record, method).length > 0) last = record.t;
  }
  return { actions, end: new Map(milestones.counts) };
}

const unmet = (needs: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): string[] =>
  [...needs].filter(([name, count]) => (counts.get(name) ?? 0) < count).map(([name]) => name);

/** The live counterpart of each recorded agent's request, in order of arrival. */
const requestsOf = (records: readonly RecordedMessage[]): Message[] =>
  records.filter(({ dir, msg }) => dir === 'a2c' && msg.method !== undefined && msg.id !== undefined).map(({ msg }) => msg);

/** The ids of the sessions that a recording opens, in order. */
const sessionsOf = (records: readonly RecordedMessage[]): string[] =>
  withMethods(records)
    .filter(({ record, method }) => record.dir === 'a2c' && method === 'session/new')
    .map(({ record }) => stringOf(objectOf(record.msg.result).sessionId))
    .filter((id) => id !== undefined);

/** The ids of the child sessions that a recording tells of, in order. */
const childrenOf = (records: readonly RecordedMessage[]): string[] => [
  ...new Set(records.flatMap((record) => {
    const update = updateOf(record)?.update;
    return update?.sessionUpdate === 'subagent_update' ? [String(update.sessionId)] : [];
  })),
];

const optionsOf = (request: Message | undefined) => listOf(objectOf(request?.params).options).map(objectOf);

/** The recorded answer with the option id that the live request gives the recorded kind of option. */
function liveAnswer(answer: Message, recorded: Message | undefined, live: Message): Message {
  const outcome = objectOf(objectOf(answer.result).outcome);
  const chosen = optionsOf(recorded).find((option) => option.optionId === outcome.optionId);
  const option = optionsOf(live).find(({ kind }) => chosen !== undefined && kind === chosen.kind);
  const optionId = stringOf(option?.optionId);
  const result = optionId === undefined ? answer.result : { ...objectOf(answer.result), outcome: { ...outcome, optionId } };
  return { ...answer, id: live.id ?? null, result };
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((part) => renamed(part, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, renamed(part, names)]));
}

/** Starts the client. `done` is called once, when the conversation is over. */
export function createClient(recording: readonly RecordedMessage[], options: ClientOptions, ports: ClientPorts, done: (result: ClientResult) => void): { receive(message: Message): void } {
  const { speed = 1, longestWait = 600, giveUpAfter = 8000, quiet = 600 } = options;
  const { actions, end } = actionsOf(recording);
  const recordedRequests = requestsOf(recording);
  const recordedSessions = sessionsOf(recording);
  const recordedChildren = childrenOf(recording);
  const milestones = createMilestones();
  const begun = ports.now();
  const lived: RecordedMessage[] = [];
  const methods = new Map<string, string>();
  const sessions = new Map<string, string>();
  const liveChildren = new Set<string>();
  let opens = 0;
  const missing = new Set<string>();
  let next = 0;
  let due = false;
  let over = false;
  let cancel = (): void => {};

  const log = (dir: RecordedMessage['dir'], msg: Message): RecordedMessage => {
    const record = { t: Math.round(ports.now() - begun), dir, msg };
    lived.push(record);
    return record;
  };
  const write = (message: Message): void => {
    if (message.method !== undefined && message.id !== undefined) methods.set(JSON.stringify(message.id), message.method);
    log('c2a', message);
    ports.send(message);
  };
  const act = ({ record: { msg } }: Action): void => {
    if (msg.method !== undefined) return write({ ...msg, params: renamed(msg.params, sessions) });
    const place = recordedRequests.findIndex(({ id }) => id === msg.id);
    const live = requestsOf(lived)[place];
    if (live) write(liveAnswer(msg, recordedRequests[place], live));
  };
  const finish = (): void => {
    if (over) return;
    over = true;
    for (const name of unmet(end, milestones.counts)) missing.add(name);
    done({ recording: lived, missing: [...missing] });
  };
  /** Acts, waits for the pause before an action, or waits for what is still to come. */
  const proceed = (): void => {
    cancel();
    if (over) return;
    const action = actions[next];
    const open = unmet(action?.needs ?? end, milestones.counts);
    const giveUp = (run: () => void): void => {
      cancel = ports.after(giveUpAfter, () => {
        for (const name of open) missing.add(name);
        run();
      });
    };
    const perform = (): void => {
      if (!action) return finish();
      next += 1;
      due = false;
      act(action);
      proceed();
    };
    if (open.length > 0 && !due) return giveUp(perform);
    due = true;
    cancel = ports.after(action ? Math.min(action.pause, longestWait) / speed : quiet, perform);
  };

  proceed();
  return {
    receive(message) {
      if (over) return;
      const record = log('a2c', message);
      const method = message.method ?? methods.get(JSON.stringify(message.id));
      const opened = stringOf(objectOf(message.result).sessionId);
      const recordedId = recordedSessions[opens];
      if (method === 'session/new' && opened !== undefined && recordedId !== undefined) {
        sessions.set(recordedId, opened);
        opens += 1;
      }
      for (const child of childrenOf([record])) {
        const recorded = liveChildren.has(child) ? undefined : recordedChildren[liveChildren.size];
        liveChildren.add(child);
        if (recorded !== undefined) sessions.set(recorded, child);
      }
      milestones.seen(record, method);
      const isPausing = due && actions[next] !== undefined;
      if (!isPausing) proceed();
    },
  };
}
