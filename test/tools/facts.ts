/**
 * What a client of an ACP v2 session knows at the end of a recording, as a table from a path to a
 * value: per session the lists and states, per item its life, per terminal, call, message, turn,
 * permission and plan what was said last. Repeats, times, and the ids that differ from run to run
 * are left out, so that two recordings of one scenario can be compared.
 */
import { withMethods, type RecordedMessage } from './recording.js';
import { background, itemKey, listOf, objectOf, stringOf, updateOf, type Json } from './updates.js';

export type Facts = ReadonlyMap<string, unknown>;

const FINAL = new Set(['completed', 'failed', 'cancelled']);

const TASK_IDS = [/\bID: ([a-z0-9]{9})\b/g, /\btask ([a-z0-9]{9}),/g, /one-shot task ([a-z0-9]{8})\b/g, /"task_id\\*":\\*"([a-z0-9]{9})\\*"/g];

/** The ids that the agent gave its tasks in this run: its words name them. */
function taskIds(records: readonly RecordedMessage[]): string[] {
  const words = records.map((record) => {
    const data = stringOf(objectOf(updateOf(record)?.update.output).data) ?? '';
    return JSON.stringify(record.msg) + Buffer.from(data, 'base64').toString('latin1');
  });
  return [...new Set(words.flatMap((text) => TASK_IDS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, id]) => String(id)))))];
}

/** Replaces what differs from run to run (ids, names of files, times of day) by what it is. */
function withoutRun(ids: readonly string[]): (text: string) => string {
  return (text) =>
    ids
      .reduce((done, id) => done.replaceAll(id, '<task>'), text)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/wf_[0-9a-f]{8}-[0-9a-f]{3}/g, '<workflow>')
      .replace(/(written to: )\S+?(?=\.\s|\.$|$)/g, '$1<file>')
      .replace(/\b\d\d?:\d\d(?::\d\d)?(?:[ap]m\b)?(?: \(in \d+s\))?/g, '<time>');
}

/** A removal while idle that a turn of the agent's own follows within this many milliseconds. */
const FOLLOW_UP_WINDOW = 250;

interface Life {
  readonly order: string[];
  /** The state of the session at each listing and at each removal. */
  readonly listedIn: string[];
  readonly removedIn: string[];
  removedAt: number;
  listed: boolean;
  settled: boolean;
}

interface SessionFacts {
  readonly name: string;
  state: string | undefined;
  prompts: number;
  turns: number;
  lists: string[][];
  readonly states: string[];
  /** How each prompt was answered. */
  readonly answers: string[];
  readonly lives: Map<string, Life>;
  readonly messages: Map<string, { role: string; text: string }>;
}

const textOf = (content: unknown): string =>
  Array.isArray(content) ? content.map(textOf).join('') : (stringOf(objectOf(content).text) ?? (content ? JSON.stringify(content) : ''));

class Collector {
  readonly facts = new Map<string, unknown>();
  readonly #sessions = new Map<string, SessionFacts>();
  readonly #bytes = new Map<string, Buffer>();
  #permissions = 0;
  readonly #asked = new Map<string, number>();
  readonly #words: (text: string) => string;

  constructor(words: (text: string) => string) {
    this.#words = words;
  }

  #plain(value: unknown): unknown {
    return value === undefined ? undefined : (JSON.parse(this.#words(JSON.stringify(value))) as unknown);
  }

  #session(id: string): SessionFacts {
    const known = this.#sessions.get(id);
    if (known) return known;
    const made: SessionFacts = {
      name: this.#sessions.size === 0 ? 'session' : `child${this.#sessions.size}`,
      state: undefined, prompts: 0, turns: 0, lists: [], states: [], answers: [], lives: new Map(), messages: new Map(),
    };
    this.#sessions.set(id, made);
    return made;
  }

