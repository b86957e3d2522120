/**
 * The update kinds of the private extension, in the names that they have on ACP v1 and on v2. On v2,
 * where an unknown kind must start with an underscore, codex-acp tells the start and the end of a
 * subagent under one name. The members are the same in both versions.
 */
import type { JsonObject } from './shape.js';

export const ASYNC_TASK_KINDS = ['_async_task_spawned', '_async_task_progress', '_async_task_state_update'] as const;
export const SUBAGENT_KIND = '_subagent_update';

type Update = JsonObject & { readonly sessionUpdate: string };

const v1Kinds: ReadonlyMap<string, (update: JsonObject) => string> = new Map<string, (update: JsonObject) => string>([
  ...ASYNC_TASK_KINDS.map((kind) => [kind, () => kind.slice(1)] as const),
  [SUBAGENT_KIND, ({ state }: JsonObject) => (state === undefined ? 'subagent_spawned' : 'subagent_state_update')],
]);

/** An update of the private extension as v1 has it; `undefined` for any other update. */
export function v1PrivateUpdate(update: JsonObject): Update | undefined {
  const kind = typeof update.sessionUpdate === 'string' ? v1Kinds.get(update.sessionUpdate)?.(update) : undefined;
  return kind === undefined ? undefined : { ...update, sessionUpdate: kind };
}
