/**
 * Lets the modules of `--plugin` import `afterturn/plugin` and the like wherever they are: what none of
 * the packages around them is, is this one. A package of that name that they have themselves comes first.
 * ES modules only: `require` asks no hook for it.
 */
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';

interface Context {
  readonly parentURL?: string;
}
type Next<T> = (specifier: string, context: Context) => T;
type RegisterHooks = (hooks: { resolve<T>(specifier: string, context: Context, next: Next<T>): T }) => void;

const NAME = /^afterturn(?:\/|$)/;

/** As `resolve` below, in the thread in which Node 20 runs such hooks. */
const script = (home: string): string => `
  export async function resolve(specifier, context, next) {
    if (!${String(NAME)}.test(specifier)) return next(specifier, context);
    try { return await next(specifier, context); }
    catch { return next(specifier, { ...context, parentURL: ${JSON.stringify(home)} }); }
  }`;

let isOffered = false;

/** Whether a module at this address finds a package of our name as modules do. */
function isFoundFrom(url: string): boolean {
  try {
    return nodeModule.createRequire(url).resolve('afterturn/package.json') !== '';
  } catch {
    return false;
  }
}

/**
 * From now on the module at this address finds our package by its name. Where it does anyway nothing is
 * done: Node 20 runs such hooks in a thread of its own, which every import then waits for.
 */
export function offerOwnPackage(url: string): void {
  if (isOffered || isFoundFrom(url)) return;
  isOffered = true;
  const home = pathToFileURL(nodeModule.createRequire(import.meta.url).resolve('afterturn/package.json')).href;
  const { registerHooks } = nodeModule as { readonly registerHooks?: RegisterHooks };
  if (registerHooks === undefined) return nodeModule.register(`data:text/javascript,${encodeURIComponent(script(home))}`);
  registerHooks({
    resolve(specifier, context, next) {
      if (!NAME.test(specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: home });
      }
    },
  });
}
