/** What the rules say of a conversation that was let happen, without what they cannot judge there. */
import { check, type RecordedMessage } from '../../../src/check/index.js';

/** What has to come behind a request is judged by the command's own order: what the client gets may have crossed with it. */
const crosses: readonly string[] = ['resume-announces-again'];
/** Where the client's input ends first, calls are settled then, and what the agent still says of them wins. */
const afterInput: readonly string[] = ['v1-call-ends-once'];
/**
 * Work whose launching call had ended is listed under an id of the command's own; a question about it
 * names the call, which no list does.
 */
const aboutRenamed: readonly string[] = ['action-before-request'];

function hasRenamed(records: readonly RecordedMessage[], session: string, line: number): boolean {
  const isBefore = (record: RecordedMessage, index: number): boolean => (record.line ?? index + 1) < line;
  const list = records.filter(isBefore).findLast(({ dir, msg }) => dir === 'a2c' && JSON.stringify(msg.params)?.startsWith(`{"sessionId":"${session}","update":{"sessionUpdate":"state_update"`));
  return JSON.stringify(list?.msg ?? {}).includes('"afterturn:');
}

export interface Circumstances {
  /** The records are in the command's own order, not in the client's. */
  readonly isRecorded: boolean;
  readonly inputEndsFirst: boolean;
}

/** The rules that the agent's side broke, in words. Times are left out of it: a busy machine has its own. */
export function breachesIn(records: readonly RecordedMessage[], { isRecorded, inputEndsFirst }: Circumstances): string[] {
  const timeless = records.map((each) => ({ ...each, t: 0 }));
  const unjudged = [...(isRecorded ? [] : crosses), ...(inputEndsFirst ? afterInput : [])];
  return check(timeless, { window: 0 })
    .filter(({ by, name, session, line }) => by === 'agent' && !unjudged.includes(name) && !(aboutRenamed.includes(name) && hasRenamed(timeless, session, line)))
    .map(({ rule, title, line, session, expected, came }) => `rule ${rule} (${title}) in ${session}, line ${line}: expected ${expected}, came ${came}`);
}
