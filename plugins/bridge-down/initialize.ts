/**
 * How an agent comes to be spoken to in v2 for a v1 client (ACP "Initialization"): it is asked for v2,
 * because the user said so, or it answers v2 although it was asked for v1. One that was asked and speaks
 * v1 only is asked once more, as the client did, and is the client's own from then on.
 */
import { take, type Call, type Host, type Outcome, type Reply } from 'afterturn/plugin';
import { objectOf, protocolVersionOf, toV1InitializeResult, toV2InitializeParams, v1ClientFactsOf, v2AgentFactsOf, type JsonObject } from 'afterturn/protocol';
import type { Sides } from './connection.js';

/** What the client of `params` is told of an agent that answered v2, and what is known of both from then on. */
export function settledInV2(params: unknown, result: unknown, host: Host): { readonly result: JsonObject; readonly sides: Sides } {
  const client = v1ClientFactsOf(params);
  const faults: string[] = [];
  const bridged = toV1InitializeResult(result, client, faults);
  if (faults.length > 0) host.log.warn(`initialize: the agent's answer is malformed: ${faults.join('; ')}. It was left out.`);
  return { result: bridged, sides: { client, agent: v2AgentFactsOf(result) } };
}

/** Parks the client's `initialize`, and holds what the client says behind it until it is answered. `onV2`: the agent speaks v2. */
export function negotiateDown(call: Call, host: Host, onV2: (sides: Sides) => void): Outcome {
  const { id } = call;
  if (id === undefined) return host.leave();
  const params = objectOf(call.params) ?? {};
  const goOn = host.hold('toAgent');

  const settleInV2 = (answer: unknown): void => {
    const { result, sides } = settledInV2(params, answer, host);
    onV2(sides);
    host.respond('toAgent', id, { result });
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