  #life(session: SessionFacts, key: string): Life {
    const life = session.lives.get(key) ?? { order: [], listedIn: [], removedIn: [], removedAt: -Infinity, listed: false, settled: false };
    session.lives.set(key, life);
    return life;
  }

  /** Child sessions are named in the order of their appearance. */
  #itemName = (key: string): string => (key.startsWith('subagent:') ? `subagent:${this.#session(key.slice('subagent:'.length)).name}` : key);

  #announced(session: SessionFacts, key: string, settled: boolean): void {
    const life = this.#life(session, key);
    if (life.order.length === 0) life.order.push('announce');
    if (!settled || life.settled) return;
    life.settled = true;
    life.order.push('settle');
  }

  #list(session: SessionFacts, keys: readonly string[], state: string, t: number): void {
    for (const key of keys) {
      const life = this.#life(session, key);
      if (life.listed) continue;
      life.listed = true;
      life.settled = false;
      life.order.push(this.#canCancel(session, key) ? 'list with cancel' : 'list');
      life.listedIn.push(state);
    }
    for (const [key, life] of session.lives) {
      if (!life.listed || keys.includes(key)) continue;
      life.listed = false;
      life.removedAt = t;
      life.order.push('remove');
      life.removedIn.push(state);
    }
    const names = keys.map(this.#itemName).sort();
    if (JSON.stringify(session.lists.at(-1)) !== JSON.stringify(names)) session.lists.push(names);
  }

  #canCancel(session: SessionFacts, key: string): boolean {
    const [type, id] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
    const capabilities = this.facts.get(`${session.name}/${type === 'terminal' ? 'terminals' : 'calls'}/${id}/capabilities`);
    return Boolean(objectOf(capabilities).cancel);
  }

  /** The agent starts a turn of its own: what was removed just before belonged into this snapshot. */
  #ownTurn(session: SessionFacts, t: number): void {
    for (const { removedAt, removedIn } of session.lives.values())
      if (t - removedAt <= FOLLOW_UP_WINDOW && removedIn.at(-1) === 'idle') removedIn.splice(-1, 1, 'idle, then running');
  }

  #state(session: SessionFacts, update: Json, t: number): void {
    const state = String(update.state);
    const items = background(update);
    if (state === 'running' && session.state === 'idle' && session.prompts === 0) this.#ownTurn(session, t);
    if (items) this.#list(session, items.map(itemKey), state, t);
    else session.lists.push(['not reported']);
    const stopReason = stringOf(update.stopReason);
    if (stopReason !== undefined) {
      const turn = `${session.name}/turns/${session.turns}`;
      session.turns += 1;
      this.facts.set(`${turn}/stopReason`, stopReason);
      this.facts.set(`${turn}/own`, session.prompts === 0);
      this.facts.set(`${turn}/usage`, update.usage ?? undefined);
      this.facts.set(`${turn}/error`, this.#plain(update.error));
      session.prompts = 0;
    }
    const entry = stopReason === undefined ? state : `${state} ${stopReason}`;
    if (state !== session.state || stopReason !== undefined) session.states.push(entry);
    session.state = state;
  }

  #call(session: SessionFacts, update: Json): void {
    const id = String(update.toolCallId);
    this.#announced(session, `tool_call:${id}`, FINAL.has(String(update.status)));
    for (const name of ['name', 'title', 'kind', 'status', 'rawInput', 'rawOutput', 'content', 'locations', 'capabilities'])
      if (name in update) this.facts.set(`${session.name}/calls/${id}/${name}`, this.#plain(update[name]) ?? undefined);
  }

  #terminal(session: SessionFacts, update: Json): void {
    const id = String(update.terminalId);
    this.#announced(session, `terminal:${id}`, Boolean(update.exitStatus));
    const at = `${session.name}/terminals/${id}`;
    for (const name of ['command', 'cwd', 'exitStatus', 'capabilities']) if (name in update) this.facts.set(`${at}/${name}`, update[name] ?? undefined);
    const before = this.#bytes.get(at) ?? Buffer.alloc(0);
    const snapshot = stringOf(objectOf(update.output).data);
    const chunk = update.sessionUpdate === 'terminal_output_chunk' ? String(update.data) : '';
    this.#bytes.set(at, snapshot === undefined ? Buffer.concat([before, Buffer.from(chunk, 'base64')]) : Buffer.from(snapshot, 'base64'));
  }

  #message(session: SessionFacts, role: string, update: Json): void {
    const key = `${role} ${String(update.messageId)}`;
    const known = session.messages.get(key);
    if (role === 'user' && !known) session.prompts += 1;
    const chunk = String(update.sessionUpdate).endsWith('_chunk');
    session.messages.set(key, { role, text: `${chunk ? (known?.text ?? '') : ''}${textOf(update.content)}` });
  }

  update(sessionId: string, update: Json, t: number): void {
    const session = this.#session(sessionId);
    const kind = String(update.sessionUpdate);
    const role = /^(user|agent)_(message|thought)/.exec(kind);
    if (role) this.#message(session, role[2] === 'thought' ? 'thought' : String(role[1]), update);
    else if (kind === 'state_update') this.#state(session, update, t);
    else if (kind === 'tool_call_update') this.#call(session, update);
    else if (kind.startsWith('terminal_')) this.#terminal(session, update);
    else if (kind === 'plan_update') this.facts.set(`${session.name}/plan`, update.plan);
    else if (kind === 'subagent_update') {
      const state = objectOf(update.state);
      this.#session(String(update.sessionId));
      this.#announced(session, `subagent:${String(update.sessionId)}`, state.state === 'idle');
    }
  }

  asked(id: unknown, params: Json): void {
    const at = `permissions/${this.#permissions}`;
    this.#asked.set(JSON.stringify(id), this.#permissions);
    this.#permissions += 1;
    const subject = objectOf(params.subject);
    this.facts.set(`${at}/title`, params.title);
    this.facts.set(`${at}/subject`, [subject.type, objectOf(subject.toolCall).toolCallId ?? subject.terminalId]);
    this.facts.set(`${at}/options`, listOf(params.options).map((option) => [objectOf(option).kind, objectOf(option).name]));
  }

  /** A prompt's response comes after its message and names it. */
  prompted(sessionId: string, messageId: unknown): void {
    const session = this.#session(sessionId);
    session.answers.push(session.messages.has(`user ${String(messageId)}`) ? 'after its message' : 'without its message');
  }

  answered(id: unknown, result: unknown): void {
    this.facts.set(`permissions/${this.#asked.get(JSON.stringify(id)) ?? 'unknown'}/answer`, objectOf(result).outcome);
  }

  table(): Facts {
    for (const session of this.#sessions.values()) {
      this.facts.set(`${session.name}/lists`, session.lists);
      this.facts.set(`${session.name}/states`, session.states);
      if (session.answers.length > 0) this.facts.set(`${session.name}/answers`, session.answers);
      this.facts.set(`${session.name}/messages`, [...session.messages.values()].map(({ role, text }) => [role, this.#words(text)]));
      for (const [key, { order, listedIn, removedIn }] of session.lives) {
        if (listedIn.length === 0) continue;
        const at = `${session.name}/items/${this.#itemName(key)}`;
        this.facts.set(`${at}/order`, order);
        this.facts.set(`${at}/listedIn`, listedIn);
        this.facts.set(`${at}/removedIn`, removedIn);
      }
    }
    for (const [at, bytes] of this.#bytes) this.facts.set(`${at}/output`, this.#words(bytes.toString('latin1')));
    return new Map([...this.facts].filter(([, value]) => value !== undefined));
  }
}

/** The facts of a client-side recording of v2 sessions. */
export function factsOf(records: readonly RecordedMessage[]): Facts {
  const collector = new Collector(withoutRun(taskIds(records)));
  const prompts = new Map<string, string>();
  let refused = 0;
  for (const { record, method } of withMethods(records)) {
    const { dir, msg } = record;
    const update = updateOf(record);
    if (update) collector.update(update.sessionId, update.update, record.t);
    else if (method === 'session/request_permission' && dir === 'a2c') collector.asked(msg.id, objectOf(msg.params));
    else if (method === 'session/request_permission') collector.answered(msg.id, msg.result);
    else if (dir === 'c2a' && method === 'session/prompt') prompts.set(JSON.stringify(msg.id), String(objectOf(msg.params).sessionId));
    else if (dir === 'a2c' && method === 'session/prompt' && msg.result !== undefined) collector.prompted(prompts.get(JSON.stringify(msg.id)) ?? '', objectOf(msg.result).messageId);
    else if (dir === 'a2c' && msg.error) {
      collector.facts.set(`errors/${refused}`, [method, msg.error.code]);
      refused += 1;
    }
  }
  return collector.table();
}
