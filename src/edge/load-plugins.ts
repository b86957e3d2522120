/**
 * Modules named by `--plugin` to plugins, in order. Loaded late: most sessions have none. Knows the
 * shape of a plugin, not what it does.
 */
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { relayError, shown } from '../errors.js';
import type { Plugin } from '../plugin.js';
import { importModule } from './import-module.js';
import { offerOwnPackage } from './own-package.js';
import { settledWithin } from './patience.js';

/** So long may a module with its factory take. A wait that never ends would end the process without a word. */
const patienceMs = 10_000;

/** The plugins of these modules (absolute paths or names of packages), each within `limitMs`. Throws a `RelayError`. */
export async function pluginsOf(modules: readonly string[], cwd: string, limitMs = patienceMs): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  for (const module of modules) {
    const loading = pluginOf(module, cwd);
    if (!(await settledWithin(loading, limitMs))) throw relayError('PLUGIN_NOT_LOADED', { module, reason: `loading it took longer than ${limitMs} ms` });
    plugins.push(await loading);
  }
  return plugins;
}

async function pluginOf(module: string, cwd: string): Promise<Plugin> {
  const invalid = (reason: string): Error => relayError('PLUGIN_INVALID', { module, reason });
  const exported = exportOf(await imported(module, cwd));
  if (exported === undefined) throw invalid('it has neither a default export nor one named "plugin"');
  const plugin = typeof exported === 'function' ? await made(module, exported as () => unknown) : exported;
  const fault = faultOf(plugin);
  if (fault !== undefined) throw invalid(fault);
  return plugin as Plugin;
}

function exportOf(namespace: Readonly<Record<string, unknown>>): unknown {
  const main = namespace['default'];
  // A CommonJS module's exports are the default export as a whole.
  const nested = typeof main === 'object' && main !== null && !('name' in main) ? (main as Record<string, unknown>)['plugin'] : undefined;
  return namespace['plugin'] ?? nested ?? main;
}

async function imported(module: string, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const url = isAbsolute(module) ? pathToFileURL(module).href : installed(module, cwd);
    offerOwnPackage(url);
    return (await importModule(url)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw relayError('PLUGIN_NOT_LOADED', { module, reason: `loading it failed: ${messageOf(error)}` });
  }
}

/** A package installed where we were started, else beside us. */
function installed(name: string, cwd: string): string {
  if (name.includes(':')) return name;
  try {
    return pathToFileURL(createRequire(join(cwd, 'package.json')).resolve(name)).href;
  } catch {
    return name;
  }
}

async function made(module: string, factory: () => unknown): Promise<unknown> {
  try {
    return await factory();
  } catch (error) {
    throw relayError('PLUGIN_NOT_LOADED', { module, reason: `its factory threw: ${messageOf(error)}` });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Check = (value: unknown, at: string) => string | undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const optional = (check: Check): Check => (value, at) => (value === undefined ? undefined : check(value, at));

const aFunction: Check = (value, at) => (typeof value === 'function' ? undefined : `expected a function at ${at}, got ${shown(value)}`);

const every = (check: Check): Check => (value, at) =>
  isObject(value)
    ? Object.entries(value).map(([key, each]) => check(each, `${at}[${JSON.stringify(key)}]`)).find((fault) => fault !== undefined)
    : `expected an object at ${at}, got ${shown(value)}`;

/** A misspelt key would be a hook that is never called, so unknown keys are faults too. */
const shape = (members: Readonly<Record<string, Check>>): Check => (value, at) => {
  if (!isObject(value)) return `expected an object${at && ` at ${at}`}, got ${shown(value)}`;
  const inside = (key: string): string => (at ? `${at}.${key}` : key);
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(members, key));
  if (unknown !== undefined) return `${JSON.stringify(inside(unknown))} is no member of a plugin (${Object.keys(members).map(inside).join(', ')})`;
  return Object.entries(members).map(([key, check]) => check(value[key], inside(key))).find((fault) => fault !== undefined);
};

const callHooks = every((value, at) => (isObject(value) ? every(aFunction)(value, at) : aFunction(value, at)));
const hooks = optional(shape({ calls: optional(callHooks), replies: optional(every(aFunction)) }));

const pluginShape = shape({
  name: (value, at) => (typeof value === 'string' && value !== '' ? undefined : `expected a text at ${at}, got ${shown(value)}`),
  toAgent: hooks,
  toClient: hooks,
  onHookError: optional((value, at) => (value === 'pass' || value === 'refuse' ? undefined : `expected "pass" or "refuse" at ${at}, got ${shown(value)}`)),
  onEnd: optional(aFunction),
  close: optional(aFunction),
});

/** What keeps a value from being a plugin, or `undefined`. */
export const faultOf = (value: unknown): string | undefined => pluginShape(value, '');
