/**
 * Settles the version towards the agent (ACP "Initialization"). What is offered, and what the answer
 * means, is `protocol/negotiation`'s to say; here it is asked, once more or of a new process where it
 * must be, before the client gets its answer.
 */
import { ruled, take, type Call, type Host, type Outcome, type Reply, type RpcError } from 'afterturn/plugin';
import { nextStep, objectOf, protocolVersionOf, toBothInitializeParams, toV1InitializeParams, toV2InitializeResult, type Choice, type JsonObject, type Offer } from 'afterturn/protocol';

export interface NegotiationEvents {
  /** Is told each offer, before it is made. */
  onChoice(choice: Choice): void;
  /** The agent is spoken to in v1; its answer, before the client gets its own. */
  onV1(result: unknown): void;
}

const offerOf: Readonly<Record<Offer, (params: JsonObject) => JsonObject>> = { v1: toV1InitializeParams, v2: (params) => params, both: toBothInitializeParams };

/** The name of the program that a command line starts. */
const nameOf = (command: readonly string[]): string => command[0]?.split(/[\\/]/).at(-1) || 'agent';

/** Parks the client's `initialize`, and holds what the client says behind it until it is answered. */
export function negotiate(call: Call, host: Host, first: Choice, events: NegotiationEvents): Outcome {
  const { id } = call;
  if (id === undefined) return undefined;
  const params = objectOf(call.params) ?? {};
  const goOn = host.hold('toAgent');

  const respond = (body: { readonly result: unknown } | { readonly error: RpcError }): void => void host.respond('toAgent', id, body, 'initialize');
  const settleInV1 = (result: unknown): void => {
    events.onV1(result);
    const faults: string[] = [];
    const bridged = toV2InitializeResult(result, nameOf(host.agentCommand), faults);
    if (faults.length > 0) host.log.warn(`initialize: the agent's answer is malformed: ${faults.join('; ')}. It was left out.`);
    respond({ result: bridged });
  };
  const settle = ({ result, error }: Reply): void => {
    try {
      if (error !== undefined) respond({ error });
      else if (protocolVersionOf(result) !== 2) settleInV1(result);
      else {
        respond({ result });
        host.leave();
      }
    } finally {
      goOn();
    }
  };

  const askAgain = (before: Reply): void =>
    void host.request('toAgent', 'initialize', toV1InitializeParams(params), (reply) => settle(reply.error === undefined ? reply : before), 'initialize');
  const onAnswer = (choice: Choice, reply: Reply, mayRestart: boolean): void => {
    const step = nextStep(choice, reply, mayRestart);
    if (step.do === 'again') askAgain(reply);
    else if (step.do === 'settle') settle(reply);
    else if (host.restart()) ask(step.choice, false);
    else onAnswer(choice, reply, false);
  };
  const ask = (choice: Choice, mayRestart: boolean): void => {
    events.onChoice(choice);
    host.request('toAgent', 'initialize', offerOf[choice.offer](params), (reply) => onAnswer(choice, reply, mayRestart), 'initialize');
  };

  ask(first, true);
  return ruled('initialize', take());
}
