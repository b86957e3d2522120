/**
 * What an agent that tells its own turns in no way shows of them: content that comes while no prompt
 * runs (ACP "Prompt lifecycle"). Read here; when such a turn runs is `state/turns-unmarked`'s to say.
 */
import { idOf, stringOf, type JsonObject } from 'afterturn/protocol';
import { isFinalStatus } from 'afterturn/state';
import type { Bridge } from './bridge.js';
import type { Happened } from './foreground.js';
import type { BridgeSession } from './session.js';

/** What a turn consists of. Commands, titles, options and usage also come outside of turns. */
const content: ReadonlySet<string> = new Set([
  'agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan', 'plan_update', 'plan_removed', 'compaction_update', 'compaction_summary_chunk',
]);
/** Of these, what a turn begins with; the update of a call that was not heard of before is one, too. */
const starts: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk', 'tool_call']);

/** Nothing else tells this agent's own turns. A session that is still being set up has none, and a subagent's are its parent's to tell. */
const isUnmarked = (bridge: Bridge, session: BridgeSession): boolean =>
  (bridge.habits.ownTurns === 'content' || session.showsTurn) && session.isSetUp && session.parent === undefined && !bridge.turnTasks && !bridge.marksTurns && session.feedRuns === undefined;

/** What an update says of such a turn; to be asked before the update itself is taken in. */
export function unmarkedContent(bridge: Bridge, session: BridgeSession, update: JsonObject & { readonly sessionUpdate: string }): Happened | undefined {
  if (!content.has(update.sessionUpdate) || !isUnmarked(bridge, session)) return undefined;
  const id = idOf(update.toolCallId);
  const status = stringOf(update.status) ?? (update.sessionUpdate === 'tool_call' ? 'pending' : undefined);
  const isFresh = id !== undefined && !session.calls.has(id);
  const call = id === undefined || status === undefined ? {} : { call: { id, open: !isFinalStatus(status) } };
  return { type: 'worked', starts: starts.has(update.sessionUpdate) || (isFresh && !isFinalStatus(status)), ...call };
}

/** What a question of the agent says of such a turn: it goes on, and the question itself holds it. */
export const unmarkedQuestion = (bridge: Bridge, session: BridgeSession): Happened | undefined => (isUnmarked(bridge, session) ? { type: 'worked', starts: true } : undefined);
