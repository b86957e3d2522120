import { describe, expect, test } from 'vitest';
import { answer, become, drop, instead, keep, refuse, replace, take, type Call, type CallHooks, type Host, type Outcome, type Plugin, type ReplyHooks } from '../../src/plugin.js';
import { wired, type Message } from './harness.js';

/** A plugin with hooks for both directions. */
const both = (name: string, calls: CallHooks, replies: ReplyHooks = {}): Plugin => ({ name, toAgent: { calls, replies }, toClient: { calls, replies } });
/** Adds its name to `params.via` of every call. */
const signs = (name: string): Plugin => both(name, { '*': (call: Call<{ via?: string[] }>) => replace({ params: { ...call.params, via: [...(call.params?.via ?? []), name] } }) });
const methods = (messages: readonly Message[]): string[] => messages.map(({ method }) => method as string);
/** A promise that the test settles. */
function deferred<T>(): { readonly promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe('rule 1: the list runs from the client to the agent', () => {
  test('forwards to the agent, backwards to the client', () => {
    const { client, agent } = wired([signs('a'), signs('b'), signs('c')]);
    client.notifies('x', {});
    agent.notifies('y', {});
    expect(agent.received()[0].params.via).toEqual(['a', 'b', 'c']);
    expect(client.received()[0].params.via).toEqual(['c', 'b', 'a']);
  });

  test('each sees what the one before made of the message', () => {
    const seen: string[] = [];
    const { client, agent } = wired([
      both('a', { old: () => replace({ method: 'new' }) }),
      both('b', { old: () => void seen.push('b old'), new: ({ raw }) => void seen.push(`b ${Buffer.from(raw).toString()}`) }),
    ]);
    client.notifies('old', 1);
    expect(seen).toEqual(['b {"jsonrpc":"2.0","method":"new","params":1}\n']);
    expect(methods(agent.received())).toEqual(['new']);
  });

  test('a changed kind meets the hooks of its new kind, and only further on', () => {
    const seen: string[] = [];
    const update = (sessionUpdate: string): Message => ({ sessionId: 's', update: { sessionUpdate } });
    const kindly = (name: string): Plugin => ({
      name,
      toClient: { calls: { 'session/update': { old: () => (seen.push(`${name} old`), replace({ params: update('new') })), new: () => void seen.push(`${name} new`) } } },
    });
    const { client, agent } = wired([kindly('a'), kindly('b')]);
    agent.notifies('session/update', update('old'));
    expect(seen).toEqual(['b old', 'a new']);
    expect(client.received()[0].params).toEqual(update('new'));
  });
});

describe('rule 2: one message at a time per direction', () => {
  test('a promise holds its direction only, and nothing overtakes', async () => {
    const { promise, resolve } = deferred<Outcome>();
    const { client, agent, settled } = wired([both('a', { slow: () => promise })]);
    client.sends({ method: 'first', jsonrpc: '2.0' }, { method: 'slow', jsonrpc: '2.0' }, { method: 'third', jsonrpc: '2.0' });
    client.notifies('fourth');
    agent.notifies('other');
    expect(methods(agent.received())).toEqual(['first']);
    expect(methods(client.received())).toEqual(['other']);
    resolve(undefined);
    await settled();
    expect(methods(agent.received())).toEqual(['slow', 'third', 'fourth']);
  });

  test('every verdict may come late', async () => {
    const late = (outcome: Outcome) => () => Promise.resolve().then(() => outcome);
    const { client, agent, settled } = wired([
      both('a', {
        replace: late(replace({ params: 2 })),
        drop: late(drop()),
        instead: late(instead({ method: 'before', params: 1 }, keep)),
        answer: late(answer('yes')),
        refuse: late(refuse({ code: 1, message: 'no' })),
      }),
    ]);
    for (const method of ['replace', 'drop', 'instead']) client.notifies(method, 1);
    for (const method of ['answer', 'refuse', 'plain']) client.requests(method);
    await settled();
    expect(agent.received().map(({ method, params }) => [method, params])).toEqual([['replace', 2], ['before', 1], ['instead', 1], ['plain', undefined]]);
    expect(client.received()).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'yes' },
      { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no' } },
    ]);
  });

  test('a thenable that is no promise is waited for too', async () => {
    const thenable = { then: (done: (outcome: Outcome) => void) => setImmediate(() => done(drop())) };
    const { client, agent, settled } = wired([both('a', { x: () => thenable as unknown as Promise<Outcome> })]);
    client.notifies('x');
    client.notifies('y');
    expect(agent.received()).toEqual([]);
    await settled();
    await settled();
    expect(methods(agent.received())).toEqual(['y']);
  });

  test('the reader is paused when too much waits, and goes on when all is done', async () => {
    const { promise, resolve } = deferred<Outcome>();
    const { client, agent, settled } = wired([both('a', { slow: () => promise })]);
    const line = `{"jsonrpc":"2.0","method":"x","params":"${'x'.repeat(1000)}"}\n`;
    expect(client.sendsBytes('{"jsonrpc":"2.0","method":"slow"}\n')).toBe(true);
    let sent = 0;
    while (client.sendsBytes(line)) sent++;
    expect(sent).toBeLessThan(100);
    expect(client.resumed()).toBe(0);
    resolve(undefined);
    await settled();
    expect(client.resumed()).toBe(1);
    expect(agent.received()).toHaveLength(sent + 2);
    expect(client.sendsBytes(line)).toBe(true);
  });
});

