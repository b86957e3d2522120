/**
 * What the command promises of security, on the built command: what it opens, writes, listens to and
 * prints, and that secrets stay where they are. The threat model is in src/README.md.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { corpusPath } from '../tools/recording.js';
import { agent, endAll, root, run, start } from './session.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'afterturn-')));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const newPath = (): string => join(folder, `file-${(count += 1)}`);
const newFolder = (): string => (mkdirSync(join(folder, `folder-${(count += 1)}`)), join(folder, `folder-${count}`));

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const SECRET = 'hush-hush-4711';
/** Secrets where a client may have them. */
const secrets = { apiKey: SECRET, proxyConfig: { headers: { Authorization: `Bearer ${SECRET}` } } };
const servers = [{ name: 'm', command: '/bin/m', args: [`--key=${SECRET}`], env: [{ name: 'KEY', value: SECRET }] }, { type: 'http', name: 'h', url: `https://h/${SECRET}`, headers: [{ name: 'Authorization', value: SECRET }] }];
const setUp = (version: 1 | 2): string =>
  line({ id: 0, method: 'initialize', params: version === 1 ? { protocolVersion: 1, clientCapabilities: {}, _meta: secrets } : { protocolVersion: 2, capabilities: {}, info: { name: 'c', version: '1' }, _meta: secrets } }) +
  line({ id: 1, method: 'session/new', params: { cwd: '/', mcpServers: servers, _meta: secrets } });
const prompt = line({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'fail' }], _meta: secrets } });

const onLinux = process.platform === 'linux';

/** The listening sockets of a process: TCP of both kinds, and those of the file system. */
function listening(pid: number): string[] {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  }));
  const rows = (name: string): string[][] => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n').slice(1).map((row) => row.trim().split(/\s+/));
  const tcp = ['tcp', 'tcp6'].flatMap((name) => rows(name).filter((row) => row[3] === '0A' && inodes.has(row[9] ?? '')).map((row) => `${name} ${row[1]}`));
  const unix = rows('unix').filter((row) => (parseInt(row[3] ?? '0', 16) & 0x10000) !== 0 && inodes.has(row[6] ?? '')).map((row) => `unix ${row[7] ?? ''}`);
  return [...tcp, ...unix];
}

describe('in a session', () => {
  it.runIf(onLinux).each([['at defaults', []], ['that is traced', ['--otlp', 'http://127.0.0.1:9', '--trace-file', join(folder, 'listens')]]])('%s nothing listens', async (_name, options) => {
    const session = start([...options, '--', ...agent('works', newPath())]);
    session.write(setUp(2) + prompt);
    await session.said('"state":"idle"');
    expect(listening(session.process.pid as number)).toEqual([]);
    session.endInput();
    await session.ended;
  });

  it.each([1, 2] as const)('at defaults of a v%i client only our own scripts and what the agent names as output is opened, nothing is written, and nothing of the folder that it runs in is read', async (version) => {
    const [cwd, output, opened] = [newFolder(), newPath(), newPath()];
    for (const name of ['package.json', 'afterturn.json', 'afterturn.config.json', '.afterturnrc']) writeFileSync(join(cwd, name), '{"plugin":["./plugin.mjs"],"main":"plugin.mjs"}');
    mkdirSync(join(cwd, 'node_modules/afterturn'), { recursive: true });
    for (const name of ['plugin.mjs', 'plugin.js', 'index.js', 'node_modules/afterturn/index.js']) writeFileSync(join(cwd, name), `console.error('loaded ${name}')`);
    writeFileSync(output, '');
    const env = { NODE_OPTIONS: `--require ${root}test/fixtures/opened-files.cjs`, OPENED_FILES_FILE: opened };
    const session = start(['--', ...agent('works', output)], { cwd, env });
    session.write(setUp(version) + prompt);
    await session.said(version === 1 ? '"id":2' : 'exitStatus');
    session.endInput();
    const { stderr } = await session.ended;
    expect(stderr).toBe('');
    const calls = readFileSync(opened, 'utf8').split('\n');
    const own = ['dist/', 'bin/'].map((name) => ` ${join(root, name)}`);
    const foreign = calls.filter((call) => !own.some((place) => call.includes(place)) && !call.endsWith('/proc/self/fd/2') && call !== `open r ${output}`);
    expect(foreign).toEqual([]);
    expect(calls.filter((call) => !call.startsWith('open r ') && !/\/dist\/[\w.-]+\.cache\.\d+$/.test(call))).toEqual([]);
    expect(calls.some((call) => call === `open r ${output}`)).toBe(version === 2);
  });

  it('the environment of the agent is the one of the user, NODE_OPTIONS too', async () => {
    const env = { NODE_OPTIONS: '--no-warnings --max-http-header-size=20000', AFTERTURN_LOG_LEVEL: 'debug' };
    const { stdout } = await run(['--', ...agent('environment')], { env });
    expect(JSON.parse(stdout.toString())).toMatchObject({ params: { env } });
  });

  it('a plugin of a configuration file is found beside that file, not where the command runs', async () => {
    const [cwd, beside] = [newFolder(), newFolder()];
    const says = (word: string): string => `export const plugin = { name: '${word}' }; console.error('loaded ${word}');`;
    writeFileSync(join(cwd, 'mine.mjs'), says('cwd'));
    writeFileSync(join(beside, 'mine.mjs'), says('beside'));
    writeFileSync(join(beside, 'config.json'), '{"plugin":["./mine.mjs"]}');
    const { code, stderr } = await run(['--config', join(beside, 'config.json'), '--', ...agent('echo')], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'loaded beside\n' });
  });
});

