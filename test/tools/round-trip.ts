/**
 * A recording of both sides, masked and played again: its client against a fresh proxy, around its
 * agent. What is lost on the way is what only texts told.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, readRecording, versionOf, type RecordedMessage, type Side } from '../../src/check/index.js';
import { masked, redacted } from '../../src/record/redact.js';
import { compareFacts, type Difference } from './compare-facts.js';
import { factsOf, type Facts } from './facts.js';
import { objectOf, stringOf } from './updates.js';

export interface RoundTrip {
  /** The replay's exit code and what was said on stderr. */
  readonly code: number;
  readonly stderr: string;
  /** What the client learned in the recording, and did not learn again, or learned otherwise. */
  readonly differences: readonly Difference<string>[];
  /** The rules that the agent's side of the client breaks again, by name, and those that it broke. */
  readonly breaches: { readonly then: readonly string[]; readonly now: readonly string[] };
}

const bin = fileURLToPath(new URL('../../bin/afterturn.js', import.meta.url));

/** The recording without its contents, line by line. */
export function redactedText(text: string): string {
  return text.split('\n').map((line) => {
    if (line === '') return line;
    const value = JSON.parse(line) as { msg?: unknown; raw?: string };
    return JSON.stringify({ ...value, ...(value.msg === undefined ? {} : { msg: redacted(value.msg) }), ...(value.raw === undefined ? {} : { raw: masked(value.raw) }) });
  }).join('\n');
}

/** One side of the last run that a recording holds. */
const messagesOf = (text: string, side: Side): readonly RecordedMessage[] => readRecording(text).connections.findLast((one) => one.side === side)?.messages ?? [];

/** What a v1 client knows at the end: how each call ended, and how each request was answered. */
function v1Facts(records: readonly RecordedMessage[]): Facts {
  const facts = new Map<string, unknown>();
  const methods = new Map<string, string>();
  const count = new Map<string, number>();
  for (const { dir, msg } of records) {
    const { update } = objectOf(msg.params);
    const { sessionUpdate, toolCallId, status } = objectOf(update);
    if (msg.method !== undefined && msg.id !== undefined) methods.set(`${dir} ${JSON.stringify(msg.id)}`, msg.method);
    if (stringOf(toolCallId) !== undefined && status !== undefined) facts.set(`session/calls/${String(toolCallId)}/status`, status);
    else if (sessionUpdate !== undefined) facts.set(`session/updates/${String(sessionUpdate)}`, true);
    if (msg.method !== undefined) continue;
    const method = methods.get(`${dir === 'a2c' ? 'c2a' : 'a2c'} ${JSON.stringify(msg.id)}`) ?? '';
    const nth = (count.get(`${dir} ${method}`) ?? 0) + 1;
    count.set(`${dir} ${method}`, nth);
    facts.set(`session/answers/${dir} ${method} ${nth}`, msg.error?.code ?? objectOf(msg.result).stopReason ?? 'result');
  }
  return facts;
}

const factsIn = (records: readonly RecordedMessage[]): Facts => (versionOf(records) === 2 ? factsOf(records) : v1Facts(records));

const withoutPatch = (value: unknown): string => JSON.stringify(value, (key, member: unknown) => (key === 'patch' ? undefined : member));

/**
 * The output of a task's file is in no recording. An exit code that only a text told is masked: then there
 * is none, never another one. Masked lines can be equal that were not: a diff has no hunk for them.
 */
const isOfTexts = ({ path, native, ours }: Difference<string>): boolean =>
  path.endsWith('/output') || (path.endsWith('/exitStatus') && JSON.stringify(ours) === '{}') || (path.endsWith('/content') && withoutPatch(native) === withoutPatch(ours));

const breachesOf = (records: readonly RecordedMessage[]): string[] => [...new Set(check(records).filter(({ by }) => by === 'agent').map(({ name }) => name))].sort();

function ran(command: readonly string[]): Promise<{ code: number; stderr: string }> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, stderr })));
}

export interface RoundTripOptions {
  /** Of the proxy. Default: none. */
  readonly options?: readonly string[];
  /** So many times as fast as recorded; no pause is longer than this many milliseconds. */
  readonly speed?: number;
  readonly longestWait?: number;
}

/** Masks the recording and plays it again through the built command. */
export async function roundTrip(path: string, { options = [], speed = 2, longestWait = 800 }: RoundTripOptions = {}): Promise<RoundTrip> {
  const folder = mkdtempSync(join(tmpdir(), 'afterturn-round-trip-'));
  try {
    const first = join(folder, 'first.ndjson');
    const second = join(folder, 'second.ndjson');
    writeFileSync(first, redactedText(readFileSync(path, 'utf8')));
    const self = [process.execPath, bin];
    const pace = ['--speed', String(speed), '--longest-wait', String(longestWait)];
    const end = await ran([...self, 'replay', ...pace, '--patience', '1500', '--timeout', '15000', first, '--', ...self, ...options, '--record', second, '--redact', '--', ...self, 'replay', ...pace, first]);
    const then = messagesOf(readFileSync(first, 'utf8'), 'client');
    const now = messagesOf(readFileSync(second, 'utf8'), 'client');
    const differences = compareFacts(factsIn(then), factsIn(now), []).filter((difference) => !isOfTexts(difference));
    return { ...end, differences, breaches: { then: breachesOf(then), now: breachesOf(now) } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
