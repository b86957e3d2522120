/**
 * What a client of ACP v1 is, by its own `initialize`: seen beside the client, told to the plugins on
 * the agent's side of the version bridge that give it what it knows in place of what v2 has.
 */
import type { Plugin } from 'afterturn/plugin';
import { at, extensionCapabilities, isObject, protocolVersionOf } from 'afterturn/protocol';

/** How a client of ACP v1 is told of subagents. */
export type SubagentForm =
  /** As sessions, in the form of the private extension. */
  | 'extension'
  /** As sessions, by the Subagents RFD. */
  | 'standard'
  /** Inside their parent, marked with the call that launched them. */
  | 'flattened';

export class LegacyClient {
  #isV1 = false;
  #declared: readonly string[] = [];
  #form: SubagentForm = 'flattened';

  get isV1(): boolean {
    return this.#isV1;
  }

  get subagents(): SubagentForm {
    return this.#form;
  }

  /** It declared this capability of the private extension. */
  knows = (capability: string): boolean => this.#declared.includes(capability);

  /** Stands beside the client. */
  readonly observer: Plugin = {
    name: 'legacy-client',
    toAgent: {
      calls: {
        initialize: ({ params }, host) => {
          const capabilities = at(params, 'clientCapabilities');
          this.#isV1 = (protocolVersionOf(params) ?? 1) < 2;
          this.#declared = extensionCapabilities(capabilities);
          const isExtended = isObject(at(capabilities, '_meta', 'jetbrains', 'air'));
          const knowsSessions = isObject(at(capabilities, 'subagents')) || this.knows('nativeSubagentSessions');
          this.#form = !knowsSessions ? 'flattened' : isExtended ? 'extension' : 'standard';
          host.leave();
        },
      },
    },
  };
}
