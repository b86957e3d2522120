/**
 * Loads a module by its URL, for modules that are not ours. The command runs from V8's code cache,
 * in which `import()` finds no loader (https://github.com/nodejs/node/issues/43663), so the launcher
 * hands in its own.
 */
declare const launcherImport: ((url: string) => Promise<unknown>) | undefined;

/** The module's namespace. Rejects as `import()` does. */
export const importModule: (url: string) => Promise<unknown> =
  typeof launcherImport === 'undefined' ? (url) => import(url) : launcherImport;
