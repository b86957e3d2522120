/**
 * JSON-RPC 2.0 as data: shapes, error codes, and what counts as an id.
 * Knows nothing of ACP. Spec: https://www.jsonrpc.org/specification, sections 4 and 5.
 */

/** A request id. `0`, `""` and `null` are ids; an absent member is a notification. */
export type RequestId = string | number | null;

/** The `error` member of a response (section 5.1). */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Error codes of section 5.1, and those that ACP adds. */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authRequired: -32000,
  resourceNotFound: -32002,
} as const;

/** The key of an id: its JSON text, so that `1` and `"1"` stay apart. */
export const idKey = (id: RequestId): string => JSON.stringify(id);

/** Builds an `RpcError` without an empty `data` member. */
export const rpcError = (code: number, message: string, data?: unknown): RpcError =>
  data === undefined ? { code, message } : { code, message, data };
