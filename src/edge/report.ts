/**
 * `afterturn report`: trace files and recordings as a timeline, as text, as JSON or as a page. Knows its
 * arguments and where the report goes.
 */
import { relayError } from '../errors.js';
import { textLines, timelineOf, type Reading } from '../report/index.js';
import { argumentsOf, flag } from './arguments.js';
import { printable } from './log.js';
import { printed } from './printing.js';
import { readingsIn } from './report-file.js';
import { usages } from './usages.js';

/** Resolves with 0. Rejects with a `RelayError` for a bad call or file. */
export async function runReport(args: readonly string[]): Promise<number> {
  const { given, files } = argumentsOf('report', args, { json: flag });
  if (files.length === 0) throw relayError('NO_REPORT_FILE', { usage: usages.report });
  const readings: Reading[] = [];
  for (const file of files) readings.push(...(await readingsIn(file)));
  const timeline = timelineOf(readings);
  const lines = given.has('json') ? [JSON.stringify(timeline)] : [...textLines(timeline)].map(printable);
  await printed(`${lines.join('\n')}\n`);
  return 0;
}
