#!/usr/bin/env node
import('../dist/afterturn.js').catch((error) => {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error(`afterturn: expected a built tree, but ${error.message}. Run: npm ci && npm run build.`);
  process.exitCode = 2;
});
