/**
 * `initialize` of a v2 client towards an agent that may speak v1 only (ACP "Initialization"): what
 * the agent is offered, and what its v1 answer is in v2.
 */
import { arrayOf, at, isObject, objectOf, stringOf, type JsonObject } from '../shape.js';
import { filledText, list, shape, text, within, type Faults } from './fields.js';

/** What a v1 agent can do, as far as requests are chosen by it. */
export interface V1AgentFacts {
  readonly name: string | undefined;
  readonly loads: boolean;
  readonly resumes: boolean;
  readonly closes: boolean;
  readonly lists: boolean;
  readonly deletes: boolean;
  readonly forks: boolean;
  readonly logsOut: boolean;
  readonly additionalDirectories: boolean;
  readonly systemPrompt: boolean;
  readonly mcpTransports: ReadonlySet<string>;
  /** The types of content blocks that a prompt may hold. */
  readonly promptBlocks: ReadonlySet<string>;
}

/** What every v1 agent takes in a prompt, and what it takes if it says so. */
const basicBlocks = ['text', 'resource_link'] as const;
const advertisedBlocks = { image: 'image', audio: 'audio', embeddedContext: 'resource' } as const;

const isThere = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** Whether the client itself speaks the private extension, and so takes what belongs to it. */
export const declaresPrivateExtension = (params: unknown): boolean => isObject(at(params, 'capabilities', '_meta', 'jetbrains', 'air'));

/**
 * The v1 client capabilities that a v2 client has by definition: the agent owns files and terminals,
 * and boolean options, notices, compaction, plans by id and subagents belong to the base of v2.
 */
function toV1ClientCapabilities(capabilities: JsonObject): JsonObject {
  const authMeta = objectOf(at(capabilities, 'auth', '_meta'));
  return {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    plan: {},
    subagents: {},
    auth: { terminal: isThere(at(capabilities, 'auth', 'terminal')), ...(authMeta === undefined ? {} : { _meta: authMeta }) },
    ...(isObject(capabilities.elicitation) ? { elicitation: capabilities.elicitation } : {}),
    _meta: { ...objectOf(capabilities._meta), terminal_output: true },
  };
}

const v1Half = (params: JsonObject): JsonObject => ({
  ...(params.info === undefined ? {} : { clientInfo: params.info }),
  clientCapabilities: toV1ClientCapabilities(objectOf(params.capabilities) ?? {}),
});

/** The v2 request in pure v1 shape. */
export const toV1InitializeParams = (params: JsonObject): JsonObject => ({
  protocolVersion: 1,
  ...v1Half(params),
  ...(params._meta === undefined ? {} : { _meta: params._meta }),
});

/** Both shapes at once: an agent that knows v1 only reads its own half. */
export const toBothInitializeParams = (params: JsonObject): JsonObject => ({ ...params, ...v1Half(params) });

/** What the v1 answer says that the agent can do. */
export function v1AgentFactsOf(result: unknown): V1AgentFacts {
  const session = (key: string): boolean => isThere(at(result, 'agentCapabilities', 'sessionCapabilities', key));
  const blocks = Object.entries(advertisedBlocks).filter(([key]) => at(result, 'agentCapabilities', 'promptCapabilities', key) === true);
  const transports = ['http', 'acp'].filter((transport) => at(result, 'agentCapabilities', 'mcpCapabilities', transport) === true);
  return {
    name: stringOf(at(result, 'agentInfo', 'name')),
    loads: at(result, 'agentCapabilities', 'loadSession') === true,
    resumes: session('resume'),
    closes: session('close'),
    lists: session('list'),
    deletes: session('delete'),
    forks: session('fork'),
    logsOut: isThere(at(result, 'agentCapabilities', 'auth', 'logout')),
    additionalDirectories: session('additionalDirectories'),
    systemPrompt: session('systemPrompt'),
    mcpTransports: new Set(['stdio', ...transports]),
    promptBlocks: new Set([...basicBlocks, ...blocks.map(([, type]) => type)]),
  };
}

/** The capabilities of a v1 object that v2 marks by an object: `true` and objects are there. */
function marked(value: unknown, keys: readonly string[]): JsonObject {
  const from = objectOf(value) ?? {};
  return Object.fromEntries(keys.filter((key) => isThere(from[key])).map((key) => [key, objectOf(from[key]) ?? {}]));
}

function toV2AgentCapabilities(capabilities: unknown): JsonObject {
  const meta = objectOf(at(capabilities, '_meta'));
  const status = marked(at(capabilities, 'auth'), ['status']);
  return {
    session: {
      prompt: marked(at(capabilities, 'promptCapabilities'), ['image', 'audio', 'embeddedContext']),
      mcp: { stdio: {}, ...marked(at(capabilities, 'mcpCapabilities'), ['http', 'acp']) },
      ...marked(at(capabilities, 'sessionCapabilities'), ['delete', 'additionalDirectories', 'systemPrompt', 'fork', 'archive', 'status', 'title']),
    },
    ...(Object.keys(status).length > 0 ? { auth: status } : {}),
    ...marked(capabilities, ['providers']),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

const implementation = shape({ name: text, version: text }, { title: text });
const authMethod = shape({ id: filledText, name: text }, { description: text });
const terminalArgs = list(text);

/** Other types than v2's `agent` and `terminal` are extensions of it, which a client that does not know them leaves alone. */
const methodType = (type: unknown): string => (typeof type !== 'string' || type === 'agent' ? 'agent' : type.startsWith('_') ? type : `_${type}`);

/** v2 names the id of a method `methodId`, requires its `type`, and lists `env` as pairs. */
function toV2AuthMethod(method: unknown, faults: Faults): JsonObject | undefined {
  const read = authMethod(method, faults);
  if (read === undefined) return undefined;
  const { id, ...rest } = read;
  const type = objectOf(method)?.type;
  if (type !== 'terminal') return { ...rest, methodId: id, type: methodType(type) };
  const env = Object.entries(objectOf(at(method, 'env')) ?? {}).flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []));
  const args = arrayOf(at(method, 'args')) === undefined ? undefined : terminalArgs(at(method, 'args'), faults);
  return { ...rest, methodId: id, type: 'terminal', ...(args === undefined ? {} : { args }), ...(env.length > 0 ? { env } : {}) };
}

/**
 * The v2 answer for a v1 one. v2 requires the agent's name and version: `fallbackName` stands in for
 * an agent that tells none.
 */
export function toV2InitializeResult(result: unknown, fallbackName: string, faults: Faults): JsonObject {
  const given = objectOf(result) ?? {};
  const info = isObject(given.agentInfo) ? within('agentInfo', faults, (inner) => implementation(given.agentInfo, inner)) : undefined;
  const methods = arrayOf(given.authMethods) ?? [];
  return {
    protocolVersion: 2,
    info: info ?? { name: stringOf(at(given, 'agentInfo', 'name')) ?? fallbackName, version: 'unknown' },
    capabilities: toV2AgentCapabilities(given.agentCapabilities),
    authMethods: within('authMethods', faults, (inner) => methods.flatMap((method) => toV2AuthMethod(method, inner) ?? [])),
    ...(isObject(given._meta) ? { _meta: given._meta } : {}),
  };
}
