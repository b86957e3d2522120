/**
 * `afterturn migrate`: what legacy traffic is left in recordings, for a person or as JSON. Knows its
 * arguments and how it is shown.
 */
import { relayError } from '../errors.js';
import { groupOf, legacyIn, type Legacy } from '../migrate/index.js';
import { argumentsOf, flag } from './arguments.js';
import { printable } from './log.js';
import { printed } from './printing.js';
import { recordingIn } from './recording-file.js';
import { usages } from './usages.js';

function* linesOf(connections: number, legacy: readonly Legacy[]): Generator<string> {
  if (legacy.length === 0) yield `no legacy traffic in ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
  let group = '';
  for (const one of legacy) {
    if (groupOf(one) !== group) yield (group = groupOf(one));
    yield `  ${one.messages} in ${one.recordings}: ${one.kind}`;
    yield `      standard:   ${one.standard}`;
    yield `      removed by: ${one.cell}`;
  }
}

/** Resolves with 0. Rejects with a `RelayError` for a bad call or file. */
export async function runMigrate(args: readonly string[]): Promise<number> {
  const { given, files } = argumentsOf('migrate', args, { json: flag });
  if (files.length === 0) throw relayError('NO_RECORDING', { expected: 'at least one recording', got: 'none', usage: usages.migrate });
  const connections = files.flatMap((file) => recordingIn(file).connections);
  const legacy = legacyIn(connections);
  const lines = given.has('json') ? [printable(JSON.stringify({ connections: connections.length, legacy }))] : [...linesOf(connections.length, legacy)].map(printable);
  await printed(`${lines.join('\n')}\n`);
  return 0;
}
