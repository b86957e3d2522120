import { describe, expect, it } from 'vitest';
import { backgroundListOf } from '../../src/protocol/background-list.js';

describe('backgroundListOf', () => {
  it('reads each type that ACP has by its own id', () => {
    const background = [{ type: 'terminal', terminalId: 't' }, { type: 'tool_call', toolCallId: 't' }, { type: 'subagent', sessionId: 's' }];
    expect(backgroundListOf({ background })).toEqual([
      { key: 'terminal:t', type: 'terminal', id: 't' },
      { key: 'tool_call:t', type: 'tool_call', id: 't' },
      { key: 'subagent:s', type: 'subagent', id: 's' },
    ]);
  });

  it('keeps an entry of another type, which is live work that nobody can name', () => {
    expect(backgroundListOf({ background: [{ type: '_x/task', id: 1 }] })).toEqual([{ key: '_x/task:{"type":"_x/task","id":1}', type: '_x/task', id: undefined }]);
  });

  it.each([{}, { background: null }])('tells %j from an empty list', (state) => {
    expect(backgroundListOf(state)).toBe('not reported');
    expect(backgroundListOf({ background: [] })).toEqual([]);
  });

  it.each(['x', [1], [{}], [{ type: 'terminal' }], [{ type: 'toString', toolCallId: 'x' }, { type: 'tool_call', toolCallId: 7 }]])('cannot read %j', (background) => {
    expect(backgroundListOf({ background })).toBe('malformed');
  });
});
