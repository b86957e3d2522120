/** The agents of ACP v2 in random conversations: by which habits they differ. */
export interface V2AgentKind {
  readonly name: string;
  readonly version: string;
  /** How it tells background work: in the lists of its states, or in the private extension. */
  readonly tells: 'lists' | 'tasks';
  /** It starts turns of its own, one also at the end of background work. */
  readonly ownTurns: boolean;
  /** The launching call of a shell stays `in_progress` while the shell runs. */
  readonly holdsShellCalls: boolean;
  /** It has Monitors, of which only its raw feed tells, and its replays call listed terminals exited. */
  readonly hasGaps: boolean;
  readonly subagents: boolean;
  /** It takes a prompt into the turn of another one. */
  readonly mixesPrompts: boolean;
}

export const v2AgentKinds = {
  claude: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0', tells: 'lists', ownTurns: true, holdsShellCalls: false, hasGaps: true, subagents: true, mixesPrompts: false },
  codex: { name: '@agentclientprotocol/codex-acp', version: '2.6.0', tells: 'tasks', ownTurns: false, holdsShellCalls: true, hasGaps: false, subagents: false, mixesPrompts: false },
  lists: { name: 'other-agent', version: '1.0.0', tells: 'lists', ownTurns: true, holdsShellCalls: true, hasGaps: false, subagents: true, mixesPrompts: true },
  tasks: { name: 'other-agent', version: '1.0.0', tells: 'tasks', ownTurns: true, holdsShellCalls: false, hasGaps: false, subagents: false, mixesPrompts: true },
} as const satisfies Record<string, V2AgentKind>;
