import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createSink } from '../../src/edge/sink.js';

/** A stream that takes a write when `release` is called. */
function slowStream() {
  const waiting: ((error?: Error) => void)[] = [];
  const written: string[] = [];
  const stream = new Writable({
    highWaterMark: 16 * 1024,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      waiting.push(done);
    },
  });
  const events: string[] = [];
  const sink = createSink(stream, {
    drained: () => events.push('drained'),
    broken: (error) => events.push(`broken ${error.code}`),
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    sink,
    stream,
    written,
    events,
    async release() {
      waiting.shift()?.();
      await turn();
    },
    async fail(code: string) {
      waiting.shift()?.(Object.assign(new Error(code), { code }));
      await turn();
    },
  };
}

const block = Buffer.alloc(100 * 1024, 'x');

describe('a sink', () => {
  it('is full above its mark, and says when it is not any more', async () => {
    const { sink, events, release } = slowStream();
    expect([sink.write(block), sink.isFull()]).toEqual([true, false]);
    expect([sink.write(block), sink.isFull()]).toEqual([false, true]);
    await release();
    await release();
    expect(events).toEqual(['drained']);
    expect(sink.isFull()).toBe(false);
    expect(sink.write(Buffer.from('a'))).toBe(true);
  });

  it('says nothing when it never was full', async () => {
    const { sink, events, release } = slowStream();
    sink.write(Buffer.alloc(20 * 1024));
    await release();
    expect(events).toEqual([]);
  });

  it('is flushed behind the last write', async () => {
    const { sink, release, written } = slowStream();
    sink.write(Buffer.from('a'));
    let flushed = false;
    const done = sink.flushed().then(() => (flushed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(flushed).toBe(false);
    await release();
    await release();
    await done;
    expect(written[0]).toBe('a');
  });

  it('that broke drops writes, drains and flushes: nobody waits in vain', async () => {
    const { sink, events, fail } = slowStream();
    sink.write(block);
    expect(sink.write(block)).toBe(false);
    const flushed = sink.flushed();
    await fail('EPIPE');
    await flushed;
    await sink.flushed();
    expect(events).toEqual(['broken EPIPE', 'drained']);
    expect(sink.write(block)).toBe(true);
    sink.end();
  });
});
