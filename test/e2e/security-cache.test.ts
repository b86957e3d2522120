/** V8's code caches in dist/: who may have written what is run. On a copy of the launcher with a script of its own. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterAll, expect, it } from 'vitest';
import { root } from './session.js';

const base = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(base, { recursive: true }));

/** As the build makes scripts. */
const wrapped = (source: string): string => `(function (exports, require, module, __filename, __dirname, launcherImport) {${source}\n})`;
const says = (word: string): string => `process.stdout.write('${word}');`;

/** A tree with the launcher, and a script of the same length as the one that the cache is of. */
function tree(name: string): { readonly dist: string; readonly start: () => string } {
  const folder = join(base, name);
  const dist = join(folder, 'dist');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(dist);
  for (const file of ['afterturn.js', 'package.json']) copyFileSync(`${root}bin/${file}`, join(folder, 'bin', file));
  writeFileSync(join(dist, 'afterturn.cjs'), wrapped(says('mine')));
  return { dist, start: () => spawnSync(process.execPath, [join(folder, 'bin/afterturn.js')], { encoding: 'utf8' }).stdout };
}

const cacheIn = (dist: string): string => join(dist, readdirSync(dist).find((name) => name.endsWith('.cache')) ?? 'none');
const planted = (): Buffer => {
  const script = new Script(wrapped(says('evil')), { filename: join(base, 'x.cjs') });
  (script.runInThisContext() as (...all: unknown[]) => void)({}, () => {}, {}, '', '', () => {});
  return script.createCachedData();
};
const muted = (run: () => Buffer): Buffer => {
  const { write } = process.stdout;
  process.stdout.write = () => true;
  try {
    return run();
  } finally {
    process.stdout.write = write;
  }
};
const evil = muted(planted);

it('the cache is a file that only its owner may write', () => {
  const { dist, start } = tree('own');
  expect(start()).toBe('mine');
  expect(statSync(cacheIn(dist)).mode & 0o777).toBe(0o644);
  expect([start(), readdirSync(dist).length]).toEqual(['mine', 2]);
});

it('V8 runs what a cache holds, whatever the script says: so a cache that others could write counts as none', () => {
  const { dist, start } = tree('shared');
  start();
  const cache = cacheIn(dist);
  writeFileSync(cache, evil);
  expect(start()).toBe('evil');
  chmodSync(cache, 0o666);
  expect(start()).toBe('mine');
});

it('a link in its place is not followed, and nothing is written through it', () => {
  const { dist, start } = tree('link');
  start();
  const cache = cacheIn(dist);
  const target = join(base, 'target');
  writeFileSync(target, evil);
  rmSync(cache);
  symlinkSync(target, cache);
  expect(start()).toBe('mine');
  expect(readFileSync(target)).toEqual(evil);
});

it.runIf(process.getuid?.() === 0)('one of another user is not run, one of the owner of the script is', () => {
  const { dist, start } = tree('other');
  start();
  const cache = cacheIn(dist);
  writeFileSync(cache, evil);
  chownSync(cache, 12_345, 12_345);
  expect(start()).toBe('mine');
  writeFileSync(cache, evil);
  chownSync(cache, 12_345, 12_345);
  chownSync(join(dist, 'afterturn.cjs'), 12_345, 12_345);
  expect(start()).toBe('evil');
});

it('a dist/ that is not ours to write is no fault', () => {
  const { dist, start } = tree('fixed');
  mkdirSync(join(dist, 'taken'));
  chmodSync(dist, 0o555);
  expect([start(), start()]).toEqual(['mine', 'mine']);
  chmodSync(dist, 0o755);
});
