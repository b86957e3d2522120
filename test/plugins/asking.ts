/** A v1 client past `initialize`, with the plugins that ask in its name. */
import { expect } from 'vitest';
import { hiddenExtension } from '../../plugins/hidden-extension.js';
import { sources, type Source } from '../../plugins/sources.js';
import { wired, type Message, type Wired } from '../pipeline/harness.js';

export const CLAUDE = { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' };
export const SUBTYPES = ['task_started', 'task_updated', 'task_progress', 'task_notification', 'background_tasks_changed', 'session_state_changed'];
export const ASKED = SUBTYPES.map((subtype) => ({ type: 'system', subtype }));

export interface Options {
  readonly source?: Source;
  readonly agent?: { readonly name: string; readonly version: string };
  readonly clientCapabilities?: Message;
  readonly answer?: Message;
}

/** A v1 client, past `initialize`. `toAgent` and `toClient` are what `initialize` became on each side. */
export function connected({ source = 'auto', agent = CLAUDE, clientCapabilities, answer = {} }: Options = {}): Wired & { readonly toAgent: string; readonly toClient: string } {
  const { atClient, atAgent } = sources({ source });
  const on = wired([atClient, hiddenExtension({ source }), atAgent]);
  on.client.sends({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1, ...(clientCapabilities === undefined ? {} : { clientCapabilities }) } });
  const toAgent = on.agent.receivedBytes().toString();
  on.agent.answers(0, { protocolVersion: 1, agentInfo: agent, ...answer });
  return { ...on, toAgent, toClient: on.client.receivedBytes().toString() };
}

const setup = (method: string, params: Message, id: Message = 1): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"${method}","params":${JSON.stringify(params)}}`;
export const sdkMessage = (subtype: string, sessionId = 's'): Message => ({ jsonrpc: '2.0', method: '_claude/sdkMessage', params: { sessionId, message: { type: 'system', subtype } } });

/** The params of the next request as the agent gets it. */
export function asSent(on: Wired, method: string, params: Message, id: Message = 1): Message {
  on.client.sends(setup(method, params, id));
  const [message] = on.agent.received();
  return message.params;
}

export const NEW = '{ "jsonrpc":"2.0", "id":1.0, "method":"session/new", "params":{"cwd":"/project"} }';

/** Neither direction is touched after `initialize`. */
export function isUntouched(on: Wired): void {
  on.client.sends(NEW);
  expect(on.agent.receivedLines()).toEqual([NEW]);
  const lines = ['{"id":1.0,"jsonrpc":"2.0","result":{"sessionId":"s","_meta":{"jetbrains":{}}}}', JSON.stringify(sdkMessage('task_started')).replace('{', '{ ')];
  on.agent.sends(...lines);
  expect(on.client.receivedLines()).toEqual(lines);
}
