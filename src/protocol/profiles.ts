/**
 * Habits of agents that change what is spoken to them and what their traffic means. One row an agent
 * and range of versions, found on its command line before it has said anything, and by the name and
 * version of its `initialize` answer afterwards. An agent without a row has the habits of the standard.
 */
import { at, stringOf } from './shape.js';

/** What an agent is offered in `initialize`: one version of ACP, or both, so that it takes the higher one that it knows. */
export type Offer = 'v1' | 'v2' | 'both';

export interface AgentHabits {
  /** Empty: the habits of the standard. */
  readonly name: string;
  /** The first version (`major.minor`) that the row is about. `undefined`: all, also one that is not known. */
  readonly since: string | undefined;
  /**
   * What it is offered for a client of ACP v2. `v2`: there it reports background work itself. `v1`: it
   * reports it in v1 with the extension only, or loses some of it in v2.
   */
  readonly speaks: Offer;
  /** The exit attached to a background command's launch acknowledgement is the tool's, not the process's. */
  readonly exitAtLaunch: boolean;
  /** It writes `[exited with code N]` behind the output of a background command that ended, just after the end. */
  readonly exitLineInOutput: boolean;
  /** The end of a background item can start a turn of the agent's own. */
  readonly startsTurns: boolean;
  /** A `stopped` that nobody asked for may be corrected at once. */
  readonly correctsStops: boolean;
  /** It offers the raw feed and reads `_meta.claudeCode` of session set-up requests. */
  readonly claudeMeta: boolean;
  /**
   * It may be told in v2 that the client knows the private extension. claude-agent-acp does not serve
   * the extension there, and lists no background work for a client that declares it.
   */
  readonly extensionInV2: boolean;
  /** The extension capabilities that must be acknowledged for the list of a session to be whole. */
  readonly reportsWith: readonly string[];
  /**
   * A tool call that is open when its prompt's turn is over never ends. OpenCode's turns of its own
   * (background subagents, which only its environment turns on) belong to no prompt.
   */
  readonly callsEndWithTurn: boolean;
  /** It answers `session/load` after the first update of the history, and sends the rest then. */
  readonly historyAfterLoad: boolean;
}

interface Row extends AgentHabits {
  /** In every text that fits, whatever its case: few texts are looked at any closer. */
  readonly mark: string;
  /** Matches a name, or a word of a command line that names it. The group is the version that an `@` names there. */
  readonly match: RegExp;
}

const standard: AgentHabits = {
  name: '', since: undefined, speaks: 'both', exitAtLaunch: false, exitLineInOutput: false, startsTurns: true, correctsStops: true, claudeMeta: false,
  extensionInV2: true, reportsWith: ['asyncTasks'], callsEndWithTurn: false, historyAfterLoad: false,
};

const claude: Row = { ...standard, name: 'claude-agent-acp', mark: 'claude-agent-acp', match: /(?:^|[/\\@+])claude-agent-acp(?![\w-])(?:@[~^=v]*(\d+\.\d+))?/, exitAtLaunch: true, exitLineInOutput: true, claudeMeta: true, extensionInV2: false };

/** Of rows with one name the first that fits counts. */
const rows: readonly Row[] = [
  { ...claude, since: '0.101', speaks: 'v2', correctsStops: false },
  { ...claude, since: '0.90', speaks: 'v1', correctsStops: false },
  { ...claude, since: '0.75', speaks: 'v1' },
  { ...claude, since: '0.0', speaks: 'v1', exitLineInOutput: false },
  claude,
  // In v2 it loses a background terminal's output and end at the next prompt.
  { ...standard, name: 'codex-acp', mark: 'codex-acp', match: /(?:^|[/\\@+])codex-acp(?![\w-])/, speaks: 'v1', startsTurns: false, correctsStops: false, reportsWith: ['asyncTasks', 'nativeSubagentSessions'] },
  { ...standard, name: 'gemini-cli', mark: 'gemini', match: /(?:^|[/\\@])gemini(?:-cli)?(?:\.[cm]?js)?$/, callsEndWithTurn: true, historyAfterLoad: true },
  { ...standard, name: 'opencode', mark: 'opencode', match: /(?:^|[/\\@])opencode(?:-ai)?$/i, callsEndWithTurn: true },
];

const numbersOf = (version: string | undefined): readonly [number, number] | undefined => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
};

/** Whether `version` is `since` or later. A version that is not known is neither. */
function isSince(version: string | undefined, since: string): boolean {
  const [major, minor] = numbersOf(version) ?? [-1, -1];
  const [sinceMajor, sinceMinor] = numbersOf(since) ?? [0, 0];
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}

const isMarked = ({ mark }: Row, text: string): boolean => text.toLowerCase().includes(mark);

const fits = (row: Row, text: string, version: string | undefined): boolean =>
  isMarked(row, text) && row.match.test(text) && (row.since === undefined || isSince(version, row.since));

/** The habits of the agent that calls itself `name` in `agentInfo` (v1) or `info` (v2), in this version. */
export const habitsOfAgent = (name: string | undefined, version?: string): AgentHabits =>
  name === undefined ? standard : (rows.find((row) => fits(row, name, version)) ?? standard);

/** The habits of the agent that a command line starts, as far as the command line tells. */
export const habitsOfCommand = (command: readonly string[]): AgentHabits =>
  rows.find((row) => command.some((word) => isMarked(row, word) && fits(row, word, row.match.exec(word)?.[1]))) ?? standard;

/** Who the agent says that it is in its `initialize` result, of either version. */
export function agentOf(result: unknown): { readonly name: string | undefined; readonly version: string | undefined } {
  const info = at(result, 'agentInfo') ?? at(result, 'info');
  return { name: stringOf(at(info, 'name')), version: stringOf(at(info, 'version')) };
}

/** The habits of the agent that gave this `initialize` result. */
export function habitsOfAnswer(result: unknown): AgentHabits {
  const { name, version } = agentOf(result);
  return habitsOfAgent(name, version);
}

/** Whether the agent acknowledged all that it takes for a session's list to be whole. */
export const reportsBy = ({ reportsWith }: AgentHabits, acknowledged: readonly string[]): boolean => reportsWith.every((capability) => acknowledged.includes(capability));
