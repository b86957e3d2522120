/**
 * JSON-RPC errors that ACP messages are answered with: the codes of JSON-RPC 2.0 section 5.1 and
 * those that ACP adds ("Error handling").
 */
import type { RpcError } from '../wire/jsonrpc.js';

export const AcpErrorCode = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
} as const;

const error = (code: number, message: string, data?: unknown): RpcError => (data === undefined ? { code, message } : { code, message, data });

/** The method does not exist for this peer; `why` says what to do instead. */
export const methodNotFound = (method: string, why: string): RpcError => error(AcpErrorCode.methodNotFound, `Method not found: ${method}. ${why}`);
/** The params cannot be served. `data` names ids and types only. */
export const invalidParams = (why: string, data?: unknown): RpcError => error(AcpErrorCode.invalidParams, `Invalid params: ${why}`, data);
export const internalError = (why: string): RpcError => error(AcpErrorCode.internalError, `Internal error: ${why}`);
export const requestCancelled = (): RpcError => error(AcpErrorCode.requestCancelled, 'Request cancelled');

/** A translation, or the error that says why there is none. */
export type Translated<T> = { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: RpcError };
