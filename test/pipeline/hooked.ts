/** Plugins for tests of hooks, and what those look at. */
import { replace, type Call, type CallHooks, type Plugin, type ReplyHooks } from '../../src/plugin.js';
import type { Message } from './harness.js';

/** A plugin with hooks for both directions. */
export const both = (name: string, calls: CallHooks, replies: ReplyHooks = {}): Plugin => ({ name, toAgent: { calls, replies }, toClient: { calls, replies } });
/** Adds its name to `params.via` of every call. */
export const signs = (name: string): Plugin => both(name, { '*': (call: Call<{ via?: string[] }>) => replace({ params: { ...call.params, via: [...(call.params?.via ?? []), name] } }) });
export const methods = (messages: readonly Message[]): string[] => messages.map(({ method }) => method as string);
/** A promise that the test settles. */
export function deferred<T>(): { readonly promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
