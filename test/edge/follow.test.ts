import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { backlogLimit, createFollower, looksAtOnce, readLimit, unfinishedBytes } from '../../src/edge/follow.js';
import type { Follow } from '../../src/plugin.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const newPath = (): string => join(folder, `output-${(count += 1)}`);

interface Followed {
  readonly follow: Follow;
  /** What came since the last call: `!` marks what replaces all before. */
  news(): string[];
  /** Everything as a reader of the events has it now. */
  whole(): string;
  poll(): void;
  timers(): number;
}

function followed(path: string): Followed {
  const timers = new Set<() => void>();
  const start = createFollower((_ms, run) => {
    timers.add(run);
    return () => timers.delete(run);
  });
  const news: string[] = [];
  let whole: Uint8Array[] = [];
  const follow = start(path, {
    bytes(data, reset) {
      news.push(`${reset ? '!' : ''}${Buffer.from(data).toString()}`);
      whole = [...(reset ? [] : whole), data];
    },
    failed: (reason) => news.push(`failed: ${reason}`),
  });
  return {
    follow,
    news: () => news.splice(0),
    whole: () => Buffer.concat(whole).toString(),
    poll: () => timers.forEach((run) => run()),
    timers: () => timers.size,
  };
}

describe('a followed file', () => {
  it('delivers what is there, then what is added', () => {
    const path = newPath();
    writeFileSync(path, 'one\n');
    const { poll, news } = followed(path);
    expect(news()).toEqual([]);
    poll();
    expect(news()).toEqual(['!one\n']);
    poll();
    expect(news()).toEqual([]);
    appendFileSync(path, 'two\n');
    poll();
    expect(news()).toEqual(['two\n']);
  });

  it('need not be there yet', () => {
    const path = newPath();
    const { poll, news } = followed(path);
    poll();
    writeFileSync(path, '');
    poll();
    expect(news()).toEqual([]);
    appendFileSync(path, 'late');
    poll();
    expect(news()).toEqual(['!late']);
  });

  it('starts anew when it shrinks', () => {
    const path = newPath();
    writeFileSync(path, 'a long first text');
    const { poll, news } = followed(path);
    poll();
    writeFileSync(path, 'short');
    poll();
    expect(news()).toEqual(['!a long first text', '!short']);
    truncateSync(path, 0);
    poll();
    expect(news()).toEqual(['!']);
    appendFileSync(path, 'again');
    poll();
    expect(news()).toEqual(['!again']);
  });

  it('starts anew when another file takes its name, and waits while there is none', () => {
    const path = newPath();
    writeFileSync(path, 'first');
    const { poll, news } = followed(path);
    poll();
    writeFileSync(`${path}.new`, 'second, and longer');
    renameSync(`${path}.new`, path);
    poll();
    expect(news()).toEqual(['!first', '!second, and longer']);
    unlinkSync(path);
    poll();
    expect(news()).toEqual([]);
  });

  it('is read in bounded parts; of a long backlog the newest is kept', () => {
    const path = newPath();
    writeFileSync(path, 'a'.repeat(3 * readLimit));
    const { poll, news } = followed(path);
    poll();
    const first = news();
    expect(first.map((each) => each.length)).toEqual([readLimit + 1, readLimit, readLimit]);
    expect(first.map((each) => each.startsWith('!'))).toEqual([true, false, false]);
    appendFileSync(path, `${'b'.repeat(5 * 1024 * 1024)}end`);
    poll();
    const second = news();
    expect(second.map((each) => each.startsWith('!'))).toEqual(second.map((_, at) => at === 0));
    expect(second.join('')).toBe(`!${'b'.repeat(backlogLimit - 3)}end`);
  });

  it('never cuts a character, wherever the writer was', () => {
    const text = 'né 日本 👩‍👩‍👧 ü';
    const path = newPath();
    writeFileSync(path, '');
    const { poll, news, whole } = followed(path);
    for (const byte of Buffer.from(text)) {
      appendFileSync(path, Uint8Array.of(byte));
      poll();
    }
    expect(news().join('')).toBe(`!${text}`);
    expect(whole()).toBe(text);
  });

  it('never cuts a character at the end of a read or the start of a kept backlog', () => {
    const path = newPath();
    writeFileSync(path, '日'.repeat(1_000_000));
    const { poll, whole, news } = followed(path);
    poll();
    expect(whole()).toMatch(/^日+$/);
    expect(news().join('')).toMatch(/^!日+$/);
    appendFileSync(path, '本'.repeat(50_000));
    poll();
    expect(news().join('')).toMatch(/^本{50000}$/);
  });
});

describe('a flush', () => {
  it('delivers at once what is there, an unfinished character included', () => {
    const path = newPath();
    const bytes = Buffer.from('a日');
    writeFileSync(path, bytes.subarray(0, 3));
    const { follow, poll, news, whole } = followed(path);
    poll();
    expect(news()).toEqual(['!a']);
    follow.flush();
    expect(whole().startsWith('a')).toBe(true);
    appendFileSync(path, bytes.subarray(3));
    follow.flush();
    expect(whole()).toBe('a日');
  });

  it('delivers the first bytes of a file that was never looked at', () => {
    const path = newPath();
    const { follow, news } = followed(path);
    writeFileSync(path, 'quick');
    follow.flush();
    expect(news()).toEqual(['!quick']);
  });
});

