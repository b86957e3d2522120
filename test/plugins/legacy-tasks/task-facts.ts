/**
 * What a client of ACP v1 with the private extension knows at the end of a recording, as a table from a
 * path to a value: its tasks, the order of their starts and ends, its tool calls and their exits, and
 * how its prompts and stops were answered. A task is named after the call that launched it, so that two
 * recordings of one scenario can be compared.
 */
import type { Message } from '../../pipeline/harness.js';
import type { RecordedMessage } from '../../tools/recording.js';

export type TaskFacts = ReadonlyMap<string, unknown>;

const FINAL = new Set(['completed', 'failed', 'cancelled', 'stopped']);

class Collector {
  readonly facts = new Map<string, unknown>();
  readonly #names = new Map<string, string>();
  readonly #events: string[] = [];
  readonly #asked = new Map<string, string>();
  #turns = 0;
  #stops = 0;
  #prompts = 0;

  update(update: Message): void {
    const { sessionUpdate: kind, asyncTaskId, toolCallId } = update;
    if (kind === 'async_task_spawned') this.#spawned(update);
    else if (kind === 'async_task_progress' && toolCallId !== undefined) this.facts.set(`${this.#nameOf(asyncTaskId)}/call`, toolCallId);
    else if (kind === 'async_task_state_update' && FINAL.has(update.state)) this.#ended(this.#nameOf(asyncTaskId), update.state);
    else if (kind === 'tool_call' || kind === 'tool_call_update') this.#call(update);
    else if (kind === 'subagent_spawned') this.#event(`start subagent ${update.name}`);
    else if (kind === 'subagent_state_update') this.#event(`end subagent ${update.state}`);
  }

  message({ dir, msg }: RecordedMessage): void {
    const { id, method, params, result, error } = msg as Message;
    const key = JSON.stringify(id);
    if (dir === 'c2a' && method !== undefined && id !== undefined) this.#asked.set(key, method);
    if (method === 'session/update') this.update(params.update);
    if (dir !== 'a2c' || method !== undefined) return;
    const asked = this.#asked.get(key);
    if (asked === '_session/async_task/stop') this.facts.set(`stops/${this.#stops++}`, result?.stopped ?? error?.code);
    if (asked === 'session/prompt') this.facts.set(`prompts/${this.#prompts++}`, result?.stopReason ?? error?.code);
  }

  end(): TaskFacts {
    this.facts.set('order', this.#events);
    return this.facts;
  }

  #nameOf(task: string): string {
    return this.#names.get(task) ?? `unknown ${task}`;
  }

  #spawned({ asyncTaskId, taskType, toolCallId, canStop }: Message): void {
    const name = `tasks/${taskType === 'turn' ? `turn ${++this.#turns}` : `${taskType} ${toolCallId}`}`;
    this.#names.set(asyncTaskId, name);
    this.facts.set(`${name}/canStop`, canStop);
    this.#event(`start ${name.slice('tasks/'.length)}`);
  }

  /** Some agents tell an end twice. */
  #ended(name: string, state: string): void {
    const before = this.facts.get(`${name}/end`);
    this.facts.set(`${name}/end`, state);
    if (before !== state) this.#event(`end ${name.slice('tasks/'.length)}`);
  }

  #event(event: string): void {
    this.#events.push(event);
  }

  #call({ toolCallId, status, title, kind, _meta: meta }: Message): void {
    const set = (name: string, value: unknown): void => void (value === undefined || this.facts.set(`calls/${toolCallId}/${name}`, value));
    set('status', status);
    set('title', title);
    set('kind', kind);
    set('parent', meta?.claudeCode?.parentToolUseId);
    if (meta?.terminal_exit !== undefined) set('exit', meta.terminal_exit.exit_code ?? 'unknown');
    if (meta?.jetbrains?.air?.asyncTasks?.backgrounded === true) set('backgrounded', true);
  }
}

/** What the client learned. */
export function taskFactsOf(records: readonly RecordedMessage[]): TaskFacts {
  const collector = new Collector();
  for (const record of records) collector.message(record);
  return collector.end();
}
