import { afterEach, describe, expect, it } from 'vitest';
import { agent, endAll, run, start } from './session.js';

afterEach(endAll);

/** Legal messages that a parse and a re-serialisation would change. */
const odd = [
  '{"jsonrpc":"2.0","id":0,"method":"x","params":{}}',
  '{"jsonrpc":"2.0","id":"","method":"x"}',
  '{"jsonrpc":"2.0","id":null,"method":"x"}',
  '{"jsonrpc":"2.0","id":1.0,"method":"x","params":{"n":12345678901234567890,"e":1e3,"z":-0}}',
  '{ "params" : { "2":1, "1":2, "a":1, "a":2 } , "method":"x", "jsonrpc" : "2.0" }',
  '{"jsonrpc":"2.0","method":"x","params":{"t":"né 日本 \u2028 \u2029 👩‍👩‍👧 \\u00e9 \\/"}}',
  '{"jsonrpc":"2.0","id":7,"result":null}',
  '[{"jsonrpc":"2.0","id":8,"method":"a"},{"jsonrpc":"2.0","method":"b"}]',
];

describe('bytes that nobody changes', () => {
  it('come back as they went, through both directions', async () => {
    const input = `${odd.join('\n')}\n`;
    const { stdout, code } = await run(['--', ...agent('echo')], { input });
    expect(stdout.toString()).toBe(input);
    expect(code).toBe(0);
  });

  it('keep CRLF and a last line without a newline', async () => {
    const input = odd.join('\r\n');
    const { stdout } = await run(['--', ...agent('echo')], { input });
    expect(stdout.toString()).toBe(input);
  });

  it('may be split anywhere, characters included', async () => {
    const direct = '{"jsonrpc":"2.0","method":"said","params":{"text":"né 日本 👩‍👩‍👧 \u2028 \\u00e9"}}\r\n{"jsonrpc":"2.0","id":1.0,"result":12345678901234567890}\n{"jsonrpc":"2.0","method":"last"}';
    const { stdout } = await run(['--', ...agent('splits')]);
    expect(stdout.toString()).toBe(direct);
  });

  it('may be split anywhere on the way to the agent', async () => {
    const session = start(['--', ...agent('echo')]);
    const input = Buffer.from(odd.join('\n'));
    for (let at = 0; at < input.length; at += 7) {
      session.write(input.subarray(at, at + 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    session.endInput();
    expect((await session.ended).stdout.equals(input)).toBe(true);
  });

  it('arrive whole in one line of 8 MB', async () => {
    const input = Buffer.from(`{"jsonrpc":"2.0","method":"big","params":{"text":"${'é'.repeat(4 * 1024 * 1024)}"}}\n`);
    const { stdout } = await run(['--', ...agent('echo')], { input });
    expect(stdout.equals(input)).toBe(true);
  });

  it('arrive all, although the agent was killed right behind its last write', async () => {
    const { stdout, signal } = await run(['--', ...agent('last-bytes')]);
    const lines = stdout.toString().split('\n');
    expect(lines).toHaveLength(400);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ params: { n: 399 } });
    expect(signal).toBe('SIGKILL');
  });
});

describe('what is no message', () => {
  it('goes from the agent to stderr, as it came; a blank line does no harm and passes', async () => {
    const { stdout, stderr } = await run(['--', ...agent('noise')]);
    expect(stdout.toString()).toBe('{"jsonrpc":"2.0","method":"one"}\n\n{"jsonrpc":"2.0","method":"two"}\n');
    expect(stderr).toContain('loading \u001b[32mmodel\u001b[0m...\n');
    expect(stderr).toContain('{broken\n');
    expect(stderr.indexOf('stderr 1\n')).toBeLessThan(stderr.indexOf('stderr 2\n'));
  });

  it('passes with --stray-output forward, every byte', async () => {
    const { stdout, stderr } = await run(['--stray-output', 'forward', '--', ...agent('noise')]);
    expect(stdout.toString()).toBe('loading \u001b[32mmodel\u001b[0m...\n{"jsonrpc":"2.0","method":"one"}\n{broken\n\n{"jsonrpc":"2.0","method":"two"}\n');
    expect(stderr).toBe('stderr 1\nstderr 2\n');
  });

  it('passes from the client to the agent', async () => {
    const input = 'not json\n{"jsonrpc":\n\n{"jsonrpc":"2.0","method":"x"}\n';
    const { stdout } = await run(['--stray-output', 'forward', '--', ...agent('echo')], { input });
    expect(stdout.toString()).toBe(input);
  });
});
