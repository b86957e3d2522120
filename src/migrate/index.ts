/**
 * What traffic from before ACP v2 and its background work is left in recordings: by agent, client and
 * kind, with the cell of the matrix (client by agent) that would remove it. Pure.
 */
import { versionOf, type Connection, type RecordedMessage, type Side } from '../check/index.js';
import { agentOf } from '../protocol/profiles.js';
import { arrayOf, at, stringOf } from '../protocol/shape.js';
import { isOfKind, legacyKinds, type LegacyKind } from '../protocol/legacy.js';

export { legacyKinds } from '../protocol/legacy.js';

/** A row and a column of the matrix. */
export type ClientRow = 'v1' | 'v1+async' | 'v2' | 'v2+async';
export type AgentColumn = 'v1' | 'v1+async' | 'v2' | 'v2+async' | 'v2+background';

/** One kind of legacy traffic between one client and one agent. */
export interface Legacy {
  readonly agent: string;
  readonly agentVersion: string;
  readonly client: string;
  readonly clientVersion: string;
  readonly side: Side | undefined;
  readonly row: ClientRow;
  readonly column: AgentColumn;
  readonly kind: string;
  readonly standard: string;
  readonly messages: number;
  readonly recordings: number;
  /** The cell that would remove it, and what happens there. */
  readonly cell: string;
}

interface Facts {
  readonly agent: { readonly name: string; readonly version: string };
  readonly client: { readonly name: string; readonly version: string };
  readonly row: ClientRow;
  readonly column: AgentColumn;
}

const asksAsync = (value: unknown): boolean => arrayOf(at(value, '_meta', 'jetbrains', 'air', 'capabilities'))?.includes('asyncTasks') === true;

const statesList = ({ msg }: RecordedMessage): boolean => Array.isArray(at(msg.params, 'update', 'background'));

function factsOf(messages: readonly RecordedMessage[]): Facts {
  const asked = messages.findLast(({ dir, msg }) => dir === 'c2a' && msg.method === 'initialize')?.msg;
  const answer = messages.findLast(({ dir, msg }) => dir === 'a2c' && msg.method === undefined && asked !== undefined && msg.id === asked.id)?.msg.result;
  const version = versionOf(messages);
  const info = at(asked?.params, 'clientInfo') ?? at(asked?.params, 'info');
  const isAsking = asksAsync(at(asked?.params, version === 1 ? 'clientCapabilities' : 'capabilities')) || asksAsync(at(asked?.params, 'clientCapabilities'));
  const isAsync = asksAsync(answer) || messages.some(({ msg }) => msg.method === '_claude/sdkMessage');
  const { name, version: agentVersion } = agentOf(answer);
  return {
    agent: { name: name ?? 'an unnamed agent', version: agentVersion ?? '' },
    client: { name: stringOf(at(info, 'name')) ?? 'an unnamed client', version: stringOf(at(info, 'version')) ?? '' },
    row: version === 1 ? (isAsking ? 'v1+async' : 'v1') : isAsking ? 'v2+async' : 'v2',
    column: version === 1 ? (isAsync ? 'v1+async' : 'v1') : messages.some(statesList) ? 'v2+background' : isAsync ? 'v2+async' : 'v2',
  };
}

/** What happens to a v2 client that does not ask for the extension itself, by the agent. */
const REMOVED_BY: Readonly<Record<AgentColumn, string>> = {
  v1: 'client v2, agent v1: bridged',
  'v1+async': 'client v2, agent v1+async: bridged, with lists and cancel',
  v2: 'client v2, agent v2: as it is',
  'v2+async': 'client v2, agent v2+async: rewritten to lists and cancel',
  'v2+background': 'client v2, agent v2+background: as it is',
};

/** Beside the agent only the agent can change what is said. */
const cellOf = (side: Side | undefined, column: AgentColumn): string => (side === 'agent' ? `${REMOVED_BY['v2+background']} (a newer agent)` : REMOVED_BY[column]);

const isIn = (kind: LegacyKind, { dir, msg }: RecordedMessage): boolean => isOfKind(kind, { from: dir === 'c2a' ? 'client' : 'agent', method: msg.method, params: msg.params });

/** What is left, most frequent first within a client and an agent. */
export function legacyIn(connections: readonly Connection[]): Legacy[] {
  const found = new Map<string, Legacy>();
  for (const { side, messages } of connections) {
    const { agent, client, row, column } = factsOf(messages);
    for (const legacy of legacyKinds) {
      const { name: kind, standard } = legacy;
      const count = messages.filter((record) => isIn(legacy, record)).length;
      if (count === 0) continue;
      const fresh: Legacy = {
        agent: agent.name, agentVersion: agent.version, client: client.name, clientVersion: client.version,
        side, row, column, kind, standard, messages: 0, recordings: 0, cell: cellOf(side, column),
      };
      const key = JSON.stringify([groupOf(fresh), kind]);
      const before = found.get(key) ?? fresh;
      found.set(key, { ...before, messages: before.messages + count, recordings: before.recordings + 1 });
    }
  }
  return [...found.values()].sort((one, other) => groupOf(one).localeCompare(groupOf(other)) || other.messages - one.messages);
}

/** Who spoke to whom, for a person. */
export const groupOf = ({ agent, agentVersion, client, clientVersion, side, row, column }: Legacy): string =>
  `${`${agent} ${agentVersion}`.trim()} (${column}) with ${`${client} ${clientVersion}`.trim()} (${row})${side === undefined ? '' : `, ${side} side`}`;
