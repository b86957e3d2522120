import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { replace, type Host, type Plugin } from '../../src/plugin.js';
import { wired, type WiredOptions } from './harness.js';

const seen: string[] = [];
/** Wants everything and changes nothing. */
const watcher: Plugin = {
  name: 'watcher',
  toAgent: { calls: { '*': ({ method }) => void seen.push(method) }, replies: { '*': ({ to }) => void seen.push(to.method) } },
  toClient: { calls: { '*': ({ method }) => void seen.push(method) }, replies: { '*': ({ to }) => void seen.push(to.method) } },
};

const noise = ['hello', '[info] started', '{"level":"info","msg":"x"}', '{}', '42', 'null', '"method"', '{"jsonrpc":"2.0","method":"torn', '\ufeff{"jsonrpc":"2.0","method":"torn', '\ufeffhello', '{"jsonrpc":"2.0","method":"x"} trailing', 'é \u2028 日本'];
const batch = '[{"jsonrpc":"2.0","method":"x"}, {"jsonrpc":"2.0","id":1,"method":"y"}]';
const messages = [
  '{"jsonrpc":"2.0","method":"x"}',
  '{"jsonrpc" : "2.0", "id":1.0, "method":"y","params":{}}\r',
  ' {"id":1,"method":"early","jsonrpc":"2.0"} ',
  '{"method":"no version"}',
  '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}',
  '{"jsonrpc":"2.0","id":77,"result":{}}',
  '{"jsonrpc":"2.0"}',
  '{"id":5}',
  '{"jsonrpc":"2.0","method":7}',
  '{"jsonrpc":"2.0","method":"x","method":"twice"}',
  '\ufeff{"jsonrpc":"2.0","id":6,"result":{}}',
  '\ufeff{"jsonrpc":"2.0","method":"marked"}\r',
];

const lined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe.each<[string, readonly Plugin[]]>([['with no plugin', []], ['with a plugin that wants everything', [watcher]]])('%s', (_name, plugins) => {
  test('from the agent messages, batches and blank lines pass, all else is diverted', () => {
    const { agent, client, strays } = wired(plugins);
    const mixed = [...noise.flatMap((line, i) => [line, messages[i % messages.length] as string]), batch, '', ' \r', '[]'];
    agent.sendsBytes(lined(mixed));
    const passed = mixed.filter((line) => !noise.includes(line));
    expect(client.receivedBytes().toString()).toBe(lined(passed));
    expect(strays).toEqual(noise.map((line) => `${line}\n`));
  });

  test('every message passes as it came', () => {
    const { agent, client, strays } = wired(plugins);
    agent.sendsBytes(lined(messages));
    expect(client.receivedBytes().toString()).toBe(lined(messages));
    expect(strays).toEqual([]);
  });

  test('with stray output forwarded every byte passes in order', () => {
    const { agent, client, strays } = wired(plugins, { strayOutput: 'forward' });
    const all = lined([...noise, ...messages, batch, '', ...noise]);
    agent.sendsBytes(all);
    expect(client.receivedBytes().toString()).toBe(all);
    expect(strays).toEqual([]);
  });

  test('from the client everything passes', () => {
    const { agent, client, strays } = wired(plugins);
    const all = lined([...noise, ...messages, batch, '', ' ', ...noise]);
    client.sendsBytes(all);
    expect(agent.receivedBytes().toString()).toBe(all);
    expect(strays).toEqual([]);
  });

  test('bytes that are no text pass within a message and are diverted outside one', () => {
    const { agent, client, strays } = wired(plugins);
    const message = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"x","params":"'), Buffer.of(0xff, 0xc3), Buffer.from('"}\n')]);
    agent.sendsBytes(Buffer.concat([message, Buffer.of(0xff, 0xfe, 10)]));
    expect(client.receivedBytes()).toEqual(message);
    expect(strays).toHaveLength(1);
  });

  test('the last line comes without an LF, also when it is noise', async () => {
    const { agent, client, strays } = wired(plugins);
    agent.sendsBytes('{"jsonrpc":"2.0","method":"last"}');
    expect(client.receivedBytes()).toHaveLength(0);
    await agent.ends();
    expect(client.receivedBytes().toString()).toBe('{"jsonrpc":"2.0","method":"last"}');
    const noisy = wired(plugins);
    noisy.agent.sendsBytes('bye');
    await noisy.agent.ends();
    expect([noisy.strays, noisy.client.receivedBytes().length]).toEqual([['bye'], 0]);
    expect(strays).toEqual([]);
  });

  test('noise between messages of one read costs one write more, not one per message', () => {
    const { agent, client } = wired(plugins);
    const line = '{"jsonrpc":"2.0","method":"x"}';
    agent.sendsBytes(lined([line, line, 'noise', line, line]));
    expect(client.receivedWrites().map(String)).toEqual([lined([line, line]), lined([line, line])]);
  });
});

