/**
 * What both sides of a proxy may count on, told from nothing but the messages: JSON-RPC's requests
 * and responses on each side, and on the client's side ACP v2's states ("Prompt lifecycle"). Knows no
 * code of the proxy. `Broken` is thrown at the first message that breaks a rule.
 */
import type { Message } from '../../pipeline/harness.js';

export class Broken extends Error {
  override readonly name = 'Broken';
}

const expectThat = (holds: boolean, rule: string): void => {
  if (!holds) throw new Broken(rule);
};

const WORKING: readonly string[] = ['running', 'requires_action'];

/** The requests of one peer to another: an id is open once, and answered once. */
export class Requests {
  readonly #open = new Map<string, Message>();
  readonly #whose: string;

  constructor(whose: string) {
    this.#whose = whose;
  }

  asked(message: Message): void {
    const key = JSON.stringify(message.id);
    expectThat(!this.#open.has(key), `${this.#whose}: ${message.method} under ${key}, which is open`);
    this.#open.set(key, message);
  }

  answered({ id }: Message): Message {
    const key = JSON.stringify(id);
    const request = this.#open.get(key);
    expectThat(request !== undefined, `${this.#whose}: a response to ${key}, which is not open`);
    this.#open.delete(key);
    return request;
  }

  left(): string[] {
    return [...this.#open.values()].map(({ method, id }) => `${this.#whose}: never answered: ${method} ${JSON.stringify(id)}`);
  }

  done(): void {
    const left = this.left();
    expectThat(left.length === 0, left.join(', '));
  }
}

/** A session as the client is told of it. */
class ModelSession {
  state = 'idle';
  closed = false;
  /** The message that was shown last, and is not answered yet. */
  shown: string | undefined;
  /** A prompt was answered, and has not run yet. */
  inserted = false;
  /** Prompts that were taken in since the session was idle. */
  ofSpan = 0;
  spans = 0;
  ends = 0;
}

export class ConversationModel {
  readonly #sessions = new Map<string, ModelSession>();
  readonly #requests = { c2p: new Requests('client to proxy'), p2c: new Requests('proxy to client'), a2p: new Requests('agent to proxy'), p2a: new Requests('proxy to agent') };
  readonly #takesOver: boolean;

  /** `takesOver`: a turn of the agent's own can go on as the turn of a prompt, and then `idle` does not part them. */
  constructor(takesOver: boolean) {
    this.#takesOver = takesOver;
  }

  #session(id: string): ModelSession {
    const session = this.#sessions.get(id) ?? new ModelSession();
    this.#sessions.set(id, session);
    return session;
  }

  /** A message on its way between the proxy and one of its sides. */
  sees(way: 'c2p' | 'p2c' | 'a2p' | 'p2a', message: Message): void {
    const back = { c2p: 'p2c', p2c: 'c2p', a2p: 'p2a', p2a: 'a2p' } as const;
    const sessionId = message.params?.sessionId;
    if (way === 'p2c' && sessionId !== undefined) expectThat(!this.#session(sessionId).closed, `${message.method} for ${sessionId}, which is closed`);
    if (message.method === undefined) {
      const request = this.#requests[back[way]].answered(message);
      if (way === 'p2c') this.#answered(request, message);
    } else if (message.id !== undefined) {
      this.#requests[way].asked(message);
      if (way === 'c2p' && message.method === 'session/resume') this.#session(sessionId).closed = false;
    } else if (way === 'p2c' && message.method === 'session/update') this.#updated(this.#session(sessionId), message.params.update);
  }

  #answered({ method, params }: Message, { result, error }: Message): void {
    const session = this.#session(params?.sessionId);
    if (method === 'session/close' && (error === undefined || error.code === -32002)) {
      expectThat(session.state === 'idle', 'a close is answered while the session works');
      expectThat(!session.inserted, 'a close is answered before an inserted prompt ran');
      session.closed = true;
    }
    if (method === 'session/prompt' && error === undefined) {
      expectThat(session.shown === result.messageId, 'a prompt is answered with a message that was not shown just before');
      expectThat(session.state === 'idle' || (this.#takesOver && session.ofSpan === 0), `a prompt is taken in while the session is ${session.state}`);
      session.shown = undefined;
      session.inserted = session.state === 'idle';
      session.ofSpan++;
    }
  }

  #updated(session: ModelSession, update: Message): void {
    if (update.sessionUpdate === 'user_message') session.shown = update.messageId;
    if (update.sessionUpdate !== 'state_update') return;
    const wasWorking = WORKING.includes(session.state);
    if (WORKING.includes(update.state)) {
      session.inserted = false;
      if (!wasWorking) session.spans++;
    } else {
      expectThat(!session.inserted, 'idle before an inserted prompt ran');
      expectThat(wasWorking === (update.stopReason !== undefined), `idle ${wasWorking ? 'without' : 'with'} a stop reason after ${session.state}`);
      if (update.stopReason !== undefined) session.ends++;
      session.ofSpan = 0;
    }
    session.state = update.state;
  }

  /** Everything is over: nothing waits, and each span of work had one end. */
  over(): void {
    for (const requests of Object.values(this.#requests)) requests.done();
    for (const [id, { state, spans, ends }] of this.#sessions) {
      expectThat(state === 'idle', `${id} is ${state} when everything is over`);
      expectThat(spans === ends, `${id}: ${ends} ends of ${spans} spans of work`);
    }
  }
}
