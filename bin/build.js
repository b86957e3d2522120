// Builds dist/: the command as one bundled script with V8's cache of it (esbuild), and the modules
// with their types for programs and plugins that import the package (tsc).
//   --if-possible  leaves a tree without devDependencies as it is (npm's `prepare` under --omit=dev)
//   --bundle       the command only
'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const root = join(__dirname, '..');
const dist = join(root, 'dist');

function find(name) {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

/** A command that starts meanwhile sees the old file or the new one, never half of one. */
function replaceFile(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

const everyPart = {
  absWorkingDir: root,
  bundle: true,
  // Not a module: a script can be started from V8's code cache (see afterturn.js).
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  // In a script from the code cache `import()` finds no loader; `require` is handed in.
  supported: { 'dynamic-import': false },
  conditions: ['source'],
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
};

const api = ['@opentelemetry/api', '@opentelemetry/api-logs'];

/** The command, and what it loads late, by names that afterturn.js knows. */
const bundles = [
  {
    entryPoints: ['src/edge/main.ts'],
    outfile: 'dist/afterturn.cjs',
    external: ['./telemetry.js', './telemetry-sdk.js', '@opentelemetry/*', '@agentclientprotocol/sdk', 'ajv/*'],
  },
  // What makes spans of messages, with its own copy of the reducers: a session that is not traced reads none of it.
  { entryPoints: ['src/edge/telemetry.ts'], outfile: 'dist/telemetry.cjs', external: ['./telemetry-sdk.js', ...api] },
  // OpenTelemetry's ES modules can be shaken, what their `main` names cannot.
  {
    stdin: { resolveDir: root, contents: "export * from '@opentelemetry/api'; export * from '@opentelemetry/api-logs';" },
    outfile: 'dist/telemetry-api.cjs',
    mainFields: ['module', 'main'],
  },
  { entryPoints: ['src/edge/telemetry-sdk.ts'], outfile: 'dist/telemetry-sdk.cjs', external: ['./telemetry-grpc.js', ...api], mainFields: ['module', 'main'] },
  { entryPoints: ['src/edge/telemetry-grpc.ts'], outfile: 'dist/telemetry-grpc.cjs', external: api, mainFields: ['module', 'main'] },
];

/** The script and the style of the report's page. They run in a browser, from within the page. */
function page() {
  const { outputFiles } = require('esbuild').buildSync({
    absWorkingDir: root,
    entryPoints: { 'report-page': 'src/report/page/main.ts', 'report-style': 'src/report/page/page.css' },
    outdir: 'dist',
    bundle: true,
    format: 'iife',
    target: ['chrome111', 'firefox128', 'safari16.4'],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  for (const file of outputFiles) replaceFile(file.path, file.contents);
}

function bundle() {
  page();
  const { buildSync } = require('esbuild');
  const files = bundles.flatMap((each) => buildSync({ ...everyPart, ...each }).outputFiles);
  for (const file of files) replaceFile(file.path, file.contents);
  for (const name of readdirSync(dist)) if (name.includes('.cache')) rmSync(join(dist, name), { force: true });
  // The command's cache holds what every session runs; those of the late parts what a traced one runs.
  warm({});
  for (const protocol of ['http/protobuf', 'grpc']) warm({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
}

/** One short session, at whose end the launcher writes what was compiled in it. Its telemetry goes nowhere. */
function warm(env) {
  const agent = "require('readline').createInterface({ input: process.stdin }).on('line', (line) => console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { protocolVersion: 1, sessionId: 's', stopReason: 'end_turn' } })))";
  const calls = [['initialize', { protocolVersion: 1, clientCapabilities: {} }], ['session/new', { cwd: '/', mcpServers: [] }], ['session/prompt', { sessionId: 's', prompt: [] }]];
  const input = calls.map(([method, params], id) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`).join('');
  const command = [join(__dirname, 'afterturn.js'), '--', process.execPath, '-e', agent];
  spawnSync(process.execPath, command, { input, stdio: ['pipe', 'ignore', 'ignore'], env, timeout: 10_000 });
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
if (tsc && find('esbuild')) {
  bundle();
  if (!process.argv.includes('--bundle')) modules(tsc);
} else if (!process.argv.includes('--if-possible')) {
  console.error('build: typescript and esbuild are needed; run `npm ci` without --omit=dev.');
  process.exitCode = 2;
} else if (!existsSync(join(dist, 'afterturn.cjs'))) {
  console.error('build: left out, for typescript and esbuild are not installed. The command needs it: run `npm ci` without --omit=dev.');
}