test('what stands behind a byte order mark is a message like any other: hooks meet it, and it passes as it came', () => {
  const { agent, client } = wired([{
    name: 'p',
    toAgent: { calls: { ask: ({ params }) => replace({ params: { ...(params as object), more: 1 } }) } },
    toClient: { calls: { tell: ({ params }) => (params === undefined ? undefined : replace({ params: { seen: params } })) }, replies: { ask: ({ result }) => replace({ result: { result } }) } },
  }]);
  client.sendsBytes('\ufeff{"jsonrpc":"2.0","id":1,"method":"ask","params":{}}\n');
  expect(agent.receivedBytes().toString()).toBe('{"jsonrpc":"2.0","id":1,"method":"ask","params":{"more":1}}\n');
  agent.sendsBytes('\ufeff{"jsonrpc":"2.0","id":1,"result":2}\r\n\ufeff{"jsonrpc":"2.0","method":"tell"}\n\ufeff{"jsonrpc":"2.0","method":"tell","params":3}\n');
  expect(client.receivedBytes().toString()).toBe('{"jsonrpc":"2.0","id":1,"result":{"result":2}}\r\n\ufeff{"jsonrpc":"2.0","method":"tell"}\n{"jsonrpc":"2.0","method":"tell","params":{"seen":3}}\n');
});

test('no plugin sees what is not one JSON object message', () => {
  seen.length = 0;
  for (const options of [{}, { strayOutput: 'forward' }] satisfies WiredOptions[]) {
    const { agent, client } = wired([watcher], options);
    agent.sendsBytes(lined([...noise, batch, '', '{"jsonrpc":"2.0"}', '{"id":5}', '{"jsonrpc":"2.0","method":7}']));
    client.sendsBytes(lined([...noise, batch, '', '{"jsonrpc":"2.0"}', '{"id":5}', '{"jsonrpc":"2.0","method":7}']));
  }
  expect(seen).toEqual([]);
});

describe('a line that only reading shows to be broken', () => {
  const broken = '{"jsonrpc":"2.0","method":"x","params":{"a":tru}}';
  const reader = (onHookError: 'pass' | 'refuse'): Plugin => ({ name: 'reader', onHookError, toAgent: { calls: { '*': ({ params }) => void params } }, toClient: { calls: { '*': ({ params }) => void params }, replies: { '*': ({ result }) => void result } } });

  test.each(['pass', 'refuse'] as const)('is diverted from the agent and passes from the client; the plugin is not blamed (%s)', (onHookError) => {
    const { agent, client, strays, log } = wired([reader(onHookError)]);
    agent.sendsBytes(`${broken}\n`);
    client.sendsBytes(`${broken}\n`);
    expect([strays, client.receivedBytes().length]).toEqual([[`${broken}\n`], 0]);
    expect(agent.receivedBytes().toString()).toBe(`${broken}\n`);
    expect(log).toEqual([]);
  });

  test.each(['tru', '01', '1.', '-', '{"a":}', '"\\x"'])('passes with its id %s, and so does its answer', (id) => {
    const { agent, client, log } = wired([watcher]);
    client.sends(`{"jsonrpc":"2.0","id":${id},"method":"x"}`);
    expect(agent.receivedLines()).toEqual([`{"jsonrpc":"2.0","id":${id},"method":"x"}`]);
    client.requests('x');
    agent.sends(`{"jsonrpc":"2.0","id":${id},"result":1}`);
    expect(client.receivedLines()).toEqual([`{"jsonrpc":"2.0","id":${id},"result":1}`]);
    expect(log.every((line) => line.includes('failed toClient on the reply to x'))).toBe(true);
  });

  test('answers nothing: the request still waits', () => {
    const replies: unknown[] = [];
    const asks: Plugin = { name: 'asks', toAgent: { calls: { go: (_call, host) => void host.request('toAgent', 'ask', 0, ({ result }) => replies.push(result)) } } };
    const { agent, client, strays } = wired([asks, reader('pass')]);
    client.notifies('go');
    const { id } = agent.received().at(-1);
    agent.sendsBytes(`{"jsonrpc":"2.0","id":"${id}","result":tru}\n`);
    expect([strays.length, client.receivedBytes().length]).toEqual([1, 0]);
    agent.answers(id, 'good');
    expect([replies, client.receivedBytes().length]).toEqual([['good'], 0]);
  });
});

