/**
 * `afterturn check`: recordings, or a live agent, against the rules, for a person or as JSON. Knows its
 * arguments and the exit code.
 */
import { check, versionOf, type Connection, type Validator } from '../check/index.js';
import { relayError } from '../errors.js';
import { argumentsOf, choiceOf, filePath, flag, positiveNumber, type Arguments } from './arguments.js';
import { checkedLines, type Checked } from './check-text.js';
import { printable } from './log.js';
import { printed } from './printing.js';
import { recordingIn, type RecordingFile } from './recording-file.js';
import { usages } from './usages.js';

const options = {
  json: flag, 'no-schema': flag, protocol: choiceOf('v1', 'v2'),
  timeout: { ...positiveNumber, expected: 'a number of milliseconds above 0', value: 'MS' }, record: filePath,
};
/** Those that only a live agent has. */
const live = ['timeout', 'record'] as const;

export type CheckArguments = Arguments<keyof typeof options>;

function checked({ path }: RecordingFile, { side, messages }: Connection, protocol: string | undefined, validator: Validator | undefined): Checked {
  const version = protocol === undefined ? versionOf(messages) : protocol === 'v1' ? 1 : 2;
  return { file: path, side, protocol: `v${version}`, messages: messages.length, breaches: check(messages, { version }, validator) };
}

const wantedValidator = async (given: CheckArguments['given']): Promise<Validator | undefined> =>
  given.has('no-schema') ? undefined : (await import('./schema.js')).strictValidator;

async function checkFiles({ given, files }: CheckArguments): Promise<number> {
  if (files.length === 0) throw relayError('NO_RECORDING', { expected: 'at least one recording, or "--" and the command of an agent', got: 'none', usage: usages.check });
  const foreign = live.find((name) => given.has(name));
  if (foreign !== undefined) throw relayError('NO_RECORDING', { expected: `the command of an agent after "--" with --${foreign}`, got: 'a recording', usage: usages.check });
  const recordings = files.map(recordingIn);
  const validator = await wantedValidator(given);
  const all = recordings.flatMap((recording) => recording.connections.map((connection) => checked(recording, connection, given.get('protocol'), validator)));
  const remark = (path: string, text: string): void => void process.stderr.write(`${printable(`afterturn: ${path}: ${text}`)}\n`);
  for (const { path, isCut, connections } of recordings) {
    if (isCut) remark(path, 'a line that was cut off is left out');
    if (connections.some(({ continues }) => continues)) remark(path, `it begins in the middle, so breaches can be those of what is missing.${path === '-' ? '' : ` Run: cat ${path}.1 ${path} | afterturn check -`}`);
  }
  const lines = given.has('json') ? [printable(JSON.stringify({ checked: all }))] : all.flatMap((one) => [...checkedLines(one, one.side === undefined ? [] : [`${one.side} side`])]).map(printable);
  await printed(`${lines.join('\n')}\n`);
  return all.some(({ breaches }) => breaches.length > 0) ? 1 : 0;
}

/** Resolves with the exit code: 0 without a breach, 1 with one. Rejects with a `RelayError` for a bad call or file. */
export async function runCheck(args: readonly string[]): Promise<number> {
  const dashes = args.indexOf('--');
  const asked = argumentsOf('check', dashes < 0 ? args : args.slice(0, dashes), options);
  const command = dashes < 0 ? undefined : args.slice(dashes + 1);
  if (command === undefined) return checkFiles(asked);
  const [file] = asked.files;
  if (file !== undefined) throw relayError('NO_RECORDING', { expected: 'a recording, or the command of an agent', got: 'both', usage: usages.check });
  if (command.length === 0) throw relayError('NO_COMMAND', { command: 'afterturn check' });
  return (await import('./check-live.js')).checkAgent(command, asked.given, await wantedValidator(asked.given));
}
