/** Why the command itself ends what the agent left open, as `_meta.afterturn.reason` of that end says it. */

export const Reason = {
  sessionClosed: 'the session was closed',
  sessionDeleted: 'the session was deleted',
  sessionRebuilt: 'the session was built anew',
  inputEnded: "the client's input ended",
  agentExited: 'the agent exited',
  closedBeforeEnd: 'the session was closed before the work ended',
  inputEndedBeforeEnd: 'the input of the client ended before the work did',
  exitedBeforeEnd: 'the agent exited before the work ended',
  endNotTold: 'the agent did not tell how it ended',
  subagentEndNotTold: 'the agent did not tell how the subagent ended',
  subagentLost: 'the agent lost sight of the subagent',
  silentAfterCancel: 'the agent told nothing more of the subagent after a cancel',
  turnEnded: 'its turn ended without ending it',
  turnCancelled: 'its turn was cancelled without ending it',
  turnFailed: 'its turn failed without ending it',
  refused: 'its permission was refused, and its turn ended without ending it',
  workEnded: 'its work in the background ended without ending it',
  replayed: 'it was replayed unfinished',
} as const;

/** Words of the command, of nobody's content. */
export const ownReasons: ReadonlySet<string> = new Set(Object.values(Reason));