describe('a message that nobody wants', () => {
  const picky: Plugin = {
    name: 'picky',
    toAgent: { calls: { 'session/prompt': () => undefined } },
    toClient: { calls: { 'session/update': { tool_call: () => undefined }, known: () => undefined } },
  };
  const update = (kind: string): string => `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"${kind}","content":{"text":"\\"tool_call\\""}}}}`;
  const unwanted = [update('agent_message_chunk'), '{"jsonrpc":"2.0","method":"other","params":{"method":"known"}}', '{"jsonrpc":"2.0","id":1,"result":{"method":"known"}}', update('__proto__')];

  test('is not parsed, and leaves with its neighbours in one write', () => {
    const { agent, client } = wired([picky]);
    const parse = vi.spyOn(JSON, 'parse');
    agent.sendsBytes(lined(unwanted));
    const parses = parse.mock.calls.length;
    parse.mockRestore();
    expect(parses).toBe(0);
    expect(client.receivedWrites().map(String)).toEqual([lined(unwanted)]);
  });

  test('one that is wanted is parsed once, when it is read', () => {
    const reads = { count: 0 };
    const reading: Plugin = { name: 'r', toClient: { calls: { 'session/update': { tool_call: ({ params }) => void (params === undefined || reads.count++) } } } };
    const { agent, client } = wired([picky, reading, reading]);
    const parse = vi.spyOn(JSON, 'parse');
    agent.sendsBytes(lined([update('tool_call')]));
    const parses = parse.mock.calls.length;
    parse.mockRestore();
    expect([parses, reads.count]).toEqual([1, 2]);
    expect(client.receivedLines()).toEqual([update('tool_call')]);
  });
});

describe('a long line', () => {
  const long = `{"jsonrpc":"2.0","method":"x","params":"${'y'.repeat(100_000)}"}\n`;
  const short = '{"jsonrpc":"2.0","method":"short"}\n';

  test('that nobody wants does not wait for its end', () => {
    const { agent, client } = wired([]);
    agent.sendsBytes(short + long.slice(0, 60_000));
    expect(client.receivedWrites().map((bytes) => bytes.length)).toEqual([short.length + 60_000]);
    agent.sendsBytes(long.slice(60_000, 80_000));
    expect(client.receivedBytes()).toHaveLength(20_000);
    agent.sendsBytes(long.slice(80_000) + short);
    expect(client.receivedBytes().toString()).toBe(long.slice(80_000) + short);
  });

  test('of which only little is there, or whose beginning is not that of a message, does', () => {
    const { agent, client, strays } = wired([]);
    agent.sendsBytes(long.slice(0, 2000));
    expect(client.receivedBytes()).toHaveLength(0);
    agent.sendsBytes(long.slice(2000));
    expect(client.receivedBytes().toString()).toBe(long);
    const text = 'z'.repeat(50_000);
    agent.sendsBytes(text);
    agent.sendsBytes(`${text}\n`);
    expect([strays, client.receivedBytes().length]).toEqual([[`${text}${text}\n`], 0]);
  });

  test('that somebody may want is whole when it is seen', () => {
    const lengths: number[] = [];
    const { agent, client } = wired([{ name: 'a', toClient: { calls: { x: ({ raw }) => void lengths.push(raw.length) } } }]);
    agent.sendsBytes(long.slice(0, 60_000));
    expect(client.receivedBytes()).toHaveLength(0);
    agent.sendsBytes(long.slice(60_000));
    expect(lengths).toEqual([long.length]);
    expect(client.receivedBytes().toString()).toBe(long);
  });

  test('is not interrupted by a message of our own, and does not swallow what comes after it', async () => {
    let host!: Host;
    const { agent, client } = wired([{ name: 'gone', toAgent: { calls: { hello: (_call, mine) => ((host = mine), mine.leave()) } } }]);
    client.notifies('hello');
    agent.sendsBytes(long.slice(0, 60_000));
    host.notify('toClient', 'mine', 0);
    host.request('toAgent', 'ours', 0, () => host.notify('toClient', 'replied', 0));
    const id = agent.received().at(-1).id as string;
    agent.sendsBytes(`${long.slice(60_000)}{"jsonrpc":"2.0","id":"${id}","result":0}\n${short}`);
    const received = client.receivedBytes().toString();
    expect(received.startsWith(long)).toBe(true);
    expect(received.slice(long.length).match(/"method":"\w+"/g)).toEqual(['"method":"mine"', '"method":"replied"', '"method":"short"']);
    agent.sendsBytes(long.slice(0, 60_000));
    host.notify('toClient', 'last', 0);
    await agent.ends();
    expect(client.receivedBytes().toString()).toBe(`${long.slice(0, 60_000)}\n{"jsonrpc":"2.0","method":"last","params":0}\n`);
  });
});

