import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { faultOf, pluginsOf } from '../../src/edge/load-plugins.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function file(text: string, ending = 'mjs'): string {
  const path = join(folder, `plugin-${(count += 1)}.${ending}`);
  writeFileSync(path, text);
  return path;
}

const load = (...modules: string[]) => pluginsOf(modules, folder);
const names = async (...modules: string[]) => (await load(...modules)).map((plugin) => plugin.name);

describe('a module of --plugin', () => {
  it('exports a plugin or a factory, as the default or by the name "plugin"; the order is kept', async () => {
    expect(
      await names(
        file("export default { name: 'a' };"),
        file("export default () => ({ name: 'b', toClient: { calls: { '*': () => {} } } });"),
        file("export const plugin = { name: 'c' };"),
        file("export const plugin = async () => ({ name: 'd' });"),
        file("module.exports = { name: 'e' };", 'cjs'),
        file("exports.plugin = () => ({ name: 'f' });", 'cjs'),
      ),
    ).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('may be a package that is installed where we were started', async () => {
    mkdirSync(join(folder, 'node_modules/some-plugin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/some-plugin/package.json'), '{"name":"some-plugin","main":"main.js"}');
    writeFileSync(join(folder, 'node_modules/some-plugin/main.js'), "module.exports = { name: 'installed' };");
    expect(await names('some-plugin')).toEqual(['installed']);
  });

  it.each([
    ["throw new Error('at load');", 'at load'],
    ['export default {', 'loading it failed'],
    ["export default () => { throw new Error('in factory'); };", 'its factory threw: in factory'],
    ['export const other = 1;', 'it has neither a default export nor one named "plugin"'],
    ['export default 3;', 'expected an object, got 3'],
    ['export default () => {};', 'expected an object, got nothing'],
    ['export default {};', 'expected a text at name, got nothing'],
  ])('%s fails with the reason and its path', async (text, reason) => {
    const path = file(text);
    await expect(load(path)).rejects.toThrow(path);
    await expect(load(path)).rejects.toThrow(reason);
  });

  it.each(['await new Promise(() => {});', 'export default () => new Promise(() => {});'])('%s fails when it has taken too long', async (text) => {
    const path = file(text);
    await expect(pluginsOf([path], folder, 100)).rejects.toThrow(`expected --plugin ${path} to be a module that can be loaded, but loading it took longer than 100 ms`);
  });

  it('that is not there fails', async () => {
    await expect(load(join(folder, 'none.mjs'))).rejects.toThrow('loading it failed');
    await expect(load('no-such-package-anywhere')).rejects.toThrow('no-such-package-anywhere');
  });
});

describe('the shape of a plugin', () => {
  const hook = (): void => {};
  it.each([
    { name: 'x' },
    { name: 'x', toAgent: {}, toClient: { calls: {}, replies: {} }, onHookError: 'refuse', onEnd: hook, close: hook },
    { name: 'x', toClient: { calls: { 'session/update': { tool_call: hook }, '*': hook }, replies: { initialize: hook } } },
  ])('%o is fine', (value) => {
    expect(faultOf(value)).toBeUndefined();
  });

  it.each([
    [{}, 'expected a text at name, got nothing'],
    [{ name: '' }, 'expected a text at name, got ""'],
    [{ name: 'x', toagent: {} }, '"toagent" is no member of a plugin (name, toAgent, toClient, onHookError, onEnd, close)'],
    [{ name: 'x', toAgent: { call: {} } }, '"toAgent.call" is no member of a plugin (toAgent.calls, toAgent.replies)'],
    [{ name: 'x', toAgent: { calls: { initialize: 1 } } }, 'expected a function at toAgent.calls["initialize"], got 1'],
    [{ name: 'x', toClient: { calls: { 'session/update': { plan: null } } } }, 'expected a function at toClient.calls["session/update"]["plan"], got null'],
    [{ name: 'x', toClient: { replies: { initialize: {} } } }, 'expected a function at toClient.replies["initialize"], got an object'],
    [{ name: 'x', onHookError: 'drop' }, 'expected "pass" or "refuse" at onHookError, got "drop"'],
    [{ name: 'x', close: true }, 'expected a function at close, got true'],
    [[], 'expected an object, got an array'],
  ])('%o is not: %s', (value, fault) => {
    expect(faultOf(value)).toBe(fault);
  });
});
