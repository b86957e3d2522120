/**
 * The replay agent as a process: ACP on stdin and stdout, output files on disk.
 *
 *   replay-agent RECORDING [--speed N] [--longest-wait MS] [--patience MS] [--outputs FILE] [--out-dir DIR]
 *
 * `--outputs` is a JSON file of `Outputs` (see src/replay/output-files.ts); `--out-dir` is where the
 * files that the recording names are written, under their own names.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createReplay, type Outputs, type ReplayOptions } from '../../src/replay/index.js';
import type { RecordedJson, RecordedMessage } from '../../src/check/record.js';
import { readLines } from './lines.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    speed: { type: 'string' },
    'longest-wait': { type: 'string' },
    patience: { type: 'string' },
    outputs: { type: 'string' },
    'out-dir': { type: 'string' },
  },
});
const [file] = positionals;
if (file === undefined) {
  process.stderr.write('replay-agent: name a recording\n');
  process.exit(2);
}

const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
const directory = values['out-dir'];
const options: ReplayOptions = {
  speed: number(values.speed),
  longestWait: number(values['longest-wait']),
  patience: number(values.patience),
  outputs: values.outputs === undefined ? undefined : (JSON.parse(readFileSync(values.outputs, 'utf8')) as Outputs),
  outputFile: directory === undefined ? undefined : (path) => join(resolve(directory), basename(path)),
};
const recording = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as RecordedMessage);

const made = new Set<string>();
const replay = createReplay(recording, options, {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
  write: (path, data) => {
    const bytes = Buffer.from(data, 'base64');
    if (made.has(path)) return appendFileSync(path, bytes);
    made.add(path);
    mkdirSync(resolve(path, '..'), { recursive: true });
    writeFileSync(path, bytes);
  },
});

readLines(
  process.stdin,
  (line) => replay.receive(JSON.parse(line) as RecordedJson),
  () => replay.close(),
);
