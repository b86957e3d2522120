/**
 * `afterturn replay`: plays the agent of a recording on stdin and stdout, with the output files that
 * the recording names, or its client against a live agent. Knows its arguments and the exit code.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { RecordedJson, RecordedMessage, Side } from '../check/index.js';
import { relayError } from '../errors.js';
import { createReplay, type Outputs, type ReplayOptions, type ReplayPorts } from '../replay/index.js';
import { argumentsOf, choiceOf, filePath, positiveNumber } from './arguments.js';
import { after, now } from './clock.js';
import { readLines } from './json-lines.js';
import { recordingIn } from './recording-file.js';
import { usages } from './usages.js';

const wait = { ...positiveNumber, expected: 'a number of milliseconds above 0', value: 'MS' };

/** `outputs`: a JSON file of `Outputs`; `out-dir`: where the files that the recording names are written, under their own names. */
const options = {
  as: choiceOf('agent', 'client'), speed: positiveNumber, 'longest-wait': wait, patience: wait, timeout: wait,
  cwd: { expected: 'the path of a folder', value: 'DIR' }, outputs: filePath, 'out-dir': { expected: 'the path of a folder', value: 'DIR' },
};

/** One side's messages: of the last run in which that side was recorded, else of the last run. */
function messagesOf(path: string, side: Side): readonly RecordedMessage[] {
  const { connections } = recordingIn(path);
  const { messages = [] } = connections.findLast((one) => one.side === side) ?? connections.at(-1) ?? {};
  // Without times there is nothing to wait for.
  return messages.map((message) => (Number.isNaN(message.t) ? { ...message, t: 0 } : message));
}

/** Writes output files: the first write for a path makes it. */
function fileWriter(): NonNullable<ReplayPorts['write']> {
  const made = new Set<string>();
  return (path, data) => {
    const bytes = Buffer.from(data, 'base64');
    if (made.has(path)) return appendFileSync(path, bytes);
    made.add(path);
    mkdirSync(resolve(path, '..'), { recursive: true });
    writeFileSync(path, bytes);
  };
}

/** Plays the agent until its input ends. */
function playAgent(messages: readonly RecordedMessage[], settings: ReplayOptions): Promise<number> {
  process.stdout.on('error', () => {});
  const replay = createReplay(messages, settings, {
    now, after,
    send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    write: fileWriter(),
  });
  const take = (line: string): void => {
    const message = messageIn(line);
    if (message === undefined) process.stderr.write('afterturn replay: a line on stdin is no JSON object and is passed over\n');
    else replay.receive(message);
  };
  return new Promise((resolve) => readLines(process.stdin, take, () => (replay.close(), resolve(0))));
}

/** The JSON object that a line is. */
export function messageIn(line: string): RecordedJson | undefined {
  try {
    const value: unknown = JSON.parse(line.trim());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Resolves with the exit code: 0, or 1 where the recording could not be played to its end. Rejects with a `RelayError` for a bad call or file. */
export async function runReplay(args: readonly string[]): Promise<number> {
  const dashes = args.indexOf('--');
  const command = dashes < 0 ? [] : args.slice(dashes + 1);
  const { given, files } = argumentsOf('replay', dashes < 0 ? args : args.slice(0, dashes), options);
  const [file] = files;
  if (file === undefined || files.length > 1) throw relayError('NO_RECORDING', { expected: 'one recording', got: files.length === 0 ? 'none' : `${files.length}`, usage: usages.replay });
  const side = (given.get('as') ?? (command.length > 0 ? 'client' : 'agent')) as Side;
  const outputs = given.get('outputs');
  const directory = given.get('out-dir');
  const settings: ReplayOptions = {
    speed: numberOf(given.get('speed')),
    longestWait: numberOf(given.get('longest-wait')),
    patience: numberOf(given.get('patience')),
    outputs: outputs === undefined ? undefined : (JSON.parse(readFileSync(outputs, 'utf8')) as Outputs),
    outputFile: directory === undefined ? undefined : (path) => join(resolve(directory), basename(path)),
  };
  const messages = messagesOf(file, side);
  if (side === 'agent') return playAgent(messages, settings);
  if (command.length === 0) throw relayError('NO_RECORDING', { expected: 'the command of an agent after "--"', got: 'none', usage: usages.replay });
  const { playClient } = await import('./replay-client.js');
  return playClient(messages, { ...settings, cwd: given.get('cwd') }, command, numberOf(given.get('timeout')));
}
