import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node', 'import', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'sources', include: ['test/**/*.test.ts'], exclude: ['test/e2e/**', '**/node_modules/**'] } },
      // These run the built command, so it is built first where the sources are newer.
      { extends: true, test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], globalSetup: 'test/e2e/build.ts' } },
    ],
  },
});
