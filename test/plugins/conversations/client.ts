/**
 * An ACP v2 client, for random conversations. It does what it is told to do if the protocol allows
 * that at the moment, and else nothing: it says nothing of a session that it closes, until that is
 * answered. Knows nothing of ACP v1.
 */
import type { RequestId } from '../../../src/plugin.js';
import type { Message, Side } from '../../pipeline/harness.js';

/** `child`: a subagent's, which is cancelled and answered only. */
type Phase = 'open' | 'closing' | 'closed' | 'opening' | 'child';

interface ClientSession {
  phase: Phase;
  list: readonly Message[];
  /** What was listed once. */
  known: Message[];
}

interface Question {
  readonly id: RequestId;
  readonly session: string;
  /** The option that is chosen, if any is. */
  readonly option: string;
}

export type ClientAct = 'prompt' | 'answer' | 'cancel' | 'cancelItem' | 'resume' | 'replay' | 'close';

const pickOf = <T>(from: readonly T[], pick: number): T | undefined => from[pick % Math.max(1, from.length)];

export class ScriptedClient {
  readonly #side: Side;
  readonly #sessions = new Map<string, ClientSession>();
  readonly #pending = new Map<RequestId, { readonly method: string; readonly session: string }>();
  #questions: Question[] = [];

  constructor(side: Side) {
    this.#side = side;
  }

  /** A request of the agent waits for its answer. */
  get isAsked(): boolean {
    return this.#questions.length > 0;
  }

  begins(): void {
    this.#side.requests('initialize', { protocolVersion: 2, info: { name: 'test', version: '1' }, capabilities: {} });
  }

  opens(): void {
    this.#pending.set(this.#side.requests('session/new', { cwd: '/work' }), { method: 'session/new', session: '' });
  }

  hears(message: Message): void {
    const { id, method, params } = message;
    if (method === 'session/request_permission') this.#questions.push({ id, session: params.sessionId, option: params.options[0].optionId });
    else if (method === 'session/update' && params.update.sessionUpdate === 'subagent_update') this.#sessions.set(params.update.sessionId, this.#sessions.get(params.update.sessionId) ?? { phase: 'child', list: [], known: [] });
    else if (method === 'session/update' && params.update.sessionUpdate === 'state_update') this.#listed(params.sessionId, params.update.background ?? []);
    else if (method === undefined) this.#answered(message);
  }

  #listed(sessionId: string, list: readonly Message[]): void {
    const session = this.#sessions.get(sessionId);
    if (session) Object.assign(session, { list, known: [...session.known, ...list].slice(-10) });
  }

  #answered({ id, result, error }: Message): void {
    const { method, session: sessionId } = this.#pending.get(id) ?? { method: '', session: '' };
    this.#pending.delete(id);
    if (method === 'session/new' && error === undefined) this.#sessions.set(result.sessionId, { phase: 'open', list: [], known: [] });
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    if (method === 'session/close') session.phase = error === undefined ? 'closed' : 'open';
    if (method === 'session/resume') session.phase = error === undefined ? 'open' : 'closed';
  }

  /** Does it, if it may. `pick` chooses among what it can be done to. */
  does(act: ClientAct, sessionId: string, pick: number): void {
    const session = this.#sessions.get(sessionId);
    if (session) this.#acts[act](session, sessionId, pick);
  }

  #asks(method: string, session: string, more: Message = {}): void {
    this.#pending.set(this.#side.requests(method, { sessionId: session, ...more }), { method, session });
  }

  readonly #acts: Readonly<Record<ClientAct, (session: ClientSession, sessionId: string, pick: number) => void>> = {
    prompt: ({ phase }, sessionId, pick) => {
      if (phase === 'open') this.#asks('session/prompt', sessionId, { prompt: [{ type: 'text', text: `do ${pick}` }] });
    },
    // Also late, for work that was cancelled or a session that is closed.
    answer: (_, sessionId, pick) => {
      const question = pickOf(this.#questions.filter(({ session }) => session === sessionId), pick);
      if (question === undefined) return;
      this.#questions = this.#questions.filter((one) => one !== question);
      this.#side.answers(question.id, { outcome: pick % 3 === 2 ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: question.option } });
    },
    cancel: ({ phase }, sessionId) => {
      if (phase === 'open' || phase === 'child') this.#side.notifies('session/cancel', { sessionId });
    },
    cancelItem: ({ phase, list, known }, sessionId, pick) => {
      if (phase !== 'open') return;
      const item = pickOf(pick % 3 === 0 ? known : list, pick) ?? { type: 'terminal', terminalId: 'nobody' };
      if (item.type === 'terminal') this.#asks('terminal/cancel', sessionId, { terminalId: item.terminalId });
      else if (item.type === 'tool_call') this.#asks('tool_call/cancel', sessionId, { toolCallId: item.toolCallId });
    },
    resume: (session, sessionId) => this.#resumes(session, sessionId, {}),
    replay: (session, sessionId) => this.#resumes(session, sessionId, { replayFrom: { type: 'start' } }),
    close: (session, sessionId) => {
      if (session.phase !== 'open') return;
      session.phase = 'closing';
      this.#asks('session/close', sessionId);
    },
  };

  #resumes(session: ClientSession, sessionId: string, more: Message): void {
    if (session.phase !== 'open' && session.phase !== 'closed') return;
    session.phase = 'opening';
    this.#asks('session/resume', sessionId, { cwd: '/work', ...more });
  }
}
