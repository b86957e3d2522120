import { describe, expect, test } from 'vitest';
import type { Plugin } from '../../src/plugin.js';
import { wired } from './harness.js';

/** Reads everything and changes nothing; remembers requests in both directions. */
function reader(): { readonly plugin: Plugin; readonly seen: string[] } {
  const seen: string[] = [];
  const look = ({ method, params }: { readonly method: string; readonly params: unknown }): void => void seen.push(`${method} ${typeof params}`);
  const hooks = { calls: { '*': look }, replies: { '*': ({ to }: { readonly to: { readonly method: string } }) => void seen.push(`reply to ${to.method}`) } };
  return { plugin: { name: 'reader', toAgent: hooks, toClient: hooks }, seen };
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const next = '{"jsonrpc":"2.0","method":"next"}\n';

describe('a line that is made to break a reader passes as it came, and so does the next', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['a hundred thousand levels', `{"jsonrpc":"2.0","method":"m","params":${deep(100_000)}}`],
    ['an id of a hundred thousand levels', `{"jsonrpc":"2.0","id":${deep(100_000)},"method":"m"}`],
    ['a reply with such an id', `{"jsonrpc":"2.0","id":${deep(100_000)},"result":{}}`],
    ['an id that is no JSON', '{"jsonrpc":"2.0","id":nulx,"method":"m"}'],
    ['a reply with an id that is no JSON', '{"jsonrpc":"2.0","id":1e,"result":{}}'],
    ['an id of a megabyte', `{"jsonrpc":"2.0","id":"${'i'.repeat(1 << 20)}","method":"m"}`],
    ['numbers beyond all others', '{"jsonrpc":"2.0","id":1e999,"method":"m","params":[1e999,-1e999,1e-999]}'],
    ['names of the language', '{"jsonrpc":"2.0","id":"__proto__","method":"constructor","params":{"__proto__":{"sessionId":"s"},"constructor":1,"toString":null,"hasOwnProperty":0}}'],
    ['half characters and NUL bytes', '{"jsonrpc":"2.0","method":"m","params":"\\ud800 \\udfff \\u0000"}'],
    ['a huge array', `{"jsonrpc":"2.0","method":"m","params":[${'0,'.repeat(500_000)}0]}`],
  ];
  test.each(lines)('%s', (_name, line) => {
    for (const from of ['agent', 'client'] as const) {
      const { plugin } = reader();
      const all = wired([plugin]);
      all.client.requests('before');
      all.agent.received();
      all[from].sendsBytes(`${line}\n${next}`);
      expect(all[from === 'agent' ? 'client' : 'agent'].receivedBytes().toString() === `${line}\n${next}`).toBe(true);
      expect(all.log).toEqual([]);
    }
  });
});

describe('a line that is longer than a string can be', () => {
  const longestText = 1000;
  const long = `{"jsonrpc":"2.0","method":"m","params":"${'x'.repeat(9000)}"}\n`;

  test('passes unlooked at, in any chunks, and what follows is read again', () => {
    for (const size of [1, 7, 64, 999, 1000, 1001, 5000, 10_000]) {
      const { plugin, seen } = reader();
      const { agent, client } = wired([plugin], { longestText });
      const bytes = Buffer.from(next + long + next);
      for (let at = 0; at < bytes.length; at += size) agent.sendsBytes(bytes.subarray(at, at + size));
      expect(client.receivedBytes().toString()).toBe(next + long + next);
      expect(seen).toEqual(['next undefined', 'next undefined']);
    }
  });

  test('passes also where it is no message, and with nobody to read', () => {
    const noise = `${'noise '.repeat(500)}\n`;
    for (const plugins of [[], [reader().plugin]]) {
      const { agent, client, strays } = wired(plugins, { longestText });
      for (let at = 0; at < noise.length; at += 100) agent.sendsBytes(noise.slice(at, at + 100));
      agent.sendsBytes(noise + next);
      expect(client.receivedBytes().toString()).toBe(noise + noise + next);
      expect(strays).toEqual([]);
    }
  });

  test('does not let a message of a plugin into its middle', () => {
    const { plugin } = reader();
    const speaker: Plugin = { name: 'speaker', toAgent: { calls: { say: (_call, host) => void host.notify('toClient', 'said', {}) } } };
    const { agent, client } = wired([plugin, speaker], { longestText });
    agent.sendsBytes(long.slice(0, 5000));
    client.notifies('say');
    agent.sendsBytes(long.slice(5000) + next);
    expect(client.receivedBytes().toString()).toBe(`${long}{"jsonrpc":"2.0","method":"said","params":{}}\n${next}`);
  });
});
