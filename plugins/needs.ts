/**
 * Whether a built-in plugin has anything to do on a connection, by `initialize` and the answer to it:
 * one rule each, asked by the plugin itself and by what stands in its place until then (`late`). Knows
 * when there is something to do, not what.
 */
import type { Call, Host, Reply } from 'afterturn/plugin';
import {
  agentOf, at, extensionCapabilities, firstChoice, habitsOfAnswer, habitsOfCommand, hasRawFeed, integerOf, protocolVersionOf, reportsBy, type AgentHabits, type AgentProtocol, type Choice, type ProtocolVersion,
} from 'afterturn/protocol';
import type { Need, Needs } from './late.js';
import type { LegacyClient } from './legacy-client.js';
import type { Source } from './sources.js';

/** The requests that set a session up. */
const SETUP: readonly string[] = ['session/new', 'session/load', 'session/resume', 'session/fork'];

const laterIf = (mayBeNeeded: boolean): Need => (mayBeNeeded ? 'later' : 'nothing');
const nowIf = (isNeeded: boolean): Need => (isNeeded ? 'now' : 'nothing');

/** The version as it was named, whatever its number. */
const versionIn = (value: unknown): number | undefined => integerOf(at(value, 'protocolVersion'));
/** What a client of v2 declares of the extension. */
const declaredBy = ({ params }: Call): readonly string[] => extensionCapabilities(at(params, 'capabilities'));

/** An answer that is an error leaves all open. */
const ofResult = (need: (result: unknown) => Need) => ({ result }: Reply): Need => (result === undefined ? 'later' : need(result));

/** How the agent reports background work to a v1 client. */
export type Reports = 'asyncTasks' | 'rawFeed';

/** How this agent reports background work to a client that declared nothing, from its `initialize` answer. */
export function reportsOf(result: unknown, source: Source): Reports | undefined {
  if (versionIn(result) === 2) return undefined;
  if (source === 'async-tasks') return extensionCapabilities(result).includes('asyncTasks') ? 'asyncTasks' : undefined;
  return habitsOfAnswer(result).claudeMeta && hasRawFeed(agentOf(result).version) ? 'rawFeed' : undefined;
}

export const keepOpenNeeds = ({ source, makesTasks }: { readonly source: Source; readonly makesTasks: () => boolean }): Needs => ({
  asked({ params }) {
    const declares = extensionCapabilities(at(params, 'clientCapabilities')).includes('asyncTasks');
    return laterIf(source !== 'none' && !declares && (versionIn(params) ?? 1) <= 1);
  },
  answered: ofResult((result) => nowIf(makesTasks() || reportsOf(result, source) !== undefined)),
});

/** What is known of the calls that an agent leaves unfinished. */
export interface Settling {
  readonly version: ProtocolVersion;
  readonly habits: AgentHabits;
  /** They are settled in all sessions, not only in those that report background work to us. */
  readonly everywhere: boolean;
}

/** `undefined`: it is not known yet. */
export function settlingOf({ result }: Reply, mode: 'auto' | 'always' | 'off', host: Host): Settling | undefined {
  const version = protocolVersionOf(result);
  if (version === undefined) return undefined;
  const habits = agentOf(result).name === undefined ? habitsOfCommand(host.agentCommand) : habitsOfAnswer(result);
  return { version, habits, everywhere: mode === 'always' || habits.callsEndWithTurn || reportsBy(habits, extensionCapabilities(result)) };
}

export const staleNeeds = ({ mode, expected }: { readonly mode: 'auto' | 'always' | 'off'; readonly expected: () => boolean }): Needs => ({
  asked: () => laterIf(mode !== 'off'),
  answered(reply, host) {
    const settling = settlingOf(reply, mode, host);
    // An ACP v2 agent may report a list with any of its states.
    return settling === undefined ? 'later' : nowIf(settling.everywhere || settling.version === 2 || expected());
  },
});

export const backgroundNeeds: Needs = {
  asked: (call) => laterIf(versionIn(call.params) === 2 && !declaredBy(call).includes('asyncTasks')),
  answered: ofResult((result) => nowIf(versionIn(result) === 2)),
};

/** A client that asked for the extension's form of subagents gets it. */
export const subagentFormNeeds: Needs = {
  asked: (call) => laterIf(protocolVersionOf(call.params) === 2 && !declaredBy(call).includes('nativeSubagentSessions')),
  answered: ofResult((result) => nowIf(extensionCapabilities(result).includes('nativeSubagentSessions'))),
};

export interface BridgeNeedsOptions {
  readonly agentProtocol: AgentProtocol;
  /** Is told the choice that leaves nothing to bridge. */
  readonly onChoice: (choice: Choice) => void;
}

export const bridgeNeeds = ({ agentProtocol, onChoice }: BridgeNeedsOptions): Needs => ({
  asked(call, host) {
    if (call.id === undefined) return 'nothing';
    const choice = firstChoice(protocolVersionOf(call.params) ?? 1, agentProtocol, host.agentCommand);
    if (choice.because !== 'client' && (choice.because !== 'option' || choice.offer !== 'v2')) return 'now';
    onChoice(choice);
    return 'nothing';
  },
  answered: () => 'now',
});

/** An agent that answers v2 to a client that asked for v1 speaks nothing else. */
export const bridgeDownNeeds = ({ agentProtocol }: { readonly agentProtocol: AgentProtocol }): Needs => ({
  asked({ params }) {
    if ((protocolVersionOf(params) ?? 1) !== 1) return 'nothing';
    return agentProtocol === 'v2' ? 'now' : laterIf(agentProtocol === 'auto');
  },
  answered: ofResult((result) => nowIf(protocolVersionOf(result) === 2)),
});

export const legacySubagentsNeeds = (client: LegacyClient): Needs => ({
  asked: () => laterIf(client.isV1),
  answered: ofResult((result) => nowIf(protocolVersionOf(result) === 2 && client.subagents !== 'standard')),
});

export const legacyTasksNeeds = ({ source, client }: { readonly source: Source; readonly client: LegacyClient }): Needs => ({
  asked({ params }) {
    if (!client.isV1) return 'nothing';
    return protocolVersionOf(params) === 2 ? 'now' : 'later';
  },
  answered: ofResult((result) => {
    const isWanted = client.knows('asyncTasks') || source === 'auto' || source === 'async-tasks';
    return nowIf(isWanted && protocolVersionOf(result) === 2 && !extensionCapabilities(result).includes('asyncTasks'));
  }),
});

/** At work where both sides speak v2, and the client asked for no dialect of its own. The agent may be asked again, or be another process: the last answer counts. */
export function gapsNeeds(isAsked: boolean): Needs {
  let declares = false;
  return {
    asked(call) {
      declares = declaredBy(call).includes('asyncTasks');
      return laterIf(isAsked);
    },
    answered: ofResult((result) => (!declares && protocolVersionOf(result) === 2 ? 'now' : 'later')),
    other: (method) => laterIf(!SETUP.includes(method)),
  };
}
