import { describe, expect, test } from 'vitest';
import { endingOfFailure, failureAfter, type Failure } from '../../../src/protocol/bridge/prompt.js';
import type { JsonObject } from '../../../src/protocol/shape.js';

const status = (type: unknown): JsonObject => ({ sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type } } } });
const says = (text: unknown, more: JsonObject = {}): JsonObject => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more });
const after = (...updates: JsonObject[]): Failure | undefined => updates.reduce<Failure | undefined>(failureAfter, undefined);

describe('a failure that the updates of a turn tell', () => {
  test('is the thread\'s status, with the words that belong to no message', () => {
    expect(after(status('active'), status('systemError'), says('High demand, '), says('try again.\n\n'))).toEqual({ message: 'High demand, try again.\n\n' });
  });

  test.each<[string, JsonObject[]]>([
    ['without the status', [status('active'), says('I failed.')]],
    ['after the next status', [status('systemError'), says('x'), status('active')]],
    ['of a status that is malformed', [status({}), { sessionUpdate: 'session_info_update', _meta: { codex: 'systemError' } }, { sessionUpdate: 'usage_update', _meta: { codex: { threadStatus: { type: 'systemError' } } } }]],
  ])('is none %s', (_, updates) => {
    expect(after(...updates)).toBeUndefined();
  });

  test('has no words of the model, of thoughts, or that are no text', () => {
    expect(after(status('systemError'), says('a', { messageId: 'm' }), says('b', { sessionUpdate: 'agent_thought_chunk' }), says(7), { sessionUpdate: 'session_info_update', title: 'x' })).toEqual({ message: '' });
  });
});

describe('the ending of a turn that failed', () => {
  const usage = { totalTokens: 1, inputTokens: 1, outputTokens: 0 };

  test('is an error, with the rest of what the agent said', () => {
    expect(endingOfFailure({ stopReason: 'end_turn', usage }, { message: ' High demand.\n\n' })).toEqual({ stopReason: 'error', usage, error: { code: -32603, message: 'High demand.' } });
  });

  test('has words of its own where the agent has none', () => {
    expect(endingOfFailure({ stopReason: 'end_turn' }, { message: '' })).toMatchObject({ stopReason: 'error', error: { message: 'The agent reports a system error.' } });
  });

  test('is the agent\'s where that says more than that it ended, or where nothing failed', () => {
    expect(endingOfFailure({ stopReason: 'cancelled' }, { message: 'x' })).toEqual({ stopReason: 'cancelled' });
    expect(endingOfFailure({ stopReason: 'end_turn' }, undefined)).toEqual({ stopReason: 'end_turn' });
  });
});
