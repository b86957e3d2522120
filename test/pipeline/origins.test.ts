import { expect, test } from 'vitest';
import { answer, drop, instead, keep, refuse, replace, ruled, take, type Plugin } from '../../src/plugin.js';
import { wired } from './harness.js';

/** What is told, as `direction made names` and `direction dropped name: names`. */
function told(plugins: readonly Plugin[]) {
  const notes: string[] = [];
  const conversation = wired(plugins, {
    origin: {
      made: (direction, by) => notes.push(`${direction} made ${by.join(', ')}`),
      dropped: (direction, { method = 'a reply', id }, by) => notes.push(`${direction} dropped ${method}${id === undefined ? '' : ` ${id}`} ${by.join(', ')}`),
    },
  });
  return { ...conversation, notes: () => notes.splice(0) };
}
const calls = (name: string, method: string, hook: NonNullable<NonNullable<Plugin['toAgent']>['calls']>[string]): Plugin => ({ name, toAgent: { calls: { [method]: hook } } });

test('who changed a message, in the order in which it met them, with their rules', () => {
  const { client, notes } = told([calls('a', 'x', () => ruled('first', replace({ params: 1 }))), calls('b', 'x', () => replace({ params: 2 }))]);
  client.notifies('x');
  client.notifies('y');
  expect(notes()).toEqual(['toAgent made a: first, b']);
});

test('a message that nobody changed is not told of, also beside one of a plugin', () => {
  const { client, agent, notes } = told([calls('a', 'x', () => ruled('more', instead({ method: 'before', params: {} }, keep, { method: 'after', params: {} })))]);
  client.notifies('x');
  expect(agent.received().map(({ method }) => method)).toEqual(['before', 'x', 'after']);
  expect(notes()).toEqual(['toAgent made a: more', 'toAgent made a: more']);
});

test('what is told of a message comes after the one before it has left', () => {
  const { client, agent, notes } = told([calls('a', 'x', () => replace({ params: 1 })), calls('b', 'y', () => (notes().length === 1 && agent.receivedLines().length === 1 ? drop() : undefined))]);
  client.sendsBytes('{"jsonrpc":"2.0","method":"x"}\n{"jsonrpc":"2.0","method":"y"}\n');
  expect(agent.received()).toEqual([]);
  expect(notes()).toEqual(['toAgent dropped y b']);
});

test('who dropped a message, answered it, took it, or put another in its place', () => {
  const { client, notes } = told([
    calls('changes', 'drop', () => replace({ params: 1 })),
    {
      name: 'p',
      toAgent: {
        calls: {
          drop: () => drop(),
          other: () => instead({ method: 'another', params: {} }),
          answer: () => ruled('known', answer({})),
          refuse: () => refuse({ code: 1, message: 'no' }),
          take: ({ id }, host) => (host.after(10, () => host.respond('toAgent', id ?? 0, { result: {} }, 'later')), take()),
        },
      },
    },
  ]);
  client.notifies('drop');
  client.notifies('other');
  expect(notes()).toEqual(['toAgent dropped drop changes, p', 'toAgent dropped other p', 'toAgent made p']);
  const id = client.requests('answer');
  expect(notes()).toEqual([`toAgent dropped answer ${id} p: known`, 'toClient made p: known']);
  client.requests('refuse');
  expect(notes()).toEqual([`toAgent dropped refuse ${id + 1} p`, 'toClient made p']);
});

test('a request of a plugin and its reply, an answer that comes later, a message of its own', () => {
  const asks = calls('p', 'x', ({ id }, host) => {
    host.request('toAgent', 'own', {}, () => void host.respond('toAgent', id ?? 0, { result: {} }, 'later'), 'asks');
    host.notify('toClient', 'news', {}, 'tells');
    return take();
  });
  const { client, agent, notes } = told([asks]);
  const id = client.requests('x');
  const [own] = agent.received();
  expect(notes().sort()).toEqual([`toAgent dropped x ${id} p`, 'toAgent made p: asks', 'toClient made p: tells']);
  agent.answers(own.id, {});
  expect(notes()).toEqual([`toClient dropped a reply ${JSON.stringify(own.id)} p: asks`, 'toClient made p: later']);
});

test('a message that a plugin made and another one dropped was never there', () => {
  const { client, notes } = told([calls('a', 'x', (_, host) => host.notify('toAgent', 'own', {})), calls('b', 'own', () => drop())]);
  client.notifies('x');
  expect(notes()).toEqual([]);
});

test('a promise and a hook that fails', async () => {
  const { client, notes, settled } = told([
    calls('slow', 'x', async () => { await Promise.resolve(); return replace({ params: 1 }); }),
    { ...calls('bad', 'y', () => { throw new Error('x'); }), onHookError: 'refuse' },
  ]);
  client.notifies('x');
  await settled();
  client.notifies('y');
  expect(notes()).toEqual(['toAgent made slow', 'toAgent dropped y bad']);
});
