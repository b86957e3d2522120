/**
 * Random conversations with an agent of ACP v2, and of a v1 client and a v1 agent that both know the
 * private extension, against the rules. A run that fails prints its seed and the shortest conversation that
 * it found; the same one is played again with that seed in `AFTERTURN_SEED`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../../../src/check/index.js';
import { strictValidator } from '../../../src/edge/schema.js';
import { pairPlayers } from '../../e2e/faults/pair-players.js';
import { playedThrough } from './in-process.js';
import { downScript, extensionScript, nativeScript, type PairScript } from './pair-script.js';

const seed = Number(process.env.AFTERTURN_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.AFTERTURN_RUNS ?? 200);

/** What nobody can keep where a message of the client crosses with one of the agent. */
const crossing: readonly string[] = ['resume-announces-again', 'action-before-request', 'v1-cancelled-told', 'cancelled-told', 'cancel-refused'];
/** What background work asks holds up no prompt, and v1 has no word for that it is background work. */
const ofListed: readonly string[] = ['v1-permission-in-turn'];

/** `crossings`: as in `playedThrough`. */
async function brokenIn(script: PairScript, crossings: number): Promise<readonly unknown[]> {
  const agentProtocol = 'v2' in script.agent ? 'v2' : 'auto';
  const { recording, log, left } = await playedThrough(pairPlayers(script, true), { agentProtocol, source: 'auto', followUpWindow: 250, stale: script.stale, staleAfter: 2000, agentCommand: ['agent'] }, crossings);
  const unjudged = [...ofListed, ...(crossings === 0 ? [] : crossing)];
  // A look at every message of every conversation would take most of the time.
  const validator = crossings % 4 === 0 ? strictValidator : undefined;
  return [...check(recording, {}, validator).filter(({ by, name }) => by === 'agent' && !unjudged.includes(name)), ...left, ...log];
}

describe('random conversations keep every rule', () => {
  it.each([
    ['a v1 client with a v2 agent', downScript], ['a v2 client with a v2 agent', nativeScript], ['a v1 client with a v1 agent, both with the private extension', extensionScript],
  ] as const)(`%s: ${RUNS} of them, seed ${seed}`, async (_, scripts) => {
    await fc.assert(fc.asyncProperty(scripts, fc.oneof(fc.constant(0), fc.nat(2 ** 31)), async (script, crossings) => {
      expect(await brokenIn(script, crossings)).toEqual([]);
    }), { seed, numRuns: RUNS });
  }, 240_000);
});
