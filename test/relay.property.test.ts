import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer, drop, instead, keep, replace, take, type Plugin, type Verdict } from '../src/plugin.js';
import { wired, type Message } from './pipeline/harness.js';

const pass = (): undefined => undefined;

describe('whatever arrives, in whatever pieces', () => {
  const update = (kind: string): fc.Arbitrary<string> =>
    fc.string().map((text) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: kind, text } } }));
  const line = fc.tuple(
    fc.oneof(
      update('a'),
      update('b'),
      fc.nat({ max: 5 }).map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ask","params":{"n":1.0,"m":[1e3,12345678901234567890]}}`),
      fc.nat({ max: 5 }).map((id) => `{"id":${id},"result": {"a" : 1.0},"jsonrpc":"2.0"}`),
      fc.constantFrom('{"jsonrpc":"2.0","method":"x","method":"y"}', '[{"jsonrpc":"2.0","method":"x"}]', '', ' \t', '{"jsonrpc":"2.0","method":"né 日本 😀 \u2028"}'),
      fc.integer({ min: 0, max: 20_000 }).map((size) => `{"jsonrpc":"2.0","method":"long","params":"${'\\"'.repeat(size / 2)}"}`),
    ),
    fc.constantFrom('\n', '\n', '\r\n'),
  );
  const noise = fc.constantFrom('noise\n', '{"level":"info"}\n', 'é日本\r\n');
  const cuts = fc.array(fc.nat(), { maxLength: 12 });

  const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
    const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
    return sorted.slice(1).map((place, i) => bytes.subarray(sorted[i], place));
  };

  const looksAtAll: Plugin = {
    name: 'looks',
    toAgent: { calls: { '*': ({ params }) => void params }, replies: { '*': ({ result }) => void result } },
    toClient: { calls: { '*': ({ params }) => void params, 'session/update': { a: ({ params }) => void params } }, replies: { '*': ({ result }) => void result } },
  };
  const late: Plugin = { name: 'late', toClient: { calls: { ask: () => Promise.resolve(undefined) } } };

  test('the bytes that nobody changes are identical', async () => {
    const chains = fc.constantFrom<readonly Plugin[]>([], [looksAtAll], [looksAtAll, late, looksAtAll], [late]);
    await fc.assert(
      fc.asyncProperty(chains, fc.array(fc.oneof({ weight: 5, arbitrary: line.map(([text, end]) => text + end) }, { weight: 1, arbitrary: noise }), { maxLength: 15 }), cuts, fc.boolean(), async (plugins, lines, places, torn) => {
        const { client, agent, strays, relay } = wired(plugins);
        const isNoise = (text: string): boolean => ['noise\n', '{"level":"info"}\n', 'é日本\r\n'].includes(text);
        if (torn && lines.length > 0) lines[lines.length - 1] = '{"jsonrpc":"2.0","method":"last"}';
        const bytes = Buffer.from(lines.join(''));
        for (const chunk of cut(bytes, places)) {
          relay.push('toClient', chunk);
          relay.push('toAgent', chunk);
        }
        await Promise.all([agent.ends(), client.ends()]);
        expect(agent.receivedBytes().equals(bytes)).toBe(true);
        expect(client.receivedBytes().toString()).toBe(lines.filter((text) => !isNoise(text)).join(''));
        expect(strays).toEqual(lines.filter(isNoise));
      }),
      { numRuns: 300 },
    );
  });

  test('random verdicts, some of them late, keep the order of what goes on', async () => {
    const verdicts: Readonly<Record<string, (n: number) => Verdict | undefined>> = {
      pass,
      replace: (n) => replace({ params: { n, by: 1 } }),
      drop: () => drop(),
      around: (n) => instead({ method: 'before', params: { n } }, keep, { method: 'after', params: { n } }),
      twice: (n) => instead({ method: 'one', params: { n } }, { method: 'two', params: { n } }),
    };
    const choices = fc.array(fc.tuple(fc.constantFrom(...Object.keys(verdicts)), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(choices, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 15 }), cuts, async (chosen, count, places) => {
        // Each plugin decides by the number in the message, so its expected output is known.
        const decide = (plugin: number, n: number): readonly [string, boolean, boolean] => {
          const list = chosen[plugin] as readonly (readonly [string, boolean, boolean])[];
          return list[n % list.length] as readonly [string, boolean, boolean];
        };
        const chain = chosen.map((_list, plugin): Plugin => ({
          name: `p${plugin}`,
          toAgent: {
            calls: {
              '*': (call, host) => {
                const { n } = call.params as { n: number };
                const [name, isLate, says] = decide(plugin, n);
                if (says) host.notify('toAgent', 'said', { n });
                const verdict = verdicts[name]?.(n);
                return isLate ? Promise.resolve(verdict) : verdict;
              },
            },
          },
        }));
        /** What one process of its own would make of these messages. */
        const expected = (plugin: number, input: readonly Message[]): Message[] =>
          input.flatMap((message) => {
            const { n } = message.params as { n: number };
            const [name, , says] = decide(plugin, n);
            const said = says ? [{ jsonrpc: '2.0', method: 'said', params: { n } }] : [];
            const verdict = verdicts[name]?.(n);
            if (verdict === undefined) return [message, ...said];
            if (verdict.do === 'replace') return [{ ...message, ...verdict.with }, ...said];
            if (verdict.do === 'instead') return [...verdict.messages.map((piece) => (piece === keep ? message : { jsonrpc: '2.0', ...piece })), ...said];
            return said;
          });
        const input = Array.from({ length: count }, (_, n) => ({ jsonrpc: '2.0', method: 'm', params: { n } }));
        const { client, agent, relay } = wired(chain);
        for (const chunk of cut(Buffer.from(input.map((message) => `${JSON.stringify(message)}\n`).join('')), places)) relay.push('toAgent', chunk);
        await client.ends();
        expect(agent.received()).toEqual(chosen.reduce((messages, _list, plugin) => expected(plugin, messages), input as Message[]));
      }),
      { numRuns: 300 },
    );
  });

  test('every request is answered once, whoever answers it', async () => {
    const answers = fc.constantFrom('agent', 'answer', 'refuse', 'take', 'late');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(answers, fc.integer({ min: 0, max: 2 }), fc.nat({ max: 3 })), { maxLength: 20 }), async (requests) => {
        const chain = [0, 1, 2].map((place): Plugin => ({
          name: `p${place}`,
          toAgent: {
            calls: {
              '*': (call, host) => {
                const { how, where } = call.params as { how: string; where: number };
                if (where !== place || how === 'agent') return undefined;
                if (how === 'answer') return answer(how);
                if (how === 'refuse') return { do: 'refuse', error: { code: 1, message: how } };
                if (how === 'late') return Promise.resolve(answer(how));
                host.after(10, () => expect(host.respond('toAgent', call.id as number, { result: how })).toBe(true));
                return take();
              },
            },
          },
          toClient: { replies: { '*': () => undefined } },
        }));
        const { client, agent, clock, settled } = wired(chain);
        for (const [how, where, id] of requests) client.sends({ jsonrpc: '2.0', id, method: 'ask', params: { how, where } });
        await settled();
        for (const { id } of agent.received()) agent.answers(id, 'agent');
        clock.advance(10);
        const replies = client.received().map(({ id, result, error }) => `${id} ${result ?? error.message}`);
        expect(replies.sort()).toEqual(requests.map(([how, , id]) => `${id} ${how}`).sort());
      }),
      { numRuns: 200 },
    );
  });
});
