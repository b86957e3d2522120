/**
 * One line of a recording: when, which way, what. Knows JSON-RPC only.
 */
import type { RequestId, RpcError } from '../wire/jsonrpc.js';

/** A JSON-RPC message as data. Which members are there tells its kind. */
export interface RecordedJson {
  readonly jsonrpc?: string;
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
}

/** `c2a`: client to agent, `a2c`: agent to client. */
export interface RecordedMessage {
  /** In milliseconds since the recording began. `NaN` where it is not known. */
  readonly t: number;
  /** Its line in the file, from 1. Default: its place among the messages. */
  readonly line?: number;
  readonly dir: 'c2a' | 'a2c';
  readonly msg: RecordedJson;
}
