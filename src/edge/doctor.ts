/**
 * `afterturn doctor`: starts an agent, initialises it as a client of each version would have it, and
 * shows what came of it, for a person. Knows its arguments and the exit code.
 */
import { visitLines } from '../doctor/text.js';
import { relayError, shown } from '../errors.js';
import type { Agents } from './agents.js';
import { invocationOf, quoted } from './command-line.js';
import { configOf } from './config.js';
import { Visitor } from './doctor-visit.js';
import { printable } from './log.js';
import { endProcess } from './process-end.js';

const defaultPatience = 10_000;
const timeoutOption = '--timeout';

/** `--timeout MS` taken out of the arguments before `--`; the rest are the proxy's options and the command. */
function patienceOf(args: readonly string[]): { readonly patience: number; readonly rest: readonly string[] } {
  const dashes = args.indexOf('--');
  const own = dashes < 0 ? args : args.slice(0, dashes);
  const at = own.findIndex((arg) => arg === timeoutOption || arg.startsWith(`${timeoutOption}=`));
  if (at < 0) return { patience: defaultPatience, rest: args };
  const isInline = own[at] !== timeoutOption;
  const text = isInline ? own[at]?.slice(timeoutOption.length + 1) : own[at + 1];
  const expected = 'a whole number of milliseconds from 1 to 600000';
  if (text === undefined) throw relayError('MISSING_VALUE', { option: timeoutOption, expected, value: 'MS' });
  const patience = Number(text);
  if (!/^\d+$/.test(text) || patience < 1 || patience > 600_000) throw relayError('BAD_VALUE', { where: timeoutOption, expected, got: shown(text), otherwise: `: the default is ${defaultPatience}` });
  return { patience, rest: [...args.slice(0, at), ...args.slice(at + (isInline ? 1 : 2))] };
}

/** Resolves with the exit code: 0, or 1 where a client could not be served. Rejects with a `RelayError` for a bad call. */
export async function runDoctor(args: readonly string[]): Promise<number> {
  const { patience, rest } = patienceOf(args);
  const asked = invocationOf(rest, [], 'afterturn doctor');
  if (asked.kind !== 'proxy') throw new Error(`the doctor got ${asked.kind}`);
  const config = await configOf({ ...asked, env: process.env, cwd: process.cwd() });
  const print = (line: string): void => void process.stdout.write(`${printable(line)}\n`);
  let current: Agents | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      current?.signal('SIGKILL');
      endProcess({ code: null, signal });
    });
  }

  print(`Agent: ${config.agentCommand.map(quoted).join(' ')}`);
  let code = 0;
  for (const client of [1, 2] as const) {
    const { trouble, ...visit } = await new Visitor(config, client).visit(patience, (agents) => (current = agents));
    print('');
    for (const line of visitLines({ ...visit, trouble }, config.agentCommand)) print(line);
    if (trouble !== undefined) code = 1;
    // An agent that refuses one version may take the other; with any other trouble it would be the same again.
    if (trouble !== undefined && trouble.kind !== 'refused') break;
  }
  return code;
}
