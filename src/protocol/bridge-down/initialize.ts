/**
 * `initialize` of a v1 client towards an agent that speaks v2 (ACP "Initialization"): what the agent
 * is asked, and what its v2 answer is in v1.
 */
import { shape, text, within, type Faults } from '../bridge/fields.js';
import { habitsOfAgent } from '../profiles.js';
import { arrayOf, at, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';

/** What a v1 client takes, as far as it changes what it is told. */
export interface V1ClientFacts {
  /** Terminals of the agent, in `_meta` of tool calls. */
  readonly terminalOutput: boolean;
  readonly booleanOptions: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  /** Plans by id, of all kinds. */
  readonly plans: boolean;
  /** Subagents as the Subagents RFD tells them. */
  readonly subagents: boolean;
  /** It takes the private extension, in whole or in part. */
  readonly extension: boolean;
  /** It declared what only the unstable schema of v1 has, so it reads the rest of that too. */
  readonly unstable: boolean;
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** What the client's v1 `initialize` says of it. */
export function v1ClientFactsOf(params: unknown): V1ClientFacts {
  const capabilities = at(params, 'clientCapabilities');
  const session = (key: string): boolean => isThere(at(capabilities, 'session', key));
  const plans = isThere(at(capabilities, 'plan'));
  const subagents = isThere(at(capabilities, 'subagents'));
  return {
    terminalOutput: at(capabilities, '_meta', 'terminal_output') === true,
    booleanOptions: isThere(at(capabilities, 'session', 'configOptions', 'boolean')),
    notices: session('notices'),
    compaction: session('compaction'),
    plans,
    subagents,
    extension: isObject(at(capabilities, '_meta', 'jetbrains', 'air')),
    unstable: plans || subagents,
  };
}

/** `_meta` of the client's capabilities without what v2 has by definition. */
function toV2ClientMeta(value: unknown): JsonObject | undefined {
  const { terminal_output: _, ...meta } = objectOf(value) ?? {};
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/** The v2 request. v2 requires the client's name and version. */
export function toV2InitializeParams(params: JsonObject): JsonObject {
  const capabilities = objectOf(params.clientCapabilities) ?? {};
  const meta = toV2ClientMeta(capabilities._meta);
  const authMeta = objectOf(at(capabilities, 'auth', '_meta'));
  const auth = { ...(at(capabilities, 'auth', 'terminal') === true ? { terminal: {} } : {}), ...(authMeta === undefined ? {} : { _meta: authMeta }) };
  return {
    protocolVersion: 2,
    info: shape({ name: text, version: text }, { title: text })(params.clientInfo, []) ?? { name: 'unknown', version: 'unknown' },
    capabilities: {
      ...(Object.keys(auth).length === 0 ? {} : { auth }),
      ...(isObject(capabilities.elicitation) ? { elicitation: capabilities.elicitation } : {}),
      ...(meta === undefined ? {} : { _meta: meta }),
    },
    ...(params._meta === undefined ? {} : { _meta: params._meta }),
  };
}

const markers = (value: unknown, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.filter((key) => isThere(at(value, key))).map((key) => [key, objectOf(at(value, key)) ?? {}]));

const flags = (value: unknown, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.filter((key) => isThere(at(value, key))).map((key) => [key, true]));

/** What every v2 agent can do with sessions, and what only the unstable schema of v1 has a name for. */
const BASELINE = { list: {}, resume: {}, close: {} } as const;
const UNSTABLE = ['fork', 'systemPrompt', 'archive', 'status', 'title'] as const;

function toV1AgentCapabilities(capabilities: unknown, client: V1ClientFacts): JsonObject {
  const session = at(capabilities, 'session');
  const meta = objectOf(at(capabilities, '_meta'));
  return {
    loadSession: true,
    promptCapabilities: flags(at(session, 'prompt'), ['image', 'audio', 'embeddedContext']),
    mcpCapabilities: flags(at(session, 'mcp'), client.unstable ? ['http', 'acp'] : ['http']),
    sessionCapabilities: { ...BASELINE, ...markers(session, ['delete', 'additionalDirectories', ...(client.unstable ? UNSTABLE : [])]) },
    auth: { logout: {} },
    ...(client.unstable ? markers(capabilities, ['providers']) : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** v1 has no type for the agent's own methods, and a map of the environment. Methods of other types it does not have. */
function toV1AuthMethod(method: unknown): JsonObject[] {
  if (!isObject(method) || (method.type !== 'agent' && method.type !== 'terminal')) return [];
  const { methodId, type, env, ...rest } = method;
  if (type === 'agent') return [{ id: methodId, ...rest }];
  const pairs = (arrayOf(env) ?? []).flatMap((entry): [string, string][] => {
    const name = stringOf(at(entry, 'name'));
    const value = stringOf(at(entry, 'value'));
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  return [{ id: methodId, ...rest, type, ...(pairs.length > 0 ? { env: Object.fromEntries(pairs) } : {}) }];
}

/** The v1 answer for a v2 one. */
export function toV1InitializeResult(result: unknown, client: V1ClientFacts, faults: Faults): JsonObject {
  const given = objectOf(result) ?? {};
  const info = within('info', faults, (inner) => shape({ name: text, version: text }, { title: text })(given.info, inner));
  return {
    protocolVersion: 1,
    ...(info === undefined ? {} : { agentInfo: info }),
    agentCapabilities: toV1AgentCapabilities(given.capabilities, client),
    authMethods: (arrayOf(given.authMethods) ?? []).flatMap(toV1AuthMethod),
    ...(isObject(given._meta) ? { _meta: given._meta } : {}),
  };
}

/** What a v2 agent is known for, as far as it changes what a v1 client is told. */
export interface V2AgentFacts {
  /** It writes the name of a call's tool into `_meta.claudeCode` in v1. */
  readonly claudeMeta: boolean;
}

export const v2AgentFactsOf = (result: unknown): V2AgentFacts => {
  const { claudeMeta } = habitsOfAgent(stringOf(at(result, 'info', 'name')), stringOf(at(result, 'info', 'version')));
  return { claudeMeta };
};
