/**
 * An ACP v1 agent with the extension for background work, for random conversations. It does what it is
 * told to do if the protocol allows that at the moment, and else nothing: it speaks in turns only, ends
 * its calls before their turn, and answers a close behind what it closes. Knows nothing of ACP v2.
 */
import type { Message, Side } from '../../pipeline/harness.js';
import type { AgentKind } from './agent-kinds.js';

interface Call {
  readonly id: string;
  readonly shell: boolean;
  /** The task that it launched. */
  task?: Task;
}

interface Task {
  readonly id: string;
  readonly call: Call;
  state: 'running' | 'ended';
  acknowledged: boolean;
}

interface Prompt {
  readonly id: string;
  cancelled: boolean;
}

/** A session as the agent knows it. */
export class AgentSession {
  prompts: Prompt[] = [];
  own: string | undefined;
  cancelled = false;
  /** Open calls of the turn. */
  calls: Call[] = [];
  tasks: Task[] = [];
  /** Open permission requests: the call, and the id. */
  asks = new Map<number, Call>();
  closes: string[] = [];
  /** It was closed, and not asked for again: what it says then are late words, and it starts nothing. */
  isClosed = false;
  loads: { readonly id: string; readonly replays: boolean }[] = [];
  stops: { readonly id: string; readonly task: string }[] = [];
  history: Message[] = [];

  get inTurn(): boolean {
    return this.prompts.length > 0 || this.own !== undefined;
  }

  get isClosing(): boolean {
    return this.closes.length > 0;
  }
}

const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
const pickOf = <T>(from: readonly T[], pick: number): T | undefined => from[pick % Math.max(1, from.length)];

/** Some histories tell of a command and not of its exit, or of a call and not how it ended. */
function withoutEnd(update: Message, keepsStatus: boolean): Message {
  if (update.sessionUpdate !== 'tool_call') return update;
  const { terminal_exit: _, ...meta } = update._meta ?? {};
  return { ...update, ...(keepsStatus ? {} : { status: 'in_progress' }), ...(update._meta === undefined ? {} : { _meta: meta }) };
}

export type AgentAct = 'say' | 'startCall' | 'updateCall' | 'endCall' | 'spawn' | 'acknowledge' | 'progress' | 'endTask' | 'endAgain' | 'startOwn' | 'endTurn' | 'dropQueued' | 'ask' | 'takeBack' | 'answerStop' | 'answerSetUp' | 'answerClose';

export class ScriptedAgent {
  readonly sessions = new Map<string, AgentSession>();
  readonly #side: Side;
  readonly #kind: AgentKind;
  #ids = 0;

  constructor(side: Side, kind: AgentKind) {
    this.#side = side;
    this.#kind = kind;
  }

