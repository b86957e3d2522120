import { describe, expect, it } from 'vitest';
import { hasRawFeed, rawRequestFor, sessionOptionsKey } from '../../src/protocol/session-options.js';
import { RAW_SUBTYPES } from '../../src/protocol/index.js';

const ADDED = RAW_SUBTYPES.map((subtype) => ({ type: 'system', subtype }));
const base = { sessionId: 's', cwd: '/project', mcpServers: [{ name: 'a', command: 'x' }, { name: 'b', command: 'y' }], _meta: { claudeCode: { options: { model: 'm', effort: 'high' } } } };
const key = (params: unknown): string => sessionOptionsKey(params, ADDED);

describe('what a session is built from', () => {
  it.each([
    ['the session', { ...base, sessionId: 'other' }],
    ['the order of members', { _meta: { claudeCode: { options: { effort: 'high', model: 'm' } } }, mcpServers: base.mcpServers, cwd: '/project' }],
    ['the order of MCP servers', { ...base, mcpServers: [...base.mcpServers].reverse() }],
    ['an option that a live session takes', { ...base, _meta: { claudeCode: { options: { ...base._meta.claudeCode.options, permissionMode: 'plan', title: 'T' } } } }],
    ['members that the agent does not know', { ...base, _meta: { ...base._meta, other: 1, traceparent: '00-1' } }],
  ])('does not depend on %s', (_, params) => expect(key(params)).toBe(key(base)));

  it.each([
    ['the folder', { ...base, cwd: '/other' }],
    ['the MCP servers', { ...base, mcpServers: [] }],
    ['further folders', { ...base, additionalDirectories: ['/more'] }],
    ['the system prompt', { ...base, systemPrompt: 'p' }],
    ['an option', { ...base, _meta: { claudeCode: { options: { model: 'm', effort: 'low' } } } }],
    ['a missing option', { ...base, _meta: undefined }],
  ])('depends on %s', (_, params) => expect(key(params)).not.toBe(key(base)));

  it('depends on what is asked of the raw feed', () => expect(sessionOptionsKey(base, [])).not.toBe(key(base)));

  it.each([undefined, null, 1, 'x', { mcpServers: 'none', _meta: 1 }, { mcpServers: [null, 1] }])('can be told of %j', (params) => expect(typeof key(params)).toBe('string'));
});

describe('what is asked of the raw feed', () => {
  const init = { type: 'system', subtype: 'init' };
  it('is the client\'s request with what is missing', () => {
    expect(rawRequestFor(undefined, [])).toEqual(ADDED);
    expect(rawRequestFor(undefined, [init, ADDED[0] as object as { type: string }])).toEqual([init, ...[ADDED[0]], ...ADDED.slice(1)]);
    expect(rawRequestFor(undefined, [{ type: 'system' }])).toEqual([{ type: 'system' }]);
    expect(rawRequestFor(undefined, true)).toBe(true);
  });

  it('stays what it was while that is enough', () => {
    const before = rawRequestFor(undefined, [init]);
    for (const asked of [[], [init], [{ subtype: 'init', type: 'system' }], [ADDED[1] as { type: string }]]) expect(rawRequestFor(before, asked)).toBe(before);
    expect(rawRequestFor(before, [{ type: 'system' }])).toEqual([{ type: 'system' }]);
    expect(rawRequestFor(before, [{ type: 'assistant' }])).toEqual([{ type: 'assistant' }, ...ADDED]);
    const byOrigin = { ...init, origin: 'human' };
    expect(rawRequestFor(before, [byOrigin])).toBe(before);
    expect(rawRequestFor([byOrigin, ...ADDED], [init])).toEqual([init, ...ADDED]);
    expect(rawRequestFor(true, [])).toBe(true);
    expect(rawRequestFor(before, true)).toBe(true);
  });
});

describe('the raw feed', () => {
  it('is there from the version that was seen to send it', () => {
    expect(['0.25.3', '0.28.9'].map(hasRawFeed)).toEqual([false, false]);
    expect(['0.29.2', '0.66.0', '0.101.0', '1.0.0', 'next', undefined].map(hasRawFeed)).toEqual([true, true, true, true, true, true]);
  });
});
