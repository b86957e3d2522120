/**
 * A plugin that is made when a message first needs it: a session needs few of the built-in ones, and
 * what it does not need is not even read. Until then something small stands in its place, which knows
 * from `initialize` whether there will be anything to do. Knows no plugin.
 */
import { become, type Call, type Host, type Outcome, type Plugin, type Reply, type Verdict } from 'afterturn/plugin';

/** What a plugin has to do on its connection: nothing at all, nothing yet, or something with this message. */
export type Need = 'nothing' | 'later' | 'now';

/** From what a plugin knows whether it has anything to do. */
export interface Needs {
  asked(initialize: Call, host: Host): Need;
  answered(reply: Reply, host: Host): Need;
  /** What any other message means. Default: it is for the plugin to say. */
  other?(method: string): Need;
}

export interface LateSettings {
  readonly name: string;
  readonly needs: Needs;
  /** As the plugin's own: it counts where the plugin cannot be made. */
  readonly onHookError?: Plugin['onHookError'];
  readonly make: () => Plugin;
}

/** So many requests for a version are remembered, of a client that asks on although nobody answers. */
const MOST_ASKED = 16;

export function late({ name, needs, onHookError = 'pass', make }: LateSettings): Plugin {
  let plugin: Plugin | undefined;
  /** What it would have been told. */
  const asked: Call[] = [];

  const made = (host: Host): Plugin => {
    const now = make();
    const hook = now.toAgent?.calls?.['initialize'];
    if (typeof hook === 'function') for (const call of asked.splice(0)) void hook(call, host);
    return now;
  };
  const effects: Readonly<Record<Need, (host: Host) => Verdict | undefined | void>> = {
    nothing: (host) => host.leave(),
    later: () => undefined,
    now: (host) => become((plugin ??= made(host))),
  };
  const onOther = (method: string, host: Host): Outcome => effects[needs.other?.(method) ?? 'now'](host);
  const others = {
    calls: { '*': ({ method }: Call, host: Host) => onOther(method, host) },
    replies: { '*': ({ to }: Reply, host: Host) => onOther(to.method, host) },
  };

  const onAsked = (call: Call, host: Host): Outcome => {
    const need = needs.asked(call, host);
    const outcome = effects[need](host);
    if (need === 'later') asked.push(call);
    if (asked.length > MOST_ASKED) asked.shift();
    return outcome;
  };
  return {
    name,
    onHookError,
    toAgent: { ...others, calls: { ...others.calls, initialize: onAsked } },
    toClient: { ...others, replies: { ...others.replies, initialize: (reply: Reply, host: Host) => effects[needs.answered(reply, host)](host) } },
  };
}
