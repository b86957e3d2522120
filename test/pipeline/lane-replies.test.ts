import { describe, expect, test } from 'vitest';
import { answer, drop, instead, keep, replace, take, type Call, type CallHooks, type Host, type Outcome, type Plugin } from '../../src/plugin.js';
import { wired } from './harness.js';
import { both, deferred, methods } from './hooked.js';

describe('rule 4: a reply meets the plugins between the answerer and whoever asked', () => {
  const watches = (name: string, seen: string[]): Plugin => both(name, {}, { '*': (reply) => void seen.push(`${name} ${reply.to.method}`) });

  test("a peer's own: all of them, in the order of its way", () => {
    const seen: string[] = [];
    const { client, agent } = wired([watches('a', seen), watches('b', seen)]);
    agent.answers(client.requests('x'), 1);
    client.answers(agent.requests('y'), 1);
    expect(seen).toEqual(['b x', 'a x', 'a y', 'b y']);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 1 }, { jsonrpc: '2.0', id: 1, method: 'y' }]);
  });

  test('an answer of a plugin: those on the way back', () => {
    const seen: string[] = [];
    const { client, agent } = wired([watches('a', seen), both('b', { x: () => answer('b') }, { '*': () => void seen.push('b') }), watches('c', seen)]);
    client.requests('x');
    expect(seen).toEqual(['a x']);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 'b' }]);
    expect(agent.received()).toEqual([]);
  });

  test("a plugin's own request: those behind it, then the plugin alone", () => {
    const seen: string[] = [];
    const asks = both('b', { go: (_call, host) => (void host.request('toAgent', 'x', { q: 1 }, ({ result, to }) => void seen.push(`b got ${String(result)} to ${to.method}`)), drop()) }, { '*': () => void seen.push('b') });
    const { client, agent } = wired([watches('a', seen), asks, watches('c', seen)]);
    client.notifies('go');
    const [{ id, ...request }] = agent.received();
    expect(request).toEqual({ jsonrpc: '2.0', method: 'x', params: { q: 1 } });
    agent.answers(id, 42);
    expect(seen).toEqual(['c x', 'b got 42 to x']);
    expect(client.received()).toEqual([]);
  });

  test('between two plugins it never leaves', () => {
    const seen: string[] = [];
    const asks = both('a', { go: (_call, host) => void host.request('toAgent', 'x', 1, ({ result }) => void seen.push(`a got ${String(result)}`)) });
    const { client, agent } = wired([asks, watches('b', seen), both('c', { x: () => answer('c') })]);
    client.notifies('go');
    expect(seen).toEqual(['b x', 'a got c']);
    expect(methods(agent.received())).toEqual(['go']);
    expect(client.received()).toEqual([]);
  });

  test('it may be changed, dropped, or joined by others', () => {
    const { client, agent } = wired([
      both('a', {}, { change: () => replace({ result: 2 }), fail: () => replace({ error: { code: 1, message: 'm' } }), drop: () => drop(), more: () => instead({ method: 'before', params: 1 }, keep, { method: 'after', params: 2 }) }),
    ]);
    for (const method of ['change', 'fail', 'drop', 'more']) agent.answers(client.requests(method), 1);
    expect(client.received()).toEqual([
      { jsonrpc: '2.0', id: 1, result: 2 },
      { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'm' } },
      { jsonrpc: '2.0', method: 'before', params: 1 },
      { jsonrpc: '2.0', id: 4, result: 1 },
      { jsonrpc: '2.0', method: 'after', params: 2 },
    ]);
  });

  test('plugins before a renaming one still see the method that they saw, and when', () => {
    const seen: unknown[] = [];
    const notes = (name: string, more: CallHooks = {}): Plugin => both(name, more, { '*': ({ to }) => void seen.push([name, to.method, to.seenAt]) });
    const { client, agent, clock } = wired([notes('a'), notes('b', { old: () => replace({ method: 'new' }) }), notes('c')], { startAt: 100 });
    client.requests('old');
    clock.advance(50);
    agent.answers(1, 1);
    expect(seen).toEqual([['c', 'new', 100], ['b', 'old', 100], ['a', 'old', 100]]);
  });

  test('a plugin behind a held request saw it when it went on', async () => {
    const { promise, resolve } = deferred<Outcome>();
    const seen: unknown[] = [];
    const notes = (name: string, more: CallHooks = {}): Plugin => both(name, more, { '*': ({ to }) => void seen.push([name, to.seenAt]) });
    const { client, agent, clock, settled } = wired([notes('a', { x: () => promise }), notes('b')]);
    client.requests('x');
    clock.advance(7);
    resolve(undefined);
    await settled();
    agent.answers(1, 1);
    expect(seen).toEqual([['b', 7], ['a', 0]]);
  });

  test('a reply to an unknown id passes untouched and unseen', () => {
    const seen: string[] = [];
    const { client, agent } = wired([watches('a', seen)]);
    agent.sendsBytes('{"jsonrpc":"2.0", "id":99,"result":1.0}\n');
    agent.sendsBytes('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n');
    expect(client.receivedLines()).toEqual(['{"jsonrpc":"2.0", "id":99,"result":1.0}', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}']);
    expect(seen).toEqual([]);
  });
});

