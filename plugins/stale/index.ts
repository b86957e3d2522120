/**
 * Settles the tool calls that an agent left unfinished, and none that lives. Its place is beside the
 * client, on the client's side of everything that tells of background work: it sees what the client
 * sees, in the client's version, and works on that alone.
 */
import type { Host, Plugin, PluginFactory, Reply } from 'afterturn/plugin';
import { at } from 'afterturn/protocol';
import { settlingOf, staleNeeds } from '../needs.js';
import { Context, merged } from './context.js';
import { lifecycleHooks } from './lifecycle.js';
import { promptHooks } from './prompts.js';
import { questionHooks } from './questions.js';
import { Subagents } from './subagents.js';
import { terminalHooks } from './terminals.js';
import { updateHooks } from './updates.js';
import { Watch, type StaleNews } from './watch.js';

/**
 * Whether background work is reported where the traffic at this place does not say so: to a v1 client
 * whose launching calls are kept open from what a source of our own tells.
 */
export interface Reporting {
  /** Asked once, at the answer to `initialize`: may sessions of this connection report it? */
  expected(): boolean;
  /** Asked with each event: was the report of this session asked for, and accepted? */
  reports(session: string): boolean;
}

export interface StaleSettings {
  /**
   * `auto`: where background work is reported, and where the agent's calls end with their turn.
   * `always`: everywhere. `off`: nowhere.
   */
  readonly mode: 'off' | 'auto' | 'always';
  /** How long nothing may have spoken for a call before it is settled, in milliseconds. */
  readonly grace: number;
  /** Default: nothing is reported but what the traffic says. */
  readonly reporting?: Reporting;
  /** Is told of each call that is settled, and of each whose agent had another word later. */
  readonly onStale?: ((what: StaleNews) => void) | undefined;
}

/** Leaves the list where it has nothing to do: `off`, and `auto` where nothing can be known. */
export const stale: PluginFactory<StaleSettings> = (settings): Plugin => {
  const context = new Context();
  const subagents = new Subagents(context);
  const lifecycle = lifecycleHooks(context, subagents);
  const topics = merged([lifecycle, promptHooks(context), questionHooks(context), terminalHooks(context), updateHooks(context, subagents, (session) => lifecycle.heardOf(session))]);
  return {
    name: 'stale',
    toAgent: { ...topics.toAgent, calls: { ...topics.toAgent.calls, initialize: (_call, host) => (settings.mode === 'off' ? host.leave() : undefined) } },
    toClient: { ...topics.toClient, replies: { ...topics.toClient.replies, initialize: (reply, host) => begin(context, settings, reply, host) } },
    onEnd: (reason) => context.watch?.ended(reason.kind === 'clientEnd' ? 'inputEnded' : 'agentExited'),
  };
};

/** What the answer to `initialize` says about the agent decides whether there is anything to watch. */
function begin(context: Context, { mode, grace, reporting, onStale }: StaleSettings, reply: Reply, host: Host): void {
  const settling = settlingOf(reply, mode, host);
  if (settling === undefined) return;
  if (staleNeeds({ mode, expected: () => reporting?.expected() === true }).answered(reply, host) === 'nothing') return host.leave();
  const { version, habits, everywhere } = settling;
  const queuesPrompts = at(reply.result, 'agentCapabilities', '_meta', 'claudeCode', 'promptQueueing') === true;
  const leaves = { version, grace, queuesPrompts, historyAfterLoad: habits.historyAfterLoad, settles: false };
  const ends = { ...leaves, settles: true };
  context.version = version;
  context.watch = new Watch(host, (session) => (everywhere || (version === 1 && reporting?.reports(session) === true) ? ends : leaves), onStale);
}
