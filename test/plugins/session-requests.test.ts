import { describe, expect, it } from 'vitest';
import type { Call, Reply } from '../../src/plugin.js';
import { SessionRequests } from '../../plugins/session-requests.js';

const call = (method: string, id: number, sessionId?: string): Call => ({ kind: 'request', method, id, params: { sessionId }, outline: { sessionId }, withTexts: () => ({ sessionId }), raw: new Uint8Array() });
const reply = (method: string, id: number): Reply => ({ kind: 'reply', to: { method, id, seenAt: 0 }, result: {}, error: undefined, raw: new Uint8Array() });

describe('the sessions of open requests', () => {
  it('are told once, by method and id', () => {
    const open = new SessionRequests();
    expect(open.opened(call('session/prompt', 1, 'a'))).toBe('a');
    open.opened(call('session/close', 1, 'b'));
    expect(open.closed(reply('session/close', 1))).toBe('b');
    expect(open.closed(reply('session/prompt', 1))).toBe('a');
    expect(open.closed(reply('session/prompt', 1))).toBeUndefined();
  });

  it('are answered in their order where two requests have one method and id', () => {
    const open = new SessionRequests();
    open.opened(call('session/prompt', 1, 'a'));
    open.opened(call('session/prompt', 1, 'b'));
    expect([open.closed(reply('session/prompt', 1)), open.closed(reply('session/prompt', 1))]).toEqual(['a', 'b']);
  });

  it('are unknown where the request names none', () => {
    expect(new SessionRequests().opened(call('session/new', 1))).toBeUndefined();
  });
});
