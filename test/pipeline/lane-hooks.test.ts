import { describe, expect, test } from 'vitest';
import { answer, become, drop, replace, type Host, type Outcome, type Plugin } from '../../src/plugin.js';
import { wired } from './harness.js';
import { both, deferred, methods, signs } from './hooked.js';

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
