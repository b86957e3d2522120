/**
 * Settles the version towards the agent (ACP "Initialization"). An agent that answers v1 to an offer
 * of both versions may have read the v2 half only: it is initialised once more, in pure v1 shape.
 */
import { take, type Call, type Host, type Outcome, type Reply } from 'afterturn/plugin';
import { objectOf, protocolVersionOf, toBothInitializeParams, toV1InitializeParams, toV2InitializeResult } from 'afterturn/protocol';

export type AgentProtocol = 'auto' | 'v1' | 'v2';

/** The name of the program that a command line starts. */
const nameOf = (command: readonly string[]): string => command[0]?.split(/[\\/]/).at(-1) || 'agent';

/** Parks the client's `initialize`. `onV1` is told the result before the client gets its answer. */
export function negotiate(call: Call, host: Host, agentProtocol: Exclude<AgentProtocol, 'v2'>, onV1: (result: unknown) => void): Outcome {
  const { id } = call;
  if (id === undefined) return undefined;
  const params = objectOf(call.params) ?? {};

  const settle = (reply: Reply): void => {
    if (reply.error) return void host.respond('toAgent', id, { error: reply.error });
    onV1(reply.result);
    const faults: string[] = [];
    const result = toV2InitializeResult(reply.result, nameOf(host.agentCommand), faults);
    if (faults.length > 0) host.log.warn(`initialize: the agent's answer is malformed: ${faults.join('; ')}. It was left out.`);
    host.respond('toAgent', id, { result });
  };
  const askInV1 = (onReply: (reply: Reply) => void): void => void host.request('toAgent', 'initialize', toV1InitializeParams(params), onReply);
  const onOffer = (reply: Reply): void => {
    if (protocolVersionOf(reply.result) !== 2) return askInV1((again) => settle(again.error ? reply : again));
    host.respond('toAgent', id, { result: reply.result });
    host.leave();
  };

  if (agentProtocol === 'v1') askInV1(settle);
  else host.request('toAgent', 'initialize', toBothInitializeParams(params), onOffer);
  return take();
}
