/**
 * Recordings of ACP traffic: one JSON object a line, `{t, dir, msg}`. Loads them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { RecordedMessage } from '../../src/check/record.js';

export { withMethods } from '../../src/check/validity.js';
export type { RecordedMessage };

const CORPUS = new URL('../corpus/claude/', import.meta.url);

/** The records of a recording's text. */
export const parseRecording = (text: string): RecordedMessage[] =>
  text.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as RecordedMessage);

/** The records of a file of the corpus, by its name in `test/corpus/claude` without `.ndjson`. */
export const loadRecording = (name: string): RecordedMessage[] =>
  parseRecording(readFileSync(new URL(`${name}.ndjson`, CORPUS), 'utf8'));

/** The path of such a file. */
export const recordingPath = (name: string): string => new URL(`${name}.ndjson`, CORPUS).pathname;

/** The names in the corpus that end with `.<guise>`; sub-folders are named with their path. */
export const recordingNames = (guise: string): string[] =>
  readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(`.${guise}.ndjson`))
    .map((file) => file.slice(0, -'.ndjson'.length))
    .sort();

const WHOLE_CORPUS = new URL('../corpus/', import.meta.url);

/** The names of all recordings of all agents: path in `test/corpus` without `.ndjson`. */
export const corpusNames = (): string[] =>
  readdirSync(WHOLE_CORPUS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ndjson') && !file.startsWith('rejection'))
    .map((file) => file.slice(0, -'.ndjson'.length))
    .sort();

/** The path of a recording of `corpusNames`. */
export const corpusPath = (name: string): string => new URL(`${name}.ndjson`, WHOLE_CORPUS).pathname;

/** The records of one. */
export const loadCorpus = (name: string): RecordedMessage[] => parseRecording(readFileSync(corpusPath(name), 'utf8'));
