/**
 * Asks the agent of a v1 client for v2, because the user said so (ACP "Initialization"). An agent that
 * speaks v1 only is asked once more, as the client did, and is the client's own from then on.
 */
import { take, type Call, type Host, type Outcome, type Reply } from 'afterturn/plugin';
import { objectOf, protocolVersionOf, toV1InitializeResult, toV2InitializeParams, v1ClientFactsOf, v2AgentFactsOf } from 'afterturn/protocol';
import type { Sides } from './connection.js';

/** Parks the client's `initialize`, and holds what the client says behind it until it is answered. `onV2`: the agent speaks v2. */
export function negotiateDown(call: Call, host: Host, onV2: (sides: Sides) => void): Outcome {
  const { id } = call;
  if (id === undefined) return host.leave();
  const params = objectOf(call.params) ?? {};
  const client = v1ClientFactsOf(params);
  const goOn = host.hold('toAgent');

  const settleInV2 = (result: unknown): void => {
    const faults: string[] = [];
    const bridged = toV1InitializeResult(result, client, faults);
    if (faults.length > 0) host.log.warn(`initialize: the agent's answer is malformed: ${faults.join('; ')}. It was left out.`);
    onV2({ client, agent: v2AgentFactsOf(result) });
    host.respond('toAgent', id, { result: bridged });
  };
  const settleInV1 = ({ result, error }: Reply): void => {
    host.log.warn('--agent-protocol v2: the agent does not speak ACP v2, so nothing is bridged.');
    host.respond('toAgent', id, error === undefined ? { result } : { error });
    host.leave();
  };
  host.request('toAgent', 'initialize', toV2InitializeParams(params), (reply) => {
    if (reply.error === undefined && protocolVersionOf(reply.result) === 2) {
      settleInV2(reply.result);
      goOn();
      return;
    }
    host.request('toAgent', 'initialize', params, (again) => {
      settleInV1(again.error === undefined ? again : reply);
      goOn();
    });
  });
  return take();
}
