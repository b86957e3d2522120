/** What passes byte for byte, as literals: with no plugin, with one that reads everything, and with one that waits. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import type { CallHooks, Plugin, ReplyHooks } from '../../src/plugin.js';
import { wired } from '../pipeline/harness.js';

const messages = [
  '{"jsonrpc":"2.0","id":1,"method":"a"}\n',
  '{"jsonrpc":"2.0","id":"1","method":"a"}\n',
  '{"jsonrpc":"2.0","id":0,"method":"a"}\n',
  '{"jsonrpc":"2.0","id":"","method":"a"}\n',
  '{"jsonrpc":"2.0","id":null,"method":"a"}\n',
  '{"jsonrpc":"2.0","id":1.0,"method":"a"}\n',
  '{"jsonrpc":"2.0","id":-1e2,"method":"a"}\n',
  '{"jsonrpc":"2.0","id":12345678901234567890,"method":"a"}\n',
  '{"jsonrpc":"2.0","id":"\\u0061\\/\\"","method":"a"}\n',
  '{"jsonrpc":"2.0","id":1,"result":{"n":0.10,"m":1E+5}}\n',
  '{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":""}}\n',
  '{"jsonrpc":"2.0","method":"a","params":{"text":"\u2028\u2029"}}\n',
  '{"jsonrpc":"2.0","method":"a","params":{"text":"né 日本 😀 \\ud83d\\ude00"}}\n',
  '{"jsonrpc":"2.0","method":"a","params":{}}\r\n',
  '{"params":{"b":1,"a":2,"10":3,"9":4},"method":"a","jsonrpc":"2.0"}\n',
  '{"jsonrpc":"2.0","method":"a","method":"b","params":{"x":1,"x":2}}\n',
  '{ "jsonrpc" : "2.0" ,\t"method":"a" , "params" : [ ] }  \n',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","__proto__":{"x":1}}}}\n',
  '[{"jsonrpc":"2.0","method":"a"}]\n',
  '\n',
  ' \r\n',
  '{"jsonrpc":"2.0","method":"last"}',
];

const calls: CallHooks = { '*': ({ params }) => void params, 'session/update': { plan: ({ params }) => void params } };
const replies: ReplyHooks = { '*': ({ result, error }) => void [result, error] };
const reads: Plugin = { name: 'reads', toAgent: { calls, replies }, toClient: { calls, replies } };
const lateCalls: CallHooks = { '*': () => Promise.resolve(undefined) };
const waits: Plugin = { name: 'waits', toAgent: { calls: lateCalls }, toClient: { calls: lateCalls } };

describe.each<[string, readonly Plugin[]]>([
  ['with no plugin', []],
  ['with one that reads everything', [reads]],
  ['with one that waits', [waits, reads]],
])('%s', (_name, plugins) => {
  const bytes = Buffer.from(messages.join(''));

  test.each([1, 2, 3, 7, 64, 65_536])('in pieces of %i bytes, both ways', async (size) => {
    const { client, agent, relay, strays } = wired(plugins);
    for (let at = 0; at < bytes.length; at += size) {
      relay.push('toAgent', bytes.subarray(at, at + size));
      relay.push('toClient', bytes.subarray(at, at + size));
    }
    await Promise.all([client.ends(), agent.ends()]);
    expect(agent.receivedBytes().toString()).toBe(bytes.toString());
    expect(client.receivedBytes().toString()).toBe(bytes.toString());
    expect(strays).toEqual([]);
  });
});