describe('what cannot be followed', () => {
  it.each([
    ['a folder', (path: string) => mkdirSync(path), 'it is not a regular file'],
    ['a link', (path: string) => symlinkSync('/etc/hostname', path), 'it is a symbolic link'],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), 'it is not a regular file'],
  ])('%s is named, once, and not looked at again', (_, make, reason) => {
    const path = newPath();
    make(path);
    const { follow, poll, news, timers } = followed(path);
    poll();
    poll();
    follow.flush();
    expect(news()).toEqual([`failed: ${reason}`]);
    expect(timers()).toBe(0);
  });

  it('a file is a link from one look to the next: nothing of what it leads to is read', () => {
    const path = newPath();
    writeFileSync(path, 'mine\n');
    const { poll, news } = followed(path);
    poll();
    unlinkSync(path);
    symlinkSync('/etc/passwd', path);
    poll();
    expect(news()).toEqual(['!mine\n', 'failed: it is a symbolic link']);
  });

  it.runIf(process.platform === 'linux').each(['/dev/zero', '/dev/stdin', '/proc/self/environ', '/proc/self/mem', '/proc/self/fd/0', '/proc/kmsg'])('nothing comes of %s', (path) => {
    const { follow, poll, news, whole } = followed(path);
    poll();
    poll();
    follow.flush();
    expect([whole(), news().every((one) => one === '!' || one.startsWith('failed: '))]).toEqual(['', true]);
  });

  it('a path that is not absolute, or longer than one can be, is named', () => {
    for (const [path, reason] of [['package.json', 'its path is not absolute'], [`/${'x'.repeat(100_000)}`, 'ENAMETOOLONG']] as const) {
      const { poll, news } = followed(path);
      poll();
      expect(news()).toEqual([`failed: ${reason}`]);
    }
  });

  it('a path with a NUL is named', () => {
    const { poll, news } = followed('/tmp/a\0b');
    poll();
    expect(news()).toEqual(['failed: ERR_INVALID_ARG_VALUE']);
  });
});

describe('the timer', () => {
  it('looks at so many files at once, and at each in its turn', () => {
    let poll = (): void => {};
    const start = createFollower((_ms, run) => {
      poll = run;
      return () => {};
    });
    const seen = new Set<number>();
    for (let n = 0; n < 3 * looksAtOnce; n += 1) start(`relative-${n}`, { bytes: () => {}, failed: () => void seen.add(n) });
    poll();
    expect(seen.size).toBe(looksAtOnce);
    poll();
    poll();
    expect(seen.size).toBe(3 * looksAtOnce);
  });

  it('is one for all, and ends with the last', () => {
    const timers = new Set<() => void>();
    let started = 0;
    const start = createFollower((_ms, run) => {
      started += 1;
      timers.add(run);
      return () => timers.delete(run);
    });
    const [first, second] = [start(newPath(), { bytes() {} }), start(newPath(), { bytes() {} })];
    expect([started, timers.size]).toEqual([1, 1]);
    first.close();
    expect(timers.size).toBe(1);
    second.close();
    second.close();
    expect(timers.size).toBe(0);
    start(newPath(), { bytes() {} });
    expect([started, timers.size]).toEqual([2, 1]);
  });

  it('nothing is delivered after close, not even in the middle of a look', () => {
    const path = newPath();
    writeFileSync(path, 'a'.repeat(3 * readLimit));
    let run = (): void => {};
    const start = createFollower((_ms, look) => {
      run = look;
      return () => {};
    });
    let deliveries = 0;
    const follow = start(path, {
      bytes() {
        deliveries += 1;
        follow.close();
      },
    });
    run();
    run();
    follow.flush();
    expect(deliveries).toBe(1);
  });
});

describe('an unfinished character', () => {
  it.each([
    [[0x61], 0],
    [[0xc3], 1],
    [[0xc3, 0xa9], 0],
    [[0xe6], 1],
    [[0xe6, 0x97], 2],
    [[0xe6, 0x97, 0xa5], 0],
    [[0xf0, 0x9f, 0x91], 3],
    [[0xf0, 0x9f, 0x91, 0xa9], 0],
    [[0x80, 0x80, 0x80, 0x80], 0],
    [[0xff], 0],
    [[], 0],
  ])('at the end of %j takes %i bytes', (bytes, length) => {
    expect(unfinishedBytes(Uint8Array.from(bytes))).toBe(length);
  });
});

describe('an empty file', () => {
  it('is told as no bytes by a flush, once, and what comes later is added', () => {
    const path = newPath();
    const on = followed(path);
    on.follow.flush();
    expect(on.news()).toEqual([]);
    writeFileSync(path, '');
    on.poll();
    expect(on.news()).toEqual([]);
    on.follow.flush();
    on.follow.flush();
    expect(on.news()).toEqual(['!']);
    appendFileSync(path, 'late');
    on.poll();
    expect(on.news()).toEqual(['late']);
    on.follow.close();
  });
});
