/** The model and the checker can fail, and what random conversations say is valid. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../../../src/check/index.js';
import { strictValidator } from '../../../src/edge/schema.js';
import type { Message } from '../../pipeline/harness.js';
import { play, type Spoil } from './conversation.js';
import { seed } from './keeps-every-rule.js';
import { Broken } from './model.js';
import { script } from './script.js';

it('random conversations are valid by the schema', async () => {
  await fc.assert(fc.asyncProperty(script, async (each) => {
    expect(check((await play(each)).recording, {}, strictValidator).filter(({ by }) => by === 'agent')).toEqual([]);
  }), { seed, numRuns: 200 });
}, 60_000);

const isUpdate = ({ method, params }: Message, state: string): boolean => method === 'session/update' && params.update.sessionUpdate === 'state_update' && params.update.state === state;
const ends = (message: Message): boolean => isUpdate(message, 'idle') && message.params.update.stopReason !== undefined;
const isInsertion = ({ result }: Message): boolean => result?.messageId !== undefined;

/** Each takes one rule out. */
const saboteurs: readonly (readonly [string, Spoil])[] = [
  ['a prompt is never answered', (message) => (isInsertion(message) ? [] : [message])],
  ['a prompt is answered twice', (message) => (isInsertion(message) ? [message, message] : [message])],
  ['a response has an id that nobody used', (message) => (isInsertion(message) ? [{ ...message, id: 'nobody' }] : [message])],
  ['the end of work is not told', (message) => (ends(message) ? [] : [message])],
  ['the end of work is told twice', (message) => (ends(message) ? [message, message] : [message])],
  ['the end of work has no stop reason', (message) => {
    if (!ends(message)) return [message];
    const { stopReason: _, ...update } = message.params.update;
    return [{ ...message, params: { ...message.params, update } }];
  }],
  ['work does not run', (message) => (isUpdate(message, 'running') ? [] : [message])],
  ['a prompt is answered before its message', (message) => (message.params?.update?.sessionUpdate === 'user_message' ? [] : [message])],
];

/** Whether a conversation shows that a rule is broken. Any other error is thrown. */
async function breaks(spoil: Spoil): Promise<boolean> {
  const keeps = async (each: Parameters<typeof play>[0]): Promise<boolean> => {
    try {
      await play(each, spoil);
      return true;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return false;
    }
  };
  const { failed, errorInstance } = await fc.check(fc.asyncProperty(script, keeps), { seed, numRuns: 200, endOnFailure: true });
  if (errorInstance instanceof Error && !errorInstance.message.includes('returning false')) throw errorInstance;
  return failed;
}

describe(`the model turns red when a rule is taken out, seed ${seed}`, () => {
  it.each(saboteurs)('%s', async (_, spoil) => {
    expect(await breaks(spoil)).toBe(true);
  });

  it('and only then', async () => {
    expect(await breaks((message) => [message])).toBe(false);
  });
});