describe('rule 5: onReply is a callback at the place of the reply', () => {
  test('what it says comes before the next message', () => {
    const asks = both('a', { go: (_call, host) => (void host.request('toAgent', 'x', 0, () => host.notify('toClient', 'idle', 0)), drop()) });
    const { client, agent } = wired([asks]);
    client.notifies('go');
    const [{ id }] = agent.received();
    agent.sends({ jsonrpc: '2.0', method: 'before' }, { jsonrpc: '2.0', id, result: 0 }, { jsonrpc: '2.0', method: 'next' });
    expect(methods(client.received())).toEqual(['before', 'idle', 'next']);
  });

  test('a second reply to the same request reaches nobody', () => {
    let replies = 0;
    const asks = both('a', { go: (_call, host) => (void host.request('toAgent', 'x', 0, () => void replies++), drop()) });
    const { client, agent } = wired([asks]);
    client.notifies('go');
    const [{ id }] = agent.received();
    agent.answers(id, 1);
    agent.answers(id, 2);
    expect(replies).toBe(1);
    // The client has never asked with this id. Unknown replies of other ids pass.
    agent.answers('unknown', 3);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 'unknown', result: 3 }]);
  });
});

describe('rule 6: a parked request', () => {
  test('lets the lane go on and is answered later, by its plugin only', () => {
    let host!: Host;
    const parks = both('a', { '*': (_call, mine) => void (host = mine), long: (_call, mine) => ((host = mine), take()) });
    const { client, agent, log } = wired([parks, both('b', { x: () => undefined })]);
    client.requests('long');
    client.notifies('session/cancel');
    expect(methods(agent.received())).toEqual(['session/cancel']);
    expect(client.received()).toEqual([]);
    expect(host.respond('toAgent', 1, { result: 'done' })).toBe(true);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 'done' }]);
    expect(host.respond('toAgent', 1, { result: 'again' })).toBe(false);
    expect(client.received()).toEqual([]);
    expect(log).toEqual(['warn: plugin "a": no request with the id 1 waits toAgent for its answer; ignored']);
  });

  test('its answer meets the plugins on the way back', () => {
    let host!: Host;
    const seen: string[] = [];
    const { client } = wired([both('a', {}, { long: ({ result }) => (seen.push('a'), replace({ result: [result] })) }), both('b', { long: (_call, mine) => ((host = mine), take()) }, { '*': () => void seen.push('b') })]);
    client.requests('long');
    host.respond('toAgent', 1, { result: 1 });
    expect(seen).toEqual(['a']);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: [1] }]);
  });

  test("the agent's too, with an error, under ids of any form", () => {
    let call!: Call;
    let host!: Host;
    const { client, agent } = wired([both('a', { long: (it, mine) => ((call = it), (host = mine), take()) })]);
    for (const id of ['1.0', '12345678901234567890', '"\\u0061"', 'null', '0', '""']) {
      agent.sendsBytes(`{"jsonrpc":"2.0","id":${id},"method":"long"}\n`);
      expect(host.respond('toClient', call.id as string, { error: { code: 1, message: 'no' } })).toBe(true);
      expect(agent.receivedLines()).toEqual([`{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"no"}}`]);
    }
    expect(client.received()).toEqual([]);
  });

  test('of two with one id the first is answered first', () => {
    let host!: Host;
    const { client } = wired([both('a', { one: (_c, mine) => ((host = mine), take()), two: () => take() }, {}), both('watch', {})]);
    client.sends({ jsonrpc: '2.0', id: 7, method: 'one' }, { jsonrpc: '2.0', id: 7, method: 'two' });
    host.respond('toAgent', 7, { result: 'first' });
    host.respond('toAgent', 7, { result: 'second' });
    expect(client.received().map(({ result }) => result)).toEqual(['first', 'second']);
  });

  test('a late reply of the agent to a request that it never got passes as unknown', () => {
    const { client, agent } = wired([both('a', { x: () => answer(1) }, { x: () => drop() })]);
    client.requests('x');
    client.received();
    agent.answers(1, 'late');
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 'late' }]);
  });

  test('an answer that has no JSON fails where it is given, and the request stays parked', () => {
    let host!: Host;
    const { client } = wired([both('a', { long: (_call, mine) => ((host = mine), take()) })]);
    client.requests('long');
    expect(() => host.respond('toAgent', 1, { result: 1n })).toThrow(TypeError);
    expect(host.respond('toAgent', 1, { result: 1 })).toBe(true);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 1 }]);
  });
});