describe("rule 3: a plugin's own message", () => {
  const notes = (name: string, what: string): Plugin => both(name, { x: (_call, host) => host.notify('toAgent', what, name) });

  test('meets only the plugins after it', () => {
    const { client, agent } = wired([signs('a'), notes('b', 'mine'), signs('c'), signs('d')]);
    client.notifies('x', {});
    expect(agent.received().map(({ method, params }) => [method, params.via])).toEqual([
      ['x', ['a', 'c', 'd']],
      ['mine', ['c', 'd']],
    ]);
  });

  test('comes after the message at hand and before those not looked at yet', () => {
    const { client, agent } = wired([notes('a', 'mine')]);
    client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' }, { jsonrpc: '2.0', method: 'x' });
    expect(methods(agent.received())).toEqual(['x', 'mine', 'y', 'x', 'mine']);
  });

  test('several plugins: each answers for what left it, as processes in a row would', () => {
    const { client, agent } = wired([
      both('a', { x: (_call, host) => (host.notify('toAgent', 'a1', 0), host.notify('toAgent', 'a2', 0)) }),
      both('b', { '*': ({ method }, host) => host.notify('toAgent', `b(${method})`, 0) }),
      both('c', { 'b(x)': () => drop(), 'b(a1)': () => instead({ method: 'c', params: 0 }, keep) }),
    ]);
    client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
    expect(methods(agent.received())).toEqual(['x', 'a1', 'c', 'b(a1)', 'a2', 'b(a2)', 'y', 'b(y)']);
  });

  test('instead: its pieces come first, then what the hook said besides, each behind what later plugins say of it', () => {
    const { client, agent } = wired([
      both('a', { x: (_call, host) => (host.notify('toAgent', 'besides', 0), instead({ method: 'one', params: 0 }, keep, { method: 'two', params: 0 })) }),
      both('b', { one: (_call, host) => host.notify('toAgent', 'b(one)', 0), x: (_call, host) => host.notify('toAgent', 'b(x)', 0) }),
    ]);
    client.notifies('x');
    client.notifies('next');
    expect(methods(agent.received())).toEqual(['one', 'b(one)', 'x', 'b(x)', 'two', 'besides', 'next']);
  });

  test('in the other direction it goes straight there', () => {
    const { client, agent } = wired([signs('a'), both('b', { x: (_call, host) => (host.notify('toClient', 'told', {}), drop()) }), signs('c')]);
    client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
    expect(client.received()).toEqual([{ jsonrpc: '2.0', method: 'told', params: { via: ['a'] } }]);
    expect(methods(agent.received())).toEqual(['y']);
  });

  test('there and back again: it stands behind what is being handled in each direction', () => {
    const { client, agent } = wired([
      both('a', { back: (_call, host) => (host.notify('toClient', 'echo', 0), drop()) }),
      both('b', { x: (_call, host) => host.notify('toAgent', 'forth', 0) }),
      both('c', { forth: (_call, host) => host.notify('toClient', 'there', 0), there: () => undefined }),
    ]);
    agent.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
    client.notifies('back');
    expect(methods(client.received())).toEqual(['x', 'there', 'y', 'echo']);
    expect(methods(agent.received())).toEqual(['forth']);
  });

  test('from a timer it goes at once', () => {
    const { client, agent, clock } = wired([both('a', { x: (_call, host) => void host.after(10, () => host.notify('toAgent', 'later', 0)) }), signs('b')]);
    client.notifies('x', {});
    client.notifies('y', {});
    clock.advance(9);
    expect(methods(agent.received())).toEqual(['x', 'y']);
    clock.advance(1);
    expect(methods(agent.received())).toEqual(['later']);
  });

  test.each([['before', 0], ['that', 1], ['after', 2]])('from a timer of the plugin %s holds, it stands behind the held message', async (_name, index) => {
    const { promise, resolve } = deferred<Outcome>();
    const timed = (i: number): CallHooks => (i === index ? { start: (_call, host) => void host.after(10, () => host.notify('toAgent', 'timed', 0)) } : {});
    const { client, agent, clock, settled } = wired([
      both('a', timed(0)),
      both('b', { ...timed(1), slow: () => promise }),
      both('c', { ...timed(2), slow: (_call, host) => host.notify('toAgent', 'c(slow)', 0) }),
    ]);
    client.sends({ jsonrpc: '2.0', method: 'start' }, { jsonrpc: '2.0', method: 'slow' }, { jsonrpc: '2.0', method: 'next' });
    clock.advance(10);
    expect(methods(agent.received())).toEqual(['start']);
    resolve(undefined);
    await settled();
    // What one plugin says stays in its order: "timed" was said before "c(slow)" where both are of c.
    expect(methods(agent.received())).toEqual(index === 2 ? ['slow', 'timed', 'c(slow)', 'next'] : ['slow', 'c(slow)', 'timed', 'next']);
  });
});

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

