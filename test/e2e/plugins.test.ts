import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, endAll, root, run, start } from './session.js';

afterEach(endAll);

const plugin = (name: string): string => `${root}test/fixtures/plugins/${name}.mjs`;
const said = '{"jsonrpc": "2.0", "method":"said", "params":{"text":"x"}}\n';

describe('a plugin of --plugin', () => {
  it('meets the messages; what it prints comes out on stderr', async () => {
    const { stdout, stderr, code } = await run(['--plugin', plugin('talks'), '--', ...agent('echo')], { input: said });
    expect(stdout.toString()).toBe(`{"jsonrpc":"2.0","method":"before","params":{}}\n${said}`);
    expect(stderr.split('\n')).toEqual(['loading, on stdout', 'console, on stdout', 'stdout, by itself', 'console, on stderr', 'closing, on stdout', '']);
    expect(code).toBe(0);
  });

  it('that fails outside of its hooks is named with the place, and the session goes on', async () => {
    const session = start(['--plugin', plugin('fails-later'), '--', ...agent('echo')]);
    session.write(said);
    await session.said(said);
    while (!/thrown in a timer[^]*fails-later\.mjs/.test(session.stderr())) await new Promise((resolve) => setTimeout(resolve, 10));
    session.write(said);
    await session.said(said + said);
    session.endInput();
    const { code, stderr } = await session.ended;
    expect(stderr).toContain('rejected by nobody');
    expect(code).toBe(0);
  });

  it('finds the helpers of the package, in whichever folder it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
    const file = join(folder, 'loud.mjs');
    writeFileSync(file, `
      import { replace } from 'afterturn/plugin';
      import { at } from 'afterturn/protocol';
      import { emptyLedger } from 'afterturn/state';
      export const plugin = () => ({ name: 'loud', toAgent: { calls: { said: ({ params }) => replace({ params: { text: at(params, 'text') + typeof emptyLedger } }) } } });
    `);
    const { stdout, stderr } = await run(['--plugin', file, '--', ...agent('echo')], { input: said });
    rmSync(folder, { recursive: true });
    expect([stderr, stdout.toString()]).toEqual(['', '{"jsonrpc":"2.0","method":"said","params":{"text":"xfunction"}}\n']);
  });

  it('comes from the configuration file and the environment, too', async () => {
    const { stdout } = await run(['--', ...agent('echo')], { input: said, env: { AFTERTURN_PLUGIN: plugin('talks') } });
    expect(stdout.toString()).toContain('"before"');
  });
});
