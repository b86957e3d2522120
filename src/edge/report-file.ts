/** Reads what a report is made of: trace files and recordings. Knows files, and how what is wrong with one is told. */
import { readRecording, UnusableLine, type Connection } from '../check/index.js';
import { relayError } from '../errors.js';
import { isExport, readTraceText, titlesOf, workOf, type Reading } from '../report/index.js';
import { textOfFile } from './text-file.js';

const CUT = 'a line that was cut off is left out';
/** A session in which nobody asked for anything is one, too. */
const NOTHING = 'it holds no turn, tool call or background item';

/** The readings of a file; `-` is stdin. Rejects with a `RelayError` that names the line and the problem. */
export async function readingsIn(path: string): Promise<Reading[]> {
  const text = textOf(path);
  try {
    const readings = isTrace(text) ? [traceOf(path, text)] : await recordedIn(path, text);
    return readings.map((reading) => (reading.spans.length > 0 ? reading : { ...reading, remarks: [...reading.remarks, NOTHING] }));
  } catch (error) {
    if (!(error instanceof UnusableLine)) throw error;
    throw relayError('INVALID_REPORT_FILE', { path, problem: error.message });
  }
}

function textOf(path: string): string {
  try {
    return textOfFile(path === '-' ? 0 : path);
  } catch (error) {
    throw relayError('UNREADABLE_REPORT_FILE', { path, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** The first line tells which it is. */
function isTrace(text: string): boolean {
  const first = text.trimStart().split('\n', 1)[0] ?? '';
  try {
    return isExport(JSON.parse(first));
  } catch {
    return false;
  }
}

function traceOf(file: string, text: string): Reading {
  const read = readTraceText(text);
  return { file, form: 'trace', clock: 'absolute', zero: 0, remarks: read.isCut ? [CUT] : [], spans: workOf(read), titles: new Map() };
}

/** Of a recording with both sides what the agent said is the source: tracing reads that side, too. */
function agentSides(connections: readonly Connection[]): readonly Connection[] {
  const beside = connections.filter(({ side }) => side === 'agent');
  return beside.length > 0 ? beside : connections;
}

const clockOf = ({ startedAt, messages }: Connection): Reading['clock'] =>
  messages.every(({ t }) => Number.isNaN(t)) ? 'none' : startedAt === undefined ? 'relative' : 'absolute';

async function recordedIn(file: string, text: string): Promise<Reading[]> {
  const { connections, isCut } = readRecording(text);
  if (connections.length === 0) throw relayError('INVALID_REPORT_FILE', { path: file, problem: 'there is no message' });
  const { spansOf } = await import('./report-spans.js');
  const readings: Reading[] = [];
  for (const connection of agentSides(connections)) {
    const remarks = [...(isCut ? [CUT] : []), ...(connection.continues ? ['it begins in the middle'] : [])];
    const { spans, zero } = await spansOf(connection);
    readings.push({ file, form: 'recording', clock: clockOf(connection), zero, remarks, spans, titles: titlesOf(connection.messages) });
  }
  return readings;
}
