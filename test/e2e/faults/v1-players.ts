/**
 * A v1 client at its defaults and an agent like claude-agent-acp, which say what a random script tells
 * them, and what the client may count on: what is no tool call comes as it was said, in its order; a call
 * that launched work ends when its work has; and every call has ended at last.
 */
import { call as frames, raw } from '../../plugins/keep-open/conversation.js';
import type { Message } from '../../pipeline/harness.js';
import type { Casting, Hall, Way } from './talk.js';
import type { AgentAct, ClientAct, V1Script } from './v1-script.js';

interface Call {
  readonly id: string;
  readonly tool: string;
}
interface Task extends Call {
  readonly task: string;
}

/** A session as the agent knows it. */
class AgentSession {
  prompts: Message[] = [];
  calls: Call[] = [];
  tasks: Task[] = [];
  closes: Message[] = [];
  asks = 0;
  isFed = false;
  isCancelled = false;
  isClosed = false;
}

interface ClientSession {
  open: boolean;
  prompts: number;
  questions: Message[];
}

const launches: readonly (readonly [tool: string, answer: (task: string) => Message])[] = [
  ['Bash', (backgroundTaskId) => ({ stdout: '', backgroundTaskId })],
  ['Monitor', (taskId) => ({ taskId, timeoutMs: 60_000, persistent: false })],
  ['Agent', (agentId) => ({ isAsync: true, status: 'async_launched', agentId })],
  ['Workflow', (taskId) => ({ status: 'async_launched', taskId, runId: 'wf' })],
];
const tools = ['Edit', 'Bash', 'Read'] as const;
const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
const statuses = ['completed', 'failed', 'killed'] as const;
const final: readonly unknown[] = ['completed', 'failed'];
const pickOf = <T>(from: readonly T[], pick: number): T | undefined => from[pick % Math.max(1, from.length)];

/** What may be changed on its way, or held back: tool calls, and the feed that the client did not ask for. */
const isOurs = ({ method, params }: Message): boolean => method === '_claude/sdkMessage' || (method === 'session/update' && String(params.update.sessionUpdate).startsWith('tool_call'));

