/**
 * Which version of ACP is spoken to an agent ("Choosing what to speak to the agent"): what it is
 * offered first, and what its answer to that means. Knows profiles and answers, not how either is sent.
 */
import { extensionCapabilities } from './extension.js';
import { agentOf, habitsOfAnswer, habitsOfCommand, type AgentHabits, type Offer } from './profiles.js';
import { protocolVersionOf, type ProtocolVersion } from './versions.js';

/** What the user wants to be spoken to the agent. */
export type AgentProtocol = 'auto' | 'v1' | 'v2';

/** What is offered, and what made it so. */
export interface Choice {
  readonly offer: Offer;
  /**
   * `client`: a client of v1 gets a v1 agent side, unless the option says `v2`. `option`: the user said so. `command`, `answer`: the
   * profile of the agent that the command line, or the agent itself, names. `none`: nothing is known.
   */
  readonly because: 'client' | 'option' | 'command' | 'answer' | 'none';
  readonly habits: AgentHabits;
}

export type Step =
  /** The answer, or the error, stands: the version that it names is spoken. */
  | { readonly do: 'settle' }
  /** On the same connection once more, in pure v1 shape: the agent has not read the v1 half. */
  | { readonly do: 'again' }
  /** The first choice was wrong. An agent that answered v2 takes no v1 any more, so it is started again. */
  | { readonly do: 'restart'; readonly choice: Choice };

/** What the agent is offered first. */
export function firstChoice(client: ProtocolVersion, agentProtocol: AgentProtocol, command: readonly string[]): Choice {
  const habits = habitsOfCommand(command);
  if (client === 1 && agentProtocol !== 'v2') return { offer: 'v1', because: 'client', habits };
  if (agentProtocol !== 'auto') return { offer: agentProtocol, because: 'option', habits };
  return { offer: habits.speaks, because: habits.name === '' ? 'none' : 'command', habits };
}

/** The choice that the answer's profile makes where the one that was made is another. */
function corrected({ offer, because }: Choice, result: unknown): Choice | undefined {
  if (because === 'option' || because === 'client' || agentOf(result).name === undefined) return undefined;
  const habits = habitsOfAnswer(result);
  const isWrong = habits.speaks === 'v1' ? protocolVersionOf(result) === 2 : offer === 'v1';
  return isWrong ? { offer: habits.speaks, because: 'answer', habits } : undefined;
}

/** What the answer to the offer means. `mayRestart`: the agent can be started again, and has not been yet. */
export function nextStep(choice: Choice, { result, error }: { readonly result?: unknown; readonly error?: unknown }, mayRestart: boolean): Step {
  if (error !== undefined) return { do: choice.offer === 'v1' ? 'settle' : 'again' };
  const other = mayRestart ? corrected(choice, result) : undefined;
  if (other !== undefined) return { do: 'restart', choice: other };
  const wasRead = choice.offer === 'v1' || protocolVersionOf(result) === 2 || extensionCapabilities(result).length > 0;
  return { do: wasRead ? 'settle' : 'again' };
}
