/**
 * The short session of a live check, a row for each step: who offers it, what the client says, and when
 * it is over. Nothing is asked of the agent that needs an account, and nothing is allowed to it.
 */
import { arrayOf, at, isObject, stringOf } from '../protocol/shape.js';
import { protocolVersionOf, type ProtocolVersion } from '../protocol/versions.js';
import type { Facts, LiveSettings, Said } from './types.js';

export interface Step {
  readonly name: string;
  /** The versions that have it. Default: both. */
  readonly versions?: readonly ProtocolVersion[];
  /** It needs a session, and is not possible without one. */
  readonly inSession?: true;
  /** Whether this agent offers it. Default: yes. */
  readonly offered?: (facts: Facts) => boolean;
  readonly says: (facts: Facts, settings: LiveSettings) => readonly Said[];
  /** What must be there besides the answers. Default: nothing. */
  readonly until?: (facts: Facts, version: ProtocolVersion) => boolean;
  /** It is over after this long, too, and that is no fault. Milliseconds. */
  readonly atMost?: number;
  /** Its request stays open when the next step begins. */
  readonly leavesOpen?: true;
  /** It is a prompt: foreground work begins. */
  readonly prompts?: true;
  /** Without its answer nothing more is tried. */
  readonly isEssential?: true;
}

/** A name that no agent gave. */
export const NO_SESSION = 'afterturn-no-such-session';

const initialized = (facts: Facts): unknown => facts.answers.get('initialize')?.result;
const opened = (facts: Facts): unknown => facts.answers.get('session/new')?.result;
const agentCan = (...path: readonly string[]) => (facts: Facts): boolean => {
  const value = at(initialized(facts), 'agentCapabilities', ...path);
  return isObject(value) || value === true;
};
/** What v1 agents advertise and every v2 agent has. */
const always2 = (v1: (facts: Facts) => boolean) => (facts: Facts): boolean => protocolVersionOf(initialized(facts)) === 2 || v1(facts);
const canInSession = (name: string) => (facts: Facts): boolean =>
  agentCan('sessionCapabilities', name)(facts) || isObject(at(initialized(facts), 'capabilities', 'session', name));

const text = (words: string): unknown => [{ type: 'text', text: words }];
const prompt = (facts: Facts, words: string): readonly Said[] => [{ method: 'session/prompt', params: { sessionId: facts.session, prompt: text(words) } }];
const hasEnded = ({ hasEnded: ended }: Facts, version: ProtocolVersion): boolean => version === 1 || ended;
const setUp = ({ session }: Facts, { cwd }: LiveSettings): object => ({ sessionId: session, cwd, mcpServers: [] });
const notify = (method: string, params: unknown): Said => ({ method, params, isNotification: true });

const firstOption = (facts: Facts): unknown => arrayOf(at(opened(facts), 'configOptions'))?.find((option) => at(option, 'currentValue') !== undefined);

/** What is set to the value that it has: nothing changes. */
function optionAsItIs(facts: Facts): readonly Said[] {
  const option = firstOption(facts);
  const value = at(option, 'currentValue');
  const configId = at(option, 'configId') ?? at(option, 'id');
  const tagged = typeof value === 'boolean' ? { type: 'boolean' } : protocolVersionOf(initialized(facts)) === 2 ? { type: 'id' } : {};
  return [{ method: 'session/set_config_option', params: { sessionId: facts.session, configId, ...tagged, value } }];
}

const introductions: Readonly<Record<ProtocolVersion, (settings: LiveSettings) => object>> = {
  1: ({ client }) => ({ protocolVersion: 1, clientInfo: client, clientCapabilities: {} }),
  2: ({ client }) => ({ protocolVersion: 2, info: client, capabilities: {} }),
};

export const steps: readonly Step[] = [
  { name: 'initialize', isEssential: true, says: (_, settings) => [{ method: 'initialize', params: introductions[settings.version](settings) }] },
  { name: 'session/new', isEssential: true, says: (_, { cwd }) => [{ method: 'session/new', params: { cwd, mcpServers: [] } }] },
  { name: 'a method that nobody has', says: () => [{ method: '_afterturn/no_such_method', params: {} }] },
  { name: 'a prompt for a session that nobody has', says: () => [{ method: 'session/prompt', params: { sessionId: NO_SESSION, prompt: text('Hello') } }] },
  {
    name: 'session/set_mode',
    versions: [1],
    inSession: true,
    offered: (facts) => stringOf(at(opened(facts), 'modes', 'currentModeId')) !== undefined,
    says: (facts) => [{ method: 'session/set_mode', params: { sessionId: facts.session, modeId: at(opened(facts), 'modes', 'currentModeId') } }],
  },
  { name: 'session/set_config_option', inSession: true, offered: (facts) => firstOption(facts) !== undefined, says: optionAsItIs },
  { name: 'session/prompt', inSession: true, prompts: true, isEssential: true, says: (facts) => prompt(facts, 'Say hello in one word. Use no tools.'), until: hasEnded },
  { name: 'cancel of background work by its id', versions: [2], inSession: true, offered: ({ cancellable }) => cancellable.length > 0, says: ({ cancellable }) => cancellable },
  { name: 'session/cancel while idle', inSession: true, says: ({ session }) => [notify('session/cancel', { sessionId: session })], until: () => false, atMost: 300 },
  { name: 'a prompt that is cancelled', inSession: true, prompts: true, says: (facts) => prompt(facts, 'Count from one to a hundred in words. Use no tools.'), until: ({ hasSpoken }) => hasSpoken, atMost: 500, leavesOpen: true },
  { name: 'session/cancel', inSession: true, isEssential: true, says: ({ session }) => [notify('session/cancel', { sessionId: session })], until: hasEnded },
  { name: 'session/list', offered: always2(canInSession('list')), says: (_, { cwd }) => [{ method: 'session/list', params: { cwd } }] },
  { name: 'session/resume', inSession: true, offered: always2(canInSession('resume')), says: (facts, settings) => [{ method: 'session/resume', params: setUp(facts, settings) }] },
  { name: 'session/resume with its history', versions: [2], inSession: true, says: (facts, settings) => [{ method: 'session/resume', params: { ...setUp(facts, settings), replayFrom: { type: 'start' } } }] },
  { name: 'session/load', versions: [1], inSession: true, offered: agentCan('loadSession'), says: (facts, settings) => [{ method: 'session/load', params: setUp(facts, settings) }] },
  { name: 'session/fork', inSession: true, offered: canInSession('fork'), says: (facts, settings) => [{ method: 'session/fork', params: setUp(facts, settings) }] },
  {
    name: 'session/close of the fork',
    inSession: true,
    offered: (facts) => stringOf(at(facts.answers.get('session/fork')?.result, 'sessionId')) !== undefined && always2(canInSession('close'))(facts),
    says: (facts) => [{ method: 'session/close', params: { sessionId: at(facts.answers.get('session/fork')?.result, 'sessionId') } }],
  },
  { name: 'session/close', inSession: true, offered: always2(canInSession('close')), says: ({ session }) => [{ method: 'session/close', params: { sessionId: session } }] },
  { name: 'session/delete', inSession: true, offered: canInSession('delete'), says: ({ session }) => [{ method: 'session/delete', params: { sessionId: session } }] },
];
