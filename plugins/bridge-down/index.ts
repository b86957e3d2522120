/**
 * An ACP v1 client in front of an agent that is spoken to in ACP v2: because the user said so
 * (`--agent-protocol v2`), or because it answers v2 to a client that asked for v1. Towards the
 * client it is a v1 agent, with the private async task extension in its v1 form where the agent's side
 * has that; towards the agent it is a v2 client. With any other pair of versions it takes itself out of
 * the list.
 */
import { drop, replace, type Call, type CallHook, type CallHooks, type Host, type Outcome, type Plugin, type PluginFactory, type Reply } from 'afterturn/plugin';
import { isExtension, methodRow, type AgentProtocol } from 'afterturn/protocol';
import { Requests } from '../bridge/requests.js';
import { bridgeDownNeeds } from '../needs.js';
import { DownCalls } from './calls.js';
import { DownConnection, type Sides } from './connection.js';
import { negotiateDown, settledInV2 } from './initialize.js';
import { DownLifecycle } from './lifecycle.js';
import { DownPrompts } from './prompts.js';
import { DownQuestions } from './questions.js';
import { DownUpdates } from './updates.js';

export interface BridgeDownOptions {
  /** The version to speak to the agent; `auto`: v2 to one that speaks nothing else. */
  readonly agentProtocol: AgentProtocol;
}

/** The parts of one bridged connection. */
interface Parts {
  readonly connection: DownConnection;
  readonly lifecycle: DownLifecycle;
  readonly prompts: DownPrompts;
  readonly calls: DownCalls;
  readonly questions: DownQuestions;
  readonly updates: DownUpdates;
}

function partsOf(connection: DownConnection): Parts {
  const requests = new Requests(connection);
  const prompts = new DownPrompts(connection, requests);
  const calls = new DownCalls(connection);
  return {
    connection, prompts, calls,
    lifecycle: new DownLifecycle(connection, requests, prompts, calls),
    questions: new DownQuestions(connection, requests, calls),
    updates: new DownUpdates(connection, prompts, calls),
  };
}

/** What waited to be told is told, then what waits for the agent ends. */
function agentGone({ connection, calls, prompts }: Parts): void {
  for (const session of connection.sessions()) calls.settle(session);
  prompts.agentGone();
}

type PartsHook = (parts: Parts, call: Call) => Outcome;

/** A request that comes as a notification asks for nothing. */
const asRequest = (hook: PartsHook): PartsHook => (parts, call) => (call.id === undefined ? drop() : hook(parts, call));

/** Every other method of the client has one shape in both versions, and may have another name. What v2 does not have, the agent says. */
function otherClientCall(_: Parts, call: Call): Outcome {
  const row = isExtension(call.method) ? undefined : methodRow('v1', 'client', call.method);
  return row?.v2 === undefined || row.v2 === call.method ? undefined : replace({ method: row.v2 });
}

const lifecycleMethods = [
  'session/new', 'session/fork', 'session/resume', 'session/load', 'session/list', 'session/status', 'session/close', 'session/delete', 'session/set_mode', 'session/set_config_option', 'authenticate', 'logout',
] as const;
const lifecycleCalls = Object.fromEntries(lifecycleMethods.map((method): [string, PartsHook] => [method, asRequest(({ lifecycle }, call) => lifecycle.rows[method]?.(call))]));

const clientCalls: Readonly<Record<string, PartsHook>> = {
  ...lifecycleCalls,
  'session/prompt': asRequest(({ prompts }, call) => prompts.onPrompt(call)),
  'session/cancel': ({ prompts }, call) => prompts.onCancel(call),
  '$/cancel_request': ({ prompts }, call) => prompts.onCancelRequest(call),
  '*': otherClientCall,
};

const agentCalls: Readonly<Record<string, PartsHook>> = {
  'session/update': ({ updates }, call) => updates.onUpdate(call),
  'session/request_permission': asRequest(({ questions }, call) => questions.onPermission(call)),
  'elicitation/create': asRequest(({ questions }, call) => questions.onElicitation(call)),
  '$/cancel_request': ({ questions }, call) => questions.onAgentCancel(call),
  'auth/status_update': ({ connection }) => (connection.client.unstable ? undefined : drop()),
};

export const bridgeDown: PluginFactory<BridgeDownOptions> = ({ agentProtocol }): Plugin => {
  const needs = bridgeDownNeeds({ agentProtocol });
  let parts: Parts | undefined;
  /** The client's own request, where it went on as it came. */
  let asked: Call | undefined;

  const bridged = (hooks: Readonly<Record<string, PartsHook>>): CallHooks =>
    Object.fromEntries(Object.entries(hooks).map(([method, hook]): [string, CallHook] => [method, (call) => parts && hook(parts, call)]));
  const begin = (host: Host, sides: Sides): void => void (parts = partsOf(new DownConnection(host, sides)));

  const onInitialize: CallHook = (call, host) => {
    const need = needs.asked(call, host);
    if (need === 'nothing') return host.leave();
    if (need === 'now') return negotiateDown(call, host, (sides) => begin(host, sides));
    asked = call;
    return undefined;
  };
  const onInitialized = (reply: Reply, host: Host): Outcome => {
    if (asked === undefined || reply.result === undefined) return undefined;
    if (needs.answered(reply, host) === 'nothing') return host.leave();
    const { result, sides } = settledInV2(asked.params, reply.result, host);
    host.log.info('the agent answered ACP v2 to a client of v1, and is bridged');
    begin(host, sides);
    return replace({ result });
  };

  return {
    name: 'bridge-down',
    batches: () => (parts === undefined ? 'pass' : 'refuse'),
    onHookError: 'refuse',
    toAgent: { calls: { initialize: onInitialize, ...bridged(clientCalls) } },
    toClient: { calls: bridged(agentCalls), replies: { initialize: onInitialized } },
    onEnd: ({ kind }) => (kind === 'agentExit' && parts !== undefined ? agentGone(parts) : undefined),
    close: () => parts?.connection.malformed.close(),
  };
};
