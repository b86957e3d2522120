/**
 * What happens in a conversation of any client with an agent of ACP v2, or of a client of v1 that knows the
 * private extension with an agent of v1 that speaks it; in any order. A step that a side's protocol does not
 * allow at its moment is left out there.
 */
import fc from 'fast-check';
import type { agentKinds } from './agent-kinds.js';
import type { AgentAct } from './agent.js';
import type { ClientAct } from './client.js';
import type { V1ClientAct, v1Clients } from './v1-client.js';
import type { V2AgentAct } from './v2-agent.js';
import type { v2AgentKinds } from './v2-agent-kinds.js';

export type PairStep =
  | { readonly by: 'client'; readonly act: ClientAct | V1ClientAct; readonly session: string; readonly pick: number }
  | { readonly by: 'agent'; readonly act: V2AgentAct | AgentAct; readonly session: string; readonly pick: number }
  | { readonly by: 'clock'; readonly ms: number };

export interface PairScript {
  readonly client: keyof typeof v1Clients | 'v2';
  /** By the version that it speaks. */
  readonly agent: { readonly v1: keyof typeof agentKinds } | { readonly v2: keyof typeof v2AgentKinds };
  readonly stale: 'off' | 'auto';
  readonly steps: readonly PairStep[];
}

const v1Acts: readonly V1ClientAct[] = ['prompt', 'prompt', 'prompt', 'prompt', 'answer', 'answer', 'cancel', 'takeBack', 'stopTask', 'stopTask', 'load', 'resume', 'close'];
const v2Acts: readonly ClientAct[] = ['prompt', 'prompt', 'prompt', 'prompt', 'answer', 'answer', 'cancel', 'cancelItem', 'cancelItem', 'resume', 'replay', 'close'];
const agentV1Acts: readonly AgentAct[] = [
  'say', 'startCall', 'startCall', 'startCall', 'updateCall', 'endCall', 'spawn', 'spawn', 'spawn', 'acknowledge', 'acknowledge', 'progress', 'endTask', 'endTask', 'endAgain', 'startOwn',
  'endTurn', 'endTurn', 'endTurn', 'dropQueued', 'ask', 'ask', 'takeBack', 'answerStop', 'answerStop', 'answerSetUp', 'answerSetUp', 'answerClose', 'answerClose',
];
const agentV2Acts: readonly V2AgentAct[] = [
  'say', 'say', 'remark', 'startCall', 'startCall', 'startCall', 'updateCall', 'endCall', 'detach', 'detach', 'detach', 'output', 'output', 'pause', 'endItem', 'endItem', 'endItem', 'startOwn', 'insert', 'insert', 'insert', 'refuse',
  'endTurn', 'endTurn', 'endTurn', 'ask', 'ask', 'takeBack', 'repeatState', 'startChild', 'endChild', 'answerStop', 'answerStop', 'answerSetUp', 'answerSetUp', 'answerClose', 'answerClose',
];
const sessions = fc.constantFrom('s0', 's0', 's0', 's1', 's0/c');
const pick = fc.nat(20);
const wait = fc.constantFrom(1, 20, 30, 99, 100, 101, 250, 260, 1000, 3000).map((ms): PairStep => ({ by: 'clock', ms }));

type Steps = fc.Arbitrary<readonly PairStep[]>;

interface Roles<C, A> {
  readonly client: fc.Arbitrary<PairScript['client']>;
  readonly agent: fc.Arbitrary<PairScript['agent']>;
  readonly clientActs: readonly C[];
  readonly agentActs: readonly A[];
  /** How a prompt's turn begins that leaves work behind. */
  readonly launch: readonly A[];
}

function scripts<C extends ClientAct | V1ClientAct, A extends V2AgentAct | AgentAct>({ client, agent, clientActs, agentActs, launch }: Roles<C, A>): fc.Arbitrary<PairScript> {
  const step: Steps = fc.oneof(
    { weight: 4, arbitrary: fc.record({ by: fc.constant('client' as const), act: fc.constantFrom(...clientActs), session: sessions, pick }) },
    { weight: 9, arbitrary: fc.record({ by: fc.constant('agent' as const), act: fc.constantFrom(...agentActs), session: sessions, pick }) },
    { weight: 2, arbitrary: wait },
  ).map((one) => [one]);
  /** A turn that leaves work behind. */
  const turn: Steps = fc.record({ session: sessions, picks: fc.array(pick, { minLength: 9, maxLength: 9 }), ends: fc.boolean(), more: fc.array(fc.constantFrom(...agentActs), { maxLength: 4 }) }).map(({ session, picks, ends, more }) => [
    { by: 'client' as const, act: 'prompt' as const, session, pick: picks[0] ?? 0 },
    ...[...launch, ...more, ...(ends ? ['endTurn' as const] : [])].map((act, index): PairStep => ({ by: 'agent', act, session, pick: picks[index + 1] ?? 1 })),
  ]);
  /** What happens while the agent has not answered a request of the client. */
  const meanwhile: Steps = fc.tuple(sessions, pick, fc.constantFrom(...clientActs.filter((act) => act !== 'prompt' && act !== 'answer')), fc.array(step, { maxLength: 4 })).map(([session, one, act, steps]) => [
    { by: 'client', act, session, pick: one }, ...steps.flat(),
    ...(['answerSetUp', 'answerClose', 'answerStop'] as const).map((does): PairStep => ({ by: 'agent', act: does, session, pick: one })),
  ]);
  const part = fc.oneof({ weight: 6, arbitrary: step }, { weight: 3, arbitrary: turn }, { weight: 1, arbitrary: meanwhile });
  return fc.record({ client, agent, stale: fc.constantFrom('off', 'auto'), steps: fc.array(part, { maxLength: 16, size: 'max' }).map((parts) => parts.flat()) });
}

const v2Agents = { agent: fc.constantFrom('claude' as const, 'codex' as const, 'lists' as const, 'tasks' as const).map((v2) => ({ v2 })), agentActs: agentV2Acts, launch: ['insert', 'startCall', 'detach'] as const };
const v1Agents = { agent: fc.constantFrom('claude' as const, 'codex' as const, 'other' as const).map((v1) => ({ v1 })), agentActs: agentV1Acts, launch: ['startCall', 'spawn', 'acknowledge'] as const };

/** A client of v1, of any kind, with an agent of v2. */
export const downScript = scripts({ client: fc.constantFrom('plain', 'terminals', 'tasks', 'extension', 'rich'), clientActs: v1Acts, ...v2Agents });
/** A client of v2 with an agent of v2. */
export const nativeScript = scripts({ client: fc.constant('v2'), clientActs: v2Acts, ...v2Agents });
/** A client of v1 with an agent of v1, both with the private extension. */
export const extensionScript = scripts({ client: fc.constantFrom('tasks', 'extension'), clientActs: v1Acts.filter((act) => act !== 'takeBack'), ...v1Agents });
