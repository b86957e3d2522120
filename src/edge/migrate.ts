/**
 * `afterturn migrate`: what legacy traffic is left in recordings, for a person or as JSON. Knows its
 * arguments and how it is shown.
 */
import { relayError } from '../errors.js';
import { groupOf, legacyIn } from '../migrate/index.js';
import { argumentsOf, flag } from './arguments.js';
import { printable } from './log.js';
import { recordingIn } from './recording-file.js';
import { usages } from './usages.js';

/** Resolves with 0. Rejects with a `RelayError` for a bad call or file. */
export async function runMigrate(args: readonly string[]): Promise<number> {
  const { given, files } = argumentsOf('migrate', args, { json: flag });
  if (files.length === 0) throw relayError('NO_RECORDING', { expected: 'at least one recording', got: 'none', usage: usages.migrate });
  const connections = files.flatMap((file) => recordingIn(file).connections);
  const legacy = legacyIn(connections);
  const print = (text: string): void => void process.stdout.write(`${printable(text)}\n`);
  if (given.has('json')) print(JSON.stringify({ connections: connections.length, legacy }));
  else if (legacy.length === 0) print(`no legacy traffic in ${connections.length} ${connections.length === 1 ? 'connection' : 'connections'}`);
  else {
    let group = '';
    for (const one of legacy) {
      if (groupOf(one) !== group) print((group = groupOf(one)));
      print(`  ${one.messages} in ${one.recordings}: ${one.kind}`);
      print(`      standard:   ${one.standard}`);
      print(`      removed by: ${one.cell}`);
    }
  }
  return 0;
}
