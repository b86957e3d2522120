import { describe, expect, it } from 'vitest';
import { createByteWriter } from '../../src/edge/stderr.js';

/** A descriptor that takes so many bytes, then is full until it is read. */
function slowReader(capacity: number) {
  let free = capacity;
  let taken = '';
  const timers: (() => void)[] = [];
  const full = Object.assign(new Error('full'), { code: 'EAGAIN' });
  return {
    writer: createByteWriter({
      writePart(bytes) {
        if (free === 0) throw full;
        const part = bytes.subarray(0, free);
        free -= part.length;
        taken += Buffer.from(part).toString('latin1');
        return part.length;
      },
      after: (_ms, run) => timers.push(run),
    }),
    read: () => void (free = capacity),
    tick: () => timers.shift()?.(),
    taken: () => taken,
    timers,
  };
}

describe('writing to a descriptor', () => {
  it('is done at once where there is room', () => {
    const { writer, taken, timers } = slowReader(100);
    writer.write('one\n');
    writer.write(Buffer.from('two\n'));
    expect(taken()).toBe('one\ntwo\n');
    expect(timers).toHaveLength(0);
  });

  it('waits without blocking where there is none, and keeps the order', () => {
    const { writer, read, tick, taken } = slowReader(4);
    writer.write('123456');
    writer.write('789');
    expect(taken()).toBe('1234');
    tick();
    expect(taken()).toBe('1234');
    read();
    tick();
    expect(taken()).toBe('12345678');
    read();
    tick();
    expect(taken()).toBe('123456789');
  });

  it('counts what comes on top of a full backlog, and says so when it is read again', () => {
    const { writer, read, tick, taken } = slowReader(4);
    const long = 'x'.repeat(1 << 20);
    writer.write(`1234${long}`);
    writer.write('lost');
    for (let n = 0; n < long.length / 4; n += 1) {
      read();
      writer.flush();
    }
    expect(taken()).toBe(`1234${long}`);
    read();
    writer.write('a\n');
    for (let n = 0; n < 20; n += 1) {
      read();
      tick();
    }
    expect(taken().slice(4 + long.length)).toBe('afterturn: stderr was not read; 4 bytes were dropped\na\n');
  });

  it('takes one write whole, however long it is', () => {
    const { writer, taken } = slowReader(8 << 20);
    writer.write('x'.repeat(4 << 20));
    expect(taken()).toHaveLength(4 << 20);
  });

  it('copies what waits: the buffer may be used again', () => {
    const { writer, read, taken } = slowReader(1);
    const buffer = Buffer.from('abc');
    writer.write(buffer);
    buffer.fill('z');
    for (let n = 0; n < 2; n += 1) {
      read();
      writer.flush();
    }
    expect(taken()).toBe('abc');
  });

  it('holds a flood of lines of two bytes in order, and at little cost', () => {
    const { writer, read, tick, taken } = slowReader(4096);
    const started = process.cpuUsage().user;
    for (let n = 0; n < 500_000; n += 1) writer.write('x\n');
    for (let n = 0; n < 300; n += 1) {
      read();
      tick();
    }
    expect(taken()).toBe('x\n'.repeat(500_000));
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(10_000);
  });

  it('is flushed when nothing waits any more', async () => {
    const { writer, read, tick } = slowReader(2);
    writer.write('abc');
    let flushed = false;
    const done = writer.flushed().then(() => (flushed = true));
    await Promise.resolve();
    expect(flushed).toBe(false);
    read();
    tick();
    await done;
    await writer.flushed();
  });

  it('gives up silently when the reader is gone', () => {
    const writer = createByteWriter({
      writePart: () => {
        throw Object.assign(new Error('gone'), { code: 'EPIPE' });
      },
      after: () => {
        throw new Error('nothing to retry');
      },
    });
    writer.write('a');
    writer.write('b');
    writer.flush();
    return writer.flushed();
  });
});
