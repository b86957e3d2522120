/**
 * What happens in a conversation of an ACP v2 client and a v1 agent over three sessions, in any order. A
 * step that a side's protocol does not allow at its moment is left out there.
 */
import fc from 'fast-check';
import type { agentKinds, AgentAct } from './agent.js';
import type { ClientAct } from './client.js';

export type Step =
  | { readonly by: 'client'; readonly act: ClientAct; readonly session: string; readonly pick: number }
  | { readonly by: 'agent'; readonly act: AgentAct; readonly session: string; readonly pick: number }
  | { readonly by: 'clock'; readonly ms: number };

export interface Script {
  readonly agent: keyof typeof agentKinds;
  readonly stale: 'off' | 'auto';
  readonly steps: readonly Step[];
}

const clientActs: readonly ClientAct[] = ['prompt', 'prompt', 'prompt', 'prompt', 'answer', 'answer', 'cancel', 'cancel', 'cancelItem', 'cancelItem', 'resume', 'replay', 'close'];
const agentActs: readonly AgentAct[] = [
  'say', 'startCall', 'startCall', 'startCall', 'updateCall', 'endCall', 'spawn', 'spawn', 'spawn', 'acknowledge', 'acknowledge', 'progress', 'endTask', 'endTask', 'endAgain', 'startOwn', 'startOwn',
  'endTurn', 'endTurn', 'endTurn', 'endTurn', 'dropQueued', 'ask', 'ask', 'ask', 'takeBack', 'takeBack', 'answerStop', 'answerStop', 'answerSetUp', 'answerSetUp', 'answerClose', 'answerClose',
];
const session = fc.constantFrom('s0', 's0', 's0', 's1', 's1', 's2');
const pick = fc.nat(20);
const ms = fc.constantFrom(1, 30, 50, 100, 200, 250, 251, 300, 1000, 3000, 12_000);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ by: fc.constant('client' as const), act: fc.constantFrom(...clientActs), session, pick }) },
  { weight: 8, arbitrary: fc.record({ by: fc.constant('agent' as const), act: fc.constantFrom(...agentActs), session, pick }) },
  { weight: 2, arbitrary: fc.record({ by: fc.constant('clock' as const), ms }) },
);

/** What a turn mostly is: a prompt, a call, its launch or a question about it, and the end. */
const turn: fc.Arbitrary<readonly Step[]> = fc.record({ session, pick, ms, ends: fc.boolean(), asks: fc.boolean() }).map(({ session: of, pick: one, ms: wait, ends, asks }) => {
  const does = (act: AgentAct): Step => ({ by: 'agent', act, session: of, pick: one });
  const begins: readonly Step[] = [{ by: 'client', act: 'prompt', session: of, pick: 0 }, does('say'), does('startCall')];
  const goesOn = asks ? [does('ask')] : [does('spawn'), does('acknowledge')];
  return [...begins, ...goesOn, ...(ends ? [does('endTurn'), { by: 'clock' as const, ms: wait }] : [])];
});

export const script: fc.Arbitrary<Script> = fc.record({
  agent: fc.constantFrom('claude', 'codex', 'other'),
  stale: fc.constantFrom('off', 'auto'),
  steps: fc.array(fc.oneof({ weight: 1, arbitrary: turn }, { weight: 9, arbitrary: step.map((one) => [one]) }), { maxLength: 16, size: 'max' }).map((parts) => parts.flat()),
});