describe('secrets', () => {
  it.each([1, 2] as const)('of a v%i client reach no log, trace, start record or metric, with all of these on and contents wanted', async (version) => {
    const trace = newPath();
    const exporters = { OTEL_TRACES_EXPORTER: 'console', OTEL_METRICS_EXPORTER: 'console', OTEL_LOGS_EXPORTER: 'console' };
    const session = start(['--log-level', 'debug', '--capture-content', '--pending-spans', '--trace-file', trace, '--', ...agent('works', newPath())], { env: exporters });
    session.write(setUp(version));
    await session.said('"id":1');
    session.write(prompt);
    await session.said('"id":2');
    session.endInput();
    const { stderr } = await session.ended;
    expect(stderr).toContain('invoke_agent works');
    expect(stderr).toContain('acp.background.started');
    expect(readFileSync(trace, 'utf8')).toContain('invoke_agent works');
    expect(stderr + readFileSync(trace, 'utf8')).not.toContain(SECRET);
  });

  it('are in a recording, which is its owner\'s alone, and not in one that is redacted', async () => {
    const [plain, masked] = [newPath(), newPath()];
    const umask = process.umask(0);
    try {
      for (const options of [['--record', plain], ['--record', masked, '--redact']]) await run([...options, '--', ...agent('works', newPath())], { input: setUp(1) + prompt });
    } finally {
      process.umask(umask);
    }
    expect(readFileSync(plain, 'utf8')).toContain(SECRET);
    expect(readFileSync(masked, 'utf8')).not.toContain(SECRET);
    expect([plain, masked].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('a trace with contents is its owner\'s alone', async () => {
    const path = newPath();
    const umask = process.umask(0);
    try {
      await run(['--trace-file', path, '--capture-content', '--', ...agent('works', newPath())], { input: setUp(1) + prompt });
    } finally {
      process.umask(umask);
    }
    expect([statSync(path).size > 0, statSync(path).mode & 0o777]).toEqual([true, 0o600]);
  });
});

describe('control characters', () => {
  // Those of C0 and C1, one that turns the direction of writing, and the end of a tag.
  const poison = '\u001b]0;x\u0007\u001b[2J\u009b31m\u202e\u0000</script>';
  const raw = (text: string): string[] => text.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g) ?? [];
  const named = new Set(['title', 'name', 'text', 'description', 'command', 'path', 'sessionId', 'toolCallId', 'terminalId', 'asyncTaskId', 'summary', 'message', 'stopReason', 'version', 'optionId', 'taskType', 'toolName', 'task_id', 'tool_use_id', 'messageId']);
  const poisoned = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return named.has(key) ? value + poison : value;
    if (Array.isArray(value)) return value.map((item) => poisoned(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poisoned(member, name)]));
  };
  const recording = (): string => {
    const path = newPath();
    const lines = readFileSync(corpusPath('claude/b_background_exit0.legacy'), 'utf8').split('\n').filter(Boolean);
    writeFileSync(path, lines.map((text) => `${JSON.stringify(poisoned(JSON.parse(text)))}\n`).join(''));
    return path;
  };

  it.each([['check'], ['check', '--json'], ['report'], ['report', '--json'], ['migrate'], ['migrate', '--json']])('of a recording are made visible: %s %s', async (...args) => {
    const { stdout, stderr } = await run([...args.filter((one) => one !== undefined), recording()]);
    expect(stdout.length).toBeGreaterThan(0);
    expect([raw(stdout.toString()), raw(stderr)]).toEqual([[], []]);
    if (args.includes('--json')) expect(() => JSON.parse(stdout.toString()) as unknown).not.toThrow();
  });

  it('of a recording are made visible in a page, and end nothing in it', async () => {
    const page = newPath();
    const { code } = await run(['report', recording(), '--html', page]);
    const html = readFileSync(page, 'utf8');
    expect([code, raw(html.replaceAll('\t', '')), html.split('</script>').length]).toEqual([0, [], html.split('<script').length]);
  });

  it('of an agent are made visible in what is said of it, whatever it names so', async () => {
    const name = `evil${poison}`;
    const broken = line({ method: 'session/update', params: { sessionId: `s${poison}`, update: { sessionUpdate: `k${poison}`, toolCallId: 7 } } });
    const answer = (id: number, version: number): string => line({ id, result: { protocolVersion: version, agentInfo: { name, version: poison }, info: { name, version: poison }, agentCapabilities: {}, capabilities: {}, authMethods: [{ id: poison, name: poison }] } });
    const script = newPath();
    const answers = (then: string): string => `process.stdin.on('data', (data) => { const { id } = JSON.parse(String(data).split('\\n')[0]); process.stdout.write(JSON.stringify({ ...${answer(0, 1).trim()}, id }) + '\\n' + ${JSON.stringify(then)}); });`;
    writeFileSync(script, answers(broken + line({ method: 'session/update', params: { sessionId: poison, update: { sessionUpdate: 'tool_call', toolCallId: 7 } } })));
    const { stderr } = await run(['--log-level', 'debug', '--agent-protocol', 'v1', '--', process.execPath, script], { input: setUp(2).split('\n')[0] + '\n' });
    expect(stderr).toContain('malformed');
    expect(raw(stderr)).toEqual([]);
    writeFileSync(script, answers(''));
    const doctor = await run(['doctor', '--', process.execPath, script]);
    expect(doctor.stdout.toString()).toContain('evil');
    expect([raw(doctor.stdout.toString()), raw(doctor.stderr)]).toEqual([[], []]);
    const wrong = await run(['--agent-protocol', poison.replaceAll('\u0000', ''), '--', 'x']);
    expect([wrong.code, raw(wrong.stderr)]).toEqual([2, []]);
  }, 60_000);
});

describe('a flood of what an agent makes up', () => {
  it.runIf(onLinux).each([
    ['1', '1', 'requests'], ['2', '1', 'quietSessions'], ['2', '1', 'messages'], ['2', '2', 'v2sessions'],
  ])('fits into a small heap: client v%s, agent v%s, %s', async (client, version, kind) => {
    const session = start(['--agent-protocol', `v${version}`, '--', ...agent('hostile', version, kind, '30000')], { read: false, env: { NODE_OPTIONS: '--max-old-space-size=256' } });
    let tail = '';
    const done = new Promise<void>((resolve) => session.process.stdout?.on('data', (data: Buffer) => {
      tail = (tail + data.toString('latin1')).slice(-200_000);
      if (tail.includes('_hostile/done')) resolve();
    }));
    session.write(setUp(client === '1' ? 1 : 2));
    session.write(line({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'go' }] } }));
    await Promise.race([done, session.ended]);
    expect(tail).toContain('_hostile/done');
    session.endInput();
    expect((await session.ended).signal).toBeNull();
  }, 60_000);
});
