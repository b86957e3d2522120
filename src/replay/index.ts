/**
 * Plays the agent's side of a recording. Effects come in as ports, so that the same replay runs as
 * a process or in memory with a clock of one's own.
 */
import type { RecordedJson, RecordedMessage } from '../check/record.js';
import { isFinished, replayed, startReplay, type ReplayEvent, type ReplayOptions } from './replay.js';

export type { OutputChunk, Outputs } from './output-files.js';
export type { ReplayOptions } from './replay.js';
export { clientReplay, type ClientOptions } from './client.js';

/** What the replay needs from outside. Times are in milliseconds. */
export interface ReplayPorts {
  now(): number;
  /** Runs `run` after `ms`. Returns its cancel. */
  after(ms: number, run: () => void): () => void;
  send(message: RecordedJson): void;
  /** Appends bytes (base64) to a file; the first call for a path makes it. */
  write?(path: string, data: string): void;
}

export interface Replay {
  /** Begins without being spoken to, as a client does. */
  start(): void;
  /** A message from the other side. */
  receive(message: RecordedJson): void;
  /** Whether everything recorded was played. */
  readonly finished: boolean;
  /** Stops: nothing is sent any more. */
  close(): void;
}

/** A replay of `recording`. It begins with the first message it receives. */
export function createReplay(recording: readonly RecordedMessage[], options: ReplayOptions, ports: ReplayPorts): Replay {
  let state = startReplay(recording, options);
  let cancel: (() => void) | undefined;
  // A port may call `receive` again before it returns: events are taken one at a time.
  const waiting: ReplayEvent[] = [];
  let busy = false;
  const take = (event: ReplayEvent): void => {
    const [next, effects] = replayed(state, event);
    state = next;
    cancel?.();
    cancel = undefined;
    for (const effect of effects) {
      if (effect.kind === 'send') ports.send(effect.message);
      else if (effect.kind === 'write') ports.write?.(effect.path, effect.data);
      else cancel = ports.after(Math.max(0, effect.at - event.at), () => handle({ kind: 'woken', at: ports.now() }));
    }
  };
  const handle = (event: ReplayEvent): void => {
    waiting.push(event);
    if (busy) return;
    busy = true;
    for (let first = waiting.shift(); first; first = waiting.shift()) take(first);
    busy = false;
  };
  return {
    start: () => handle({ kind: 'woken', at: ports.now() }),
    receive: (message) => handle({ kind: 'received', at: ports.now(), message }),
    get finished() {
      return isFinished(state);
    },
    close: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}
