/**
 * The types of ACP v2 that the rest of the code names, from the SDK's unstable form, where
 * subagents, usage and fork live. Types only: the SDK's runtime stays off the start path.
 */
export type * as V2 from '@agentclientprotocol/sdk/experimental/v2/unstable';

/** A v2 `session/update` of any kind, as it is built here. */
export interface V2Update {
  readonly sessionUpdate: string;
  readonly [member: string]: unknown;
}
