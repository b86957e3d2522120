/**
 * `afterturn check`: recordings against the rules, for a person or as JSON. Knows its arguments, the
 * exit code and how a breach is shown.
 */
import { check, versionOf, type Connection, type Finding, type Side, type Validator } from '../check/index.js';
import { relayError } from '../errors.js';
import { argumentsOf, choiceOf, flag } from './arguments.js';
import { printable } from './log.js';
import { recordingIn, type RecordingFile } from './recording-file.js';
import { usages } from './usages.js';

const options = { json: flag, 'no-schema': flag, protocol: choiceOf('v1', 'v2') };

/** What was checked, and what was found. Times are in milliseconds of the recording; `null`: it has none. */
interface Checked {
  readonly file: string;
  readonly side: Side | undefined;
  readonly protocol: 'v1' | 'v2';
  readonly messages: number;
  readonly breaches: readonly Finding[];
}

function checked({ path }: RecordingFile, { side, messages }: Connection, protocol: string | undefined, validator: Validator | undefined): Checked {
  const version = protocol === undefined ? versionOf(messages) : protocol === 'v1' ? 1 : 2;
  return { file: path, side, protocol: `v${version}`, messages: messages.length, breaches: check(messages, { version }, validator) };
}

const counted = (count: number, one: string, many: string): string => `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;

function* linesOf({ file, side, protocol, messages, breaches }: Checked): Generator<string> {
  yield `${file} (${side === undefined ? '' : `${side} side, `}ACP ${protocol}): ${counted(breaches.length, 'breach', 'breaches')} in ${counted(messages, 'message', 'messages')}`;
  for (const { t, line, rule, name, title, section, session, expected, came } of breaches) {
    yield `  ${Number.isNaN(t) ? '' : `${t} ms, `}line ${line}: ${rule} ${title} (${name})`;
    yield `      section:  ${section}`;
    if (session !== '') yield `      session:  ${session}`;
    yield `      expected: ${expected}`;
    yield `      came:     ${came}`;
  }
}

/** Resolves with the exit code: 0 without a breach, 1 with one. Rejects with a `RelayError` for a bad call or file. */
export async function runCheck(args: readonly string[]): Promise<number> {
  const { given, files } = argumentsOf('check', args, options);
  if (files.length === 0) throw relayError('NO_RECORDING', { expected: 'at least one recording', got: 'none', usage: usages.check });
  const recordings = files.map(recordingIn);
  const validator = given.has('no-schema') ? undefined : (await import('./schema.js')).strictValidator;
  const all = recordings.flatMap((recording) => recording.connections.map((connection) => checked(recording, connection, given.get('protocol'), validator)));
  const remark = (path: string, text: string): void => void process.stderr.write(`afterturn: ${printable(path)}: ${text}\n`);
  for (const { path, isCut, connections } of recordings) {
    if (isCut) remark(path, 'a line that was cut off is left out');
    if (connections.some(({ continues }) => continues)) remark(path, `it begins in the middle, so breaches can be those of what is missing. Run: cat ${path}.1 ${path} | afterturn check -`);
  }
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  if (given.has('json')) print(JSON.stringify({ checked: all }));
  else for (const one of all) for (const line of linesOf(one)) print(printable(line));
  return all.some(({ breaches }) => breaches.length > 0) ? 1 : 0;
}
