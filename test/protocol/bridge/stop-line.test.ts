import { expect, test } from 'vitest';
import { toV2StopNotice } from '../../../src/protocol/bridge/stop-line.js';

const line = (text: unknown, more: Record<string, unknown> = {}) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more });

test.each([
  ['**Task stopped by user:** ./server.sh.', { title: 'Task stopped by user', description: './server.sh.' }],
  ['\n\n**Task stopped by user:** a\nb', { title: 'Task stopped by user', description: 'a\nb' }],
  ['Stopped.', { title: 'Stopped.' }],
])('%j is a notice', (text, notice) => {
  expect(toV2StopNotice(line(text))).toEqual({ sessionUpdate: 'notice', severity: 'info', ...notice });
});

test.each([line('x', { messageId: 'm' }), line(''), line(7), line('x', { sessionUpdate: 'agent_thought_chunk' }), { sessionUpdate: 'tool_call' }])('%j is none', (update) => {
  expect(toV2StopNotice(update)).toBeUndefined();
});
