/**
 * `afterturn replay --as client`: plays the client of a recording against an agent that it starts, and
 * prints what is said as a recording of its own. Loaded late. Knows processes and patience.
 */
import { PassThrough } from 'node:stream';
import type { RecordedJson, RecordedMessage } from '../check/index.js';
import { clientReplay, type ClientOptions, type Replay } from '../replay/index.js';
import { startAgent } from './agent.js';
import { Agents } from './agents.js';
import { after, now } from './clock.js';
import { readLines } from './json-lines.js';
import { createLog } from './log.js';
import { messageIn } from './replay.js';
import { printable } from '../printable.js';

/** Nothing was said for this long: the recorded client waits for what will not come. Milliseconds. */
const defaultTimeout = 60_000;
/** After the last recorded message the agent may have more to say. */
const lastWordsMs = 1500;
/** What a live agent does not say at all is not waited for as long as a proxy's peer. */
const defaultPatience = 500;

/** Resolves with the exit code: 0 when the recording was played to its end, else 1. */
export async function playClient(recording: readonly RecordedMessage[], options: ClientOptions, command: readonly string[], timeout = defaultTimeout): Promise<number> {
  const log = createLog('warn', (line) => void process.stderr.write(line));
  const begunAt = now();
  const print = (dir: RecordedMessage['dir'], msg: RecordedJson): void => void process.stdout.write(`${printable(JSON.stringify({ t: Math.round(now() - begunAt), dir, msg }))}\n`);
  process.stdout.on('error', () => {});
  const output = new PassThrough();
  const agents = new Agents(await startAgent(command), command, { output: (chunk) => (output.write(chunk), true), drained: () => {}, broken: () => {} }, log);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => agents.signal('SIGKILL'));

  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const finish = (code: number, trouble?: string): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (trouble !== undefined) log.error(trouble);
      replay.close();
      void agents.end().then(() => resolve(code));
    };
    /** After each step: all is said, or there is something to wait for. */
    const look = (): void => {
      clearTimeout(timer);
      if (isOver) return;
      timer = replay.finished ? setTimeout(() => finish(0), lastWordsMs) : setTimeout(() => finish(1, `the agent said nothing for ${timeout} ms that the recording goes on with`), timeout);
    };
    const replay: Replay = clientReplay(recording, { ...options, patience: options.patience ?? defaultPatience }, {
      now,
      after: (ms, run) => after(ms, () => (run(), look())),
      send(message) {
        print('c2a', message);
        agents.write(Buffer.from(`${JSON.stringify(message)}\n`));
      },
    });
    readLines(output, (line) => {
      const message = messageIn(line);
      if (message === undefined || isOver) return;
      print('a2c', message);
      replay.receive(message);
      look();
    });
    void agents.exited.then(() => finish(replay.finished ? 0 : 1, replay.finished ? undefined : 'the agent ended before the recording did'));
    replay.start();
    look();
  });
}
