// Builds dist/: the command as one bundled file with what it loads late beside it (esbuild), and the
// modules with their types for programs and plugins that import the package (tsc).
//   --if-possible  leaves a tree without devDependencies as it is (npm's `prepare` under --omit=dev)
//   --bundle       the command only
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

function find(name) {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

/** A command that runs meanwhile sees the old file or the new one, never half of one. */
function replaceFile(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

async function bundle() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { afterturn: 'src/edge/main.ts' },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['source'],
    external: ['@opentelemetry/*', '@agentclientprotocol/sdk'],
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  // The entry last: what it imports is there before it.
  const isEntry = (file) => file.path === join(dist, 'afterturn.js');
  for (const file of [...outputFiles].sort((a, b) => isEntry(a) - isEntry(b))) replaceFile(file.path, file.contents);
  const current = new Set(outputFiles.map((file) => file.path));
  const chunks = join(dist, 'chunks');
  mkdirSync(chunks, { recursive: true });
  for (const name of readdirSync(chunks)) if (!current.has(join(chunks, name))) rmSync(join(chunks, name), { force: true });
}

function modules(tsc) {
  for (const folder of ['src', 'plugins']) rmSync(join(dist, folder), { recursive: true, force: true });
  try {
    execFileSync(process.execPath, [tsc, '-p', '.'], { cwd: root, stdio: 'inherit' });
  } catch {
    console.error('build: the types do not fit; see above.');
    process.exitCode = 1;
  }
}

const tsc = find('typescript/bin/tsc');
if (!tsc || !find('esbuild')) {
  if (!process.argv.includes('--if-possible')) {
    console.error('build: typescript and esbuild are needed; run `npm ci` without --omit=dev.');
    process.exitCode = 2;
  }
} else {
  await bundle();
  if (!process.argv.includes('--bundle')) modules(tsc);
}
