/**
 * Keeps from an ACP v1 client what comes with the private extension that was declared in its name
 * (`--source async-tasks`): its updates, its answers, its marks. It stands beside the client, and
 * leaves where the extension was not declared or is not known. A client that declared another part of
 * the extension itself keeps what comes with that.
 */
import { drop, replace, ruled, type Call, type Outcome, type Plugin, type Reply } from 'afterturn/plugin';
import { at, extensionCapabilities, integerOf, isNumber, isObject, type JsonObject } from 'afterturn/protocol';
import { wantedFor, type SourcesOptions } from './sources.js';

/** A message without any of these words has nothing to hide, and is not parsed. */
const MARKS = ['"jetbrains"', '"async_task_', '"promptSuggestions"'] as const;
/** What the agent passes on from tools is not the agent's own. */
const OPAQUE: ReadonlySet<string> = new Set(['rawInput', 'rawOutput', 'toolResponse']);

function isMarked(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return MARKS.some((mark) => bytes.includes(mark));
}

function withoutKeys(value: JsonObject, hidden: readonly string[]): JsonObject {
  return hidden.some((key) => key in value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !hidden.includes(key))) : value;
}

/** The value without the extension's `_meta` members, at any depth. The same value when it has none. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value) || isNumber(value)) return value;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    if (OPAQUE.has(key)) return [[key, member]];
    const next = key === '_meta' && isObject(member) ? withoutKeys(member, ['jetbrains', 'promptSuggestions']) : member;
    const inner = plain(next);
    return key === '_meta' && inner !== member && isObject(inner) && Object.keys(inner).length === 0 ? [] : [[key, inner]];
  });
  const same = entries.length === Object.keys(value).length && entries.every(([key, member]) => member === value[key]);
  return same ? value : Object.fromEntries(entries);
}

/** An update that says nothing beside what is hidden. */
const saysNothing = (update: unknown): boolean => isObject(update) && update.sessionUpdate === 'session_info_update' && Object.keys(update).length === 1;

export interface HiddenExtensionOptions extends SourcesOptions {
  /** Tasks are made from what an agent of ACP v2 lists itself. */
  readonly makesTasks?: () => boolean;
}

export function hiddenExtension({ makesTasks = () => false, ...options }: HiddenExtensionOptions): Plugin {
  let knowsSubagents = false;
  let declaresPart = false;
  /** It is declared in the client's name. */
  let isDeclared = false;

  const hideInCall = (call: Call): Outcome => {
    if (!isMarked(call.raw)) return undefined;
    const kind = at(call.params, 'update', 'sessionUpdate');
    if (typeof kind === 'string' && kind.startsWith('async_task_')) return ruled('async tasks', drop());
    if (declaresPart) return undefined;
    const params = plain(call.params);
    if (params === call.params) return undefined;
    return saysNothing(at(params, 'update')) ? ruled('marks', drop()) : ruled('marks', replace({ params }));
  };
  const hideInReply = (reply: Reply): Outcome => {
    if (declaresPart || reply.result === undefined || !isMarked(reply.raw)) return undefined;
    const result = plain(reply.result);
    return result === reply.result ? undefined : ruled('marks', replace({ result }));
  };
  /** `subagents` is offered because of the extension. */
  const withoutSubagents = (result: unknown): unknown => {
    const capabilities = at(result, 'agentCapabilities');
    const session = at(capabilities, 'sessionCapabilities');
    if (knowsSubagents || !isObject(result) || !isObject(capabilities) || !isObject(session) || !('subagents' in session)) return result;
    return { ...result, agentCapabilities: { ...capabilities, sessionCapabilities: withoutKeys(session, ['subagents']) } };
  };

  return {
    name: 'hidden-extension',
    toAgent: {
      calls: {
        initialize: (call, host) => {
          const isV1 = (integerOf(at(call.params, 'protocolVersion')) ?? 1) < 2;
          const capabilities = at(call.params, 'clientCapabilities');
          declaresPart = extensionCapabilities(capabilities).length > 0;
          knowsSubagents = at(capabilities, 'subagents') !== undefined;
          isDeclared = wantedFor(options, call.params)?.extension === true;
          if (!isV1 || extensionCapabilities(capabilities).includes('asyncTasks')) host.leave();
        },
      },
    },
    toClient: {
      replies: {
        initialize: (reply, host) => {
          if (reply.result === undefined) return undefined;
          const isInUse = isDeclared && extensionCapabilities(reply.result).includes('asyncTasks');
          if (!isInUse && !makesTasks()) return host.leave();
          if (declaresPart) return undefined;
          const result = withoutSubagents(plain(reply.result));
          return result === reply.result ? undefined : ruled('marks', replace({ result }));
        },
        '*': hideInReply,
      },
      calls: { '*': hideInCall },
    },
  };
}
