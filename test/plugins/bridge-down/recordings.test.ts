/** Every native v2 recording for a client of ACP v1: valid by the strict schema, sound by the rules of v1, and every prompt answered once. */
import { describe, expect, it } from 'vitest';
import { check } from '../../../src/check/index.js';
import type { Message } from '../../pipeline/harness.js';
import { at, objectOf } from '../../../src/protocol/index.js';
import { corpusNames, loadCorpus, type RecordedMessage } from '../../tools/recording.js';
import { playedDown, type DownOptions } from './replayed.js';

const native = corpusNames().filter((name) => /\.(?:v2|v2raw|v2air)$/.test(name));

const clients: Readonly<Record<string, DownOptions>> = {
  'a client that declares nothing': {},
  'one that takes terminals': { capabilities: { _meta: { terminal_output: true } } },
  'one that takes all that is unstable': {
    version: 'v1-unstable',
    capabilities: { session: { configOptions: { boolean: {} }, notices: {}, compaction: {} }, plan: {}, subagents: {}, _meta: { terminal_output: true } },
  },
};

/** What the recorded client declared of the private extension, its v1 counterpart declares too. */
function asRecorded(records: readonly RecordedMessage[], { capabilities = {}, ...options }: DownOptions): DownOptions {
  const jetbrains = at(records[0]?.msg, 'params', 'capabilities', '_meta', 'jetbrains');
  return { ...options, capabilities: jetbrains === undefined ? capabilities : { ...capabilities, _meta: { ...objectOf(capabilities._meta), jetbrains } } };
}

/** What the agent itself breaks. */
const breaches: Readonly<Record<string, readonly string[]>> = {
  // It calls a failed call completed when the task ends that it had started, and tells the exit of its terminal again.
  'codex/n-bg.v2air': ['V1.4', 'V1.15'],
  // The bridge stands alone here: who tells of a child's session is a plugin of its own.
  ...Object.fromEntries(native.filter((name) => /\/(?:e2?|e3|f3|g5)_/.test(name)).map((name) => [name, ['A.1']])),
};

const promptsIn = (messages: readonly Message[]): Message[] => messages.filter(({ method }) => method === 'session/prompt');

describe.each(Object.entries(clients))('%s', (_, options) => {
  it.each(native)('%s', (name) => {
    const records = loadCorpus(name);
    const { clientSide, log } = playedDown(records, asRecorded(records, options));
    expect(log).toEqual([]);
    expect(check(clientSide).filter(({ rule }) => !breaches[name]?.includes(rule))).toEqual([]);
    const prompts = promptsIn(clientSide.map(({ msg }) => msg as Message));
    for (const { id } of prompts) expect(clientSide.filter(({ dir, msg }) => dir === 'a2c' && msg.method === undefined && msg.id === id), `prompt ${id}`).toHaveLength(1);
  });
});
