/**
 * With nothing to do, what comes out is what went in: random messages with every feature off, random
 * bytes with `--stray-output forward`, through both directions (the agent says back what it is told).
 * AFTERTURN_RUNS sets the number of lines, AFTERTURN_SEED the seed.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, endAll, run } from './session.js';

const lines = Number(process.env.AFTERTURN_RUNS ?? 5_000);
const seed = Number(process.env.AFTERTURN_SEED ?? 1);

afterEach(endAll);

const sampled = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, { seed, numRuns: lines });

/** Numbers that JavaScript cannot hold, spelled as they may come. */
const digits = fc.constantFrom('1.0', '12345678901234567890', '-0', '1E400', '0.1000', '1e-7');
const id = fc.oneof(fc.integer().map(String), digits, fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)), fc.constant('null'));
const value = fc.oneof(fc.json({ depthSize: 'small' }), digits);
const space = fc.constantFrom('', '', ' ', '\t');

/** A message, its members in any order and more than once. */
const message = fc
  .tuple(
    fc.shuffledSubarray(['id', 'method', 'params', 'result', 'error', '_meta', 'extra'], { minLength: 1 }),
    fc.record({ id, method: fc.string({ unit: 'grapheme', maxLength: 20 }).map((name) => JSON.stringify(`_${name}`)), params: value, result: value, error: value, _meta: value, extra: value }),
    space,
    fc.boolean(),
  )
  .map(([names, members, gap, isFirst]) => {
    const written = names.map((name) => `"${name}":${gap}${members[name as keyof typeof members]}`);
    const version = '"jsonrpc":"2.0"';
    return `{${(isFirst ? [version, ...written] : [...written, version]).join(`,${gap}`)}}`;
  });

/** Where two texts part. */
function parting(expected: Buffer, got: Buffer): string {
  if (expected.equals(got)) return '';
  const at = expected.findIndex((byte, index) => byte !== got[index]);
  return `at byte ${at}: ${JSON.stringify(expected.subarray(Math.max(0, at - 80), at + 80).toString())}`;
}

describe(`nothing to do (${lines} lines, seed ${seed})`, () => {
  it('leaves random messages as they are', async () => {
    const input = Buffer.from(sampled(fc.tuple(message, fc.constantFrom('\n', '\r\n'))).map((parts) => parts.join('')).join(''));
    const { stdout, code, stderr } = await run(['--stale', 'off', '--source', 'none', '--', ...agent('echo')], { input });
    expect(parting(input, stdout)).toBe('');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('leaves random bytes as they are, where stray output is forwarded', async () => {
    const noise = sampled(fc.oneof(fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)), message.map((text) => Buffer.from(text))));
    const input = Buffer.concat(noise.flatMap((line) => [line, Buffer.from('\n')]));
    const { stdout, code } = await run(['--stray-output', 'forward', '--', ...agent('echo')], { input });
    expect(parting(input, stdout)).toBe('');
    expect(code).toBe(0);
  });
});
