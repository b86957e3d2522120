/**
 * What a long life costs: items and sessions by the thousand, and what the command holds of them.
 * AFTERTURN_ITEMS=100000 and AFTERTURN_SESSIONS=10000 make a long run of it, in which resident memory
 * counts, too, and which prints its figures.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { countingClient, type CountingClient } from './counting-client.js';
import { endAll } from './session.js';

const isLong = process.env.AFTERTURN_ITEMS !== undefined;
const items = Number(process.env.AFTERTURN_ITEMS ?? 5_000);
const sessions = Number(process.env.AFTERTURN_SESSIONS ?? 200);
/** By then what is remembered of the past has reached its bounds. */
const early = Math.min(10_000, items * 0.4);
/** What is held of the past has to fit into this heap, in megabytes: with more the process would end. A long run has the usual one. */
const heap = isLong ? undefined : 48;
/** How much more memory may be resident after all items than after the first, in megabytes. From so many items on it has settled. */
const growth = 20;
const settled = 50_000;

afterEach(endAll);

const clients: readonly (readonly [name: string, open: () => Promise<CountingClient>])[] = [
  ['a v2 client through the bridge', () => countingClient({ version: 2, options: ['--agent-protocol', 'v1'], heap })],
  ['a v1 client at the defaults', () => countingClient({ version: 1, options: [], agentArguments: ['fed'], heap })],
];

const figures = (text: string): void => {
  if (isLong) console.log(text);
};

describe.runIf(process.platform === 'linux').each(clients)('a long life with %s', (name, open) => {
  it(`holds no more after ${items} items than after ${early}, and ends each once`, async () => {
    const client = await open();
    const sessionId = await client.opens();
    await client.prompts(sessionId, `items ${early}`);
    const before = await client.resident();
    const since = performance.now();
    await client.prompts(sessionId, `items ${items - early}`);
    const seconds = (performance.now() - since) / 1000;
    const after = await client.resident();
    figures(`${name}: ${early} items ${before.toFixed(1)} MB, ${items} items ${after.toFixed(1)} MB, the most ${client.peak().toFixed(1)} MB; ${Math.round((items - early) / seconds)} items a second`);
    expect(client.ends()).toEqual({ works: items, twice: 0, left: 0 });
    if (items >= settled) expect(after - before).toBeLessThan(growth);
    expect(await client.closes()).toMatchObject({ code: 0, stderr: '' });
  }, 60_000 + items * 10);

  it(`serves ${sessions} sessions in turn, and keeps no file open for them`, async () => {
    const client = await open();
    await client.prompts(await client.opens(), 'items 2');
    const [memory, files] = [await client.resident(), client.openFiles()];
    for (let n = 1; n < sessions; n += 1) {
      const sessionId = await client.opens();
      await client.prompts(sessionId, 'items 2');
      if (n % 2 === 0) await client.asks('session/close', { sessionId });
    }
    figures(`${name}: 1 session ${memory.toFixed(1)} MB, ${sessions} sessions, half of them closed, ${(await client.resident()).toFixed(1)} MB, the most ${client.peak().toFixed(1)} MB`);
    expect(client.ends()).toEqual({ works: sessions * 2, twice: 0, left: 0 });
    expect(client.openFiles()).toBe(files);
    expect(await client.closes()).toMatchObject({ code: 0, stderr: '' });
  }, 60_000 + sessions * 500);
});
