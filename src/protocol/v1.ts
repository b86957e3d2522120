/**
 * The types of ACP v1 that the rest of the code names, from the SDK's unstable form. Types only.
 */
export type * as V1 from '@agentclientprotocol/sdk/unstable';
