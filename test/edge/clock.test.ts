import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { after, now } from '../../src/edge/clock.js';

it('counts milliseconds, and never goes back', async () => {
  const real = Date.now();
  const begun = now();
  await new Promise((resolve) => setTimeout(resolve, 30));
  const passed = now() - begun;
  expect(passed).toBeGreaterThan(25);
  expect(passed).toBeLessThanOrEqual(Date.now() - real + 1);
  const times = Array.from({ length: 1000 }, () => now());
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

it('never rings before the time that it was asked for, also between two whole milliseconds', async () => {
  const left = await Promise.all(Array.from({ length: 500 }, (_, index) => new Promise<number>((resolve) => {
    const ms = 5 + index * 0.137;
    const due = now() + ms;
    after(ms, () => resolve(due - now()));
  })));
  expect(Math.max(...left)).toBeLessThanOrEqual(0);
});

it('does not ring once it was cancelled, also not while it waits for the rest of its time', async () => {
  let rung = 0;
  const cancels = Array.from({ length: 50 }, (_, index) => after(10 + index * 0.11, () => (rung += 1)));
  await new Promise((resolve) => after(8, () => resolve(cancels.forEach((cancel) => cancel()))));
  await new Promise((resolve) => after(20, () => resolve(undefined)));
  expect(rung).toBe(0);
});

it('rings behind what has arrived while the process was busy', async () => {
  const server = createServer().listen(join(tmpdir(), `afterturn-clock-${process.pid}-${Math.random()}`));
  await once(server, 'listening');
  const writer = connect(server.address() as string);
  const [reader] = (await once(server, 'connection')) as [Socket];
  const order: string[] = [];
  reader.on('data', () => order.push('arrived'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  after(1, () => order.push('rung'));
  writer.write('x');
  for (const until = now() + 20; now() < until; );
  await new Promise((resolve) => after(10, () => resolve(undefined)));
  expect(order).toEqual(['arrived', 'rung']);
  writer.destroy();
  reader.destroy();
  await new Promise((resolve) => server.close(resolve));
});
