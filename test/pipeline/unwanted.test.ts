// Lines whose form tells that nobody wants them pass without a look; the hooks see what parsing tells that they want.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Call, Plugin } from '../../src/plugin.js';
import { Peek } from '../../src/wire/peek.js';
import { messageText } from '../wire/json-text.js';
import { wired } from './harness.js';

/** Wants one kind of update and one method, and notes what it gets. */
function picky(): { readonly plugin: Plugin; readonly seen: string[] } {
  const seen: string[] = [];
  const note = ({ raw }: Call): void => void seen.push(Buffer.from(raw).toString());
  return { seen, plugin: { name: 'picky', toClient: { calls: { 'session/update': { tool_call: note }, wanted: note } } } };
}

/** What JSON-RPC knows as an id, or none. A call with anything else is none that could be answered. */
const isId = (id: unknown): boolean => id === undefined || id === null || typeof id === 'string' || typeof id === 'number';

/** What it has to get, by what parsing tells. */
function wantedOf(lines: readonly string[]): string[] {
  return lines
    .filter((line) => {
      const { method, id, params } = JSON.parse(line) as { method?: unknown; id?: unknown; params?: { update?: { sessionUpdate?: unknown } } };
      if (!isId(id)) return false;
      return method === 'wanted' || (method === 'session/update' && params?.update?.sessionUpdate === 'tool_call');
    })
    .map((line) => `${line}\n`);
}

const update = (session: string, kind: string, rest: string, end = '}}}'): string =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":{"sessionUpdate":"${kind}"${rest}${end}`;
const text = (value: string): string => `,"content":{"type":"text","text":${JSON.stringify(value)}}`;

const texts = fc.oneof(fc.string(), fc.string({ minLength: 60, maxLength: 300 }), fc.constantFrom('', '"', '\\', '\\"', '"}}}}', '","sessionUpdate":"tool_call', '"}},"method":"wanted', '}}}', 'é日本 😀', '\u2028', '\n', '\u0000'));
/** Ends that make something else of what an update begins as. */
const ends = fc.constantFrom('}}},"id":1}', '}},"id":null}', '}},"method":"wanted"}', '}},"m\\u0065thod":"wanted"}', '}},"method":"other"}', '}},"params":{}}', '},"update":{"sessionUpdate":"tool_call"}}}', ',"sessionUpdate":"tool_call"}}}', ',"session\\u0055pdate":"tool_call"}}}', ',"_meta":{"sessionUpdate":"tool_call"}}}}', '}},"result":{}}', ' }}}', '}}}\r', ',"n":1.0}}}').map((end) => end.replace(/^}}},/, '}},'));
const lineText = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom('s', 's2'), fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'plan', 'tool_call'), texts, fc.constantFrom('', ',"messageId":"a"', ',"messageId":"bb"')).map(([session, kind, value, id]) => update(session, kind, text(value) + id)) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('agent_message_chunk', 'plan'), texts, ends).map(([kind, value, end]) => update('s', kind, text(value), end)) },
  { weight: 1, arbitrary: fc.constantFrom('{"jsonrpc":"2.0","method":"wanted","params":{"a":1}}', '{"jsonrpc":"2.0","method":"other","params":{"a":"1"}}', '{"jsonrpc":"2.0","method":"other","params":{"a":"2"}}', '{"jsonrpc":"2.0","id":1,"result":{"a":"1"}}', '{"jsonrpc":"2.0","id":"afterturn","method":"other"}') },
  { weight: 1, arbitrary: messageText.filter((line) => !line.includes('\n') && ['jsonrpc', 'method', 'id', 'result', 'error'].some((name) => Object.hasOwn(JSON.parse(line) as object, name))) },
);

describe('lines that nobody wants', () => {
  test('pass as they came, and none that is wanted passes unseen, whatever came before it and however it is cut', () => {
    fc.assert(
      fc.property(fc.array(lineText, { minLength: 1, maxLength: 60 }), fc.array(fc.nat(), { maxLength: 5 }), (some, cuts) => {
        const lines = [...some, ...some, ...some.toReversed()];
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const { plugin, seen } = picky();
        const { agent, client, strays, log } = wired([plugin]);
        for (const [i, place] of places.slice(1).entries()) agent.sendsBytes(bytes.subarray(places[i], place));
        expect(client.receivedBytes().equals(bytes)).toBe(true);
        expect(seen).toEqual(wantedOf(lines));
        expect([strays, log]).toEqual([[], []]);
      }),
      { numRuns: Number(process.env.AFTERTURN_RUNS ?? 150) },
    );
  });

  test('are not looked at once their form is known', () => {
    const { plugin, seen } = picky();
    const { agent, client } = wired([plugin]);
    const chunk = (value: string): string => `${update('s', 'agent_message_chunk', text(value))}\n`;
    agent.sendsBytes(chunk('first') + chunk('second'));
    client.receivedBytes();
    const look = vi.spyOn(Peek.prototype, 'look');
    const many = Array.from({ length: 100 }, (_, i) => chunk(`a "quoted" ${i}`)).join('');
    const call = `${update('s', 'tool_call', '')}\n`;
    agent.sendsBytes(many + call + many);
    expect([look.mock.calls.length, seen.length]).toEqual([1, 1]);
    look.mockRestore();
    expect(client.receivedWrites().map(String)).toEqual([many + call + many]);
  });

  test('that look like known ones and are broken are diverted', () => {
    const { agent, client, strays } = wired([picky().plugin]);
    const chunk = `${update('s', 'plan', text('a'))}\n`;
    const other = `${update('s', 'plan', text('b'))}\n`;
    agent.sendsBytes(chunk + other);
    client.receivedBytes();
    const torn = [chunk.slice(0, -4), chunk.slice(0, -8), chunk.replace('"a"', '"a\\"'), `${chunk.slice(0, -1)} x`].map((line) => `${line.trimEnd()}\n`);
    agent.sendsBytes(torn.join('') + chunk);
    expect([strays, client.receivedBytes().toString()]).toEqual([torn, chunk]);
  });

  test('are looked at anew when what is wanted has changed', () => {
    const seen: string[] = [];
    const changing: Plugin = {
      name: 'changing',
      toClient: { calls: { leave: (_call, host) => host.leave() } },
    };
    const late: Plugin = { name: 'late', toClient: { calls: { 'session/update': { plan: () => void seen.push('plan') } } } };
    const { agent, client } = wired([late, changing]);
    const line = (kind: string, value: string): string => update('s', kind, text(value));
    agent.sends(line('agent_message_chunk', 'a'), line('agent_message_chunk', 'b'), '{"jsonrpc":"2.0","method":"leave"}', line('agent_message_chunk', 'c'), line('plan', 'd'));
    expect(seen).toEqual(['plan']);
    expect(client.receivedLines()).toHaveLength(5);
  });
});
