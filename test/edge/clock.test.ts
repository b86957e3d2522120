import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { after, createTimers, now } from '../../src/edge/clock.js';

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

describe('timers that wait for a word', () => {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => after(ms, () => resolve()));

  it('do not count the time in which nobody listened', async () => {
    const { after: later, stopsListening, listens } = createTimers();
    const begun = now();
    const rung = new Promise<number>((resolve) => later(40, () => resolve(now() - begun)));
    await pause(10);
    stopsListening();
    await pause(100);
    listens();
    expect(await rung).toBeGreaterThanOrEqual(139);
  });

  it('also where that is over before they are due, and again', async () => {
    const { after: later, stopsListening, listens } = createTimers();
    const begun = now();
    const rung = new Promise<number>((resolve) => later(100, () => resolve(now() - begun)));
    for (let i = 0; i < 2; i++) {
      stopsListening();
      await pause(20);
      listens();
      await pause(20);
    }
    expect(await rung).toBeGreaterThanOrEqual(139);
  });

  it('ring at their time where somebody listens, and not once they were cancelled', async () => {
    const { after: later, stopsListening, listens } = createTimers();
    const order: string[] = [];
    const cancels = ['first', 'second'].map((name) => later(10, () => order.push(name)));
    cancels[0]?.();
    await pause(30);
    expect(order).toEqual(['second']);
    const cancel = later(5, () => order.push('third'));
    stopsListening();
    await pause(20);
    cancel();
    listens();
    await pause(40);
    expect(order).toEqual(['second']);
  });

  it('wait no longer than their own time once somebody listens', async () => {
    const { after: later, stopsListening, listens } = createTimers();
    stopsListening();
    let rung: number | undefined;
    later(20, () => (rung = now()));
    await pause(200);
    expect(rung).toBeUndefined();
    listens();
    const heard = now();
    await pause(1000);
    expect((rung ?? Infinity) - heard).toBeLessThan(900);
  });
});
