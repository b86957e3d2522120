/**
 * The ids that the agent itself gives to user messages, as the raw feed of claude-agent-acp tells them:
 * each request to the model names the messages that it takes in for the first time, or again.
 */
import { arrayOf, at, idOf, objectOf } from 'afterturn/protocol';
import type { BridgeSession } from './session.js';

/** Of a message of the feed: `takenIn` runs once for each user message that it names first, whose id is the session's next one. */
export function userMessagesNamed(session: BridgeSession, message: unknown, takenIn: () => void): void {
  if (objectOf(message)?.subtype !== 'status') return;
  for (const id of (arrayOf(at(message, 'user_message_uuids')) ?? []).flatMap((one) => idOf(one) ?? [])) {
    if (session.userMessages.has(id)) continue;
    session.userMessages.add(id);
    session.nextUserMessage = id;
    // What was added to the turn that runs comes before what waits for its end.
    if (session.steered > 0) session.steered--;
    else takenIn();
    if (session.takeUserMessageId() !== undefined) session.ids.named(id);
  }
}
