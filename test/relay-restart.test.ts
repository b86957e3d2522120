/** What a plugin holds back, and an agent that is started again. */
import { describe, expect, test } from 'vitest';
import { drop, take, type Host, type Outcome, type Plugin, type Reply } from '../src/plugin.js';
import { wired, type Message, type Wired, type WiredOptions } from './pipeline/harness.js';

const methods = (messages: readonly Message[]): string[] => messages.map(({ method }) => method as string);

interface Hosted extends Wired {
  readonly host: Host;
  readonly goOn: () => void;
  /** The id of the request `start` that the plugin made. */
  readonly asked: string;
  /** The replies that the plugin got. */
  readonly replies: Reply[];
}

/** A plugin that takes `initialize`, holds back the rest, and asks the agent itself. */
function negotiating(plugins: readonly Plugin[] = [], options: WiredOptions = {}): Hosted {
  let host!: Host;
  let goOn!: () => void;
  const replies: Reply[] = [];
  const negotiator: Plugin = {
    name: 'negotiator',
    toAgent: {
      calls: {
        initialize(_call, mine) {
          host = mine;
          goOn = host.hold('toAgent');
          host.request('toAgent', 'start', {}, (reply) => void replies.push(reply));
          return take();
        },
      },
    },
  };
  const on = wired([negotiator, ...plugins], options);
  on.client.requests('initialize', {});
  const [{ id }] = on.agent.received();
  return { ...on, host, goOn, asked: id, replies };
}

describe('what is held back', () => {
  test('waits in order, and costs the other direction nothing', () => {
    const { client, agent, goOn, host } = negotiating();
    client.notifies('a');
    client.sends('not json', { jsonrpc: '2.0', method: 'b' });
    agent.notifies('news');
    host.notify('toAgent', 'own', {});
    expect([methods(agent.received()), methods(client.received())]).toEqual([['own'], ['news']]);
    goOn();
    expect(agent.receivedLines()).toEqual(['{"jsonrpc":"2.0","method":"a"}', 'not json', '{"jsonrpc":"2.0","method":"b"}']);
  });

  test('also what came in the same chunk, and passes no plugin before', () => {
    const seen: string[] = [];
    let goOn!: () => void;
    const { client, agent } = wired([
      { name: 'first', toAgent: { calls: { '*': (call) => void seen.push(call.method) } } },
      { name: 'second', toAgent: { calls: { a: (_call, host) => void (goOn = host.hold('toAgent')) } } },
    ]);
    client.sends({ jsonrpc: '2.0', method: 'a' }, { jsonrpc: '2.0', method: 'b' });
    expect([seen, methods(agent.received())]).toEqual([['a'], ['a']]);
    goOn();
    expect([seen, methods(agent.received())]).toEqual([['a', 'b'], ['b']]);
  });

  test('pauses its reader when it is much, and lets it go on afterwards', () => {
    const { client, agent, goOn } = negotiating();
    expect(client.sendsBytes(`{"jsonrpc":"2.0","method":"a","params":"${'x'.repeat(70_000)}"}\n`)).toBe(false);
    expect(client.resumed()).toBe(0);
    goOn();
    expect([methods(agent.received()), client.resumed()]).toEqual([['a'], 1]);
  });

  test('the end of the input waits for it too', async () => {
    const order: string[] = [];
    const { client, goOn, agent } = negotiating([{ name: 'p', onEnd: ({ kind }) => void order.push(kind) }]);
    client.sendsBytes('{"jsonrpc":"2.0","method":"last"}');
    const ended = client.ends().then(() => order.push('ended'));
    await new Promise((resolve) => setImmediate(resolve));
    expect([order, agent.received()]).toEqual([[], []]);
    goOn();
    await ended;
    expect([order, methods(agent.received())]).toEqual([['clientEnd', 'ended'], ['last']]);
  });

  test('but not for ever', async () => {
    const { client, clock, agent } = negotiating();
    client.sendsBytes('{"jsonrpc":"2.0","method":"last"}');
    const ended = client.ends();
    clock.advance(9_999);
    expect(agent.received()).toEqual([]);
    clock.advance(1);
    await ended;
    expect(methods(agent.received())).toEqual(['last']);
  });

  test('is let go of by the end of the connection', async () => {
    const { client, relay } = negotiating();
    const ended = client.ends();
    await relay.close();
    await ended;
  });
});

