/** Why the command itself ends what the agent left open, as `_meta.afterturn.reason` of that end says it. */

export const SESSION_CLOSED = 'the session was closed';
export const AGENT_EXITED = 'the agent exited';

/** Words of the command, of nobody's content. */
export const OWN_REASONS: ReadonlySet<string> = new Set([SESSION_CLOSED, AGENT_EXITED]);