describe('a read that nobody wants', () => {
  const short = '{"jsonrpc":"2.0","method":"x","params":{}}\n';
  const full = (text: string): Buffer => Buffer.from(text + short.repeat(Math.ceil((40_000 - text.length) / short.length)));

  test('leaves as it came, in one write, also when it ends within a line', () => {
    const { agent, client } = wired([]);
    const read = full('').subarray(0, -7);
    agent.sendsBytes(read);
    const writes = client.receivedWrites();
    expect(writes).toHaveLength(1);
    expect(writes[0]?.equals(read)).toBe(true);
    agent.sendsBytes(Buffer.concat([Buffer.from(short.slice(-7)), full('')]));
    expect(client.receivedWrites()).toHaveLength(1);
  });

  test('waits behind what came before it', () => {
    const { agent, client } = wired([]);
    agent.sendsBytes(short + short.slice(0, 5));
    agent.sendsBytes(short.slice(5) + short);
    agent.sendsBytes(short);
    expect(client.receivedBytes().toString()).toBe(short.repeat(4));
  });

  const anyLine = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...messages) }, { weight: 1, arbitrary: fc.constantFrom(...noise.filter((line) => !line.includes('torn')), batch, '', '{"jsonrpc":"2.0","method":"torn}') });
  test.each(['divert', 'forward'] as const)('in any parts, with noise between, gives what single lines give (%s)', (strayOutput) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyLine, fc.nat({ max: 2000 })), { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 6 }), (lines, cuts) => {
        const bytes = Buffer.from(lined(lines.flatMap(([line, times]) => Array<string>(times % 7 === 0 ? 1 : times % 150).fill(line))));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const inParts = wired([], { strayOutput });
        for (const [i, place] of places.slice(1).entries()) inParts.agent.sendsBytes(bytes.subarray(places[i], place));
        const byLine = wired([], { strayOutput });
        for (const line of bytes.toString().match(/[^\n]*\n/g) ?? []) byLine.agent.sendsBytes(line);
        expect(inParts.client.receivedBytes().equals(byLine.client.receivedBytes())).toBe(true);
        expect(inParts.strays).toEqual(byLine.strays);
      }),
      { numRuns: Number(process.env.AFTERTURN_RUNS ?? 60) },
    );
  });
});

test('when all plugins have left, requests that nobody waits for are forgotten and bytes pass', () => {
  const { agent, client } = wired([{ name: 'a', toAgent: { calls: { '*': (_call, host) => host.leave() } }, toClient: { replies: { x: () => ({ do: 'replace', with: { result: 'changed' } }) } } }]);
  client.requests('x');
  agent.answers(1, 'as it came');
  expect(client.received()).toEqual([{ jsonrpc: '2.0', id: 1, result: 'as it came' }]);
});

describe('a batch while a plugin that refuses batches is in the list', () => {
  const refusing: Plugin = { name: 'refusing', batches: () => 'refuse', toAgent: { calls: { leave: (_call, host) => host.leave() } } };
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('batch') as unknown } };

  test('whoever sent it is answered -32600, and nothing else is lost', () => {
    const { client, agent } = wired([refusing]);
    client.sends(batch, '{"jsonrpc":"2.0","method":"x"}');
    expect(agent.receivedLines()).toEqual(['{"jsonrpc":"2.0","method":"x"}']);
    expect(client.received()).toEqual([refusal]);
    agent.sends('[]', '{"jsonrpc":"2.0","method":"y"}');
    expect(agent.received()).toEqual([refusal]);
    expect(client.receivedLines()).toEqual(['{"jsonrpc":"2.0","method":"y"}']);
  });

  test('what only begins like one passes, and so does a batch once the plugin has left', () => {
    const { client, agent } = wired([refusing]);
    client.sends('[info] started', '{"jsonrpc":"2.0","method":"leave"}', batch);
    expect(agent.receivedLines()).toEqual(['[info] started', '{"jsonrpc":"2.0","method":"leave"}', batch]);
    expect(client.received()).toEqual([]);
  });
});
