/**
 * `afterturn report`: trace files and recordings as a timeline, as text, as JSON or as a page. Knows its
 * arguments and where the report goes.
 */
import { writeFileSync } from 'node:fs';
import { relayError } from '../errors.js';
import { pageHtml, textLines, timelineOf, type Reading, type Timeline } from '../report/index.js';
import { argumentsOf, filePath, flag } from './arguments.js';
import { printable } from './log.js';
import { printed } from './printing.js';
import { readingsIn } from './report-file.js';
import { usages } from './usages.js';

/** Writes the page; `-` is stdout. */
async function writePage(path: string, timeline: Timeline): Promise<void> {
  const { pageAssets } = await import('./page-assets.js');
  const page = pageHtml(timeline, pageAssets());
  if (path === '-') return printed(page);
  try {
    writeFileSync(path, page);
  } catch (error) {
    throw relayError('UNWRITABLE_REPORT', { path, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** Resolves with 0. Rejects with a `RelayError` for a bad call or file. */
export async function runReport(args: readonly string[]): Promise<number> {
  const { given, files } = argumentsOf('report', args, { json: flag, html: filePath });
  if (files.length === 0) throw relayError('NO_REPORT_FILE', { usage: usages.report });
  const readings: Reading[] = [];
  for (const file of files) readings.push(...(await readingsIn(file)));
  const timeline = timelineOf(readings);
  const page = given.get('html');
  if (page !== undefined) {
    await writePage(page, timeline);
    return 0;
  }
  const lines = given.has('json') ? [printable(JSON.stringify(timeline))] : [...textLines(timeline)].map(printable);
  await printed(`${lines.join('\n')}\n`);
  return 0;
}
