/**
 * Every message of a recording by the schema of its method. Knows which method a response answers and
 * how a fault of validity is told; the schemas are the validator's.
 */
import { protocolVersionOf, type ProtocolVersion } from '../protocol/versions.js';
import type { Finding } from './index.js';
import type { RecordedJson, RecordedMessage } from './record.js';
import type { Settings } from './rule.js';
import { at, stringOf } from '../protocol/shape.js';

/** What is wrong with one message, one text a fault. `method`: of the request, where it is a response. */
export interface Validator {
  toClient(version: ProtocolVersion, message: unknown, method: string | undefined): readonly string[];
  toAgent(version: ProtocolVersion, message: unknown, method: string | undefined): readonly string[];
}

/** Each record with the method of its request: a response's own, else the one it carries. */
export function withMethods(records: readonly RecordedMessage[]): { readonly record: RecordedMessage; readonly method: string | undefined }[] {
  const open = new Map<string, string[]>();
  return records.map((record) => {
    const { dir, msg } = record;
    if (typeof msg.method !== 'string') return { record, method: open.get(`${dir === 'a2c' ? 'c2a' : 'a2c'} ${JSON.stringify(msg.id)}`)?.shift() };
    const key = `${dir} ${JSON.stringify(msg.id)}`;
    if (msg.id !== undefined) open.set(key, [...(open.get(key) ?? []), msg.method]);
    return { record, method: msg.method };
  });
}

/** What other rules say, and say better: kinds and statuses of v1, answers without a request. */
const SAID_ELSEWHERE: Readonly<Record<ProtocolVersion, RegExp>> = {
  1: /^(?:params\/update\/(?:sessionUpdate|status): must match pattern|id: answers no request)/,
  2: /^id: answers no request/,
};

/** An `initialize` that offers both versions has the members of both. */
const OFFERS_BOTH = /^params: must NOT have unevaluated properties \((?:info|capabilities|clientInfo|clientCapabilities)\)$/;

/** The version that a message is written in: the one that was spoken, but for the request that asks for one. */
const versionIn = ({ method, params }: RecordedJson, spoken: ProtocolVersion): ProtocolVersion => (method === 'initialize' ? (protocolVersionOf(params) ?? spoken) : spoken);

/** The faults of validity as findings. */
export function schemaFaults(records: readonly RecordedMessage[], { version: spoken }: Settings, validator: Validator): Finding[] {
  return withMethods(records).flatMap(({ record, method }, index) => {
    const { t, dir, msg, line = index + 1 } = record;
    const version = versionIn(msg, spoken);
    const faults = dir === 'a2c' ? validator.toClient(version, msg, method) : validator.toAgent(version, msg, method);
    const session = stringOf(at(msg.params, 'sessionId')) ?? '';
    const name = `${method ?? 'a message'}${msg.method === undefined ? ' (response)' : ''}`;
    return faults
      .filter((fault) => !SAID_ELSEWHERE[version].test(fault) && !(msg.method === 'initialize' && OFFERS_BOTH.test(fault)))
      .map((fault): Finding => ({ rule: 'S.1', name: 'valid', title: 'A message is valid by the schema of its method', section: `schema of ACP v${version}`, by: dir === 'a2c' ? 'agent' : 'client', t, line, session, expected: `a valid ${name}`, came: fault }));
  });
}
