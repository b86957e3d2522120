/**
 * What happens in a conversation of an ACP v1 client that declares nothing with claude-agent-acp, whose
 * background work only its raw feed tells. A step that is not possible at its moment is left out there.
 */
import fc from 'fast-check';

export type ClientAct = 'prompt' | 'cancel' | 'answer' | 'close';
export type AgentAct = 'say' | 'startCall' | 'updateCall' | 'endCall' | 'launch' | 'progress' | 'endTask' | 'notifyFirst' | 'endTurn' | 'ask';
export type V1Step =
  | { readonly by: 'client'; readonly act: ClientAct; readonly session: string; readonly pick: number }
  | { readonly by: 'agent'; readonly act: AgentAct; readonly session: string; readonly pick: number }
  | { readonly by: 'clock'; readonly ms: number };
export type V1Script = readonly V1Step[];

const sessions = fc.constantFrom('s0', 's0', 's1');
const pick = fc.nat(20);
const clients = fc.constantFrom<ClientAct[]>('prompt', 'prompt', 'prompt', 'prompt', 'cancel', 'answer', 'answer', 'close');
const agents = fc.constantFrom<AgentAct[]>('say', 'say', 'startCall', 'startCall', 'updateCall', 'endCall', 'launch', 'launch', 'launch', 'progress', 'endTask', 'endTask', 'notifyFirst', 'endTurn', 'endTurn', 'ask');

const step: fc.Arbitrary<V1Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ by: fc.constant('client' as const), act: clients, session: sessions, pick }) },
  { weight: 8, arbitrary: fc.record({ by: fc.constant('agent' as const), act: agents, session: sessions, pick }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 20, 70).map((ms): V1Step => ({ by: 'clock', ms })) },
);
/** A turn that works, leaves work behind and a call unfinished. */
const turn: fc.Arbitrary<V1Script> = fc.tuple(sessions, pick, fc.array(agents, { maxLength: 6 })).map(([session, one, more]) => [
  { by: 'client', act: 'prompt', session, pick: one },
  ...(['say', 'startCall', 'launch', ...more] as const).map((act): V1Step => ({ by: 'agent', act, session, pick: one })),
  { by: 'agent', act: 'endTurn', session, pick: one },
]);

export const v1Script: fc.Arbitrary<V1Script> = fc.array(fc.oneof({ weight: 3, arbitrary: step.map((one) => [one]) }, { weight: 1, arbitrary: turn }), { maxLength: 25, size: 'max' }).map((parts) => parts.flat());
