/**
 * What both sides may count on: each request is answered once and with its own reply, the agent's words come
 * once and in order, between two of one dialect as they were said, and all work ends, when it has ended.
 */
import { Requests } from '../../plugins/conversations/model.js';
import type { PairScript } from '../../plugins/conversations/pair-script.js';
import { v2AgentKinds } from '../../plugins/conversations/v2-agent-kinds.js';
import type { Message } from '../../pipeline/harness.js';
import type { Way } from './talk.js';

const final: readonly unknown[] = ['completed', 'failed', 'cancelled'];
const taskEnds: readonly unknown[] = ['completed', 'failed', 'stopped'];
const words: readonly unknown[] = ['agent_message', 'agent_message_chunk', 'agent_thought_chunk'];
const isChild = (session: string): boolean => session.includes('/');

/** Words of the agent that have to come: those of a history are told again, and may be told as they were. */
function wordIn({ method, params }: Message): string | undefined {
  if (method !== 'session/update' || !words.includes(params.update.sessionUpdate) || isChild(params.sessionId)) return undefined;
  const { content } = params.update;
  const text: unknown = Array.isArray(content) ? content[0]?.text : content?.text;
  return typeof text !== 'string' || text.startsWith('again') ? undefined : `${params.sessionId}: ${text}`;
}

export class PairPromises {
  answers = 0;
  readonly #requests: Readonly<Record<Way, Requests>> = { c2p: new Requests('client to proxy'), p2c: new Requests('proxy to client'), a2p: new Requests('agent to proxy'), p2a: new Requests('proxy to agent') };
  readonly #due: string[] = [];
  readonly #calls = new Map<string, string>();
  readonly #tasks = new Map<string, string>();
  readonly #terminals = new Map<string, boolean>();
  readonly #states = new Map<string, Message>();
  readonly #offers = new Map<string, string>();
  #isOver = false;

  constructor(
    private readonly script: PairScript,
    private readonly isAtWork: (id: string) => boolean,
    /** What the agent says at once comes at once, so that what waits for it is not too late. */
    private readonly isPrompt: boolean,
  ) {}

  /** What has to come of a message, and come in its order. */
  #wordsOf(message: Message): string | undefined {
    if ('v2' in this.script.agent) return wordIn(message);
    return String(message.params?.update?.sessionUpdate).startsWith('tool_call') ? undefined : JSON.stringify(message);
  }

  sees(way: Way, message: Message): void {
    this.#answered(way, message);
    const word = this.#wordsOf(message);
    if (way === 'a2p' && word !== undefined) this.#due.push(word);
    if (way !== 'p2c') return;
    if (message.method === undefined) this.answers += 1;
    if (word !== undefined) {
      const expected = this.#due.shift();
      if (word !== expected) throw new Error(`what the agent says comes once and in order: expected ${expected}, came ${word}`);
    }
    if (message.method === 'session/update') this.#updated(message.params.sessionId, message.params.update);
  }

  #answered(way: Way, message: Message): void {
    const back = { c2p: 'p2c', p2c: 'c2p', a2p: 'p2a', p2a: 'a2p' } as const;
    if (message.method !== undefined) {
      if (message.id === undefined) return;
      this.#requests[way].asked(message);
      if (way === 'a2p' && message.method === 'session/request_permission') this.#offers.set(JSON.stringify(message.id), message.params.options[0].optionId);
      return;
    }
    const request = this.#requests[back[way]].answered(message);
    const chosen = way === 'p2a' ? message.result?.outcome?.optionId : undefined;
    if (chosen !== undefined && chosen !== this.#offers.get(JSON.stringify(message.id))) throw new Error(`a question has its own answer, not ${chosen}`);
    if (way === 'p2c' && request.method === 'session/prompt' && this.script.client !== 'v2' && message.error === undefined && typeof message.result?.stopReason !== 'string') throw new Error('a prompt is answered with a stop reason');
  }

  #updated(session: string, update: Message): void {
    const { sessionUpdate: kind, status } = update;
    if (kind === 'tool_call' || kind === 'tool_call_update') {
      if (status === undefined || status === null) return;
      this.#calls.set(`${session} ${update.toolCallId}`, status);
      const isKept = this.isPrompt && this.script.client !== 'v2' && this.script.client !== 'tasks' && this.script.client !== 'extension';
      if (isKept && final.includes(status) && this.#isLive(update.toolCallId)) throw new Error(`the call ${update.toolCallId} ends when its work has; it came as ${status}`);
    }
    if (kind === 'terminal_update' && update.exitStatus !== undefined) this.#terminals.set(`${session} ${update.terminalId}`, update.exitStatus !== null);
    if (kind === 'async_task_spawned') this.#tasks.set(update.asyncTaskId, 'running');
    if (kind === 'async_task_state_update') {
      this.#tasks.set(update.asyncTaskId, update.state);
      if (taskEnds.includes(update.state) && this.#isLive(update.asyncTaskId)) throw new Error(`the task ${update.asyncTaskId} ends when its work has; it came as ${update.state}`);
    }
    if (kind === 'state_update') this.#states.set(session, update);
  }

  #isLive(id: string): boolean {
    return !this.#isOver && this.isAtWork(id);
  }

  ends(): void {
    this.#isOver = true;
  }

  /**
   * What the client was not told of all that there was. Without settling, calls that are cut off stay as they
   * are; the tasks of an agent that speaks the extension are its own, and between two of one dialect its states, and
   * its calls where nothing is settled.
   */
  left(): readonly string[] {
    const calls = [...this.#calls].filter(([, status]) => !final.includes(status)).map(([id, status]) => `the call ${id} is left ${status}`);
    const tasks = [...this.#tasks].filter(([, state]) => !taskEnds.includes(state)).map(([id, state]) => `the task ${id} is left ${state}`);
    const states = [...this.#states].filter(([, { state, background = [] }]) => state !== 'idle' || background.length > 0).map(([id, { state, background }]) => `${id} is left ${state} with ${JSON.stringify(background)}`);
    const { agent } = this.script;
    const isOwn = 'v1' in agent;
    const tells = 'v2' in agent ? v2AgentKinds[agent.v2].tells : 'tasks';
    const isCutOff = this.#isOver && tells === 'tasks';
    const isNative = this.#isOver && tells === 'lists' && this.script.client === 'v2';
    const isUnsettled = this.script.stale === 'off' && (this.#isOver || isOwn);
    return [...this.#due.map((word) => `did not come: ${word}`), ...(isUnsettled ? [] : calls), ...(isOwn || isCutOff ? [] : tasks), ...(isNative ? [] : states)];
  }

  /** What goes on. */
  unfinished(): readonly string[] {
    return [...Object.values(this.#requests).flatMap((requests) => requests.left()), ...this.left()];
  }
}
