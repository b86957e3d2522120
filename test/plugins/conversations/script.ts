/**
 * What happens in a conversation of an ACP v2 client and a v1 agent over three sessions, in any order. A
 * step that a side's protocol does not allow at its moment is left out there.
 */
import fc from 'fast-check';
import type { agentKinds } from './agent-kinds.js';
import type { AgentAct } from './agent.js';
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
const sessions = fc.constantFrom('s0', 's0', 's0', 's1', 's1', 's2');
const pick = fc.nat(20);
const wait = fc.constantFrom(1, 30, 50, 100, 200, 250, 251, 300, 1000, 3000, 12_000).map((ms): Step => ({ by: 'clock', ms }));

const step = (session: string): fc.Arbitrary<Step> => fc.oneof(
  { weight: 4, arbitrary: fc.record({ by: fc.constant('client' as const), act: fc.constantFrom(...clientActs), session: fc.constant(session), pick }) },
  { weight: 8, arbitrary: fc.record({ by: fc.constant('agent' as const), act: fc.constantFrom(...agentActs), session: fc.constant(session), pick }) },
  { weight: 2, arbitrary: wait },
);

const acts = (session: string, one: number) => ({
  asks: (act: ClientAct): Step => ({ by: 'client', act, session, pick: one }),
  does: (act: AgentAct): Step => ({ by: 'agent', act, session, pick: one }),
});

type Scene = (session: string) => fc.Arbitrary<readonly Step[]>;

/** A turn that launches work, or asks about its call. */
const turn: Scene = (session) => fc.record({ one: pick, other: pick, ends: fc.boolean(), asks: fc.boolean(), twice: fc.boolean() }).map(({ one, other, ends, asks, twice }) => {
  const { asks: client, does } = acts(session, one);
  const launch = (call: number): readonly Step[] => (['startCall', 'spawn', 'acknowledge'] as const).map((act) => acts(session, call).does(act));
  const goesOn = asks ? [does('startCall'), does('ask')] : [...launch(one), ...(twice ? launch(other) : [])];
  return [client('prompt'), does('say'), ...goesOn, ...(ends ? [does('endTurn')] : [])];
});

/** What happens while the agent has not answered a request of the client. */
const meanwhile: Scene = (session) =>
  fc.tuple(pick, fc.constantFrom<ClientAct>('close', 'resume', 'replay', 'cancel'), fc.array(step(session), { maxLength: 4 }), fc.array(wait, { maxLength: 1 }))
    .map(([one, act, steps, time]) => [acts(session, one).asks(act), ...steps, ...time, ...(['answerSetUp', 'answerClose'] as const).map(acts(session, one).does)]);

/** Listed work, then what happens while a request is open. */
const listedMeanwhile: Scene = (session) => fc.tuple(turn(session), meanwhile(session)).map(([before, then]) => [...before, acts(session, 1).does('endTurn'), ...then]);

const anything: Scene = (session) => step(session).map((one) => [one]);

const part = fc.oneof(
  { weight: 6, arbitrary: sessions.chain(anything) },
  { weight: 1, arbitrary: sessions.chain(turn) },
  { weight: 1, arbitrary: sessions.chain(meanwhile) },
  { weight: 1, arbitrary: sessions.chain(listedMeanwhile) },
);

export const script: fc.Arbitrary<Script> = fc.record({
  agent: fc.constantFrom('claude', 'codex', 'other'),
  stale: fc.constantFrom('off', 'auto'),
  steps: fc.array(part, { maxLength: 14, size: 'max' }).map((parts) => parts.flat()),
});
