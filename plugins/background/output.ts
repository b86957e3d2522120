/**
 * Output of a background command that its agent writes to a file: followed into the command's
 * terminal, and searched for the exit code that Claude Code writes as its last line.
 *
 * Follows "Terminals" of the v2 Background Work RFD: the output of a listed terminal is kept current.
 */
import type { Follow, Host } from 'afterturn/plugin';
import { exitCodeOfTail, tailOf } from 'afterturn/protocol';

export interface FollowedOutput {
  /** Reads and sends what is there now. */
  flush(): void;
  close(): void;
  /** The harness's own last line is there, or nothing can be read. */
  isComplete(): boolean;
  /** The exit code that the last line names, if it is there. */
  exitCode(): number | undefined;
}

/** `sendUpdate` gets `terminal_update` snapshots and `terminal_output_chunk`s, in order; `grown` runs after each. */
export function followOutput(host: Host, path: string, terminalId: string, sendUpdate: (update: object) => void, grown: () => void): FollowedOutput {
  let tail = '';
  let delivered = false;
  let unreadable = false;
  const follow: Follow = host.follow(path, {
    bytes(bytes, reset) {
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const replaces = reset || !delivered;
      tail = tailOf(replaces ? '' : tail, data);
      if (data.length === 0 && !replaces) return;
      delivered = true;
      const base64 = data.toString('base64');
      sendUpdate(
        replaces
          ? { sessionUpdate: 'terminal_update', terminalId, output: { data: base64 } }
          : { sessionUpdate: 'terminal_output_chunk', terminalId, data: base64 },
      );
      grown();
    },
    failed(reason) {
      unreadable = true;
      host.log.warn(`the output of a background command cannot be followed: ${reason}`);
    },
  });
  return {
    flush: () => follow.flush(),
    close: () => follow.close(),
    isComplete: () => unreadable || exitCodeOfTail(tail) !== undefined,
    exitCode: () => exitCodeOfTail(tail),
  };
}