describe('rule 8: a hook that fails', () => {
  const fails = (onHookError?: 'pass' | 'refuse'): Plugin => {
    const throws = (): never => {
      throw new Error('broken');
    };
    return { ...both('bad', { '*': throws }, { '*': throws }), onHookError };
  };

  test('is named, and the message passes as it came', () => {
    const { client, agent, log } = wired([fails()]);
    client.sendsBytes('{"jsonrpc":"2.0", "id":1.0,"method":"x"}\n');
    expect(agent.receivedLines()).toEqual(['{"jsonrpc":"2.0", "id":1.0,"method":"x"}']);
    agent.sendsBytes('{"jsonrpc":"2.0", "id":1.0,"result":1}\n');
    expect(client.receivedLines()).toEqual(['{"jsonrpc":"2.0", "id":1.0,"result":1}']);
    expect(log.map((line) => line.split('\n')[0])).toEqual(['error: plugin "bad" failed toAgent on x: Error: broken', 'error: plugin "bad" failed toClient on the reply to x: Error: broken']);
  });

  test('a rejection and a verdict that does not fit count the same', async () => {
    const rejects = { then: (_done: unknown, failed: (reason: unknown) => void) => failed(undefined) };
    const { client, agent, log, settled } = wired([
      both('bad', { late: () => Promise.reject(new Error('later')), odd: () => answer(1), 'not an error': () => rejects as unknown as Promise<Outcome> }),
    ]);
    client.notifies('late');
    client.notifies('odd');
    client.notifies('not an error');
    await settled();
    expect(methods(agent.received())).toEqual(['late', 'odd', 'not an error']);
    expect(log.map((line) => line.split('\n')[0])).toEqual([
      'error: plugin "bad" failed toAgent on late: Error: later',
      'error: plugin "bad" failed toAgent on odd: TypeError: answer() is for requests, got a notification',
      'error: plugin "bad" failed toAgent on not an error: expected an Error to be thrown, got undefined',
    ]);
  });

  test('the next plugin meets what the one before made of the message', () => {
    const { client, agent } = wired([signs('a'), fails(), signs('c')]);
    client.notifies('x', {});
    expect(agent.received()[0].params.via).toEqual(['a', 'c']);
  });

  test('onHookError refuse: a request is answered, a reply becomes the error, a notification goes no further', () => {
    const { client, agent, log } = wired([fails('refuse')]);
    const error = { code: -32603, message: 'plugin "bad" failed on this message', data: { plugin: 'bad' } };
    client.requests('x');
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
    agent.notifies('y');
    expect([client.received(), agent.received()]).toEqual([[], []]);
    expect(log).toHaveLength(2);
    const replies = wired([{ name: 'bad', toClient: fails().toClient && { replies: fails().toClient?.replies ?? {} }, onHookError: 'refuse' }]);
    replies.agent.answers(replies.client.requests('x'), 1);
    expect(replies.client.received()).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
  });

  test('a JSON error does not show the payload that it quotes', () => {
    const { client, log } = wired([both('bad', { x: () => JSON.parse('{"token":secret}') as Outcome })]);
    client.notifies('x');
    expect(log).toEqual(['error: plugin "bad" failed toAgent on x: text that is not JSON']);
  });
});

