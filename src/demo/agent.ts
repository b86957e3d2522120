/**
 * A scripted agent for the demo: it speaks ACP v1 with the private async task extension, as adapters in
 * use do, and needs no account. Pure of I/O: it is given its messages and effects.
 */
import { at, extensionCapabilities, idOf, isObject, type JsonObject } from '../protocol/index.js';

export interface DemoAgentPorts {
  send(message: JsonObject): void;
  after(ms: number, run: () => void): void;
  /** Appends to the output file of a command and gives its path. */
  append(name: string, text: string): string;
}

export interface DemoAgent {
  receive(message: JsonObject): void;
}

const SESSION = 'demo-session';
type Params = JsonObject;

export function createDemoAgent(ports: DemoAgentPorts): DemoAgent {
  let serverStopped = false;
  /** The client asked for the extension. */
  let isTold = false;
  let hasStarted = false;
  /** Nothing is said in a closed session. */
  let isClosed = false;
  const update = (body: JsonObject): void => void (isClosed || ports.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: SESSION, update: body } }));
  const say = (text: string, messageId: string): void => update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
  const answer = (id: unknown, result: unknown): void => ports.send({ jsonrpc: '2.0', id, result });

  const shell = (task: string, command: string, description: string): void => {
    const toolCallId = `call-${task}`;
    update({ sessionUpdate: 'tool_call', toolCallId, name: 'Bash', kind: 'execute', status: 'pending', title: command, rawInput: { command }, content: [{ type: 'terminal', terminalId: toolCallId }], _meta: { terminal_info: { terminal_id: toolCallId } } });
    update({ sessionUpdate: 'async_task_spawned', asyncTaskId: task, name: description, description, taskType: 'shell', showInTranscript: false, canStop: true, toolCallId });
    update({ sessionUpdate: 'async_task_progress', asyncTaskId: task, outputFilePath: ports.append(task, '') });
    update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  };
  const workflow = (task: string, title: string): void => {
    const toolCallId = `call-${task}`;
    update({ sessionUpdate: 'tool_call', toolCallId, name: 'Workflow', kind: 'other', status: 'pending', title });
    update({ sessionUpdate: 'async_task_spawned', asyncTaskId: task, name: title, description: title, taskType: 'workflow', showInTranscript: false, canStop: true, toolCallId });
    update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  };
  const ends = (task: string, state: string): void => update({ sessionUpdate: 'async_task_state_update', asyncTaskId: task, state });
  const ownTurn = (task: string, description: string, text: string): void => {
    update({ sessionUpdate: 'async_task_spawned', asyncTaskId: task, name: 'Working', description, taskType: 'turn', showInTranscript: false, canStop: true });
    say(text, `message-${task}`);
    ends(task, 'completed');
  };

  const runPrompt = (id: unknown, params: Params | undefined): void => {
    if (at(params, 'sessionId') !== SESSION) return ports.send({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid params: the demo agent has no such session.' } });
    if (hasStarted || !isTold) {
      say(hasStarted ? 'All that the demo has to show was started.' : 'Hello.', hasStarted ? 'message-again' : 'message-hello');
      return answer(id, { stopReason: 'end_turn' });
    }
    hasStarted = true;
    say('Starting the dev server, the tests and a survey.', 'message-1');
    shell('server', 'npm run dev', 'Run the dev server');
    shell('tests', 'npm test', 'Run the tests');
    workflow('survey', 'Survey the project');
    say(' All three run in the background.', 'message-1');
    answer(id, { stopReason: 'end_turn', usage: { inputTokens: 1200, outputTokens: 84, totalTokens: 1284 } });
    ports.append('server', 'listening on port 3000\n');
    ['1 passed', '2 passed', '3 failed: expected 3, got 4'].forEach((line, n) => ports.after(400 * (n + 1), () => ports.append('tests', `${line}\n`)));
    ports.after(700, () => update({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'survey', state: 'paused' }));
    ports.after(1000, () => update({ sessionUpdate: 'async_task_state_update', asyncTaskId: 'survey', state: 'running' }));
    ports.after(1500, () => {
      ports.append('tests', '\n[exited with code 3]\n');
      ends('tests', 'failed');
      ports.after(40, () => ownTurn('turn-1', 'Background command "Run the tests" failed with exit code 3', 'The tests failed: I will look at number 3.'));
    });
    ports.after(2100, () => ends('survey', 'completed'));
  };

  const stop = (id: unknown, params: Params | undefined): void => {
    const stops = at(params, 'asyncTaskId') === 'server' && !serverStopped;
    if (stops) {
      serverStopped = true;
      ends('server', 'stopped');
    }
    answer(id, { stopped: stops });
  };

  const methods: ReadonlyMap<string, (id: unknown, params: Params | undefined) => void> = new Map<string, (id: unknown, params: Params | undefined) => void>([
    ['initialize', (id, params) => {
      isTold = extensionCapabilities(at(params, 'clientCapabilities')).includes('asyncTasks');
      answer(id, {
        protocolVersion: 1,
        agentInfo: { name: 'demo-agent', title: 'Demo agent', version: '1.0.0' },
        agentCapabilities: { loadSession: false, promptCapabilities: {}, sessionCapabilities: { close: {} } },
        authMethods: [],
        ...(isTold ? { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } } } : {}),
      });
    }],
    ['session/new', (id) => answer(id, { sessionId: SESSION })],
    ['session/prompt', runPrompt],
    ['_session/async_task/stop', stop],
    ['session/close', (id) => {
      isClosed = true;
      answer(id, {});
    }],
  ]);

  return {
    receive(message) {
      const method = idOf(message.method);
      if (method === undefined || message.id === undefined) return;
      const run = methods.get(method);
      if (run !== undefined) run(message.id, isObject(message.params) ? message.params : undefined);
      else ports.send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: `The demo agent does not know ${method}.` } });
    },
  };
}