export const v1Players = (script: V1Script): Casting => ({ client: clientSide, agent: agentSide }) => {
  const agentSessions = new Map<string, AgentSession>();
  const clientSessions = new Map<string, ClientSession>();
  const waiting = new Map<unknown, (answer: Message) => void>();
  const asked = new Map<unknown, AgentSession>();
  let ids = 0;
  const made = (prefix: string): string => `${prefix}${(ids += 1)}`;

  /** What the agent said that has to come as it is, and what of it has not come yet. */
  const due: string[] = [];
  const statusOf = new Map<string, unknown>();
  /** Calls whose work goes on. */
  const working = new Set<string>();

  function sees(way: Way, message: Message): void {
    if (way === 'a2p' && !isOurs(message)) due.push(JSON.stringify(message));
    if (way !== 'p2c') return;
    if (!isOurs(message)) {
      const expected = due.shift();
      const came = JSON.stringify(message);
      if (came !== expected) throw new Error(`what is no tool call comes as it was said, in its order: expected ${expected?.slice(0, 200)}, came ${came.slice(0, 200)}`);
      return;
    }
    const { toolCallId, status } = message.params.update ?? {};
    if (toolCallId === undefined) throw new Error('the client sees nothing of a feed that it did not ask for');
    if (status !== undefined) statusOf.set(toolCallId, status);
    if (final.includes(status) && working.has(toolCallId)) throw new Error(`the call ${toolCallId} ends when its work has; it came as ${String(status)}`);
  }

  const agentHears: Readonly<Record<string, (message: Message) => void>> = {
    initialize: ({ id }) => agentSide.answers(id, { protocolVersion: 1, agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' }, agentCapabilities: { sessionCapabilities: { close: {} } }, authMethods: [] }),
    'session/new': ({ id, params }) => {
      const session = new AgentSession();
      session.isFed = params._meta?.claudeCode?.emitRawSDKMessages !== undefined;
      const sessionId = `s${agentSessions.size}`;
      agentSessions.set(sessionId, session);
      agentSide.answers(id, { sessionId });
    },
    'session/prompt': (message) => void agentSessions.get(message.params.sessionId)?.prompts.push(message),
    'session/cancel': ({ params }) => {
      const session = agentSessions.get(params.sessionId);
      if (session) session.isCancelled = session.prompts.length > 0;
    },
    'session/close': (message) => void agentSessions.get(message.params.sessionId)?.closes.push(message),
  };

  const agentActs: Readonly<Record<AgentAct, (session: AgentSession, at: { readonly sessionId: string; readonly pick: number; says(update: Message): void; feeds(message: Message): void }) => void>> = {
    say: (_, { says, pick }) => says({ sessionUpdate: pick % 3 === 0 ? 'agent_thought_chunk' : 'agent_message_chunk', content: { type: 'text', text: made('word ') } }),
    startCall(session, { says, pick }) {
      if (session.prompts.length === 0 || session.isCancelled) return;
      const call = { id: made('c'), tool: tools[pick % tools.length] ?? 'Edit' };
      session.calls.push(call);
      says(frames.starts(call.id, call.tool));
    },
    updateCall(session, { says, pick }) {
      const call = pickOf(session.calls, pick);
      if (call) says({ sessionUpdate: 'tool_call_update', toolCallId: call.id, status: 'in_progress', title: made('title ') });
    },
    endCall(session, { says, pick }) {
      const call = pickOf(session.calls, pick);
      if (call === undefined || session.asks > 0) return;
      session.calls = session.calls.filter((one) => one !== call);
      says(pick % 4 === 0 ? frames.fails(call.id, call.tool) : frames.completes(call.id, call.tool));
    },
    launch(session, { says, feeds, pick }) {
      if (session.prompts.length === 0 || session.isCancelled || !session.isFed) return;
      const [tool, answer] = launches[pick % launches.length] ?? ['Bash', () => ({})];
      const task: Task = { id: made('c'), tool, task: made('t') };
      session.tasks.push(task);
      working.add(task.id);
      says(frames.starts(task.id, tool));
      feeds(raw.live(...session.tasks.map((one) => raw.task(one.task, 'work'))));
      feeds(raw.started(task.task, task.id, 'work'));
      says(frames.answers(task.id, tool, answer(task.task)));
      says(frames.completes(task.id, tool));
    },
    progress(session, { feeds, pick }) {
      const task = pickOf(session.tasks, pick);
      if (task) feeds({ subtype: 'task_progress', task_id: task.task, run_id: `run-${task.task}`, description: made('step ') });
    },
    endTask: (session, at) => endTask(session, at, ['updated', 'notified']),
    notifyFirst: (session, at) => endTask(session, at, ['notified', 'updated']),
    endTurn(session) {
      const prompt = session.prompts[0];
      if (prompt === undefined || session.asks > 0) return;
      session.prompts.shift();
      // What is open now stays so for ever.
      session.calls = [];
      agentSide.answers(prompt.id, { stopReason: session.isCancelled ? 'cancelled' : 'end_turn' });
      session.isCancelled = false;
    },
    ask(session, { sessionId, pick }) {
      const call = pickOf(session.calls, pick);
      if (call === undefined || session.isCancelled || session.closes.length > 0) return;
      session.asks += 1;
      asked.set(agentSide.requests('session/request_permission', { sessionId, toolCall: { toolCallId: call.id, title: 'May I?' }, options }), session);
    },
  };

  function endTask(session: AgentSession, { feeds, pick }: { pick: number; feeds(message: Message): void }, order: readonly ('updated' | 'notified')[]): void {
    const task = pickOf(session.tasks, pick);
    if (task === undefined) return;
    const status = statuses[pick % statuses.length] ?? 'completed';
    session.tasks = session.tasks.filter((one) => one !== task);
    working.delete(task.id);
    for (const how of order) feeds(how === 'updated' ? raw.updated(task.task, status) : raw.notified(task.task, status, 'It is done.'));
    feeds(raw.live(...session.tasks.map((one) => raw.task(one.task, 'work'))));
  }

  function agentDoes(act: AgentAct, sessionId: string, pick: number): void {
    const session = agentSessions.get(sessionId);
    if (session === undefined || session.isClosed || (session.closes.length > 0 && act !== 'endTurn')) return;
    agentActs[act](session, {
      sessionId, pick,
      says: (update) => agentSide.notifies('session/update', { sessionId, update }),
      feeds: (message) => agentSide.notifies('_claude/sdkMessage', { sessionId, message: { type: 'system', ...message } }),
    });
  }

  /** Everything of a session that closes has ended when that is answered. */
  function answerCloses(): void {
    for (const [sessionId, session] of agentSessions) {
      const [close] = session.closes;
      if (close === undefined || session.asks > 0) continue;
      session.isCancelled = true;
      while (session.prompts.length > 0) agentDoes('endTurn', sessionId, 0);
      session.closes.shift();
      for (const { id } of session.tasks) working.delete(id);
      session.tasks = [];
      session.isClosed = true;
      agentSide.answers(close.id, {});
    }
  }

  const ask = (method: string, params: Message, then: (answer: Message) => void): void => void waiting.set(clientSide.requests(method, params), then);
  const clientActs: Readonly<Record<ClientAct, (session: ClientSession, sessionId: string, pick: number) => void>> = {
    prompt(session, sessionId) {
      if (!session.open || session.prompts > 0) return;
      session.prompts += 1;
      ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: made('do ') }] }, () => (session.prompts -= 1));
    },
    cancel(session, sessionId) {
      if (!session.open || session.prompts === 0) return;
      clientSide.notifies('session/cancel', { sessionId });
      while (session.questions.length > 0) clientSide.answers(session.questions.shift()?.id, { outcome: { outcome: 'cancelled' } });
    },
    answer(session, _, pick) {
      const question = session.questions.shift();
      if (question) clientSide.answers(question.id, { outcome: pick % 3 === 2 ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: 'y' } });
    },
    close(session, sessionId, pick) {
      if (!session.open || session.prompts > 0 || pick % 3 > 0) return;
      session.open = false;
      ask('session/close', { sessionId }, () => undefined);
    },
  };
  const clientDoes = (act: ClientAct, sessionId: string, pick: number): void => {
    const session = clientSessions.get(sessionId);
    if (session) clientActs[act](session, sessionId, pick);
  };

  const unfinished = (): string[] => [...statusOf].filter(([, status]) => !final.includes(status)).map(([id, status]) => `${id} ${String(status)}`);
  const isAtRest = (): boolean => waiting.size === 0 && due.length === 0 && unfinished().length === 0 && working.size === 0;

  async function comesToRest({ goesOn, waits }: Hall): Promise<void> {
    for (let round = 0; goesOn() && !isAtRest() && round < 1500; round += 1) {
      for (const session of clientSessions.keys()) {
        clientDoes('answer', session, 0);
        for (const act of ['endTurn', 'endTask'] as const) agentDoes(act, session, 0);
      }
      answerCloses();
      await waits(round < 20 ? 2 : 20);
    }
    if (goesOn() && !isAtRest()) throw new Error(`all comes to its rest: ${waiting.size} requests wait, ${due.length} messages did not come, unfinished: ${unfinished().join(', ')}`);
  }

  return {
    sees,
    ends: () => working.clear(),
    left: () => [...due.map((text) => `did not come: ${text.slice(0, 200)}`), ...unfinished().map((call) => `the call is left ${call}`)],
    agent: {
      hears(message) {
        if (message.method !== undefined) return agentHears[message.method]?.(message);
        const session = asked.get(message.id);
        asked.delete(message.id);
        if (session) session.asks -= 1;
      },
    },
    client: {
      hears(message) {
        const { id, method, params } = message;
        if (method === 'session/request_permission') clientSessions.get(params.sessionId)?.questions.push(message);
        if (method !== undefined) return;
        const then = waiting.get(id);
        if (then === undefined) throw new Error(`a response to ${String(id)}, which is not open`);
        waiting.delete(id);
        then(message);
      },
    },
    async play(hall) {
      ask('initialize', { protocolVersion: 1, clientCapabilities: {} }, () => undefined);
      await hall.until(() => waiting.size === 0);
      for (let n = 0; n < 2; n += 1) ask('session/new', { cwd: '/work', mcpServers: [] }, ({ result }) => result && clientSessions.set(result.sessionId, { open: true, prompts: 0, questions: [] }));
      await hall.until(() => waiting.size === 0);
      for (const step of script) {
        if (!hall.goesOn()) return;
        if (step.by === 'clock') await hall.waits(step.ms);
        else if (step.by === 'client') clientDoes(step.act, step.session, step.pick);
        else agentDoes(step.act, step.session, step.pick);
        answerCloses();
        if (step.by !== 'clock') await hall.paces();
      }
      await comesToRest(hall);
    },
  };
};
