/**
 * Which ACP version a side speaks, read from `initialize` (ACP "Initialization").
 */
import { at, integerOf } from './shape.js';

export type ProtocolVersion = 1 | 2;

/**
 * The version that the params of an `initialize` request ask for, or that its result settles on.
 * Every version below 2 is read as 1, every other as 2; `undefined` when none is named.
 */
export function protocolVersionOf(paramsOrResult: unknown): ProtocolVersion | undefined {
  const version = integerOf(at(paramsOrResult, 'protocolVersion'));
  if (version === undefined) return undefined;
  return version < 2 ? 1 : 2;
}
