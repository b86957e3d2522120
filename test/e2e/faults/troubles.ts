/** What is wrong around a run, and the promises about it: disks that are full or fill, collectors, recordings, traces. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording, type RecordedMessage } from '../../../src/check/index.js';
import { spansOfFile, type DecodedSpan } from '../../edge/otlp.js';

export const troubles = ['none', 'off', 'recordFull', 'traceFull', 'recordFills', 'traceFills', 'collectorHangs', 'collectorRefuses', 'records', 'redacts', 'traces'] as const;
export type Trouble = (typeof troubles)[number];

export interface Collectors {
  readonly hanging: string;
  readonly refusing: string;
}

export interface Setting {
  readonly options: readonly string[];
  /** A file cannot grow beyond so many blocks of 512 bytes; `undefined`: as large as it likes. */
  readonly fileBlocks: number | undefined;
  /** What was recorded on the client's side, in the order in which the command saw it; `undefined` where nothing was. */
  recorded(): readonly RecordedMessage[] | undefined;
  /** Promises about its files that were broken; `isWhole`: nothing cut the run short. */
  broken(told: { readonly toClient: Buffer; readonly isWhole: boolean }): readonly string[];
  /** Removes its files. */
  clear(): void;
}

/** What a run wrote; one that ended before it began to may have written nothing. */
function written(path: string, isWhole: boolean): string {
  return isWhole || existsSync(path) ? readFileSync(path, 'utf8') : '';
}

const atClient = (text: string): readonly RecordedMessage[] => readRecording(text).connections.filter(({ side }) => side === 'client').flatMap(({ messages }) => messages);

/** The recording of a run holds what the client got, in its order: each message is written before it is passed on. */
function brokenRecording(text: string, toClient: Buffer): string[] {
  const recorded = atClient(text).filter(({ dir }) => dir === 'a2c').map(({ msg }) => JSON.stringify(msg));
  const got = toClient.toString().split('\n').slice(0, -1).flatMap((line) => message(line));
  const at = got.findIndex((each, index) => each !== recorded[index]);
  return at === -1 ? [] : [`the recording holds what the client got; at message ${at} it has ${recorded[at]?.slice(0, 200)} for ${got[at]?.slice(0, 200)}`];
}

/** As JSON again where the line is a message that a recording keeps as one. */
function message(line: string): string[] {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    const isOne = typeof value === 'object' && value !== null && !Array.isArray(value) && ('method' in value || ('id' in value && ('result' in value || 'error' in value)));
    return isOne ? [JSON.stringify(value)] : [];
  } catch {
    return [];
  }
}

/** Each trace hangs together: a span has its parent in it, but for one that has none. */
function brokenTrees(spans: readonly DecodedSpan[]): string[] {
  const known = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  const roots = new Map<string, number>();
  return spans.flatMap(({ traceId, parentSpanId, name }) => {
    if (parentSpanId !== undefined) return known.has(`${traceId} ${parentSpanId}`) ? [] : [`the parent of the span ${name} is in its trace`];
    roots.set(traceId, (roots.get(traceId) ?? 0) + 1);
    return roots.get(traceId) === 2 ? [`a trace has one root; ${name} is another one`] : [];
  });
}

/** Every span is told once, begins before it ends, has ids of the right form, and a parent that is there. */
function brokenTraces(text: string, isWhole: boolean): string[] {
  const spans = spansOfFile(isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1));
  const ids = new Set<string>();
  const trees = isWhole ? brokenTrees(spans) : [];
  return [...trees, ...spans.flatMap(({ spanId, traceId, name, start, end }) => {
    const isTwice = ids.has(spanId);
    ids.add(spanId);
    return [
      ...(isTwice ? [`the span ${spanId} (${name}) is told once`] : []),
      ...(end >= start ? [] : [`the span ${name} begins before it ends`]),
      ...(/^[0-9a-f]{16}$/.test(spanId) && /^[0-9a-f]{32}$/.test(traceId) ? [] : [`ids of spans are hexadecimal, not ${traceId} ${spanId}`]),
    ];
  })];
}

interface Row {
  options(at: (name: string) => string, collectors: Collectors): readonly string[];
  readonly fileBlocks?: number;
  broken?(at: (name: string) => string, told: { readonly toClient: Buffer; readonly isWhole: boolean }): readonly string[];
}

const rows: Readonly<Record<Trouble, Row>> = {
  none: { options: () => [] },
  off: { options: () => ['--stale', 'off', '--source', 'none'] },
  recordFull: { options: () => ['--record', '/dev/full'] },
  traceFull: { options: () => ['--no-propagate', '--trace-file', '/dev/full'] },
  recordFills: { options: (at) => ['--record', at('record')], fileBlocks: 6 },
  traceFills: { options: (at) => ['--no-propagate', '--trace-file', at('trace')], fileBlocks: 6 },
  collectorHangs: { options: (_, { hanging }) => ['--no-propagate', '--otlp', hanging] },
  collectorRefuses: { options: (_, { refusing }) => ['--no-propagate', '--otlp', refusing] },
  records: { options: (at) => ['--record', at('record')], broken: (at, { toClient, isWhole }) => brokenRecording(written(at('record'), isWhole), toClient) },
  redacts: { options: (at) => ['--redact', '--record', at('record')], broken: (at, { isWhole }) => (readRecording(written(at('record'), isWhole)), []) },
  traces: { options: (at) => ['--no-propagate', '--trace-file', at('trace')], broken: (at, { isWhole }) => brokenTraces(written(at('trace'), isWhole), isWhole) },
};

export function settingOf(trouble: Trouble, collectors: Collectors): Setting {
  const row = rows[trouble];
  let folder: string | undefined;
  const at = (name: string): string => join((folder ??= mkdtempSync(join(tmpdir(), 'afterturn-faults-'))), name);
  return {
    options: row.options(at, collectors),
    recorded: () => (trouble === 'records' && existsSync(at('record')) ? atClient(readFileSync(at('record'), 'utf8')) : undefined),
    fileBlocks: row.fileBlocks,
    broken(told) {
      try {
        return row.broken?.(at, told) ?? [];
      } catch (error) {
        return [`its files can be read: ${String(error)}`];
      }
    },
    clear: () => folder !== undefined && rmSync(folder, { recursive: true, force: true }),
  };
}
