/**
 * What a verdict means for the message at hand, checked. A verdict that does not fit the message is
 * an error of the plugin, like a hook that throws. Pure; knows nothing of lanes.
 */
import { keep, type Outcome, type Plugin, type Replacement, type RpcError, type Verdict } from '../plugin.js';
import { Frame, type Change, type Head } from '../wire/frame.js';
import { ErrorCode, rpcError } from '../wire/jsonrpc.js';

/** What happens next to the message at hand. */
export type Effect =
  /** It goes on, perhaps changed. */
  | { readonly go: 'on'; readonly frame: Frame }
  /** These go on in its place, in this order. */
  | { readonly go: 'pieces'; readonly frames: readonly Frame[] }
  /** It goes back to whoever asked. */
  | { readonly go: 'back'; readonly reply: Frame }
  /** It waits here for `Host.respond`. */
  | { readonly go: 'parked' }
  | { readonly go: 'nowhere' }
  /** It meets another plugin, in the place of the one that decided. */
  | { readonly go: 'again'; readonly plugin: Plugin }
  /** It was no message at all, and went where such lines go. */
  | { readonly go: 'elsewhere' };

/** The members of a message that a plugin may change. */
const replaceable: Readonly<Record<Head['kind'], readonly (keyof Replacement)[]>> = {
  request: ['method', 'params'],
  notification: ['method', 'params'],
  reply: ['result', 'error'],
};

function changeOf(kind: Head['kind'], value: Replacement): Change {
  const wrong = Object.keys(value).find((key) => !replaceable[kind].includes(key as keyof Replacement));
  if (wrong !== undefined) throw new TypeError(`replace() of a ${kind} takes ${replaceable[kind].join(' or ')}, got "${wrong}"`);
  const { method, ...rest } = value;
  if (method !== undefined && typeof method !== 'string') throw new TypeError(`replace() takes a method that is a string, got ${typeof method}`);
  const change: Change = method === undefined ? rest : { ...rest, method };
  if ('error' in change && change.error === undefined) {
    const { error: _none, ...without } = change;
    return without;
  }
  return change;
}

/** The id of the request that `verdict` answers. */
function requestId(frame: Frame, verdict: string): string {
  if (frame.kind !== 'request' || frame.idText === undefined) throw new TypeError(`${verdict}() is for requests, got a ${frame.kind}`);
  return frame.idText;
}

function pieces(frame: Frame, verdict: Extract<Verdict, { do: 'instead' }>): readonly Frame[] {
  const kept = verdict.messages.filter((message) => message === keep).length;
  if (frame.kind !== 'notification' && kept !== 1) {
    throw new TypeError(`instead() needs \`keep\` exactly once for a ${frame.kind}, got it ${kept} times`);
  }
  return verdict.messages.map((message) => (message === keep ? frame : Frame.ofCall(message.method, message.params)));
}

type ByVerdict = { readonly [D in Verdict['do']]: (frame: Frame, verdict: Extract<Verdict, { do: D }>) => Effect };

const effects: ByVerdict = {
  replace: (frame, verdict) => ({ go: 'on', frame: frame.changed(changeOf(frame.kind, verdict.with)) }),
  drop: () => ({ go: 'nowhere' }),
  instead: (frame, verdict) => ({ go: 'pieces', frames: pieces(frame, verdict) }),
  answer: (frame, verdict) => ({ go: 'back', reply: Frame.ofReply(requestId(frame, 'answer'), { result: verdict.result }) }),
  refuse: (frame, verdict) => ({ go: 'back', reply: Frame.ofReply(requestId(frame, 'refuse'), { error: verdict.error }) }),
  take: (frame) => {
    requestId(frame, 'take');
    return { go: 'parked' };
  },
  become: (_, { plugin }) => ({ go: 'again', plugin }),
};

/** What `outcome` does to the message. Throws when it does not fit. */
export function effectOf(frame: Frame, outcome: Outcome): Effect {
  if (outcome === undefined) return { go: 'on', frame };
  const known = outcome !== null && typeof outcome === 'object' && Object.hasOwn(effects, outcome.do);
  if (!known) throw new TypeError(`a hook returns a verdict or nothing, got ${outcome === null ? 'null' : typeof outcome}`);
  return (effects[outcome.do] as (frame: Frame, verdict: Verdict) => Effect)(frame, outcome);
}

/** The error that `onHookError: 'refuse'` answers with. */
export const hookError = (plugin: string): RpcError =>
  rpcError(ErrorCode.internalError, `plugin "${plugin}" failed on this message`, { plugin });

/**
 * What happens when a hook failed under `onHookError: 'refuse'`, where passing would be a lie: a
 * request is answered with an error, a reply becomes that error (it is never lost), and a
 * notification, for which nobody waits, goes no further.
 */
export function refusal(frame: Frame, plugin: string): Effect {
  if (frame.kind === 'reply') return { go: 'on', frame: frame.changed({ error: hookError(plugin) }) };
  if (frame.kind === 'notification') return { go: 'nowhere' };
  return { go: 'back', reply: Frame.ofReply(frame.idText ?? 'null', { error: hookError(plugin) }) };
}
