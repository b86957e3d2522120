/** Recordings of real agents, masked and played again through the built command: the client learns the same. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { roundTrip } from '../tools/round-trip.js';
import { root } from './session.js';

const folder = process.env.AFTERTURN_RECORDINGS ?? `${root}test/recorded`;
const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));

test('there is something to play', () => expect(names).not.toEqual([]));

describe.concurrent.each(names)('%s', { timeout: 120_000 }, (name) => {
  test('says the same again, and breaks no other rule', async () => {
    const { code, stderr, differences, breaches } = await roundTrip(join(folder, name), { options: ['--agent-protocol', process.env.AFTERTURN_AGENT_PROTOCOL ?? 'v1'], speed: 1, longestWait: 3000 });
    expect({ code, stderr, differences, breaches: breaches.now }).toEqual({ code: 0, stderr: '', differences: [], breaches: breaches.then });
  });
});
