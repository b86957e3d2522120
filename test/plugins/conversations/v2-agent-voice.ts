/**
 * How a scripted agent of ACP v2 says what it does: states with their lists, ends, and what a replay tells.
 * Knows its habits, not when it does what.
 */
import type { Message, Side } from '../../pipeline/harness.js';
import type { V2AgentKind } from './v2-agent-kinds.js';
import type { V2AgentSession } from './v2-agent-session.js';
import { ends, itemEnds, listed, monitorEnd, told, type Call, type Item, type Outcome } from './v2-agent-words.js';

export interface At {
  readonly id: string;
  readonly session: V2AgentSession;
  readonly pick: number;
  says(...updates: Message[]): void;
}

export class V2AgentVoice {
  readonly sessions = new Map<string, V2AgentSession>();
  /** How background work ended, by the id of its call. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #side: Side;
  readonly #kind: V2AgentKind;
  #ids = 0;

  constructor(side: Side, kind: V2AgentKind) {
    this.#side = side;
    this.#kind = kind;
  }

  new(prefix: string): string {
    return `${prefix}${(this.#ids += 1)}`;
  }

  tells(sessionId: string, update: Message): void {
    this.#side.notifies('session/update', { sessionId, update });
  }

  feeds(sessionId: string, words: readonly Message[]): void {
    for (const message of words) this.#side.notifies('_claude/sdkMessage', { sessionId, message: { type: 'system', ...message } });
  }

  /** What of the session's work, and of its subagents', is listed. */
  list(id: string, session: V2AgentSession): Message[] {
    const children = this.children(id).filter(([, child]) => child.isAtWork || child.items.length > 0);
    return [...session.items.flatMap(listed), ...children.map(([sessionId]) => ({ type: 'subagent', sessionId }))];
  }

  children(id: string): [string, V2AgentSession][] {
    return [...this.sessions].filter(([, { parent }]) => parent === id);
  }

  state(id: string, session: V2AgentSession): Message {
    return { state: session.word, ...(this.#kind.tells === 'lists' ? { background: this.list(id, session) } : {}) };
  }

  tellsState(id: string, session: V2AgentSession, word: V2AgentSession['word'], more: Message = {}): void {
    session.word = word;
    const state = { ...this.state(id, session), ...more };
    const parent = session.parent === undefined ? undefined : this.sessions.get(session.parent);
    if (parent !== undefined) this.tells(session.parent ?? '', { sessionUpdate: 'subagent_update', sessionId: id, state });
    this.tells(id, { sessionUpdate: 'state_update', ...state });
    const isListed = word !== 'idle' || session.items.length > 0;
    if (parent === undefined || (isListed ? 1 : 0) === session.told) return;
    session.told = isListed ? 1 : 0;
    if (!parent.isClosed) this.tellsState(session.parent ?? '', parent, parent.word);
  }

  startsOwn(id: string, session: V2AgentSession): void {
    if (session.isAtWork || session.isOver || session.parent !== undefined || !this.#kind.ownTurns) return;
    this.tellsState(id, session, 'running');
  }

  closes(id: string, session: V2AgentSession, says: At['says']): void {
    for (const request of session.asks.keys()) this.#side.notifies('$/cancel_request', { requestId: request });
    session.asks.clear();
    session.isCancelled = true;
    for (const item of [...session.items]) this.endsItem({ id, session, says, pick: 1 }, item, 'stopped', true);
    for (const stop of session.stops.splice(0)) this.#side.refuses(stop.id as number, { code: -32602, message: 'it has ended' });
    if (session.isAtWork) this.endsTurn(id, session, says, 1);
    else if (this.#kind.tells === 'lists') this.tellsState(id, session, 'idle');
    for (const prompt of session.prompts.splice(0)) this.#side.refuses(prompt.id as number, { code: -32800, message: 'closed' });
    session.isClosed = true;
  }

  endsCall(session: V2AgentSession, call: Call, outcome: Outcome, says: At['says']): void {
    session.calls = session.calls.filter((one) => one !== call);
    this.#outcomes.set(call.id, outcome);
    says(...ends(call, outcome));
  }

  endsItem({ id, session, says, pick }: At, item: Item, outcome: Outcome, isClosing = false): void {
    session.items = session.items.filter((one) => one !== item);
    if (item.call !== undefined) this.#outcomes.set(item.call.id, outcome);
    if (item.type === 'monitor' && item.call !== undefined) this.feeds(id, isClosing ? [] : monitorEnd(item.call, outcome));
    else says(...itemEnds(item, outcome, this.#kind.holdsShellCalls));
    if (this.#kind.tells === 'lists' && !isClosing && item.type !== 'monitor') this.tellsState(id, session, session.word);
    if (!isClosing && pick % 3 === 0) this.startsOwn(id, session);
  }

  endsTurn(id: string, session: V2AgentSession, says: At['says'], pick: number): void {
    for (const call of [...session.calls]) this.endsCall(session, call, session.isCancelled ? 'stopped' : 'completed', says);
    const isError = pick % 7 === 0 && !session.isCancelled;
    const reason = session.isCancelled ? { stopReason: 'cancelled' } : isError ? { stopReason: 'error', error: { code: -32603, message: 'no model' } } : { stopReason: 'end_turn' };
    session.isCancelled = false;
    this.tellsState(id, session, 'idle', reason);
  }

  /** A part of the history as it is told again. */
  again(session: V2AgentSession, one: Message | Call): Message[] {
    if (!('tool' in one)) return [{ ...one, sessionUpdate: String(one.sessionUpdate).replace('_chunk', ''), content: [{ type: 'text', text: `again ${one.content.text ?? one.content[0].text}` }] }];
    const isOpen = session.calls.includes(one);
    const item = session.items.find(({ call }) => call === one);
    const outcome = this.#outcomes.get(one.id) ?? (this.#kind.hasGaps && item !== undefined ? 'completed' : undefined);
    const word = isOpen || (item !== undefined && (item.type === 'tool_call' || (one.tool === 'Bash' && this.#kind.holdsShellCalls))) ? 'in_progress' : outcome === undefined || outcome === 'completed' ? 'completed' : outcome === 'failed' ? 'failed' : 'cancelled';
    return told(one, word, isOpen ? undefined : outcome);
  }
}
