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

  it('counts what does not fit into the backlog and says so when it is read again', () => {
    const { writer, read, tick, taken } = slowReader(2 << 20);
    writer.write('x'.repeat(2 << 20));
    expect(taken()).toBe('');
    writer.write('a');
    expect(taken()).toBe(`afterturn: stderr was not read; ${2 << 20} bytes were dropped\na`);
    read();
    tick();
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
  });
});