describe('rule 11: a hook that holds a lane', () => {
  test('is named once, after 10 seconds', async () => {
    const { promise, resolve } = deferred<Outcome>();
    const { client, agent, clock, log, settled } = wired([both('slow', { x: () => promise, y: () => Promise.resolve(undefined) })]);
    client.notifies('x');
    clock.advance(9_999);
    expect(log).toEqual([]);
    clock.advance(1);
    clock.advance(60_000);
    expect(log).toEqual(['warn: plugin "slow" holds all messages toAgent for 10 s: x']);
    resolve(undefined);
    await settled();
    client.notifies('y');
    await settled();
    clock.advance(60_000);
    expect([log.length, clock.pending()]).toEqual([1, 0]);
    expect(methods(agent.received())).toEqual(['x', 'y']);
  });
});

test('a plugin that leaves sees nothing more, not even the message at hand again', () => {
  const seen: string[] = [];
  const leaves = both('a', { '*': ({ method }, host) => void (seen.push(`a ${method}`), host.leave()) });
  const { client, agent } = wired([leaves, both('b', { '*': ({ method }) => void seen.push(`b ${method}`) })]);
  client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
  agent.notifies('z');
  expect(seen).toEqual(['a x', 'b x', 'b y', 'b z']);
  expect([methods(agent.received()), methods(client.received())]).toEqual([['x', 'y'], ['z']]);
});

describe('a plugin that becomes another', () => {
  test('lets it see the message at hand, and every one behind it, at its own place', () => {
    const seen: string[] = [];
    const notes = (name: string): Plugin => both(name, { '*': ({ method }) => void seen.push(`${name} ${method}`) });
    const { client, agent } = wired([notes('a'), both('b', { '*': () => become(notes('c')) }), notes('d')]);
    client.sends({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', method: 'y' });
    agent.notifies('z');
    expect(seen).toEqual(['a x', 'c x', 'd x', 'a y', 'c y', 'd y', 'd z', 'c z', 'a z']);
    expect([methods(agent.received()), methods(client.received())]).toEqual([['x', 'y'], ['z']]);
  });

  test('passes the bytes of the message at hand as they came, where the other does not want it', () => {
    const { client, agent } = wired([both('a', { '*': () => become({ name: 'b' }) })]);
    client.sendsBytes('{"jsonrpc":"2.0",  "method":"x"}\n');
    expect(agent.receivedBytes().toString()).toBe('{"jsonrpc":"2.0",  "method":"x"}\n');
  });

  test('is asked for the reply that made it so, to a request from before', () => {
    const answers: Plugin = { name: 'b', toClient: { replies: { x: ({ to }) => replace({ result: to.id }) } } };
    const { client, agent } = wired([{ name: 'a', toClient: { replies: { '*': () => become(answers) } } }]);
    client.sends({ jsonrpc: '2.0', id: 7, method: 'x' });
    agent.sends({ jsonrpc: '2.0', id: 7, result: 0 });
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 7, result: 7 }]);
  });

  test('may do so after a wait', async () => {
    const { promise, resolve } = deferred<Outcome>();
    const { client, agent, settled } = wired([both('a', { x: () => promise })]);
    client.notifies('x');
    resolve(become(both('b', { x: () => replace({ method: 'y' }) })));
    await settled();
    expect(methods(agent.received())).toEqual(['y']);
  });

  test('stays what it is where the other has misplaced hooks, and is named', () => {
    const misplaced = { name: 'b', toAgent: { calls: { x: 1 } } } as unknown as Plugin;
    const { client, agent, log } = wired([both('a', { '*': ({ method }) => (method === 'x' ? become(misplaced) : drop()) })]);
    client.notifies('x');
    client.notifies('y');
    expect(methods(agent.received())).toEqual(['x']);
    expect(log.join()).toContain('plugin "a" failed toAgent on x');
  });
});

test('a plugin that has left behind a held message is not met by it', async () => {
  const { promise, resolve } = deferred<Outcome>();
  let host!: Host;
  const seen: string[] = [];
  const { client, agent, settled } = wired([both('a', { x: () => promise }), both('b', { hello: (_call, mine) => void (host = mine), x: () => void seen.push('b') })]);
  client.notifies('hello');
  client.notifies('x');
  host.leave();
  resolve(undefined);
  await settled();
  expect(seen).toEqual([]);
  expect(methods(agent.received())).toEqual(['hello', 'x']);
});
