import { describe, expect, test } from 'vitest';
import type { Follow, Host, Plugin, Reply } from '../../src/plugin.js';
import { wired, type Wired } from './harness.js';

/** A connection with one plugin, and the plugin's host. */
function hosted(more: Partial<Plugin> = {}): Wired & { readonly host: Host } {
  let host!: Host;
  const all = wired([{ name: 'p', toAgent: { calls: { hello: (_call, mine) => void (host = mine) } }, ...more }], { agentCommand: ['agent', '--acp'], startAt: 5, epoch: 1000 });
  all.client.notifies('hello');
  all.agent.received();
  return { ...all, host };
}

test('a host knows the connection', () => {
  const { host, clock } = hosted();
  clock.advance(2);
  expect([host.agentCommand, host.now(), host.wallClock()]).toEqual([['agent', '--acp'], 7, 1007]);
  expect(host.uniqueId()).not.toBe(host.uniqueId());
});

describe('timers', () => {
  test('run once when they are due, in order', () => {
    const { host, clock } = hosted();
    const ran: string[] = [];
    host.after(20, () => ran.push('b'));
    host.after(10, () => ran.push('a'));
    clock.advance(15);
    expect(ran).toEqual(['a']);
    clock.advance(100);
    expect([ran, clock.pending()]).toEqual([['a', 'b'], 0]);
  });

  test('can be cancelled, also twice and when they have run', () => {
    const { host, clock } = hosted();
    const ran: string[] = [];
    const cancel = host.after(10, () => ran.push('a'));
    cancel();
    cancel();
    const late = host.after(10, () => ran.push('b'));
    clock.advance(10);
    late();
    expect(ran).toEqual(['b']);
  });

  test('one that throws is named and costs nothing else', () => {
    const { host, clock, log } = hosted();
    const ran: string[] = [];
    host.after(10, () => {
      throw new Error('broken');
    });
    host.after(10, () => ran.push('next'));
    clock.advance(10);
    expect(ran).toEqual(['next']);
    expect(log.map((line) => line.split('\n')[0])).toEqual(['error: plugin "p" failed in a timer: Error: broken']);
  });

  test('end with the connection', async () => {
    const { host, clock, relay } = hosted();
    host.after(10, () => expect.unreachable());
    await relay.close();
    expect(clock.pending()).toBe(0);
    clock.advance(10);
  });
});

describe('followed files', () => {
  const following = (all: Wired & { readonly host: Host }): { readonly follow: Follow; readonly got: string[] } => {
    const got: string[] = [];
    const follow = all.host.follow('/out', { bytes: (data, reset) => got.push(`${reset ? '!' : ''}${Buffer.from(data).toString()}`), failed: (reason) => got.push(`failed: ${reason}`) });
    return { follow, got };
  };

  test('come as they grow, and anew when they are replaced', () => {
    const all = hosted();
    const { follow, got } = following(all);
    all.files.write('/out', 'a');
    all.files.write('/out', 'b', { lazily: true });
    expect(got).toEqual(['!a']);
    follow.flush();
    all.files.replace('/out', 'c');
    follow.close();
    all.files.write('/out', 'd');
    expect(got).toEqual(['!a', 'b', '!c']);
  });

  test('may fail', () => {
    const all = hosted();
    const { got } = following(all);
    all.files.fail('/out', 'no such file');
    expect([got, all.files.followed()]).toEqual([['failed: no such file'], []]);
  });

  test('a callback that throws is named', () => {
    const { host, files, log } = hosted();
    host.follow('/out', {
      bytes: () => {
        throw new Error('broken');
      },
    });
    files.write('/out', 'a');
    files.fail('/out', 'nobody is told');
    expect(log.map((line) => line.split('\n')[0])).toEqual(['error: plugin "p" failed in a followed file: Error: broken']);
  });

  test('are let go at the end of the connection', async () => {
    const all = hosted();
    following(all);
    expect(all.files.followed()).toEqual(['/out']);
    await all.relay.close();
    expect(all.files.followed()).toEqual([]);
  });
});

describe('requests of its own', () => {
  test('return the id that they have on the wire', () => {
    const { host, client, agent } = hosted();
    const id = host.request('toAgent', 'x', { a: 1 }, () => undefined);
    expect(agent.received()).toEqual([{ jsonrpc: '2.0', id, method: 'x', params: { a: 1 } }]);
    const back = host.request('toClient', 'y', undefined, () => undefined);
    expect(client.received()).toEqual([{ jsonrpc: '2.0', id: back, method: 'y' }]);
  });

  test('get their result or error, with the request and the line', () => {
    const { host, agent, clock } = hosted();
    const replies: Reply[] = [];
    const [good, bad] = ['x', 'y'].map((method) => host.request('toAgent', method, 0, (reply) => replies.push(reply)));
    clock.advance(3);
    agent.refuses(bad as string, { code: 1, message: 'no' });
    agent.answers(good as string, { ok: 1 });
    expect(replies.map(({ kind, to, result, error }) => ({ kind, to, result, error }))).toEqual([
      { kind: 'reply', to: { method: 'y', id: bad, seenAt: 5 }, result: undefined, error: { code: 1, message: 'no' } },
      { kind: 'reply', to: { method: 'x', id: good, seenAt: 5 }, result: { ok: 1 }, error: undefined },
    ]);
    expect(Buffer.from(replies[1]?.raw ?? []).toString()).toBe(`{"jsonrpc":"2.0","id":"${String(good)}","result":{"ok":1}}\n`);
  });

  test('an onReply that throws is named, and the lane goes on', () => {
    const { host, client, agent, log } = hosted();
    const id = host.request('toAgent', 'x', 0, () => {
      throw new Error('broken');
    });
    agent.sends({ jsonrpc: '2.0', id, result: 0 }, { jsonrpc: '2.0', method: 'next' });
    expect(client.received()).toEqual([{ jsonrpc: '2.0', method: 'next' }]);
    expect(log.map((line) => line.split('\n')[0])).toEqual(['error: plugin "p" failed in onReply to x: Error: broken']);
  });

  test('what has no JSON fails where it is asked for, and nothing is sent', () => {
    const { host, agent } = hosted();
    expect(() => host.request('toAgent', 'x', 1n, () => undefined)).toThrow(TypeError);
    expect(() => host.notify('toAgent', 'x', 1n)).toThrow(TypeError);
    expect(agent.received()).toEqual([]);
  });

  test('the reply comes also to a plugin that has left, and nobody else gets it', () => {
    const { host, client, agent } = hosted();
    const results: unknown[] = [];
    const id = host.request('toAgent', 'x', 0, ({ result }) => results.push(result));
    host.leave();
    host.leave();
    agent.answers(id, 'here');
    expect([results, client.received()]).toEqual([['here'], []]);
  });
});

test('a request that was parked can be answered by a plugin that has left', () => {
  const { host, client } = hosted({ toAgent: { calls: { hello: (_call, mine) => void (kept = mine), long: () => ({ do: 'take' }) } } });
  void host;
  client.requests('long');
  kept.leave();
  expect(kept.respond('toAgent', 1, { result: 'done' })).toBe(true);
  expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 'done' }]);
});
let kept: Host;

test('nothing is sent after the end', async () => {
  const { host, client, agent, relay } = hosted();
  await relay.close();
  host.notify('toAgent', 'x', 0);
  host.request('toClient', 'y', 0, () => expect.unreachable());
  expect([agent.received(), client.received()]).toEqual([[], []]);
});
