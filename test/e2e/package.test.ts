/** What is published: it holds only what runs, and runs where it is unpacked. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './session.js';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest;
let folder: string;
let files: readonly string[];

const installed = (): string => join(folder, 'node_modules/afterturn');
const node = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } });

/** The dependencies of this tree stand in for those that an installation would bring. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'afterturn-package-'));
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as [{ filename: string; files: { path: string }[] }];
  files = packed.files.map(({ path }) => path);
  mkdirSync(installed(), { recursive: true });
  execFileSync('tar', ['xzf', join(folder, packed.filename), '-C', installed(), '--strip-components', '1']);
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('holds the command, the modules with their types, and what there is to read', () => {
    expect(files.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
      'CHANGELOG.md', 'LICENSE', 'README.md', 'bin/afterturn.js', 'bin/package.json', 'package.json', 'plugins/README.md', 'src/README.md',
    ]);
    expect(files.filter((path) => path.startsWith('dist/') && !/\.(cjs|js|css|d\.ts)$/.test(path))).toEqual([]);
  });

  it('has each file that it exports, but for sources', () => {
    const targets = Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.entries(entry).filter(([condition]) => condition !== 'source').map(([, path]) => path)));
    expect(targets.filter((path) => !existsSync(join(installed(), path)))).toEqual([]);
  });

  it('runs: the version, the demo, and a session', () => {
    const bin = join(installed(), manifest.bin.afterturn ?? '');
    expect(node(bin, '--version').trim()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(node(bin, 'demo')).toContain('npm run dev');
    const echoes = "process.stdin.pipe(process.stdout)";
    const message = '{"jsonrpc":"2.0","method":"x"}\n';
    expect(execFileSync(process.execPath, [bin, '--', process.execPath, '-e', echoes], { cwd: folder, input: message, encoding: 'utf8' })).toBe(message);
  });

  it('traces a session, and shows the trace', () => {
    const bin = join(installed(), manifest.bin.afterturn ?? '');
    const input = ['{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}', '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}'].map((line) => `${line}\n`).join('');
    const answers = "process.stdin.on('data', (data) => { for (const line of String(data).trim().split('\\n')) console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { protocolVersion: 1, stopReason: 'end_turn' } })); })";
    execFileSync(process.execPath, [bin, '--trace-file', 'trace.json', '--', process.execPath, '-e', answers], { cwd: folder, input, env: { PATH: process.env.PATH } });
    expect(node(bin, 'report', 'trace.json', '--html', 'page.html')).toBeDefined();
    expect(readFileSync(join(folder, 'page.html'), 'utf8')).toContain('</html>');
  });

  it('is a library for programs that import it', () => {
    const names = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json')).map((name) => name.replace('.', 'afterturn'));
    const script = `const found = []; for (const name of ${JSON.stringify(names)}) found.push(Object.keys(await import(name)).length > 0); console.log(found.every(Boolean), found.length);`;
    expect(node('--input-type=module', '-e', script).trim()).toBe(`true ${names.length}`);
  });
});
