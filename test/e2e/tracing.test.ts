import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { collector, grpcCollector, hangingCollector, refusingAddress, type Collector } from '../edge/collector.js';
import { spansOfFile, type DecodedSpan } from '../edge/otlp.js';
import { agent, endAll, root, run, saidBy, start, type End } from './session.js';

const folder = mkdtempSync(join(tmpdir(), 'tracing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(endAll);
let files = 0;
const newPath = (): string => join(folder, `file-${++files}`);

const message = (value: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;
const prompt = (id: number, text = 'secret'): string => message({ id, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text }] } });
const opening = message({ id: 1, method: 'initialize', params: { protocolVersion: 1 } }) + message({ id: 2, method: 'session/new', params: { cwd: '/', mcpServers: [] } });

const spansIn = (path: string): DecodedSpan[] => spansOfFile(readFileSync(path, 'utf8'));
const named = (spans: readonly DecodedSpan[], name: string): DecodedSpan[] => spans.filter((span) => span.name === name);

/** Milliseconds from the agent's end to ours. */
const sinceAgentEnded = ({ stdout }: End, now: number): number => now - Number(saidBy(stdout, '_gone')[0]);

describe('without a wish for spans', () => {
  const loaded = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const path = newPath();
    const { code } = await run([...args, '--', ...agent('works')], { input: opening + prompt(3), env: { NODE_OPTIONS: `--require ${root}test/fixtures/loaded-modules.cjs`, LOADED_MODULES_FILE: path, ...env } });
    expect(code).toBe(3);
    return readFileSync(path, 'utf8');
  };

  it('nothing of OpenTelemetry is loaded', async () => {
    for (const env of [{}, { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }]) {
      expect(await loaded([], env)).not.toMatch(/@opentelemetry|telemetry(-[a-z]+)?\.cjs|plugin-otel/);
    }
  });

  it('and with one it is, so that the test above can fail: what is needed, and nothing from elsewhere', async () => {
    const paths = (await loaded(['--trace-file', newPath()])).split('\n');
    const parts = paths.filter((path) => path.startsWith(`${root}dist/`)).map((path) => path.slice(root.length));
    // What plugins need beside it is theirs to say.
    expect(parts.filter((path) => !path.startsWith('dist/plugin-'))).toEqual(['dist/afterturn.cjs', 'dist/telemetry.cjs', 'dist/telemetry-sdk.cjs', 'dist/telemetry-api.cjs']);
    expect(paths.filter((path) => /node_modules.(@opentelemetry|@grpc)/.test(path))).toEqual([]);
  });
});