  /** Takes in one message. `initialize` and `session/new` are answered at once. */
  hears({ id, method, params }: Message): void {
    if (method === undefined) return this.#hearsAnswer(id);
    const session = this.sessions.get(params?.sessionId) ?? new AgentSession();
    const handlers: Record<string, () => void> = {
      initialize: () => this.#side.answers(id, {
        protocolVersion: 1, agentInfo: { name: this.#kind.name, version: this.#kind.version },
        agentCapabilities: { loadSession: true, sessionCapabilities: { close: {}, resume: {}, list: {} } },
        _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks', 'nativeSubagentSessions'] } } },
      }),
      'session/new': () => {
        const sessionId = `s${this.sessions.size}`;
        this.sessions.set(sessionId, new AgentSession());
        this.#side.answers(id, { sessionId });
      },
      'session/prompt': () => {
        session.prompts.push({ id, cancelled: false });
        session.history.push({ sessionUpdate: 'user_message_chunk', messageId: `u-${id}`, content: params.prompt[0] });
      },
      'session/cancel': () => {
        session.cancelled = session.inTurn;
        session.prompts.forEach((prompt) => (prompt.cancelled = true));
      },
      'session/close': () => void session.closes.push(id),
      'session/load': () => this.#isAskedFor(session, { id, replays: true }),
      'session/resume': () => this.#isAskedFor(session, { id, replays: false }),
      '_session/async_task/stop': () => void session.stops.push({ id, task: params.asyncTaskId }),
    };
    const handler = handlers[method];
    if (handler === undefined) throw new Error(`an agent was asked ${method}`);
    handler();
  }

  #isAskedFor(session: AgentSession, load: AgentSession['loads'][number]): void {
    session.isClosed = false;
    session.loads.push(load);
  }

  #hearsAnswer(id: number): void {
    for (const session of this.sessions.values()) session.asks.delete(id);
  }

  #tells(sessionId: string, update: Message): void {
    this.#side.notifies('session/update', { sessionId, update });
  }

  #new(prefix: string): string {
    return `${prefix}${++this.#ids}`;
  }

  /** Does it, if it may. `pick` chooses among what it can be done to. */
  does(act: AgentAct, sessionId: string, pick: number): void {
    const session = this.sessions.get(sessionId);
    if (session) this.#acts[act](session, (update) => this.#tells(sessionId, update), pick, sessionId);
  }

  readonly #acts: Readonly<Record<AgentAct, (session: AgentSession, tells: (update: Message) => void, pick: number, sessionId: string) => void>> = {
    say: (session, tells) => {
      if (session.isClosing || session.loads.length > 0 || (!session.inTurn && (this.#kind.ownTurns !== 'unmarked' || session.history.length === 0))) return;
      const update = { sessionUpdate: 'agent_message_chunk', messageId: this.#new('m'), content: { type: 'text', text: 'word' } };
      session.history.push(update);
      tells(update);
    },
    startCall: (session, tells, pick) => {
      if (!session.inTurn || session.isClosing || session.cancelled || session.loads.length > 0) return;
      const call: Call = { id: this.#new('c'), shell: pick % 2 === 0 };
      session.calls.push(call);
      tells(this.#callUpdate(call, 'in_progress'));
    },
    updateCall: (session, tells, pick) => {
      const call = pickOf(session.calls, pick);
      if (call && session.loads.length === 0) tells({ sessionUpdate: 'tool_call_update', toolCallId: call.id, title: `title ${pick}` });
    },
    endCall: (session, tells, pick) => {
      const call = pickOf(session.calls.filter((one) => one.task === undefined && !this.#isAsked(session, one)), pick);
      if (call && session.loads.length === 0) this.#ends(session, call, tells, pick % 3 === 0);
    },
    spawn: (session, tells, pick) => {
      const call = pickOf(session.calls.filter((one) => one.task === undefined && !this.#isAsked(session, one)), pick);
      if (call === undefined || session.loads.length > 0 || session.isClosing || session.cancelled) return;
      call.task = { id: this.#new('t'), call, state: 'running', acknowledged: false };
      session.tasks.push(call.task);
      tells(this.#spawned(call.task));
    },
    acknowledge: (session, tells, pick) => {
      const call = pickOf(session.calls.filter(({ task }) => task !== undefined), pick);
      if (call && session.loads.length === 0) this.#acknowledges(session, call, tells);
    },
    progress: (session, tells, pick) => {
      const task = pickOf(session.tasks.filter(({ state }) => state === 'running'), pick);
      if (task && session.loads.length === 0) tells({ sessionUpdate: 'async_task_progress', asyncTaskId: task.id, description: `step ${pick}`, toolCallId: task.call.id });
    },
    endTask: (session, tells, pick) => {
      const task = pickOf(session.tasks.filter((one) => one.state === 'running' && !this.#isAsked(session, one.call)), pick);
      if (task && session.loads.length === 0) this.#endsTask(session, task, tells, pick % 3 === 0 ? 'failed' : 'completed');
    },
    endAgain: (session, tells, pick) => {
      const task = pickOf(session.tasks.filter(({ state }) => state === 'ended'), pick);
      if (task && session.loads.length === 0) tells({ sessionUpdate: 'async_task_state_update', asyncTaskId: task.id, state: 'completed' });
    },
    startOwn: (session, tells) => {
      if (session.inTurn || session.isClosing || session.isClosed || session.loads.length > 0 || this.#kind.ownTurns !== 'told') return;
      session.own = this.#new('own');
      tells({ sessionUpdate: 'async_task_spawned', asyncTaskId: session.own, taskType: 'turn', canStop: false });
    },
    endTurn: (session, tells, pick) => {
      if (session.loads.length === 0 && [...session.asks.values()].every(({ task }) => task !== undefined)) this.#endsTurn(session, tells, pick);
    },
    dropQueued: (session) => {
      const index = session.prompts.findLastIndex(({ cancelled }) => cancelled);
      const isQueued = index > 0 || (index === 0 && session.own !== undefined);
      if (isQueued) this.#side.answers(session.prompts.splice(index, 1)[0]?.id ?? '', { stopReason: 'cancelled' });
    },
    ask: (session, _, pick, sessionId) => {
      const running = session.tasks.filter(({ state, acknowledged }) => state === 'running' && acknowledged).map(({ call }) => call);
      const call = pickOf(session.cancelled ? running : [...session.calls.filter(({ task }) => task === undefined), ...running], pick);
      if (call === undefined || session.isClosing || session.loads.length > 0) return;
      session.asks.set(this.#side.requests('session/request_permission', { sessionId, toolCall: { toolCallId: call.id, title: 'May I?' }, options }), call);
    },
    takeBack: (session, _, pick) => {
      const id = pickOf([...session.asks.keys()], pick);
      if (id !== undefined) this.#side.notifies('$/cancel_request', { requestId: id });
    },
    answerStop: (session, tells) => {
      const stop = session.loads.length > 0 ? undefined : session.stops.shift();
      if (stop === undefined) return;
      const task = session.tasks.find(({ id, state }) => id === stop.task && state === 'running');
      this.#side.answers(stop.id, { stopped: task !== undefined });
      if (task) this.#endsTask(session, task, tells, 'stopped');
    },
    answerSetUp: (session, tells, pick) => {
      const load = session.loads.shift();
      if (load === undefined) return;
      if (load.replays) {
        session.history.forEach((update) => tells(pick % 3 === 0 ? update : withoutEnd(update, pick % 3 === 1)));
        if (pick % 2 === 0) session.tasks.filter(({ state }) => state === 'running').forEach((task) => tells(this.#spawned(task)));
      }
      this.#side.answers(load.id, {});
    },
    answerClose: (session, tells, pick) => {
      const close = session.closes[0];
      if (close === undefined || session.loads.length > 0) return;
      if (pick % 5 === 0) {
        this.#side.refuses(close, { code: -32603, message: 'busy' });
        session.closes.shift();
        return;
      }
      session.cancelled = true;
      while (session.inTurn) this.#endsTurn(session, tells, 1);
      for (const { id } of session.stops) this.#side.answers(id, { stopped: false });
      session.tasks = [];
      session.stops = [];
      session.closes.shift();
      session.cancelled = false;
      session.isClosed = true;
      this.#side.answers(close, {});
    },
  };

  #isAsked(session: AgentSession, call: Call): boolean {
    return [...session.asks.values()].includes(call);
  }

  #callUpdate({ id, shell }: Call, status: string): Message {
    const command = { kind: 'execute', content: [{ type: 'terminal', terminalId: id }], rawInput: { command: './run.sh' }, _meta: { terminal_info: { terminal_id: id, cwd: '/work' } } };
    const told = { sessionUpdate: 'tool_call', toolCallId: id, title: id, status, ...(shell ? command : { kind: 'other' }) };
    return shell && status !== 'in_progress' ? { ...told, _meta: { ...command._meta, terminal_exit: { terminal_id: id, exit_code: status === 'failed' ? 1 : 0, signal: null } } } : told;
  }

  #spawned({ id, call }: Task): Message {
    return { sessionUpdate: 'async_task_spawned', asyncTaskId: id, taskType: call.shell ? 'shell' : 'workflow', canStop: true, toolCallId: call.id };
  }

  #ends(session: AgentSession, call: Call, tells: (update: Message) => void, fails: boolean): void {
    const status = fails ? 'failed' : 'completed';
    session.calls = session.calls.filter((one) => one !== call);
    session.history.push(this.#callUpdate(call, status));
    tells({ sessionUpdate: 'tool_call_update', toolCallId: call.id, status, ...(call.shell ? { _meta: { terminal_exit: { terminal_id: call.id, exit_code: fails ? 1 : 0, signal: null } } } : {}) });
  }

  #acknowledges(session: AgentSession, call: Call, tells: (update: Message) => void): void {
    const { task } = call;
    session.calls = session.calls.filter((one) => one !== call);
    if (task === undefined || task.acknowledged) return;
    task.acknowledged = true;
    if (call.shell && this.#kind.holdsShellCalls) return;
    session.history.push(this.#callUpdate(call, 'completed'));
    tells({ sessionUpdate: 'tool_call_update', toolCallId: call.id, status: 'completed' });
  }

  #endsTask(session: AgentSession, task: Task, tells: (update: Message) => void, state: string): void {
    task.state = 'ended';
    tells({ sessionUpdate: 'async_task_state_update', asyncTaskId: task.id, state });
    if (task.call.shell && this.#kind.holdsShellCalls) {
      task.acknowledged = true;
      this.#ends(session, task.call, tells, state !== 'completed');
    }
  }

  /** The turn that runs is over, its calls before it. */
  #endsTurn(session: AgentSession, tells: (update: Message) => void, pick: number): void {
    const [prompt] = session.prompts;
    if (!session.inTurn) return;
    for (const call of session.calls) call.task === undefined ? this.#ends(session, call, tells, session.cancelled) : this.#acknowledges(session, call, tells);
    if (session.own !== undefined) {
      tells({ sessionUpdate: 'async_task_state_update', asyncTaskId: session.own, state: session.cancelled ? 'stopped' : 'completed' });
      session.own = undefined;
      session.cancelled = session.isClosing;
    } else if (prompt !== undefined) {
      session.prompts.shift();
      if (pick % 7 === 0 && !prompt.cancelled) this.#side.refuses(prompt.id, { code: -32603, message: 'no model' });
      else this.#side.answers(prompt.id, { stopReason: prompt.cancelled || session.isClosing ? 'cancelled' : 'end_turn' });
      session.cancelled = session.isClosing || session.prompts[0]?.cancelled === true;
    }
  }
}
