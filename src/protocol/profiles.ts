/**
 * Habits of agents that change what their traffic means. One row an agent, found by the name in its
 * `initialize` answer. An agent without a row has the habits of the standard.
 */
export interface AgentHabits {
  readonly name: string;
  /** The exit attached to a background command's launch acknowledgement is the tool's, not the process's. */
  readonly exitAtLaunch: boolean;
  /** The end of a background item can start a turn of the agent's own. */
  readonly startsTurns: boolean;
  /** It offers the raw feed and reads `_meta.claudeCode` of session set-up requests. */
  readonly claudeMeta: boolean;
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

const standard: AgentHabits = { name: '', exitAtLaunch: false, startsTurns: true, claudeMeta: false, reportsWith: ['asyncTasks'], callsEndWithTurn: false, historyAfterLoad: false };

const rows: readonly (AgentHabits & { readonly match: RegExp })[] = [
  { ...standard, name: 'claude-agent-acp', match: /(^|[/\\@])claude-agent-acp\b/, exitAtLaunch: true, claudeMeta: true },
  { ...standard, name: 'codex-acp', match: /(^|[/\\@])codex-acp\b/, startsTurns: false, reportsWith: ['asyncTasks', 'nativeSubagentSessions'] },
  { ...standard, name: 'gemini-cli', match: /(^|[/\\@])gemini(-cli)?(\.[cm]?js)?$/, callsEndWithTurn: true, historyAfterLoad: true },
  { ...standard, name: 'opencode', match: /(^|[/\\@])opencode(-ai)?$/i, callsEndWithTurn: true },
];

/** The habits of the agent that calls itself `name` in `agentInfo` (v1) or `info` (v2). */
export const habitsOfAgent = (name: string | undefined): AgentHabits => (name === undefined ? standard : (rows.find((row) => row.match.test(name)) ?? standard));

/** The habits of the agent that a command line starts, as far as the command line tells. */
export const habitsOfCommand = (command: readonly string[]): AgentHabits => rows.find((row) => command.some((word) => row.match.test(word))) ?? standard;
