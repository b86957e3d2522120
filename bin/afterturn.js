#!/usr/bin/env node
// Starts the command. It is one script that is compiled once for each build and Node version: V8's
// code cache beside it takes the time to compile away, most of what starting it would cost. What it
// loads late is a script of the same kind.
'use strict';
const { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const dist = join(__dirname, '../dist');

function parts(filename) {
  try {
    const { size, mtimeMs, uid } = statSync(filename);
    // V8 compares lengths only, so the cache is named after the build.
    const cache = `${filename}.${process.versions.v8}-${process.arch}-${size}-${Math.trunc(mtimeMs)}.cache`;
    return { source: readFileSync(filename, 'utf8'), cache, owner: uid };
  } catch (error) {
    console.error(`afterturn: expected a built tree, but ${error.message}. Run: npm ci (without --omit=dev: what builds it is among the development packages)`);
    return process.exit(2);
  }
}

/** V8 runs what a cache holds as it is: one that somebody else could have written counts as none. */
function isTrusted(fd, owner) {
  if (process.getuid === undefined) return true;
  const { uid, mode } = fstatSync(fd);
  return [owner, process.getuid(), 0].includes(uid) && (mode & 0o022) === 0;
}

function cached(cache, owner) {
  let fd;
  try {
    fd = openSync(cache, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    return isTrusted(fd, owner) ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** At the exit it holds what was compiled on the way. A folder that is not ours to write is no fault. */
function keepAtExit(script, cache) {
  process.once('exit', () => {
    try {
      writeFileSync(`${cache}.${process.pid}`, script.createCachedData(), { flag: 'wx', mode: 0o644 });
      renameSync(`${cache}.${process.pid}`, cache);
    } catch {
      // The next start compiles again.
    }
  });
}

const loaded = new Map();

function load(name) {
  if (loaded.has(name)) return loaded.get(name).exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const filename = join(dist, name);
  const { source, cache, owner } = parts(filename);
  const cachedData = cached(cache, owner);
  const script = new Script(source, { filename, cachedData });
  if (cachedData === undefined) keepAtExit(script, cache);
  script.runInThisContext()(module.exports, requireHere, module, filename, dist, (url) => import(url));
  return module.exports;
}

/** What the scripts of dist/ require by these names is in dist/ too (see scripts.js). */
function requireHere(id) {
  if (id.startsWith('./')) return load(`${id.slice(2, -3)}.cjs`);
  return /^@opentelemetry\/api(-logs)?$/.test(id) ? load('telemetry-api.cjs') : require(id);
}

load('afterturn.cjs');
