import { expect, test } from 'vitest';
import { answer, replace, take, instead, keep, type Plugin } from '../src/plugin.js';
import { wired } from './pipeline/harness.js';

test('without plugins every byte passes', () => {
  const { client, agent } = wired([]);
  client.sendsBytes('{"jsonrpc":"2.0","id":1.0,"method":"a"}\r\n{"x"');
  client.sendsBytes(':1}\n');
  expect(agent.receivedBytes().toString()).toBe('{"jsonrpc":"2.0","id":1.0,"method":"a"}\r\n{"x":1}\n');
  agent.answers(1, {});
  expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});

test('a conversation', () => {
  const p: Plugin = {
    name: 'p',
    toAgent: { calls: { 'session/new': (call) => replace({ params: { ...(call.params as object), x: 1 } }), ping: () => answer('pong'), park: () => take() } },
    toClient: { calls: { 'session/update': { a: () => instead({ method: 'before', params: 1 }, keep) } }, replies: { 'session/new': (r) => replace({ result: { to: r.to } }) } },
  };
  const { client, agent } = wired([p]);
  client.sends({ jsonrpc: '2.0', id: 1, method: 'session/new', params: { y: 1 } });
  expect(agent.received()).toEqual([{ jsonrpc: '2.0', id: 1, method: 'session/new', params: { y: 1, x: 1 } }]);
  agent.answers(1, 2);
  expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: { to: { method: 'session/new', id: 1, seenAt: 0 } } }]);
  client.requests('ping');
  expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 'pong' }]);
  agent.notifies('session/update', { update: { sessionUpdate: 'a' } });
  agent.notifies('session/update', { update: { sessionUpdate: 'b' } });
  expect(client.received()).toHaveLength(3);
});
