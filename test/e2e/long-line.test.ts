/**
 * A line of 64 MB, each way: it arrives as it went where nobody changes it, changed where somebody does,
 * and costs so many times its length of memory at most.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage, type ToldAgent } from './faults/stage.js';
import { endAll, root, start, type Session } from './session.js';

const megabyte = 2 ** 20;
const size = 64 * megabyte;
const pad = 'x'.repeat(size);

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await openStage();
  folder = await mkdtemp(join(tmpdir(), 'afterturn-line-'));
  const plugin = (name: string, hook: string): Promise<void> =>
    writeFile(join(folder, `${name}.mjs`), `import { replace } from '${root}dist/src/plugin.js';\nexport const plugin = () => ({ name: '${name}', toClient: { calls: { 'session/update': ${hook} } }, toAgent: { calls: { 'session/prompt': ${hook} } } });\n`);
  await plugin('reads', '(call) => { if (JSON.stringify(call.params).length < 1000) throw new Error("too short"); }');
  await plugin('changes', '(call) => replace({ params: { ...call.params, more: true } })');
});
afterAll(() => Promise.all([stage.close(), rm(folder, { recursive: true, force: true })]));
afterEach(endAll);

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const update = (more: object): string => line({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: pad } }, ...more } });
const toolCall = line({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: 'c', title: 't', kind: 'other', status: 'completed', rawOutput: pad } } });
const prompt = (more: object): string => line({ id: 3, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: pad }], ...more } });

const peak = ({ process: { pid } }: Session): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Collects until so many bytes are there. */
function collected(): { takes(chunk: Buffer): void; whole(bytes: number): Promise<Buffer> } {
  const parts: Buffer[] = [];
  let length = 0;
  let check = (): void => {};
  return {
    takes(chunk) {
      parts.push(chunk);
      length += chunk.length;
      check();
    },
    whole: (bytes) => new Promise((resolve) => {
      check = () => length >= bytes && resolve(Buffer.concat(parts));
      check();
    }),
  };
}

/** A session past its set-up; `moves` sends a line one way and tells whether it came like this, and the megabytes that it cost at most. */
async function opened(options: readonly string[]) {
  let heard = collected();
  let agent: ToldAgent | undefined;
  const { command } = stage.cast({ begins: (told) => void (agent = told), hears: (bytes) => heard.takes(bytes) });
  const session = start([...options, '--', ...command], { read: false });
  let came = collected();
  session.process.stdout?.on('data', (chunk: Buffer) => came.takes(chunk));
  const moves = async (way: 'toAgent' | 'toClient', text: string, expected: string): Promise<number> => {
    const before = peak(session);
    const at = collected();
    if (way === 'toAgent') heard = at;
    else came = at;
    if (way === 'toAgent') session.write(text);
    else agent?.says(Buffer.from(text));
    const bytes = Buffer.from(expected);
    expect((await at.whole(bytes.length)).equals(bytes)).toBe(true);
    return peak(session) - before;
  };
  const requests = [{ id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } }, { id: 2, method: 'session/new', params: { cwd: '/', mcpServers: [] } }].map(line);
  const answers = [{ id: 1, result: { protocolVersion: 1, agentInfo: { name: 'one', version: '1' }, agentCapabilities: {} } }, { id: 2, result: { sessionId: 's' } }].map(line);
  for (const [index, request] of requests.entries()) {
    await moves('toAgent', request, request);
    await moves('toClient', answers[index] ?? '', answers[index] ?? '');
  }
  return { session, moves, ends: () => (session.endInput(), agent?.inputOver.then(() => agent?.exits(0))) };
}

const rows: readonly (readonly [name: string, way: 'toAgent' | 'toClient', options: readonly string[], sent: string, came: string, times: number])[] = [
  ['to the client, when nobody looks at it', 'toClient', [], update({}), update({}), 1],
  ['to the agent, when nobody looks at it', 'toAgent', [], prompt({}), prompt({}), 1],
  ['to the client, when the stale calls are watched', 'toClient', ['--stale', 'always'], toolCall, toolCall, 4],
  ['to the client, when a plugin reads it', 'toClient', ['--plugin', 'reads'], update({}), update({}), 8],
  ['to the agent, when a plugin changes it', 'toAgent', ['--plugin', 'changes'], prompt({}), prompt({ more: true }), 12],
];

describe.runIf(process.platform === 'linux')('a line of 64 MB', () => {
  it.each(rows)('%s', async (_, way, options, sent, came, times) => {
    const { session, moves, ends } = await opened(options.map((option) => (['reads', 'changes'].includes(option) ? join(folder, `${option}.mjs`) : option)));
    expect(await moves(way, sent, came)).toBeLessThan((times * size) / megabyte);
    void ends();
    expect(await session.ended).toMatchObject({ code: 0, stderr: '' });
  }, 60_000);
});