describe('rule 7: ids', () => {
  test('of peers are never rewritten, in any form', () => {
    const { client, agent } = wired([both('a', { x: (call: Call<object>) => replace({ params: { ...call.params, b: 1 } }) }, { x: () => replace({ result: 2 }) })]);
    for (const id of ['1', '"1"', '0', '""', 'null', '1.0', '12345678901234567890', '"\\u0061\\/"', '-1e2']) {
      client.sendsBytes(`{"jsonrpc":"2.0","id":${id},"method":"x","params":{"a":1}}\n`);
      expect(agent.receivedLines()).toEqual([`{"jsonrpc":"2.0","id":${id},"method":"x","params":{"a":1,"b":1}}`]);
      agent.sendsBytes(`{"jsonrpc":"2.0","id":${id},"result":1}\n`);
      expect(client.receivedLines()).toEqual([`{"jsonrpc":"2.0","id":${id},"result":2}`]);
    }
  });

  test('1 and "1" open together are two requests', () => {
    const seen: string[] = [];
    const { client, agent } = wired([both('a', {}, { '*': ({ to }) => void seen.push(`${to.method} ${JSON.stringify(to.id)}`) })]);
    client.sends({ jsonrpc: '2.0', id: 1, method: 'number' }, { jsonrpc: '2.0', id: '1', method: 'text' });
    agent.answers('1', 0);
    agent.answers(1, 0);
    expect(seen).toEqual(['text "1"', 'number 1']);
  });

  test('of two open requests with one id the first is answered first', () => {
    const seen: string[] = [];
    const { client, agent } = wired([both('a', {}, { '*': ({ to }) => void seen.push(to.method) })]);
    client.sends({ jsonrpc: '2.0', id: 1, method: 'first' }, { jsonrpc: '2.0', id: 1, method: 'second' });
    agent.answers(1, 0);
    agent.answers(1, 0);
    expect(seen).toEqual(['first', 'second']);
    expect(client.received()).toHaveLength(2);
  });

  test('our own have a prefix that is random per process, and never meet twice', () => {
    const ids = new Set<unknown>();
    const asks = both('a', { go: (_call, host) => (void ids.add(host.request('toAgent', 'x', 0, () => undefined)), void ids.add(host.request('toClient', 'x', 0, () => undefined)), drop()) });
    const { client, agent } = wired([asks]);
    client.notifies('go');
    client.notifies('go');
    expect([...ids]).toEqual(['afterturn-unique-1-1', 'afterturn-unique-1-2', 'afterturn-unique-1-3', 'afterturn-unique-1-4']);
    expect([agent.received().map(({ id }) => id), client.received().map(({ id }) => id)]).toEqual([
      ['afterturn-unique-1-1', 'afterturn-unique-1-3'],
      ['afterturn-unique-1-2', 'afterturn-unique-1-4'],
    ]);
  });

  test('a peer that uses one of our ids gets its own reply', () => {
    const seen: unknown[] = [];
    const asks = both('a', { go: (_call, host) => (void host.request('toAgent', 'ours', 0, ({ result }) => void seen.push(result)), drop()) });
    const { client, agent } = wired([asks]);
    client.notifies('go');
    const [{ id }] = agent.received();
    client.sends({ jsonrpc: '2.0', id, method: 'theirs' });
    agent.answers(id, 'for us');
    agent.answers(id, 'for them');
    expect(seen).toEqual(['for us']);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id, result: 'for them' }]);
    // The same id in the other direction is another request.
    client.notifies('go');
    const next = agent.received().at(-1).id;
    agent.sends({ jsonrpc: '2.0', id: next, method: 'asks' });
    client.answers(next, 'to the agent');
    expect(agent.received()).toEqual([{ jsonrpc: '2.0', id: next, result: 'to the agent' }]);
    agent.answers(next, 'second');
    expect(seen).toEqual(['for us', 'second']);
  });
});
