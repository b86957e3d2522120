/**
 * Tool calls and terminals of a v2 session for a v1 client, which knows a terminal by the calls that
 * show it. Output as text is told at most some times a second: each time the call's content is told anew.
 */
import { arrayOf, fieldsAfter, hasEnded, idOf, isObject, newCall, newTerminal, untoldTerminal, terminalAfter, toldTerminal, toV1CallUpdate, toV1TerminalText, type AskedAbout, type DownCall, type DownCallContext, type JsonObject, terminalsIn } from 'afterturn/protocol';
import type { DownConnection } from './connection.js';
import type { DownSession } from './session.js';

/** Milliseconds that the last status of a call waits for the list that its work may be on. */
const LISTED_WITHIN_MS = 100;
/** Milliseconds between two updates of text that shows an output. */
export const TEXT_INTERVAL_MS = 250;

type Update = JsonObject & { readonly sessionUpdate: string };

export class DownCalls {
  readonly #connection: DownConnection;

  constructor(connection: DownConnection) {
    this.#connection = connection;
  }

  /** A `tool_call_update` or a `tool_call_content_chunk`. */
  onCall(session: DownSession, update: Update, faults: string[]): void {
    const id = idOf(update.toolCallId);
    if (id === undefined) return;
    if (!this.#mayGoOn(session, id, update)) return this.#tell(session, id, update, faults);
    this.#tell(session, id, { ...update, status: undefined }, faults);
    session.held.set(id, update.status);
    session.releasing ??= this.#connection.host.after(LISTED_WITHIN_MS, () => this.release(session));
  }

  /**
   * Whether a completed call may be the launch of work that goes on: its terminal has not exited. The
   * list that says so comes just behind, and with it what keeps the call open for the client.
   */
  #mayGoOn(session: DownSession, id: string, update: JsonObject): boolean {
    if (update.status !== 'completed' || session.replays) return false;
    const { calls, terminals } = session.transcript;
    const { content } = fieldsAfter(calls.get(id)?.fields ?? {}, update);
    return terminalsIn(content).some((terminal) => terminals.get(terminal)?.exit === undefined);
  }

  /** Tells the statuses that wait. */
  release(session: DownSession): void {
    session.releasing?.();
    session.releasing = undefined;
    for (const [id, status] of session.held) {
      session.held.delete(id);
      this.#tellKnown(session, id, { status });
    }
  }

  /** Tells all that waits: what comes next ends the session, its agent, or what is known of it. */
  settle(session: DownSession): void {
    this.flush(session);
    this.release(session);
  }

  /** A `terminal_update` or a `terminal_output_chunk`. */
  onTerminal(session: DownSession, update: Update): void {
    const id = idOf(update.terminalId);
    if (id === undefined) return;
    const { terminals, calls } = session.transcript;
    const before = terminals.get(id) ?? newTerminal;
    if (session.replays && update.exitStatus !== undefined) session.pastExits.set(id, update.exitStatus);
    const terminal = terminalAfter(before, session.replays ? { ...update, exitStatus: undefined } : update);
    session.rememberTerminal(id, terminal);
    if (this.#connection.client.terminalOutput) {
      if (terminal.shownBy !== undefined) this.#tell(session, terminal.shownBy, {}, []);
      return;
    }
    for (const [call, { fields }] of calls) if (terminalsIn(fields.content).includes(id)) session.changed.add(call);
    if (session.changed.size === 0) return;
    if (terminal.exit !== undefined && before.exit === undefined) this.flush(session);
    else session.flushing ??= this.#connection.host.after(TEXT_INTERVAL_MS, () => this.flush(session));
  }

  /**
   * The history is over: tells the exits in it. What the state behind it lists lives: an exit of that was
   * not its end, and v1 has no way to take one back.
   */
  tellPastExits(session: DownSession): void {
    const past = [...session.pastExits].filter(([id, exit]) => isObject(exit) && !session.live.has(id));
    session.pastExits.clear();
    for (const [terminalId, exitStatus] of past) this.onTerminal(session, { sessionUpdate: 'terminal_update', terminalId, exitStatus });
  }

