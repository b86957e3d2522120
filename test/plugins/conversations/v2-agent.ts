/**
 * An agent of ACP v2 with background work, for random conversations. It does what it is told to do if the
 * protocol allows that at the moment, and else nothing. Knows nothing of ACP v1.
 */
import type { Message, Side } from '../../pipeline/harness.js';
import { V2AgentVoice, type At } from './v2-agent-voice.js';
import { V2AgentSession } from './v2-agent-session.js';
import type { V2AgentKind } from './v2-agent-kinds.js';
import { announces, begins, detaches, message, monitorLaunch, output, status, terminalOf, type Call, type Outcome, type Tool } from './v2-agent-words.js';

export type V2AgentAct =
  | 'say' | 'remark' | 'startCall' | 'updateCall' | 'endCall' | 'detach' | 'output' | 'pause' | 'endItem' | 'startOwn' | 'insert' | 'refuse' | 'endTurn' | 'ask' | 'takeBack' | 'repeatState'
  | 'startChild' | 'endChild' | 'answerStop' | 'answerSetUp' | 'answerClose';

const tools: readonly Tool[] = ['Bash', 'Edit', 'Bash', 'Workflow', 'Monitor'];
const outcomes: readonly Outcome[] = ['completed', 'failed', 'completed'];
const pickOf = <T>(from: readonly T[], pick: number): T | undefined => from[pick % Math.max(1, from.length)];
const entry = (content: string): Message => ({ content, priority: 'medium', status: 'pending' });

export class ScriptedV2Agent {
  readonly #side: Side;
  readonly #kind: V2AgentKind;
  readonly #voice: V2AgentVoice;

  constructor(side: Side, kind: V2AgentKind) {
    this.#side = side;
    this.#kind = kind;
    this.#voice = new V2AgentVoice(side, kind);
  }

  get sessions(): V2AgentVoice['sessions'] {
    return this.#voice.sessions;
  }

  hears(heard: Message): void {
    const { id, method, params } = heard;
    if (method === undefined) return this.#hearsAnswer(id);
    const session = this.sessions.get(params?.sessionId) ?? new V2AgentSession(undefined);
    const stop = (item: string): void => void session.stops.push({ id, item: session.items.find(({ id: own, type }) => own === item && type !== 'monitor') });
    const handlers: Readonly<Record<string, () => void>> = {
      initialize: () => this.#side.answers(id, {
        protocolVersion: 2, info: { name: this.#kind.name, version: this.#kind.version }, capabilities: { session: {} }, authMethods: [],
        ...(this.#kind.tells === 'tasks' ? { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks', 'nativeSubagentSessions'] } } } } : {}),
      }),
      'session/new': () => {
        const sessionId = `s${[...this.sessions.values()].filter(({ parent }) => parent === undefined).length}`;
        const made = new V2AgentSession(undefined);
        made.isFed = this.#kind.hasGaps && params._meta?.claudeCode?.emitRawSDKMessages !== undefined;
        this.sessions.set(sessionId, made);
        this.#side.answers(id, { sessionId });
      },
      'session/prompt': () => void session.prompts.push({ id, text: params.prompt[0].text }),
      'session/cancel': () => {
        if (session.isAtWork) session.isCancelled = true;
      },
      'session/close': () => void session.closes.push(id),
      'session/resume': () => {
        session.isClosed = false;
        session.setUps.push({ id, replays: params.replayFrom !== undefined && params.replayFrom !== null });
      },
      'terminal/cancel': () => stop(params.terminalId),
      'tool_call/cancel': () => stop(params.toolCallId),
      '_session/async_task/stop': () => stop(params.asyncTaskId),
      '$/cancel_request': () => this.#takesBack(params.requestId),
    };
    const handler = handlers[method];
    if (handler === undefined) throw new Error(`an agent was asked ${method}`);
    handler();
  }

