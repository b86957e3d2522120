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
}

const none: BridgeHabits = { exitCodeInOutput: false, titlePlaceholder: undefined };

const rows: ReadonlyMap<string, BridgeHabits> = new Map([['claude-agent-acp', { exitCodeInOutput: true, titlePlaceholder: 'Terminal' }]]);

/** The habits of the agent that calls itself `name` in `agentInfo`. */
export const bridgeHabitsOf = (name: string | undefined): BridgeHabits => rows.get(habitsOfAgent(name).name) ?? none;
