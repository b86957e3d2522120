/**
 * A connection with the plugin alone, past `initialize` and with a session `s`, on which a test plays
 * client and agent.
 */
import { stale, type StaleSettings } from '../../../plugins/stale/index.js';
import type { Plugin } from '../../../src/plugin.js';
import { wired, type Message, type Wired } from '../../pipeline/harness.js';
import { validateToClient } from '../../tools/schema.js';

export type Settled = readonly [call: string, status: string, reason: string];

export interface Talk extends Wired {
  readonly version: 1 | 2;
  /** A `session/update` of the agent. */
  says(update: Message, session?: string): void;
  /** The agent says something about a call: `tool_call_update` with this status. */
  call(call: string, status?: string, more?: Message, session?: string): void;
  /** ACP v2: a state snapshot. */
  state(state: string, more?: Message, session?: string): void;
  /** The client sends a prompt; returns its id. ACP v2: it is taken up at once. */
  prompts(session?: string): number;
  /** The turn of the prompt ends: its answer in ACP v1, `idle` in ACP v2. */
  turnEnds(prompt: number, stopReason?: string, session?: string): void;
  /** The agent asks for permission; the id is the request's. */
  asks(id: number, call: string, more?: Message, session?: string): void;
  /** The client answers with the option of this kind, or cancels. */
  answers(id: number, how: 'allow' | 'reject' | 'cancelled'): void;
  /** A request of the client about the session; returns its id. */
  requests(method: string, session?: string): number;
  /** What the plugin settled since the last call; everything else that came is passed over. */
  settles(session?: string): Settled[];
}

export interface TalkOptions extends Partial<StaleSettings> {
  readonly version?: 1 | 2;
  /** What the agent calls itself. Default: one that nobody knows. */
  readonly agent?: string;
  /** The extension capabilities that the agent acknowledges. */
  readonly acknowledges?: readonly string[];
  readonly agentCapabilities?: Message;
  /** Plugins between this one and the agent. */
  readonly behind?: readonly Plugin[];
  readonly agentCommand?: readonly string[];
}

const OPTIONS = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }, { optionId: 'no', name: 'Reject', kind: 'reject_once' }];

function initialized({ version, agent, acknowledges, agentCapabilities }: Required<Pick<TalkOptions, 'version'>> & TalkOptions): Message {
  const info = agent === undefined ? {} : { [version === 1 ? 'agentInfo' : 'info']: { name: agent, version: '1.0.0' } };
  const _meta = acknowledges === undefined ? {} : { _meta: { jetbrains: { air: { version: 1, capabilities: acknowledges } } } };
  return { protocolVersion: version, ...info, ..._meta, ...(agentCapabilities === undefined ? {} : { agentCapabilities }) };
}

export function talk(options: TalkOptions = {}): Talk {
  const { version = 1, mode = 'auto', grace = 2000, reporting, onStale, behind = [], agentCommand } = options;
  const connection = wired([stale({ mode, grace, reporting, onStale }), ...behind], agentCommand === undefined ? {} : { agentCommand });
  const { client, agent } = connection;
  let lastId = 100;
  const update = (session: string, content: Message): void => agent.notifies('session/update', { sessionId: session, update: content });
  const request = (method: string, params: Message): number => {
    client.sends({ jsonrpc: '2.0', id: ++lastId, method, params });
    return lastId;
  };
  const first = request('initialize', { protocolVersion: version });
  agent.answers(first, initialized({ ...options, version }));
  agent.answers(request('session/new', { cwd: '/', mcpServers: [] }), { sessionId: 's' });
  client.received();
  agent.received();

  return {
    ...connection,
    version,
    says: (content, session = 's') => update(session, content),
    call: (toolCallId, status, more = {}, session = 's') => update(session, { sessionUpdate: 'tool_call_update', toolCallId, ...(status === undefined ? {} : { status }), ...more }),
    state: (state, more = {}, session = 's') => update(session, { sessionUpdate: 'state_update', state, ...more }),
    prompts(session = 's') {
      const id = request('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: 'x' }] });
      if (version === 2) {
        agent.answers(id, { messageId: `m${id}` });
        update(session, { sessionUpdate: 'state_update', state: 'running' });
      }
      return id;
    },
    turnEnds(prompt, stopReason = 'end_turn', session = 's') {
      if (version === 1) agent.answers(prompt, { stopReason });
      else update(session, { sessionUpdate: 'state_update', state: 'idle', stopReason });
    },
    asks(id, toolCallId, more = {}, session = 's') {
      const toolCall = { toolCallId, title: 'x', status: 'pending', ...more };
      const about = version === 1 ? { toolCall } : { title: 'x', subject: { type: 'tool_call', toolCall } };
      agent.sends({ jsonrpc: '2.0', id, method: 'session/request_permission', params: { sessionId: session, options: OPTIONS, ...about } });
    },
    answers: (id, how) => client.answers(id, { outcome: how === 'cancelled' ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: how === 'allow' ? 'yes' : 'no' } }),
    requests: (method, session = 's') => request(method, { sessionId: session, cwd: '/', mcpServers: [] }),
    settles(session = 's') {
      const ours = client.received().filter((message) => message.params?.update?._meta?.afterturn?.settled === true);
      const faults = ours.flatMap((message) => validateToClient(version === 1 ? 'v1' : 'v2', message));
      if (faults.length > 0) throw new Error(`not what a client may be sent: ${faults.join('; ')}`);
      return ours.filter((message) => message.params.sessionId === session).map(({ params: { update: { toolCallId, status, _meta } } }) => [toolCallId, status, _meta.afterturn.reason]);
    },
  };
}

export const ENDED = 'its turn ended without ending it';
export const CANCELLED = 'its turn was cancelled without ending it';
export const FAILED = 'its turn failed without ending it';
export const REFUSED = 'its permission was refused, and its turn ended without ending it';
export const REPLAYED = 'it was replayed unfinished';
