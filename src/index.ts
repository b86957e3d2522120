/**
 * The package as a library: the relay without any side effects, for programs that bring their own
 * streams.
 */
export { createRelay } from './relay.js';
export type { Ports, Relay, RelayOptions } from './relay.js';
export { RelayError, errorTable } from './errors.js';
export type { ErrorCode } from './errors.js';
export { answer, drop, instead, keep, refuse, replace, take } from './plugin.js';
export type {
  Call,
  CallHook,
  CallHooks,
  Direction,
  EndReason,
  Follow,
  FollowEvents,
  Host,
  Log,
  LongText,
  Outcome,
  Outgoing,
  Plugin,
  PluginFactory,
  Reply,
  ReplyHook,
  ReplyHooks,
  Replacement,
  RequestId,
  RpcError,
  TextPlaces,
  Verdict,
} from './plugin.js';