describe('a trace file', () => {
  it('that cannot be written is a usage error, and the agent is not started', async () => {
    const trace = newPath();
    const { code, stderr, stdout } = await run(['--trace-file', join(folder, 'no', 'trace'), '--', 'sh', '-c', `touch ${trace}`]);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^afterturn: UNWRITABLE_TRACE_FILE: expected --trace-file .*ENOENT/);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(existsSync(trace)).toBe(false);
  });

  it('changes nothing on stdout and nothing of the end', async () => {
    const without = await run(['--', ...agent('echo')], { input: opening + prompt(3) });
    const traced = await run(['--trace-file', newPath(), '--no-propagate', '--', ...agent('echo')], { input: opening + prompt(3) });
    expect(traced).toEqual(without);
  });

  it('comes with the trace context of its turn in the prompt that the agent gets, and with nothing else', async () => {
    const path = newPath();
    const without = await run(['--', ...agent('echo')], { input: opening + prompt(3) });
    const traced = await run(['--trace-file', path, '--', ...agent('echo')], { input: opening + prompt(3) });
    const [context] = /,"_meta":\{"traceparent":"00-[0-9a-f]{32}-[0-9a-f]{16}-01"\}/.exec(traced.stdout.toString()) ?? [];
    expect(traced.stdout.toString().replace(context ?? 'none', '')).toBe(without.stdout.toString());
    expect(context).toContain(named(spansIn(path), 'invoke_agent')[0]?.spanId);
  });

  it.each<[string, number | null, (session: ReturnType<typeof start>) => void]>([
    ['of the input', 3, (session) => session.endInput()],
    ['of the agent by itself, with work left', 7, (session) => session.write(prompt(4, 'exit'))],
    ['by SIGTERM', 4, (session) => session.process.kill('SIGTERM')],
    ['by SIGKILL of the agent', null, (session) => session.write(message({ id: 5, method: 'session/prompt', params: { sessionId: 's', prompt: [] } }))],
  ])('has every span at the end %s, what is open marked unfinished', async (_what, code, ends) => {
    const path = newPath();
    const killed = code === null;
    const command = killed ? ['sh', '-c', 'read a; read b; read c; kill -KILL $$'] : agent('works');
    const session = start(['--trace-file', path, '--', ...command]);
    session.write(opening + prompt(3));
    if (!killed) await session.said('end_turn');
    ends(session);
    const end = await session.ended;
    expect({ code: end.code, stderr: end.stderr }).toEqual({ code, stderr: '' });
    const spans = spansIn(path);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
    if (killed) {
      expect(named(spans, 'invoke_agent')[0]?.attributes).toMatchObject({ 'acp.unfinished': true, 'acp.end_reason': 'agent_exited' });
      return;
    }
    const items = named(spans, 'background shell');
    expect(items.length).toBeGreaterThan(0);
    for (const { attributes } of items) expect(attributes).toMatchObject({ 'acp.background.outcome': 'unknown', 'acp.background.unfinished': true, 'acp.end_reason': 'agent_exited' });
    expect(readFileSync(path, 'utf8')).not.toContain('secret');
  });

  it('is shared by several sessions at once', async () => {
    const path = newPath();
    await Promise.all([1, 2, 3].map(() => run(['--trace-file', path, '--', ...agent('works')], { input: opening + prompt(3) })));
    const spans = spansIn(path);
    expect(spans).toHaveLength(9);
    expect(new Set(spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(3);
  });

  it('gets the exit code that only the output file tells, for a v2 client too', async () => {
    const path = newPath();
    const session = start(['--agent-protocol', 'v1', '--trace-file', path, '--', ...agent('works', newPath())]);
    session.write(message({ id: 1, method: 'initialize', params: { protocolVersion: 2, info: { name: 'test', version: '1' }, capabilities: {} } }));
    await session.said('"id":1');
    session.write(message({ id: 2, method: 'session/new', params: { cwd: '/', mcpServers: [] } }));
    await session.said('"id":2');
    session.write(prompt(3, 'fail'));
    await session.said('"exitCode":3');
    await new Promise((resolve) => setTimeout(resolve, 400));
    session.endInput();
    expect((await session.ended).code).toBe(3);
    const [item] = named(spansIn(path), 'background shell');
    expect(item).toMatchObject({ status: 2, attributes: { 'acp.background.outcome': 'failed', 'process.exit.code': 3 } });
    const [call] = named(spansIn(path), 'execute_tool Bash');
    const [turn] = named(spansIn(path), 'invoke_agent works');
    expect([item?.parentSpanId, call?.parentSpanId, turn?.parentSpanId]).toEqual([call?.spanId, turn?.spanId, undefined]);
  });
});

describe('a collector', () => {
  const there: Collector[] = [];
  const kept = async (made: Promise<Collector>): Promise<Collector> => {
    const one = await made;
    there.push(one);
    return one;
  };
  afterEach(async () => {
    await Promise.all(there.splice(0).map((one) => one.close()));
  });

  const receivers: [string, () => Promise<Collector>, NodeJS.ProcessEnv][] = [
    ['http/protobuf', () => collector(), {}],
    ['http/json', () => collector(), {}],
    ['grpc', () => grpcCollector(), {}],
  ];
  const ends: [string, number | null, (session: ReturnType<typeof start>) => void][] = [
    ['the end of the input', 3, (session) => session.endInput()],
    ['the agent\'s own end', 7, (session) => session.write(prompt(4, 'exit'))],
    ['SIGTERM', 4, (session) => session.process.kill('SIGTERM')],
    ['SIGINT', null, (session) => session.process.kill('SIGINT')],
  ];

  it.each(receivers.flatMap(([protocol, receiver]) => ends.map(([how, code, end]) => ({ protocol, receiver, how, code, end }))))(
    'gets every span by $protocol at $how, each with its parent, and what is open marked unfinished',
    async ({ protocol, receiver, code, end }) => {
      const one = await kept(receiver());
      const session = start(['--', ...agent('works')], { env: { AFTERTURN_OTEL_EXPORTER_OTLP_ENDPOINT: one.url, AFTERTURN_OTEL_EXPORTER_OTLP_PROTOCOL: protocol } });
      session.write(opening);
      await session.said('"id":2');
      session.write(prompt(3));
      await session.said('end_turn');
      end(session);
      const ended = await session.ended;
      expect(ended.stderr).toBe('');
      if (code !== null) expect(ended.code).toBe(code);
      const spans = one.spans();
      const ids = new Set(spans.map(({ spanId }) => spanId));
      expect(spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
      const turns = code === 7 ? 2 : 1;
      expect([named(spans, 'invoke_agent works'), named(spans, 'execute_tool Bash'), named(spans, 'background shell')].map(({ length }) => length)).toEqual([turns, turns, turns]);
      for (const { attributes } of named(spans, 'background shell')) expect(attributes).toMatchObject({ 'acp.background.outcome': 'unknown', 'acp.background.unfinished': true });
      expect(new Map(one.records().map(({ event, spanId }) => [spanId, event]))).toEqual(new Map(named(spans, 'background shell').map(({ spanId }) => [spanId, 'acp.background.started'])));
      expect(one.exports.map(({ body }) => body.toString('latin1')).join('')).not.toContain('secret');
    },
  );

  it('gets every span of an agent that is killed', async () => {
    const one = await kept(collector());
    const session = start(['--otlp', one.url, '--', 'sh', '-c', 'read a; read b; read c; kill -KILL $$']);
    session.write(opening + prompt(3));
    const { stderr } = await session.ended;
    expect(stderr).toBe('');
    expect(one.spans()).toEqual([expect.objectContaining({ name: 'invoke_agent', attributes: expect.objectContaining({ 'acp.unfinished': true, 'acp.end_reason': 'agent_exited' }) as object })]);
  });

  it.each([
    ['hangs', 'http/protobuf'],
    ['hangs', 'grpc'],
    ['refuses connections', 'http/protobuf'],
    ['refuses connections', 'grpc'],
    ['is overloaded', 'http/protobuf'],
    ['is slow', 'http/protobuf'],
  ])('that %s (%s) delays neither the wire nor the end, and changes no exit code', async (how, protocol) => {
    const made: Record<string, () => Promise<string>> = {
      hangs: async () => (await kept(hangingCollector())).url,
      'refuses connections': refusingAddress,
      'is overloaded': async () => (await kept(collector(503))).url,
      'is slow': async () => (await kept(collector(200, { delay: 5000 }))).url,
    };
    const session = start(['--', ...agent('works')], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: await made[how]?.(), OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_METRIC_EXPORT_INTERVAL: '100' } });
    session.write(opening);
    await session.said('"id":2');
    const started = performance.now();
    for (let id = 3; id < 53; id++) {
      session.write(prompt(id));
      await session.said(`"id":${id},"result"`);
    }
    // One export that is waited for would take 10 s.
    expect(performance.now() - started).toBeLessThan(8000);
    session.endInput();
    const end = await session.ended;
    expect(sinceAgentEnded(end, Date.now())).toBeLessThan(2000);
    expect(end.code).toBe(3);
    expect(end.stderr).toMatch(/\d+ spans were not delivered to http:\/\/127\.0\.0\.1:\d+/);
    if (how === 'refuses connections') expect(end.stderr).toContain('ECONNREFUSED');
    expect(end.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(6);
  });

  it('by the console exporter: lines on stderr, stdout untouched', async () => {
    const without = await run(['--', ...agent('echo')], { input: opening + prompt(3) });
    const traced = await run(['--no-propagate', '--', ...agent('echo')], { input: opening + prompt(3), env: { OTEL_TRACES_EXPORTER: 'console' } });
    expect(traced.stdout).toEqual(without.stdout);
    expect(traced.stderr).toMatch(/^afterturn: span: \{"name":"invoke_agent"/);
  });
});

it('the agent gets the environment as it was', async () => {
  const env = { OTEL_SERVICE_NAME: 'theirs', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', AFTERTURN_OTEL_SERVICE_NAME: 'ours', AFTERTURN_OTEL_TRACES_EXPORTER: 'console', AFTERTURN_OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const { stdout } = await run(['--trace-file', newPath(), '--', ...agent('environment')], { env });
  const said = JSON.parse(stdout.toString()) as { params: { env: Record<string, string> } };
  const otel = Object.entries(said.params.env).filter(([name]) => /OTEL_/.test(name));
  expect(Object.fromEntries(otel)).toEqual(env);
});
