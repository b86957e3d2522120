// The cost of tracing: the recorded sessions, repeated, through afterturn with tracing off and on, with
// a collector on this machine that takes everything. Knows how to run the mix once.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = (name) => fileURLToPath(new URL(`rig/${name}`, import.meta.url));
const corpus = `${root}test/corpus/claude/`;

/** The prompts of a recording; none where one was sent while another was open, or after a resume. */
function promptsOf(path) {
  const messages = readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const prompts = messages.flatMap(({ msg }, at) => (msg.method === 'session/prompt' ? [{ at, id: msg.id }] : []));
  const answeredAt = ({ id }) => messages.findIndex(({ dir, msg }) => dir === 'a2c' && msg.method === undefined && msg.id === id);
  const inOrder = prompts.every((prompt, n) => answeredAt(prompt) > prompt.at && answeredAt(prompt) < (prompts[n + 1]?.at ?? Infinity));
  return inOrder && messages.every(({ msg }) => !['session/load', 'session/resume'].includes(msg.method)) ? prompts.length : 0;
}

const recordings = readdirSync(corpus)
  .filter((name) => name.endsWith('.legacy.ndjson'))
  .sort()
  .map((name) => ({ path: corpus + name, prompts: promptsOf(corpus + name) }))
  .filter(({ prompts }) => prompts > 0);

const airs = { terminal_output: true, jetbrains: { air: { version: 1, capabilities: ['asyncTasks'] } } };
/** Who asks: `v1` speaks as the recorded client did, so that nothing is translated; for `v2` all is. */
const clients = {
  v1: { initialize: { protocolVersion: 1, clientInfo: { name: 'bench', version: '1' }, clientCapabilities: { _meta: airs } }, isDone: ({ id }, asked) => id === asked },
  v2: { initialize: { protocolVersion: 2, info: { name: 'bench', version: '1' }, capabilities: {} }, isDone: ({ method, params }) => method === 'session/update' && params.update.sessionUpdate === 'state_update' && params.update.state === 'idle' },
};

/** A collector that takes all and keeps nothing but counts. */
export async function receiver() {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => (requests++, response.writeHead(200).end()));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, requests: () => requests, close: () => (server.closeAllConnections(), server.close()) };
}

/** A client that has every recorded session `repeat` times, as many at once as there are recordings. */
async function converse({ stdin, stdout }, { initialize, isDone }, repeat) {
  let ids = 0;
  const answers = new Map();
  const turns = new Map();
  const send = (message) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method, params) => new Promise((resolve) => {
    const id = ++ids;
    answers.set(id, resolve);
    send({ id, method, params });
  });
  createInterface({ input: stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method !== undefined && message.id !== undefined) {
      const [option] = message.params.options ?? [];
      return send({ id: message.id, result: { outcome: option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId } } });
    }
    if (message.method === undefined) answers.get(message.id)?.(message.result);
    const turn = turns.get(message.params?.sessionId);
    if (turn !== undefined && isDone(message)) turn();
  });
  await request('initialize', initialize);
  for (let n = 0; n < repeat; n += 1) {
    await Promise.all(recordings.map(async ({ path, prompts }) => {
      const { sessionId } = await request('session/new', { cwd: '/', mcpServers: [], _meta: { bench: path } });
      for (let turn = 0; turn < prompts; turn += 1) {
        const over = new Promise((resolve) => turns.set(sessionId, resolve));
        const answered = request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go on' }] });
        await (initialize.protocolVersion === 1 ? answered : over);
      }
      turns.delete(sessionId);
      await request('session/close', { sessionId });
    }));
  }
}

/** CPU time of afterturn in milliseconds for the mix, from its start to its end. `words`: texts are streamed. `file`: where spans are written to. */
export async function sessionsCpu(client, { otlp, repeat, profile, words = false, file }) {
  const traced = [...(otlp === undefined ? [] : ['--otlp', otlp]), ...(file === undefined ? [] : ['--trace-file', file])];
  const command = [...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]), '--require', here('cpu-at-exit.cjs'), `${root}bin/afterturn.js`, '--agent-protocol', 'v1', '--follow-up-window', '20', ...traced, '--', process.execPath, here('sessions-agent.mjs'), recordings[0].path, ...(words ? ['words'] : [])];
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
  let cpu = '';
  child.stdio[3].setEncoding('utf8').on('data', (text) => (cpu += text));
  const ended = new Promise((resolve) => child.on('close', resolve));
  await converse(child, clients[client], repeat);
  child.stdin.end();
  await ended;
  return Number(cpu) / 1000;
}

/** The spans of the mix once: names, attributes and who hangs under whom. */
export async function sessionSpans(use) {
  const folder = mkdtempSync(join(tmpdir(), 'afterturn-bench-'));
  try {
    const file = join(folder, 'spans.ndjson');
    await sessionsCpu('v1', { repeat: 1, file });
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** CPU time in milliseconds that OpenTelemetry's SDK alone takes for these spans, `repeat` times, after it was loaded; and how many they are. */
export async function sdkAloneCpu(file, { repeat, otlp }) {
  const { stdout } = await promisify(execFile)(process.execPath, [here('spans-alone.mjs'), file, String(repeat), otlp]);
  return JSON.parse(stdout);
}
