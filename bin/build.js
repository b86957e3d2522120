// Builds dist/: the command as bundled scripts with V8's cache of them (esbuild), and the modules
// with their types for programs and plugins that import the package (tsc).
//   --if-possible  leaves a tree without devDependencies as it is (npm's `prepare` under --omit=dev)
//   --bundle       the command only
'use strict';
const { execFileSync } = require('node:child_process');
const { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');
const { scripts } = require('./scripts.js');
const { warm } = require('./warm.js');

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

const everyScript = {
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
  // V8 keeps one byte of each character of such a script.
  charset: 'ascii',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
};
const urlOfScript = "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;";

/** Which script holds a module that is loaded late, and the functions that stand for it elsewhere. */
const lateModules = new Map(Object.entries(scripts).flatMap(([script, { modules = {} }]) => Object.entries(modules).map(([path, functions]) => [path, { script, functions }])));

/** For esbuild: what other scripts hold is left to them. */
const leftToOthers = (self) => ({
  name: 'left-to-others',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, kind, resolveDir }) => {
      const file = relative(root, join(resolveDir, path)).replaceAll('\\', '/').replace(/\.js$/, '.ts');
      const late = lateModules.get(file);
      if (late === undefined || late.script === self) return undefined;
      if (kind === 'dynamic-import') return { path: `./${late.script}.js`, external: true };
      return late.functions.length === 0 ? undefined : { path: file, namespace: 'late', pluginData: late };
    });
    build.onResolve({ filter: /.*/, namespace: 'late' }, ({ path }) => ({ path, external: true }));
    build.onLoad({ filter: /.*/, namespace: 'late' }, ({ pluginData: { script, functions } }) => ({
      contents: functions.map((name) => `export const ${name} = (...args) => require('./${script}.js').${name}(...args);`).join('\n'),
    }));
  },
});

/** A script of dist/ and its text. */
async function built(name, { modules = {}, source, options }) {
  const paths = Object.keys(modules);
  const contents = source ?? paths.map((path) => `export * from './${path}';`).join('\n');
  const entry = paths.length === 1 ? { entryPoints: paths } : { stdin: { resolveDir: root, contents } };
  const { outputFiles: [{ path, text }] } = await require('esbuild').build({ ...everyScript, ...entry, ...options, plugins: [leftToOthers(name)], outfile: `dist/${name}.cjs` });
  if (/[^\0-\x7f]/.test(text)) throw new Error(`expected ASCII alone in ${name}.cjs, for V8 would keep two bytes of each character`);
  // The launcher calls what the script evaluates to.
  return { path, contents: `(function (exports, require, module, __filename, __dirname, launcherImport) {${text.includes('importMetaUrl') ? urlOfScript : ''}${text}\n})` };
}

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

async function bundle() {
  page();
  const files = await Promise.all(Object.entries(scripts).map(([name, row]) => built(name, row)));
  for (const file of files) replaceFile(file.path, file.contents);
  for (const name of readdirSync(dist)) if (name.includes('.cache')) rmSync(join(dist, name), { force: true });
  await warm();
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

async function build(tsc) {
  await bundle();
  if (!process.argv.includes('--bundle')) modules(tsc);
}

const tsc = find('typescript/bin/tsc');
if (tsc && find('esbuild')) {
  build(tsc).catch((error) => {
    console.error(`build: ${error.message}`);
    process.exitCode = 1;
  });
} else if (!process.argv.includes('--if-possible')) {
  console.error('build: typescript and esbuild are needed; run `npm ci` without --omit=dev.');
  process.exitCode = 2;
} else if (!existsSync(join(dist, 'afterturn.cjs'))) {
  console.error('build: left out, for typescript and esbuild are not installed. The command needs it: run `npm ci` without --omit=dev.');
}