  /** A prompt that is not taken in is taken back. */
  #takesBack(request: unknown): void {
    for (const session of this.sessions.values()) {
      if (!session.prompts.some(({ id }) => id === request)) continue;
      session.prompts = session.prompts.filter(({ id }) => id !== request);
      this.#side.refuses(request as number, { code: -32800, message: 'taken back' });
    }
  }

  #hearsAnswer(id: unknown): void {
    for (const [sessionId, session] of this.sessions) {
      const question = session.asks.get(id);
      session.asks.delete(id);
      if (question === undefined || question.isListed || session.isAsking || session.word !== 'requires_action') continue;
      // What is set up anew is told its state with that.
      if (session.isBusy) session.word = 'running';
      else this.#voice.tellsState(sessionId, session, 'running');
    }
  }

  /** Does it, if it may. `pick` chooses among what it can be done to. */
  does(act: V2AgentAct, id: string, pick: number): void {
    const session = this.sessions.get(id);
    if (session === undefined || session.isClosed) return;
    if (session.isBusy && act !== 'answerSetUp') return;
    this.#acts[act]({ id, session, pick, says: (...updates) => updates.forEach((update) => this.#voice.tells(id, update)) });
  }

  readonly #acts: Readonly<Record<V2AgentAct, (at: At) => void>> = {
    say: ({ session, says, pick }) => {
      if (!session.isAtWork || session.isOver) return;
      const one = message(pick % 4 === 0 ? 'agent_message' : pick % 4 === 1 ? 'agent_thought_chunk' : 'agent_message_chunk', this.#voice.new('m'), this.#voice.new('word '));
      session.history.push(one);
      says(one);
    },
    remark: ({ session, says, pick }) => {
      if (session.isOver) return;
      const remarks: readonly Message[] = [
        { sessionUpdate: 'usage_update', used: pick, size: 1000 },
        { sessionUpdate: 'session_info_update', title: this.#voice.new('title ') },
        { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries: [entry(this.#voice.new('step '))] } },
        { sessionUpdate: 'plan_removed', planId: 'plan' },
      ];
      says(remarks[pick % remarks.length]);
    },
    startCall: ({ session, says, pick }) => {
      if (!session.isAtWork || session.isOver || session.isCancelled || session.isAsking) return;
      const tool = pickOf(tools, pick) ?? 'Edit';
      const call: Call = { id: this.#voice.new('c'), tool: tool === 'Monitor' && !session.isFed ? 'Edit' : tool };
      session.calls.push(call);
      session.history.push(call);
      says(...begins(call));
    },
    updateCall: ({ session, says, pick }) => {
      const call = pickOf(session.calls, pick);
      const content = { type: 'content', content: { type: 'text', text: this.#voice.new('part ') } };
      if (call !== undefined) says(pick % 2 === 0 ? status(call, 'in_progress', { title: this.#voice.new('title ') }) : { sessionUpdate: 'tool_call_content_chunk', toolCallId: call.id, content });
    },
    endCall: ({ session, says, pick }) => {
      const call = pickOf(session.calls.filter((one) => !session.isAbout(one)), pick);
      if (call !== undefined) this.#voice.endsCall(session, call, pickOf(outcomes, pick) ?? 'completed', says);
    },
    detach: ({ id, session, says, pick }) => {
      const call = pickOf(session.calls.filter((one) => one.tool !== 'Edit' && !session.isAbout(one)), pick);
      if (call === undefined || session.isOver || session.isCancelled || (session.parent !== undefined && this.#kind.tells === 'tasks')) return;
      session.calls = session.calls.filter((one) => one !== call);
      if (call.tool === 'Monitor') {
        const { feed, update } = monitorLaunch(call);
        session.items.push({ type: 'monitor', id: call.id, call });
        this.#voice.feeds(id, feed);
        return says(update);
      }
      const type = this.#kind.tells === 'tasks' ? 'task' : call.tool === 'Bash' ? 'terminal' : 'tool_call';
      session.items.push({ type, id: type === 'task' ? `task-${call.id}` : type === 'terminal' ? terminalOf(call) : call.id, call });
      says(...detaches(call, this.#kind.tells, this.#kind.holdsShellCalls));
      if (this.#kind.tells === 'lists') this.#voice.tellsState(id, session, session.word);
    },
    output: ({ session, says, pick }) => {
      const call = pickOf([...session.calls, ...session.items.flatMap((item) => (item.call === undefined ? [] : [item.call]))].filter(({ tool }) => tool === 'Bash'), pick);
      if (call !== undefined) says(output(call, this.#voice.new('line '), pick % 5 === 0));
    },
    pause: ({ session, says, pick }) => {
      const item = pickOf(session.items.filter(({ type, call }) => type === 'tool_call' || (type === 'task' && call?.tool === 'Workflow')), pick);
      if (item?.call === undefined) return;
      const word = pick % 2 === 0 ? 'paused' : 'in_progress';
      says(item.type === 'task' ? { sessionUpdate: '_async_task_state_update', asyncTaskId: item.id, state: pick % 2 === 0 ? 'paused' : 'running' } : status(item.call, word));
    },
    endItem: (at) => {
      const item = pickOf(at.session.items.filter(({ call }) => !at.session.isAbout(call)), at.pick);
      if (item !== undefined) this.#voice.endsItem(at, item, pickOf(outcomes, at.pick) ?? 'completed');
    },
    startOwn: ({ id, session }) => this.#voice.startsOwn(id, session),
    insert: ({ id, session, says, pick }) => {
      const mayMix = this.#kind.mixesPrompts && !session.isCancelled && session.word === 'running';
      if (session.isOver || (session.isAtWork && !mayMix)) return;
      const prompt = session.prompts.shift();
      if (prompt === undefined) return;
      const messageId = this.#voice.new('u');
      const one = message('user_message', messageId, prompt.text);
      session.history.push(one);
      const running = (): void => this.#voice.tellsState(id, session, 'running');
      const isFirst = !session.isAtWork && pick % 3 === 1;
      if (isFirst) running();
      says(pick % 2 === 0 ? one : message('user_message_chunk', messageId, prompt.text));
      if (pick % 3 === 2 && !session.isAtWork) running();
      this.#side.answers(prompt.id as number, { messageId });
      if (!session.isAtWork) running();
    },
    refuse: ({ session, pick }) => {
      const prompt = pick % 3 === 0 ? session.prompts.shift() : undefined;
      if (prompt !== undefined) this.#side.refuses(prompt.id as number, { code: -32603, message: 'no model' });
    },
    endTurn: ({ id, session, says, pick }) => {
      if (session.isAtWork && !session.isAsking && session.parent === undefined) this.#voice.endsTurn(id, session, says, pick);
    },
    ask: ({ id, session, pick }) => {
      const own = session.items.filter(({ type }) => type === 'terminal' || type === 'tool_call').flatMap(({ call }) => (call === undefined ? [] : [call]));
      const call = pickOf([...(session.isCancelled || !session.isAtWork ? [] : session.calls), ...own], pick);
      if (call === undefined || session.isOver) return;
      const isListed = own.includes(call);
      if (!isListed && session.word === 'running') this.#voice.tellsState(id, session, 'requires_action');
      const title = this.#voice.new('May I ');
      const isCommand = call.tool === 'Bash' && (isListed || pick % 2 === 0);
      const subject = isCommand ? { type: 'command', command: './run.sh', cwd: '/work', toolCallId: call.id, terminalId: terminalOf(call) } : { type: 'tool_call', toolCall: { toolCallId: call.id, title: call.tool } };
      const options = [{ optionId: `yes ${title}`, name: 'Yes', kind: 'allow_once' }];
      session.asks.set(this.#side.requests('session/request_permission', { sessionId: id, title, subject, options }), { about: call, isListed });
    },
    takeBack: ({ session, pick }) => {
      const request = pickOf([...session.asks.keys()], pick);
      if (request !== undefined) this.#side.notifies('$/cancel_request', { requestId: request });
    },
    repeatState: ({ id, session }) => {
      if (!session.isOver) this.#voice.tellsState(id, session, session.word);
    },
    startChild: ({ id, session, says }) => {
      if (!this.#kind.subagents || !session.isAtWork || session.isOver || session.isCancelled || session.parent !== undefined) return;
      const child = `${id}/c`;
      const known = this.sessions.get(child);
      if (known?.isAtWork === true) return;
      const made = known ?? new V2AgentSession(id);
      this.sessions.set(child, made);
      const task = message('session_message', this.#voice.new('m'), 'Search');
      if (known === undefined) says({ sessionUpdate: 'subagent_update', sessionId: child, title: 'Searcher', capabilities: { cancel: {} } });
      this.#voice.tellsState(child, made, 'running');
      says({ ...task, senderSessionId: id, recipientSessionId: child });
      this.#voice.tells(child, { ...task, senderSessionId: id, recipientSessionId: child });
    },
    endChild: ({ id, pick }) => {
      const child = this.sessions.get(`${id}/c`);
      if (child === undefined || !child.isAtWork || child.isAsking) return;
      this.#voice.endsTurn(`${id}/c`, child, (...updates) => updates.forEach((update) => this.#voice.tells(`${id}/c`, update)), pick);
    },
    answerStop: (at) => {
      const stop = at.session.stops.shift();
      if (stop === undefined) return;
      const { item } = stop;
      const isThere = item !== undefined && at.session.items.includes(item);
      const isTask = this.#kind.tells === 'tasks';
      if (isTask) this.#side.answers(stop.id as number, { stopped: isThere });
      else if (isThere) this.#side.answers(stop.id as number, {});
      else this.#side.refuses(stop.id as number, { code: -32602, message: 'there is no such work' });
      if (isThere) this.#voice.endsItem(at, item, 'stopped');
    },
    answerSetUp: ({ id, session, says, pick }) => {
      const setUp = session.setUps.shift();
      if (setUp === undefined) return;
      if (setUp.replays) says(...session.history.flatMap((one) => this.#voice.again(session, one)));
      says(...session.items.flatMap(announces), ...this.#voice.children(id).map(([sessionId, child]) => ({ sessionUpdate: 'subagent_update', sessionId, title: 'Searcher', capabilities: { cancel: {} }, state: this.#voice.state(sessionId, child) })));
      this.#voice.tellsState(id, session, session.word);
      if (pick % 9 === 0) this.#side.refuses(setUp.id as number, { code: -32603, message: 'busy' });
      else this.#side.answers(setUp.id as number, {});
    },
    answerClose: ({ id, session, says, pick }) => {
      const close = session.closes.shift();
      if (close === undefined) return;
      if (pick % 5 === 0) return this.#side.refuses(close as number, { code: -32603, message: 'busy' });
      for (const [sessionId, child] of this.#voice.children(id)) this.#voice.closes(sessionId, child, (...updates) => updates.forEach((update) => this.#voice.tells(sessionId, update)));
      this.#voice.closes(id, session, says);
      this.#side.answers(close as number, {});
    },
  };


}
