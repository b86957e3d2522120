#!/usr/bin/env node
// Starts the replay agent from its sources, without a build: bundled in memory, then run.
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: [new URL('replay-process.ts', import.meta.url).pathname],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  conditions: ['source'],
  logLevel: 'warning',
});
await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
