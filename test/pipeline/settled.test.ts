import { expect, test } from 'vitest';
import type { Step } from '../../src/pipeline/compile.js';
import { outcomeOf } from '../../src/pipeline/settled.js';
import { drop } from '../../src/plugin.js';
import { Frame } from '../../src/wire/frame.js';

const frame = Frame.ofCall('x', {});
const step = (run: Step['run']): Step => ({ at: 0, seat: {} as Step['seat'], run });

test('a hook that throws has failed, one that answers has not', () => {
  const error = new Error('no');
  expect(outcomeOf(frame, undefined, step(() => { throw error; }))).toEqual({ failure: error });
  expect(outcomeOf(frame, undefined, step(() => drop()))).toEqual({ outcome: drop() });
  expect(outcomeOf(frame, undefined, step(() => undefined))).toEqual({ outcome: undefined });
});

test('a hook that promises, in whatever way, gives a promise', async () => {
  expect(await outcomeOf(frame, undefined, step(() => Promise.resolve(drop())))).toEqual(drop());
  const thenable = { then: (done: (value: undefined) => void) => done(undefined) } as unknown as Promise<undefined>;
  expect(outcomeOf(frame, undefined, step(() => thenable))).toBeInstanceOf(Promise);
});
