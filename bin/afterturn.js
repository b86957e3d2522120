#!/usr/bin/env node
// Starts the command. It is one script that is compiled once for each build and Node version: V8's
// code cache beside it takes the time to compile away, most of what starting it would cost.
'use strict';
const { readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const filename = join(__dirname, '../dist/afterturn.cjs');

function parts() {
  try {
    const { size, mtimeMs } = statSync(filename);
    // V8 compares lengths only, so the cache is named after the build.
    const cache = `${filename}.${process.versions.v8}-${process.arch}-${size}-${Math.trunc(mtimeMs)}.cache`;
    return { source: readFileSync(filename, 'utf8'), cache };
  } catch (error) {
    console.error(`afterturn: expected a built tree, but ${error.message}. Run: npm ci`);
    return process.exit(2);
  }
}

function cached(cache) {
  try {
    return readFileSync(cache);
  } catch {
    return undefined;
  }
}

/** At the exit it holds what was compiled on the way. A folder that is not ours to write is no fault. */
function keepAtExit(script, cache) {
  process.once('exit', () => {
    try {
      writeFileSync(`${cache}.${process.pid}`, script.createCachedData());
      renameSync(`${cache}.${process.pid}`, cache);
    } catch {
      // The next start compiles again.
    }
  });
}

const { source, cache } = parts();
const cachedData = cached(cache);
const script = new Script(`(function (exports, require, module, __filename, __dirname, launcherImport) {${source}\n})`, { filename, cachedData });
if (cachedData === undefined) keepAtExit(script, cache);
script.runInThisContext()({}, require, { exports: {} }, filename, dirname(filename), (url) => import(url));
