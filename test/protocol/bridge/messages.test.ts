import { describe, expect, test } from 'vitest';
import { messageKinds, toV2Chunk, type MessageRun } from '../../../src/protocol/bridge/messages.js';

const chunk = (sessionUpdate: string, messageId?: unknown) => ({ sessionUpdate, content: { type: 'text', text: 'x' }, ...(messageId === undefined ? {} : { messageId }) });

/** The message ids of chunks that come one after the other. `null`: something else came in between. */
function idsOf(...chunks: (ReturnType<typeof chunk> | null)[]): unknown[] {
  let run: MessageRun | undefined;
  let fresh = 0;
  return chunks.flatMap((one) => {
    const read = one && toV2Chunk(one, run, () => `new-${++fresh}`, { full: false }, []);
    run = read?.run;
    return read ? [read.update.messageId] : [];
  });
}

describe('the message of a chunk', () => {
  test('is the one that the agent names', () => {
    expect(idsOf(chunk('agent_message_chunk', 'm1'), chunk('agent_message_chunk', 'm2'))).toEqual(['m1', 'm2']);
  });

  test('is one for each run of chunks without a name', () => {
    const message = chunk('agent_message_chunk');
    expect(idsOf(message, message, chunk('agent_thought_chunk'), message, null, message)).toEqual(['new-1', 'new-1', 'new-2', 'new-3', 'new-4']);
  });

  test.each([null, '', 7])('%j is no name', (messageId) => {
    expect(idsOf(chunk('agent_message_chunk', messageId))).toEqual(['new-1']);
  });
});

test('a chunk keeps its content and _meta, but nothing that only the private extension asks for', () => {
  const update = { ...chunk('agent_message_chunk', 'm'), extra: 1, _meta: { jetbrains: { air: {} }, k: 1 } };
  expect(toV2Chunk(update, undefined, () => '', { full: false }, [])?.update).toEqual({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'x' }, _meta: { k: 1 } });
});

test('a chunk without content that v2 takes is none', () => {
  const faults: string[] = [];
  expect(toV2Chunk({ sessionUpdate: 'agent_message_chunk', content: { type: 'text' } }, undefined, () => '', { full: false }, faults)).toBeUndefined();
  expect(faults).toEqual(['content.text: expected a value, got undefined']);
  expect([...messageKinds]).toEqual(['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk']);
});
