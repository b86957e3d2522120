/** The agents of random conversations: by which habits they differ. */
export interface AgentKind {
  readonly name: string;
  readonly version: string;
  /** How it starts turns of its own: with a task that says so, without any mark, or never. */
  readonly ownTurns: 'told' | 'unmarked' | 'none';
  /** The launching call of a shell stays `in_progress` while the shell runs. */
  readonly holdsShellCalls: boolean;
}

export const agentKinds = {
  claude: { name: '@agentclientprotocol/claude-agent-acp', version: '0.95.0', ownTurns: 'told', holdsShellCalls: false },
  codex: { name: 'codex-acp', version: '2.6.0', ownTurns: 'none', holdsShellCalls: true },
  other: { name: 'other-agent', version: '1.0.0', ownTurns: 'unmarked', holdsShellCalls: false },
} as const satisfies Record<string, AgentKind>;