  /** The history is over: tells the calls that go on and that it does not hold, as those of a subagent. */
  tellEarlier(session: DownSession): void {
    const { earlier } = session;
    const isNew = earlier !== undefined && earlier !== session.transcript;
    if (isNew) for (const [id, call] of earlier.calls) if (!session.transcript.calls.has(id) && !hasEnded(call)) this.#tellKnown(session, id, {});
    session.earlier = undefined;
  }

  /** A call that the history has not told, and that goes on: as it was, of which the client knows nothing any more. */
  #earlier({ earlier, transcript }: DownSession, id: string): DownCall | undefined {
    const call = earlier?.calls.get(id);
    if (earlier === undefined || call === undefined || hasEnded(call)) return undefined;
    for (const terminalId of terminalsIn(call.fields.content)) {
      const terminal = earlier.terminals.get(terminalId);
      if (terminal !== undefined && !transcript.terminals.has(terminalId)) transcript.terminals.set(terminalId, untoldTerminal(terminal));
    }
    return { ...call, told: undefined };
  }

  /** Tells what waits to be told of outputs. */
  flush(session: DownSession): void {
    session.flushing?.();
    session.flushing = undefined;
    for (const call of session.changed) this.#tellKnown(session, call, {});
    session.changed.clear();
  }

  /** What waited is nothing new of a call that is forgotten. */
  #tellKnown(session: DownSession, id: string, update: JsonObject): void {
    if (this.knows(session, id)) this.#tell(session, id, update, []);
  }

  /** Whether the client was told of the call, and it is not forgotten. */
  knows({ transcript, earlier }: DownSession, id: string): boolean {
    return transcript.calls.has(id) || earlier?.calls.has(id) === true;
  }

  /**
   * The call as a permission request shows it to the client: with what the request says of it, and why
   * it asks. A client takes that as an update, so the next one takes the reason away again.
   */
  asked(session: DownSession, id: string, { update, reason }: Pick<AskedAbout, 'update' | 'reason'>, faults: string[]): JsonObject {
    this.#tell(session, id, { ...update, status: undefined }, faults);
    const call = session.transcript.calls.get(id) ?? newCall;
    if (reason === undefined) return { toolCallId: id, ...call.told };
    const told = { ...call.told, content: [reason, ...(arrayOf(call.told?.content) ?? [])] };
    session.rememberCall(id, { ...call, told });
    return { toolCallId: id, ...told };
  }

  #tell(session: DownSession, id: string, update: JsonObject, faults: string[]): void {
    const before = session.transcript.calls.get(id) ?? (update.title === undefined ? this.#earlier(session, id) : undefined) ?? newCall;
    session.changed.delete(id);
    const context: DownCallContext = { claudeMeta: this.#connection.agent.claudeMeta, terminal: (terminalId) => this.#shown(session, terminalId) };
    const { call, update: said } = toV1CallUpdate(id, before, update, context, faults);
    session.rememberCall(id, call);
    const news = this.#newsOf(session, id, call.fields.content);
    if (said === undefined && news.length === 0) return;
    const [first = {}, ...others] = news;
    const own = said ?? { sessionUpdate: 'tool_call_update', toolCallId: id };
    const meta = { ...(own._meta as JsonObject | undefined), ...first };
    this.#connection.send(session, Object.keys(meta).length > 0 ? { ...own, _meta: meta } : own);
    for (const one of others) this.#connection.send(session, { sessionUpdate: 'tool_call_update', toolCallId: id, _meta: one });
  }

  #shown(session: DownSession, terminalId: string): readonly JsonObject[] {
    if (this.#connection.client.terminalOutput) return [{ type: 'terminal', terminalId }];
    return toV1TerminalText(session.transcript.terminals.get(terminalId) ?? newTerminal);
  }

  /** What is new of the terminals that the call shows, each in an update of its own. */
  #newsOf(session: DownSession, call: string, content: unknown): JsonObject[] {
    if (!this.#connection.client.terminalOutput) return [];
    return terminalsIn(content).flatMap((id) => {
      const { terminal, meta } = toldTerminal(id, session.transcript.terminals.get(id) ?? newTerminal, call);
      session.rememberTerminal(id, terminal);
      return meta === undefined ? [] : [meta];
    });
  }
}
