/**
 * An ACP v1 client, for random conversations: at its defaults, or with what it declares. It does what it is
 * told to do if the protocol allows that at the moment, and else nothing. Knows nothing of ACP v2.
 */
import type { RequestId } from '../../../src/plugin.js';
import type { Message, Side } from '../../pipeline/harness.js';

export type V1ClientAct = 'prompt' | 'answer' | 'cancel' | 'takeBack' | 'stopTask' | 'load' | 'resume' | 'close';

/** What a client of v1 declares, by what it is called here. */
export const v1Clients = {
  plain: {},
  terminals: { _meta: { terminal_output: true } },
  tasks: { _meta: { terminal_output: true, jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } },
  extension: { subagents: {}, _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks', 'nativeSubagentSessions', 'backgroundSubagents'] } } } },
  rich: { session: { configOptions: { boolean: {} }, notices: {}, compaction: {} }, plan: {}, subagents: {}, _meta: { terminal_output: true } },
} as const satisfies Record<string, Message>;

interface ClientSession {
  phase: 'open' | 'closing' | 'closed' | 'opening';
  prompts: RequestId[];
  questions: Message[];
  tasks: string[];
}

const pickOf = <T>(from: readonly T[], pick: number): T | undefined => from[pick % Math.max(1, from.length)];
/** A question of a subagent is told in its own session. */
const rootOf = (session: string): string => session.replace(/\/.*$/, '');

export class ScriptedV1Client {
  readonly #side: Side;
  readonly #sessions = new Map<string, ClientSession>();
  readonly #waiting = new Map<RequestId, (answer: Message) => void>();

  constructor(side: Side, readonly capabilities: Message) {
    this.#side = side;
  }

  begins(): void {
    this.#asks('initialize', { protocolVersion: 1, clientInfo: { name: 'test', version: '1' }, clientCapabilities: this.capabilities });
  }

  opens(): void {
    this.#asks('session/new', { cwd: '/work', mcpServers: [] }, ({ result }) => {
      if (result !== undefined) this.#sessions.set(result.sessionId, { phase: 'open', prompts: [], questions: [], tasks: [] });
    });
  }

  #asks(method: string, params: Message, then: (answer: Message) => void = () => undefined): RequestId {
    const id = this.#side.requests(method, params);
    this.#waiting.set(id, then);
    return id;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0 || [...this.#sessions.values()].some(({ questions }) => questions.length > 0);
  }

  hears(heard: Message): void {
    const { id, method, params } = heard;
    const session = this.#sessions.get(rootOf(params?.sessionId ?? ''));
    if (method === 'session/request_permission') session?.questions.push(heard);
    if (method === 'session/update' && params.update.sessionUpdate === 'async_task_spawned') session?.tasks.push(params.update.asyncTaskId);
    if (method !== undefined) return;
    const then = this.#waiting.get(id);
    this.#waiting.delete(id);
    then?.(heard);
  }

  does(act: V1ClientAct, sessionId: string, pick: number): void {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) this.#acts[act](session, sessionId, pick);
  }

  readonly #acts: Readonly<Record<V1ClientAct, (session: ClientSession, sessionId: string, pick: number) => void>> = {
    prompt: (session, sessionId, pick) => {
      if (session.phase !== 'open' || session.prompts.length > (pick % 5 === 0 ? 1 : 0)) return;
      const id = this.#asks('session/prompt', { sessionId, prompt: [{ type: 'text', text: `do ${pick}` }] }, () => (session.prompts = session.prompts.filter((one) => one !== id)));
      session.prompts.push(id);
    },
    answer: ({ questions }, _, pick) => {
      const [question] = questions.splice(pick % Math.max(1, questions.length), 1);
      if (question !== undefined) this.#side.answers(question.id, { outcome: pick % 3 === 2 ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: question.params.options[0].optionId } });
    },
    cancel: ({ phase, prompts, questions }, sessionId, pick) => {
      if (phase !== 'open' || (prompts.length === 0 && pick % 3 > 0)) return;
      this.#side.notifies('session/cancel', { sessionId });
      for (const { id } of questions.splice(0)) this.#side.answers(id, { outcome: { outcome: 'cancelled' } });
    },
    takeBack: ({ prompts }, _, pick) => {
      const request = pickOf(prompts, pick);
      if (request !== undefined) this.#side.notifies('$/cancel_request', { requestId: request });
    },
    stopTask: ({ phase, tasks }, sessionId, pick) => {
      const asyncTaskId = pickOf([...tasks, 'nothing'], pick);
      if (phase === 'open') this.#asks('_session/async_task/stop', { sessionId, asyncTaskId });
    },
    load: (session, sessionId) => this.#sets('session/load', session, sessionId),
    resume: (session, sessionId) => this.#sets('session/resume', session, sessionId),
    close: (session, sessionId) => {
      if (session.phase !== 'open') return;
      session.phase = 'closing';
      this.#asks('session/close', { sessionId }, ({ error }) => (session.phase = error === undefined ? 'closed' : 'open'));
    },
  };

  #sets(method: string, session: ClientSession, sessionId: string): void {
    if (session.phase !== 'open' && session.phase !== 'closed') return;
    const before = session.phase;
    session.phase = 'opening';
    this.#asks(method, { sessionId, cwd: '/work', mcpServers: [] }, ({ error }) => (session.phase = error === undefined ? 'open' : before));
  }
}
