/**
 * One conversation of a live check with an agent that it starts and ends. Knows processes, time and the
 * transcript; what is said and what it means is in `live/`.
 */
import { PassThrough } from 'node:stream';
import type { RecordedJson, RecordedMessage } from '../check/index.js';
import { problemOf } from '../check/reading.js';
import { lived, newLive, type Conversation, type Live, type LiveEvent, type LiveSettings } from '../live/index.js';
import { startAgent } from './agent.js';
import { Agents } from './agents.js';
import { readLines } from './json-lines.js';
import { createLog } from './log.js';
import { settledWithin } from './patience.js';

/** How long an agent may take to go after the end of its input, before it is told to. Milliseconds. */
const leaveMs = 3000;
/** What was on its way when the agent ended. */
const lastBytesMs = 500;

/** A line of the transcript; `msg` is absent where it is no message. */
export interface TranscriptLine {
  readonly t: number;
  readonly dir: RecordedMessage['dir'];
  readonly text: string;
}

/** Where the transcript goes. Returns the number of the line that it has there, from 1. */
export type Transcript = (line: TranscriptLine) => number;

export interface Talk extends Conversation {
  /** It went on after the end of its input and was ended by a signal. */
  readonly lingered: boolean;
}

function messageOf(text: string): RecordedJson | undefined {
  try {
    const value: unknown = JSON.parse(text.trim());
    return problemOf(value) === undefined ? (value as RecordedJson) : undefined;
  } catch {
    return undefined;
  }
}

/** Talks to the agent to the end. `started` is given what can end it. Rejects with a `RelayError` if it cannot be started. */
export async function conversationWith(command: readonly string[], settings: LiveSettings, transcript: Transcript, started: (agents: Agents) => void): Promise<Talk> {
  const begunAt = performance.now();
  const now = (): number => Math.round(performance.now() - begunAt);
  const log = createLog('warn', (line) => void process.stderr.write(line));
  const output = new PassThrough();
  const agents = new Agents(await startAgent(command), command, { output: (chunk) => (output.write(chunk), true), drained: () => {}, broken: () => {} }, log);
  started(agents);

  const messages: RecordedMessage[] = [];
  const strays: { line: number; t: number }[] = [];
  let live: Live = newLive(settings);
  let timer: NodeJS.Timeout | undefined;
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => (finish = resolve));

  const note = (dir: RecordedMessage['dir'], msg: RecordedJson, text: string): void => {
    const t = now();
    messages.push({ t, dir, msg, line: transcript({ t, dir, text }) });
  };
  const take = (event: LiveEvent): void => {
    const [next, effects] = lived(live, event);
    live = next;
    for (const effect of effects) {
      if (effect.do === 'done') finish();
      else if (effect.do === 'wait') {
        clearTimeout(timer);
        timer = setTimeout(() => take({ type: 'timeUp', of: effect.of }), effect.ms);
      } else {
        const text = JSON.stringify(effect.msg);
        note('c2a', effect.msg, text);
        agents.write(Buffer.from(`${text}\n`));
      }
    }
  };
  readLines(output, (text) => {
    const msg = messageOf(text);
    if (msg === undefined) {
      strays.push({ t: now(), line: transcript({ t: now(), dir: 'a2c', text }) });
      return;
    }
    note('a2c', msg, text);
    take({ type: 'heard', msg });
  });

  take({ type: 'begun' });
  const end = await Promise.race([finished.then(() => undefined), agents.exited]);
  if (end !== undefined) await settledWithin(agents.over, lastBytesMs);
  clearTimeout(timer);
  const endedEarly = end === undefined || live.isDone ? undefined : { ...end, t: now() };
  // What comes from now on is no part of the conversation.
  live = { ...live, isDone: true };
  agents.endInput();
  const lingered = !(await settledWithin(agents.exited, leaveMs));
  await agents.end();
  return { live, messages, strays, endedEarly, lingered };
}
