/**
 * The command: from argv to a process end. Knows which part does what is asked, and how our own
 * errors are shown.
 */
import { isRelayError } from '../errors.js';
import type { ProcessEnd } from './agent.js';
import { invocationOf } from './command-line.js';
import { configOf } from './config.js';
import { printable } from './log.js';
import { runProxy } from './proxy.js';
import { subcommands } from './subcommands.js';

const exited = (code: number): ProcessEnd => ({ code, signal: null });

/** Our own usage errors ("The command line"). */
const usageError = 2;

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** Does what `argv` asks and resolves with what the process should end with. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<ProcessEnd> {
  try {
    return await run(argv, terminal);
  } catch (error) {
    if (!isRelayError(error)) throw error;
    terminal.err(`afterturn: ${error.code}: ${printable(error.message)}\n`);
    return exited(usageError);
  }
}

async function run(argv: readonly string[], terminal: Terminal): Promise<ProcessEnd> {
  const asked = invocationOf(argv, Object.keys(subcommands));
  switch (asked.kind) {
    case 'help':
      terminal.out((await import('./help.js')).helpText());
      return exited(0);
    case 'version':
      terminal.out(`${(await import('./version.js')).packageVersion()}\n`);
      return exited(0);
    case 'subcommand':
      return exited(await subcommand(asked.name, asked.args, terminal));
    case 'proxy':
      return runProxy(await configOf({ ...asked, env: process.env, cwd: process.cwd() }));
  }
}

async function subcommand(name: string, args: readonly string[], terminal: Terminal): Promise<number> {
  const row = subcommands[name];
  if (row === undefined) throw new Error(`no row for the subcommand ${name}`);
  // What follows `--` is left to the agent.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (!own.includes('--help') && !own.includes('-h')) return row.run(args);
  terminal.out((await import('./help.js')).subcommandHelp(row));
  return 0;
}
