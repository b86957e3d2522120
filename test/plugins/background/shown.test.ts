import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Shown, TAIL_BYTES, withTerminal } from '../../../plugins/background/shown.js';

const call = (toolCallId: string, members: object): { readonly [key: string]: unknown } => ({ sessionUpdate: 'tool_call_update', toolCallId, ...members });
const chunk = (terminalId: string, bytes: Uint8Array | string): { readonly [key: string]: unknown } => ({ sessionUpdate: 'terminal_output_chunk', terminalId, data: Buffer.from(bytes).toString('base64') });
const shows = (isKept: (id: string) => boolean = () => false): Shown => new Shown(isKept);
const textOf = (data: string | undefined): string | undefined => (data === undefined ? undefined : Buffer.from(data, 'base64').toString());

describe('a call', () => {
  test('is what its updates add up to', () => {
    const shown = shows();
    shown.saw(call('c', { title: 'ls', rawInput: { x: 1 }, _meta: { a: 1, b: 2 } }));
    shown.saw(call('c', { title: null, status: 'in_progress', _meta: { a: null, c: 3 } }));
    shown.saw({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 'c', content: { type: 'terminal', terminalId: 't' } });
    expect(shown.call('c')).toEqual({ rawInput: { x: 1 }, status: 'in_progress', content: [{ type: 'terminal', terminalId: 't' }], _meta: { b: 2, c: 3 } });
    shown.saw(call('c', { content: [], _meta: null }));
    expect(shown.call('c')).toEqual({ rawInput: { x: 1 }, status: 'in_progress', content: [] });
    expect(shown.call('other')).toBeUndefined();
  });

  test('that has ended is forgotten after 64 others, unless it launched what lives', () => {
    const shown = shows((id) => id === 'kept');
    shown.saw(call('open', { status: 'pending' }));
    for (const id of ['kept', 'old', ...Array.from({ length: 64 }, (_, index) => `c${index}`)]) shown.saw(call(id, { status: 'completed' }));
    expect(['open', 'kept', 'old', 'c0', 'c63'].filter((id) => shown.call(id) !== undefined)).toEqual(['open', 'kept', 'c0', 'c63']);
  });
});

describe('the output of a terminal', () => {
  test('is its last snapshot and what came after it', () => {
    const shown = shows();
    shown.saw({ sessionUpdate: 'terminal_update', terminalId: 't', output: { data: Buffer.from('wait').toString('base64') } });
    shown.saw({ sessionUpdate: 'terminal_update', terminalId: 't', output: { data: Buffer.from('a').toString('base64') } });
    shown.saw(chunk('t', 'b'));
    shown.saw({ sessionUpdate: 'terminal_update', terminalId: 't', command: 'ls' });
    expect(textOf(shown.output('t'))).toBe('ab');
    expect(shown.output('other')).toBeUndefined();
  });

  test('is gone when it is cleared or the terminal exits', () => {
    const shown = shows();
    for (const end of [{ output: null }, { exitStatus: {} }, { output: { data: 'eA==' }, exitStatus: { exitCode: 0 } }]) {
      shown.saw(chunk('t', 'a'));
      shown.saw({ sessionUpdate: 'terminal_update', terminalId: 't', ...end });
      expect(shown.output('t')).toBeUndefined();
    }
  });

  test('is kept to its last bytes, which do not begin within a character', () => {
    const shown = shows();
    for (let index = 0; index < 5; index++) shown.saw(chunk('t', Buffer.alloc(TAIL_BYTES / 2, 'x')));
    expect(Buffer.from(shown.output('t') ?? '', 'base64').length).toBe(TAIL_BYTES);
    shown.saw(chunk('u', `é${'x'.repeat(TAIL_BYTES - 1)}`));
    expect(textOf(shown.output('u'))).toBe('x'.repeat(TAIL_BYTES - 1));
    shown.saw(chunk('v', Buffer.from([0x80, 0x41])));
    expect(Buffer.from(shown.output('v') ?? '', 'base64')).toEqual(Buffer.from([0x80, 0x41]));
  });

  test('is its end, in pieces of any size', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: TAIL_BYTES + 2 }), fc.integer({ min: 2 * TAIL_BYTES, max: 5 * TAIL_BYTES }));
    fc.assert(fc.property(fc.array(size, { minLength: 1, maxLength: 8 }), (sizes) => {
      const pieces = sizes.map((length, index) => Buffer.alloc(length, `piece ${index}, `));
      const shown = shows();
      for (const piece of pieces) shown.saw(chunk('t', piece));
      expect(shown.output('t')).toBe(Buffer.concat(pieces).subarray(-TAIL_BYTES).toString('base64'));
      expect(shown.output('t')).toBe(shown.output('t'));
    }), { numRuns: 200 });
  });

  test('of many terminals the oldest are forgotten', () => {
    const shown = shows();
    for (let index = 0; index < 257; index++) shown.saw(chunk(`t${index}`, 'x'));
    expect([shown.output('t0'), textOf(shown.output('t1'))]).toEqual([undefined, 'x']);
  });
});

test('a terminal of ours is in the content once', () => {
  const content = [{ type: 'terminal', terminalId: 't' }];
  expect(withTerminal({ title: 'x' }, 't')).toEqual({ title: 'x', content });
  expect(withTerminal({ content }, 't')).toEqual({ content });
});
