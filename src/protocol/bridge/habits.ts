/**
 * Habits of agents that a bridge must know beyond the ones that every plugin reads. One row an
 * agent, by the name of its row in `profiles`; an agent without a row has none of them.
 */
import { habitsOfAgent } from '../profiles.js';

export interface BridgeHabits {
  /**
   * A failed command's exit code is always reported as 1; the true one stands in the first line of
   * its output, which the agent's harness itself puts there: `Exit code N`.
   */
  readonly exitCodeInOutput: boolean;
  /** A command's title is its command line, once it is no longer this placeholder. */
  readonly titlePlaceholder: string | undefined;
  /**
   * How a turn that it starts on its own is known: `told` by tasks, the raw feed, or an update that
   * closes it; `content`: by nothing but what it says; `none`: it starts none, and what it says outside
   * of prompts (a changed mode, the rest of a history) is no turn.
   */
  readonly ownTurns: 'told' | 'content' | 'none';
  /** A second prompt stops the first at once, and both run until that has ended. */
  readonly promptsOverlap: boolean;
  /** A permission request describes its call in words of its own, which are not the call's. */
  readonly asksInOwnWords: boolean;
}

const none: BridgeHabits = { exitCodeInOutput: false, titlePlaceholder: undefined, ownTurns: 'content', promptsOverlap: false, asksInOwnWords: false };

const rows: ReadonlyMap<string, BridgeHabits> = new Map([
  ['claude-agent-acp', { ...none, exitCodeInOutput: true, titlePlaceholder: 'Terminal', ownTurns: 'told' }],
  ['codex-acp', { ...none, ownTurns: 'none' }],
  ['gemini-cli', { ...none, ownTurns: 'none', promptsOverlap: true }],
  ['opencode', { ...none, asksInOwnWords: true }],
]);

/** The habits of the agent that calls itself `name` in `agentInfo`. */
export const bridgeHabitsOf = (name: string | undefined): BridgeHabits => rows.get(habitsOfAgent(name).name) ?? none;
