/**
 * Strict validation of ACP messages against the JSON Schemas that `@agentclientprotocol/sdk` ships
 * (v2: the unstable file, where subagents, usage and fork live; v1: the stable file). Knows which
 * schema a method has; knows nothing of orders or states. The files come from outside.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { strictDefinitions, type Schema } from './strict-schema.js';

/** `v1-unstable` is what is accepted from v1 agents, `v1` what a v1 client is sent. */
export type SchemaVersion = 'v1' | 'v1-unstable' | 'v2';
type Receiver = 'client' | 'agent';
type Role = 'Request' | 'Response' | 'Notification';

const FILES: Record<SchemaVersion, string> = {
  v1: 'schema/v1/schema.json',
  'v1-unstable': 'schema/v1/schema.unstable.json',
  v2: 'schema/v2/schema.unstable.json',
};
const ENVELOPES: readonly { readonly members: readonly string[]; readonly needs: readonly string[] }[] = [
  { members: ['jsonrpc', 'id', 'method', 'params'], needs: ['method'] },
  { members: ['jsonrpc', 'id', 'result'], needs: ['id', 'result'] },
  { members: ['jsonrpc', 'id', 'error'], needs: ['id', 'error'] },
];

interface Catalogue {
  readonly find: (side: string, method: string, role: Role) => ValidateFunction | undefined;
  readonly error: ValidateFunction;
}

/** The validators of one version, each compiled when it is first asked for. */
function catalogueOf(version: SchemaVersion, file: Schema): Catalogue {
  const definitions = strictDefinitions(file);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, formats: FORMATS });
  ajv.addSchema({ $id: version, $defs: definitions });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (name: string): ValidateFunction => {
    const made = compiled.get(name) ?? ajv.compile({ $ref: `${version}#/$defs/${name}`, unevaluatedProperties: false });
    compiled.set(name, made);
    return made;
  };
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(definitions)) {
    const role = /(?:Request|Response|Notification)$/.exec(name)?.[0];
    if (schema['x-method'] && role) names.set(`${String(schema['x-side'])} ${String(schema['x-method'])} ${role}`, name);
  }
  return {
    find: (side, method, role) => {
      const name = names.get(`${side} ${method} ${role}`) ?? names.get(`protocol ${method} ${role}`);
      return name === undefined ? undefined : validator(name);
    },
    error: validator('Error'),
  };
}

const integer = (min: number, max: number) => ({ type: 'number' as const, validate: (n: number) => Number.isInteger(n) && n >= min && n <= max });
const FORMATS = {
  int32: integer(-(2 ** 31), 2 ** 31 - 1),
  int64: integer(-(2 ** 63), 2 ** 63),
  uint16: integer(0, 2 ** 16 - 1),
  uint32: integer(0, 2 ** 32 - 1),
  uint64: integer(0, 2 ** 64),
  double: { type: 'number' as const, validate: Number.isFinite },
  uri: (text: string) => URL.canParse(text),
  regex: (text: string) => { try { return Boolean(new RegExp(text, 'u')); } catch { return false; } },
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
};

/** Whether an error is at this place or inside it. */
const isWithin = ({ instancePath }: ErrorObject, place: string): boolean => instancePath === place || instancePath.startsWith(`${place}/`);

/**
 * An error that only follows from another says nothing of its own: a member that is unknown because
 * something in or beside it is wrong, a union of which one arm failed, "or null".
 */
const follows = (error: ErrorObject): boolean =>
  ['unevaluatedProperties', 'anyOf', 'oneOf'].includes(error.keyword) || (error.keyword === 'type' && (error.params as { type: unknown }).type === 'null');

function readable(errors: readonly ErrorObject[], at: string): string[] {
  const faults = errors.filter((error) => error.keyword !== 'if');
  const explained = (error: ErrorObject): boolean =>
    faults.some((other) => isWithin(other, error.instancePath) && (!follows(other) || (other.keyword === error.keyword && other.instancePath !== error.instancePath)));
  const kept = faults.filter((error) => !follows(error) || !explained(error));
  return [...new Set(kept.map((error) => {
    const extra = 'unevaluatedProperty' in error.params ? ` (${String(error.params.unevaluatedProperty)})` : '';
    return `${at}${error.instancePath}: ${error.message ?? error.keyword}${extra}`;
  }))];
}

const faultsOf = (validate: ValidateFunction, value: unknown, at: string): string[] => (validate(value) ? [] : readable(validate.errors ?? [], at));

function envelopeErrors(message: Record<string, unknown>): string[] {
  const shape = ENVELOPES.find(({ needs }) => needs.every((member) => member in message));
  if (!shape) return [`a message needs "method", or "id" with "result" or "error"; it has ${Object.keys(message).join(', ') || 'no members'}`];
  const unknown = Object.keys(message).filter((member) => !shape.members.includes(member));
  return [
    ...(message.jsonrpc === '2.0' ? [] : ['jsonrpc: must be "2.0"']),
    ...unknown.map((member) => `${member}: does not belong into this kind of message`),
    ...('id' in message && !['string', 'number'].includes(typeof message.id) && message.id !== null ? ['id: must be a string, an integer or null'] : []),
  ];
}

function bodyErrors({ find, error }: Catalogue, version: SchemaVersion, to: Receiver, message: Record<string, unknown>, method: string | undefined): string[] {
  if ('method' in message) {
    if (typeof message.method !== 'string') return ['method: must be a string'];
    if (message.method.startsWith('_')) return [];
    const role = 'id' in message ? 'Request' : 'Notification';
    const validate = find(to, message.method, role);
    if (!validate) return [`method: ${version} has no ${role.toLowerCase()} "${message.method}" to the ${to}`];
    return faultsOf(validate, message.params === undefined ? {} : message.params, 'params');
  }
  if ('error' in message) return faultsOf(error, message.error, 'error');
  if (method === undefined) return ['id: answers no request that was seen'];
  if (method.startsWith('_')) return [];
  const validate = find(to === 'client' ? 'agent' : 'client', method, 'Response');
  if (!validate) return [`result: ${version} has no response to "${method}"`];
  return faultsOf(validate, message.result, 'result');
}

/** What is wrong with a message, one line per fault, empty if nothing is. `method`: of the request that a response answers. */
export type Validate = (version: SchemaVersion, to: Receiver, message: unknown, method: string | undefined) => string[];

/** A validator of all versions. `readSchema` returns a file of `@agentclientprotocol/sdk`, by its path in that package. */
export function createValidate(readSchema: (path: string) => Schema): Validate {
  const catalogues = new Map<SchemaVersion, Catalogue>();
  const of = (version: SchemaVersion): Catalogue => {
    const catalogue = catalogues.get(version) ?? catalogueOf(version, readSchema(FILES[version]));
    catalogues.set(version, catalogue);
    return catalogue;
  };
  return (version, to, message, method) => {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return ['a message must be one JSON object'];
    const object = message as Record<string, unknown>;
    const envelope = envelopeErrors(object);
    return envelope.length > 0 ? envelope : bodyErrors(of(version), version, to, object, method);
  };
}
