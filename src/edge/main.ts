/** The entry of the command: runs it and ends the process accordingly. */
import { writeSync } from 'node:fs';
import { runCommand } from './cli.js';
import { endProcess } from './process-end.js';
import { printableLines } from '../printable.js';

/** A reader that is gone is no reason to fail. */
function written(fd: number, text: string): void {
  try {
    writeSync(fd, text);
  } catch {
    // Nobody reads it.
  }
}

const terminal = { out: (text: string) => written(1, text), err: (text: string) => written(2, text) };

function fail(error: unknown): void {
  terminal.err(`${printableLines(`afterturn: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)}\n`);
  endProcess({ code: 1, signal: null });
}

runCommand(process.argv.slice(2), terminal).then(endProcess, fail);