describe('an agent that is started again', () => {
  test('is told what is said from then on, and nothing of the client is lost', () => {
    const { client, agent, host, goOn, asked, restarts } = negotiating();
    client.notifies('a');
    agent.answers(asked, {});
    expect([host.restart(), restarts()]).toEqual([true, 1]);
    host.request('toAgent', 'start', { again: true }, () => undefined);
    goOn();
    expect(methods(agent.received())).toEqual(['start', 'a']);
  });

  test('nothing that the old one said and that was not looked at yet goes on', () => {
    let host!: Host;
    const { client, agent } = wired([
      {
        name: 'p',
        toAgent: { calls: { initialize: (_call, mine) => ((host = mine), host.request('toAgent', 'start', {}, () => void host.restart()), take()) } },
        toClient: { calls: { '*': () => undefined } },
      },
    ]);
    client.requests('initialize', {});
    const [{ id }] = agent.received();
    agent.sends({ jsonrpc: '2.0', method: 'before' }, { jsonrpc: '2.0', id, result: {} }, { jsonrpc: '2.0', method: 'behind' }, 'noise');
    agent.sendsBytes('{"jsonrpc":"2.0","method":"new"}\n');
    expect(methods(client.received())).toEqual(['before', 'new']);
  });

  test('a half line of the old one is no beginning of the new one\'s first', () => {
    const { client, agent, host, asked } = negotiating();
    agent.answers(asked, {});
    agent.sendsBytes('{"jsonrpc":"2.0","meth');
    host.restart();
    agent.notifies('new');
    expect(client.receivedLines()).toEqual(['{"jsonrpc":"2.0","method":"new"}']);
  });

  test('a long line whose beginning went on already ends there', () => {
    const { client, agent, host, asked } = negotiating();
    agent.answers(asked, {});
    const begun = `{"jsonrpc":"2.0","method":"long","params":"${'x'.repeat(5_000)}`;
    agent.sendsBytes(begun);
    host.restart();
    agent.notifies('new');
    expect(client.receivedLines()).toEqual([begun, '{"jsonrpc":"2.0","method":"new"}']);
  });

  test('requests of plugins that wait for the old one end with an error, and the new one is asked before anything else', () => {
    const said: string[] = [];
    const { agent, host, replies, asked } = negotiating();
    host.request('toAgent', 'second', {}, ({ error }) => void said.push(error?.message ?? 'answered'));
    agent.received();
    host.restart();
    expect([replies.map(({ error }) => error?.message), said]).toEqual([['the agent was started again and has not answered'], ['the agent was started again and has not answered']]);
    agent.answers(asked, {});
    expect(replies).toHaveLength(1);
  });

  test('they cost nothing afterwards: what nobody waits for passes unread', () => {
    const { client, agent, host, asked } = negotiating();
    agent.answers(asked, {});
    host.request('toAgent', 'second', {}, () => undefined);
    host.restart();
    const begun = `{"jsonrpc":"2.0","method":"long","params":"${'x'.repeat(5_000)}`;
    agent.sendsBytes(begun);
    expect(client.receivedBytes().toString()).toBe(begun);
  });

  test('a second time, too', () => {
    const { host, restarts } = negotiating();
    expect([host.restart(), host.restart(), restarts()]).toEqual([true, true, 2]);
  });
});

describe('an agent is not started again', () => {
  const isNot = ({ host, restarts }: Hosted): void => expect([host.restart(), restarts()]).toEqual([false, 0]);

  test('where it cannot be', () => {
    const on = negotiating([], { onlyOnce: true });
    expect([on.host.restart(), on.replies]).toEqual([false, []]);
    on.agent.answers(on.asked, {});
    expect(on.replies).toHaveLength(1);
  });

  test('when it was told something of the client', () => {
    const on = negotiating();
    on.client.notifies('a');
    on.goOn();
    isNot(on);
  });

  test('also something that a plugin changed', () => {
    const on = negotiating([{ name: 'p', toAgent: { calls: { a: () => ({ do: 'replace', with: { params: { changed: true } } }) } } }]);
    on.client.notifies('a');
    on.goOn();
    isNot(on);
  });

  test('but what was dropped did not reach it', () => {
    const on = negotiating([{ name: 'p', toAgent: { calls: { a: () => drop() } } }]);
    on.client.notifies('a');
    on.goOn();
    expect(on.host.restart()).toBe(true);
  });

  test('when a plugin said something to it that is no request of its own', () => {
    const on = negotiating();
    on.host.notify('toAgent', 'hello', {});
    isNot(on);
  });

  test('when its output has ended', async () => {
    const on = negotiating();
    await on.agent.ends();
    isNot(on);
  });

  test('when the input of the client has ended and was passed on', async () => {
    const on = negotiating();
    on.goOn();
    await on.client.ends();
    isNot(on);
  });

  test('when the connection is over', async () => {
    const on = negotiating();
    await on.relay.close();
    isNot(on);
  });
});

test('a hook that holds the lane of the old one still ends as it would', async () => {
  let settle!: (outcome: Outcome) => void;
  const { client, agent, host, settled } = negotiating([{ name: 'p', toClient: { calls: { slow: () => new Promise<Outcome>((resolve) => (settle = resolve)) } } }]);
  agent.notifies('slow');
  agent.notifies('lost');
  host.restart();
  agent.notifies('new');
  settle(undefined);
  await settled();
  expect(methods(client.received())).toEqual(['slow', 'new']);
});
