/** How a random conversation through the built command goes, and how it is cut short. Data only. */
import fc from 'fast-check';
import { script, type Script } from '../../plugins/conversations/script.js';
import { downScript, extensionScript, nativeScript, type PairScript } from '../../plugins/conversations/pair-script.js';
import { troubles, type Trouble } from './troubles.js';
import { v1Script, type V1Script } from './v1-script.js';

/** What ends it. `after`: so many messages of that side; where there are fewer, it comes to its rest. */
export type TalkEnd =
  | { readonly kind: 'rests'; readonly code: number }
  | { readonly kind: 'agentDies'; readonly after: number; readonly by: number | NodeJS.Signals }
  | { readonly kind: 'signals'; readonly after: number; readonly signal: NodeJS.Signals }
  | { readonly kind: 'vanishes'; readonly after: number }
  | { readonly kind: 'endsInput'; readonly after: number };

export interface TalkWorld {
  readonly end: TalkEnd;
  readonly trouble: Trouble;
  readonly plugin: string | undefined;
  /** Milliseconds between two steps; 0: as fast as it goes. */
  readonly pace: number;
  /** How messages are cut into pieces. */
  readonly cuts: number;
}

/** A v2 client, and a v1 agent with the extension. */
export interface V2Talk extends TalkWorld {
  readonly script: Script;
  readonly agentProtocol: 'v1' | 'auto';
}

/** A v1 client at its defaults, and an agent like claude-agent-acp. */
export interface V1Talk extends TalkWorld {
  readonly script: V1Script;
}

/** Any client and an agent of v2, or both of v1 with the private extension. */
export interface PairTalk extends TalkWorld {
  readonly script: PairScript;
}

const after = fc.noBias(fc.integer({ min: 0, max: 60 }));
const deaths = fc.constantFrom<(number | NodeJS.Signals)[]>(0, 1, 7, 'SIGKILL', 'SIGTERM', 'SIGABRT');
const signals = fc.constantFrom<NodeJS.Signals[]>('SIGTERM', 'SIGINT', 'SIGHUP');
const plugins = fc.tuple(fc.constantFrom('throws', 'rejects', 'late', 'rubbish', 'doubles'), fc.integer({ min: 1, max: 10 })).map((pair) => pair.join(' '));

const anyEnd: fc.Arbitrary<TalkEnd> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('rests' as const), code: fc.constantFrom(0, 3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('agentDies' as const), after, by: deaths }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('signals' as const), after, signal: signals }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('vanishes' as const, 'endsInput' as const), after }) },
);
const cutEnd: fc.Arbitrary<TalkEnd> = fc.oneof(
  fc.record({ kind: fc.constant('agentDies' as const), after: fc.constant(0), by: deaths }),
  fc.record({ kind: fc.constant('signals' as const), after: fc.constant(0), signal: signals }),
);

const around = {
  // With `off` there is nothing to judge here.
  trouble: fc.constantFrom(...Array.from({ length: 5 }, () => ['none', 'records'] as const).flat(), ...troubles.filter((trouble) => trouble !== 'off')),
  plugin: fc.option(plugins, { nil: undefined, freq: 2 }),
  pace: fc.constantFrom(0, 0, 1, 2, 5),
  cuts: fc.noBias(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
};
const v2Talks = (end: fc.Arbitrary<TalkEnd>): fc.Arbitrary<V2Talk> => fc.record({ script, agentProtocol: fc.constantFrom('v1' as const, 'v1' as const, 'auto' as const), end, ...around });
const v1Talks = (end: fc.Arbitrary<TalkEnd>): fc.Arbitrary<V1Talk> => fc.record({ script: v1Script, end, ...around });
const pairTalks = (script: fc.Arbitrary<PairScript>, end: fc.Arbitrary<TalkEnd>): fc.Arbitrary<PairTalk> => fc.record({ script, end, ...around });

function sampled<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  const [one] = fc.sample(arbitrary, { seed, numRuns: 1 });
  if (one === undefined) throw new Error('nothing was made');
  return one;
}

/** So many places of one conversation follow one another in a sweep. */
const places = 60;
/** The agent crashes, or a signal comes, after each message of a conversation, one after the other. */
function swept<T extends TalkWorld>(talks: fc.Arbitrary<T>, index: number): T {
  const one = sampled(talks, Math.floor(index / places));
  return { ...one, end: { ...one.end, after: index % places } as TalkEnd };
}

const anyV2 = v2Talks(anyEnd);
const anyV1 = v1Talks(anyEnd);
const cutV2 = v2Talks(cutEnd);
const cutV1 = v1Talks(cutEnd);
const anyDown = pairTalks(downScript, anyEnd);
const cutDown = pairTalks(downScript, cutEnd);
const anyNative = pairTalks(nativeScript, anyEnd);
const cutNative = pairTalks(nativeScript, cutEnd);
const anyExtension = pairTalks(extensionScript, anyEnd);
export const v2TalkOf = (seed: number): V2Talk => sampled(anyV2, seed);
export const v1TalkOf = (seed: number): V1Talk => sampled(anyV1, seed);
export const sweptV2TalkOf = (index: number): V2Talk => swept(cutV2, index);
export const sweptV1TalkOf = (index: number): V1Talk => swept(cutV1, index);
export const downTalkOf = (seed: number): PairTalk => sampled(anyDown, seed);
export const sweptDownTalkOf = (index: number): PairTalk => swept(cutDown, index);
export const nativeTalkOf = (seed: number): PairTalk => sampled(anyNative, seed);
export const sweptNativeTalkOf = (index: number): PairTalk => swept(cutNative, index);
export const extensionTalkOf = (seed: number): PairTalk => sampled(anyExtension, seed);
