/** What the rules say of a conversation that was let happen, without what they cannot judge there. */
import { check, type RecordedMessage } from '../../../src/check/index.js';

/** What has to come behind a request is judged where nothing can cross with it: in the command's own order, and with no plugin at the client that holds what was said before. */
const crosses: readonly string[] = ['resume-announces-again'];
/** Where the client's input ends first, as it may with a client that vanishes, calls are settled then, and what the agent still says of them wins: v1 has no other way to say it. */
const afterInput: readonly string[] = ['v1-call-ends-once'];
/**
 * Once a session was resumed: what the agent asks can cross with the request for a replay, and work that
 * a replay calls ended is listed under an id of the command's own, which a question about its call is not.
 */
const afterResume: readonly string[] = ['action-before-request'];

/** An agent that lists its work itself can die between its answer to a prompt and the state that says that it works: the last state is then told in its place. */
const ofDeath: readonly string[] = ['prompt-runs'];

/**
 * What background work asks holds up no prompt, and v1 has no word for that it is background work. Whether a
 * call goes on is told behind its last status, which waits for that so long only.
 */
const ofListed: readonly string[] = ['v1-permission-in-turn', 'v1-call-ends-once'];

const wasResumed = (records: readonly RecordedMessage[], session: string, line: number): boolean =>
  records.some(({ line: at, dir, msg }, index) => (at ?? index + 1) < line && dir === 'c2a' && msg.method === 'session/resume' && (msg.params as { sessionId?: string }).sessionId === session);

const isLastState = (records: readonly RecordedMessage[], session: string, line: number): boolean =>
  !records.some(({ line: at, msg }, index) => {
    const { sessionId, update } = (msg.params ?? {}) as { sessionId?: string; update?: { sessionUpdate?: string } };
    return (at ?? index + 1) > line && sessionId === session && update?.sessionUpdate === 'state_update';
  });

export interface Circumstances {
  /** The records are in the command's own order, not in the client's. */
  readonly isRecorded: boolean;
  /** A plugin beside the client keeps each update for a while. */
  readonly isHeldUp: boolean;
  readonly inputEndsFirst: boolean;
  readonly agentDies?: boolean;
  /** A v2 agent leaves work behind, and asks about it. */
  readonly leavesWorkBehind?: boolean;
}

/** The rules that the agent's side broke, in words. Times are left out of it: a busy machine has its own. */
export function breachesIn(records: readonly RecordedMessage[], { isRecorded, isHeldUp, inputEndsFirst, agentDies = false, leavesWorkBehind = false }: Circumstances): string[] {
  const timeless = records.map((each) => ({ ...each, t: 0 }));
  const unjudged = [...(isRecorded && !isHeldUp ? [] : crosses), ...(inputEndsFirst ? afterInput : []), ...(leavesWorkBehind ? ofListed : [])];
  return check(timeless, { window: 0 })
    .filter(({ by, name }) => by === 'agent' && !unjudged.includes(name))
    .filter(({ name, session, line }) => !(afterResume.includes(name) && wasResumed(timeless, session, line)))
    .filter(({ name, session, line }) => !(agentDies && ofDeath.includes(name) && isLastState(timeless, session, line)))
    .map(({ rule, title, line, session, expected, came }) => `rule ${rule} (${title}) in ${session}, line ${line}: expected ${expected}, came ${came}`);
}
