/**
 * An ACP v2 client in front of an agent that speaks ACP v1. Towards the client it is a v2 agent, with
 * the private async task extension in its v2 form where the agent has that; towards the agent it is a
 * v1 client. With any other pair of versions it takes itself out of the list.
 */
import { drop, refuse, replace, type Call, type CallHook, type CallHooks, type Host, type Outcome, type Plugin, type PluginFactory, type ReplyHooks } from 'afterturn/plugin';
import {
  at, declaresPrivateExtension, firstChoice, invalidParams, isExtension, methodNotFound, methodRow, protocolVersionOf, RAW_FEED, type AgentProtocol, type Choice,
} from 'afterturn/protocol';
import { ListedBoard, type ListedWork } from '../listed-work.js';
import { bridgeNeeds } from '../needs.js';
import { Bridge } from './bridge.js';
import { Children } from './children.js';
import { Foreground } from './foreground.js';
import { negotiate } from './initialize.js';
import { Lifecycle } from './lifecycle.js';
import { Prompts } from './prompt.js';
import { Questions } from './questions.js';
import { Requests } from './requests.js';
import { STEERING, Steering } from './steering.js';
import { Stops } from './stops.js';
import { Updates } from './updates.js';

export interface BridgeOptions {
  /** The version to speak to the agent; `auto`: the one that its profile names, or the highest that it knows. */
  readonly agentProtocol: AgentProtocol;
  /** Is told each offer that the agent is made, and why. */
  readonly onChoice?: (choice: Choice) => void;
  /** Knows the background work that the client has on its list. Default: there is none. */
  readonly listed?: ListedWork;
}

/** The parts of one bridged connection. */
interface Parts {
  readonly bridge: Bridge;
  readonly questions: Questions;
  readonly updates: Updates;
  readonly lifecycle: Lifecycle;
  readonly prompts: Prompts;
  readonly stops: Stops;
  readonly steering: Steering;
}

function partsOf(bridge: Bridge, listed: ListedWork): Parts {
  const requests = new Requests(bridge);
  const foreground = new Foreground(bridge, (question) => questions.withdraw(question));
  const questions: Questions = new Questions(bridge, requests, foreground, listed);
  const children = new Children(bridge, foreground);
  return {
    bridge, questions,
    updates: new Updates(bridge, foreground, children),
    lifecycle: new Lifecycle(bridge, requests, questions, foreground, children),
    prompts: new Prompts(bridge, requests, questions, foreground, children),
    stops: new Stops(bridge),
    steering: new Steering(bridge, foreground),
  };
}

type PartsHook = (parts: Parts, call: Call) => Outcome;

/** Every other method of the client: the same under the agent's name for it, or an error that names it. */
function otherClientCall(_: Parts, call: Call): Outcome {
  if (isExtension(call.method)) return undefined;
  const row = methodRow('v2', 'client', call.method);
  if (row?.sameShape) return row.v1 === call.method ? undefined : replace({ method: row.v1 });
  return call.kind === 'notification' ? drop() : refuse(methodNotFound(call.method, 'This agent speaks ACP v1, which has no such method.'));
}

/** The files and terminals of a v1 client: a v2 client has none. */
function otherAgentCall(_: Parts, call: Call): Outcome {
  const row = isExtension(call.method) ? undefined : methodRow('v1', 'agent', call.method);
  if (row === undefined || row.sameShape) return undefined;
  return call.kind === 'notification' ? drop() : refuse(methodNotFound(call.method, 'The client speaks ACP v2, where the agent owns its files and terminals.'));
}

const notCancellable: PartsHook = (_, call) => refuse(invalidParams('this agent reports no work that could be cancelled by its id.', call.params));

/** A request that comes as a notification asks for nothing. */
const asRequest = (hook: PartsHook): PartsHook => (parts, call) => (call.id === undefined ? drop() : hook(parts, call));

const clientCalls: Readonly<Record<string, PartsHook>> = {
  'session/prompt': asRequest(({ prompts }, call) => prompts.onPrompt(call)),
  'session/cancel': ({ prompts }, call) => prompts.onCancel(call),
  '$/cancel_request': ({ prompts }, call) => prompts.onCancelRequest(call),
  'tool_call/cancel': asRequest(notCancellable),
  'terminal/cancel': asRequest(notCancellable),
  '_session/async_task/stop': ({ stops }, call) => stops.onCall(call),
  [STEERING]: ({ steering }, call) => steering.onCall(call),
  '*': otherClientCall,
};

const agentCalls: Readonly<Record<string, PartsHook>> = {
  'session/update': ({ updates }, call) => updates.onUpdate(call),
  [RAW_FEED]: ({ updates }, call) => updates.onFeed(call),
  'session/request_permission': asRequest(({ questions }, call) => questions.onPermission(call)),
  'elicitation/create': asRequest(({ questions }, call) => questions.onElicitation(call)),
  '$/cancel_request': ({ questions }, call) => (questions.onAgentCancel(at(call.params, 'requestId')) ? drop() : undefined),
  '*': otherAgentCall,
};

const lifecycleMethods = ['session/new', 'session/fork', 'session/resume', 'session/list', 'session/close', 'session/delete', 'session/set_config_option', 'auth/login', 'auth/logout'] as const;

export const bridge: PluginFactory<BridgeOptions> = ({ agentProtocol, onChoice = () => {}, listed = new ListedBoard() }): Plugin => {
  let parts: Parts | undefined;

  /** Until the agent has answered `initialize` with v1, everything passes. */
  const bridged = (hooks: Readonly<Record<string, PartsHook>>): CallHooks =>
    Object.fromEntries(Object.entries(hooks).map(([method, hook]): [string, CallHook] => [method, (call) => parts && hook(parts, call)]));
  const lifecycle = Object.fromEntries(lifecycleMethods.map((method): [string, PartsHook] => [method, asRequest(({ lifecycle: hooks }, call) => hooks.serve(method, call))]));

  const onInitialize = (call: Call, host: Host): Outcome => {
    if (bridgeNeeds({ agentProtocol, onChoice }).asked(call, host) === 'nothing') return host.leave();
    const choice = firstChoice(protocolVersionOf(call.params) ?? 1, agentProtocol, host.agentCommand);
    return negotiate(call, host, choice, {
      onChoice,
      onV1(result) {
        const connection = new Bridge(host, { full: declaresPrivateExtension(call.params) });
        connection.learn(result);
        parts = partsOf(connection, listed);
      },
    });
  };
  const replies: ReplyHooks = {
    '_session/async_task/stop': (reply) => parts?.stops.onReply(reply),
    [STEERING]: (reply) => parts?.steering.onReply(reply),
  };

  return {
    name: 'bridge',
    batches: () => (parts === undefined ? 'pass' : 'refuse'),
    onHookError: 'refuse',
    toAgent: { calls: { initialize: onInitialize, ...bridged({ ...lifecycle, ...clientCalls }) } },
    toClient: { calls: bridged(agentCalls), replies },
    close: () => parts?.bridge.malformed.close(),
  };
};
