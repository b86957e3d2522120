import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createReplay } from '../../src/replay/index.js';
import { createClient, type ClientOptions, type ClientResult } from './client.js';
import { createClock } from './clock.js';
import { unexplained } from './compare-facts.js';
import { runClient } from './client-process.js';
import { loadRecording, recordingNames, recordingPath, type RecordedMessage } from './recording.js';
import { runScenario } from './run-scenario.js';
import { runInMemory } from './scenario-in-memory.js';
import { judged, outputsOf, scenarioOf } from './scenario.js';
import { objectOf } from './updates.js';

/** The scripted client of `recording` against a replay of `played`, on a fake clock. */
function backToBack(recording: readonly RecordedMessage[], played: readonly RecordedMessage[], options: ClientOptions = {}): ClientResult {
  const clock = createClock();
  let result: ClientResult | undefined;
  const client = createClient(recording, { longestWait: 5000, ...options }, { ...clock, send: (message) => void clock.after(1, () => replay.receive(message)) }, (over) => (result = over));
  const replay = createReplay(played, { longestWait: 5000 }, { ...clock, send: (message) => void clock.after(1, () => client.receive(message)) });
  clock.runOut();
  if (!result) throw new Error('the conversation did not end');
  return result;
}

describe('the scripted client against the replay of the same recording', () => {
  test.each(recordingNames('v2'))('%s', (name) => {
    const recording = loadRecording(name);
    const { recording: lived, missing } = backToBack(recording, recording);
    expect(missing).toEqual([]);
    expect(lived.map(({ dir, msg }) => [dir, msg])).toEqual(recording.map(({ dir, msg }) => [dir, msg]));
    const { differences, schemaErrors, checkFindings } = judged(lived, recording);
    expect([differences, schemaErrors]).toEqual([[], []]);
    expect(checkFindings.map(({ name: rule }) => rule)).toEqual(judged(recording, recording).checkFindings.map(({ name: rule }) => rule));
  });
});

describe('the scripted client', () => {
  const asked = loadRecording('l_permission.v2');

  test('answers a permission with the option of the recorded kind', () => {
    const renamed = asked.map((record): RecordedMessage => {
      if (record.msg.method !== 'session/request_permission') return record;
      const options = [{ optionId: 'never', name: 'No', kind: 'reject_once' }, { optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
      return { ...record, msg: { ...record.msg, params: { ...objectOf(record.msg.params), options } } };
    });
    const { recording } = backToBack(asked, renamed);
    const answer = recording.find(({ dir, msg }) => dir === 'c2a' && msg.method === undefined);
    expect(answer?.msg.result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
  });

  test('uses the session id that the agent gives', () => {
    const renamed = JSON.parse(JSON.stringify(asked).replaceAll('6c68edb5-0aac-4d04-b15f-180e3801d41a', 'other')) as RecordedMessage[];
    const { recording, missing } = backToBack(asked, renamed);
    expect(missing).toEqual([]);
    const prompt = recording.find(({ msg }) => msg.method === 'session/prompt');
    expect(objectOf(prompt?.msg.params).sessionId).toBe('other');
  });

  test('goes on without what never comes, and names it', () => {
    const stopped = loadRecording('f_stop_server.v2');
    const silent = stopped.map((record): RecordedMessage => (JSON.stringify(record).includes('"background"') ? { ...record, msg: JSON.parse(JSON.stringify(record.msg).replace(/,"background":\[.*?\]/, '')) as RecordedMessage['msg'] } : record));
    const { missing, recording } = backToBack(stopped, silent, { giveUpAfter: 20_000 });
    expect(missing).toEqual(['listed terminal:toolu_01BashBackground000001', 'removed terminal:toolu_01BashBackground000001']);
    expect(recording.filter(({ msg }) => msg.method === 'terminal/cancel').length).toBe(3);
  });

  test('has the recorded pauses', () => {
    const { recording } = backToBack(asked, asked, { longestWait: 200, speed: 2 });
    const times = recording.filter(({ dir }) => dir === 'c2a').map(({ t, msg }) => [msg.method ?? 'answer', t]);
    expect(times.map(([method]) => method)).toEqual(['initialize', 'session/new', 'session/prompt', 'answer']);
    expect(Number(times[0]?.[1])).toBe(0);
  });
});

describe('what an output file held', () => {
  test.each(['b', 'c', 'f', 'h', 'o', 'q'])('%s: the native bytes, before the legacy end, in their order', (scenario) => {
    const outputs = outputsOf(scenarioOf(scenario, 'legacy'));
    const [chunks = []] = Object.values(outputs);
    const legacy = loadRecording(scenarioOf(scenario, 'legacy').replayed);
    const end = legacy.find(({ msg }) => /"async_task_state_update".*"(?:completed|failed|stopped)"/.test(JSON.stringify(msg)))?.t ?? Infinity;
    expect(chunks.length).toBeGreaterThan(0);
    expect(chunks.map(({ atMs }) => atMs)).toEqual(chunks.map(({ atMs }) => atMs).sort((one, other) => one - other));
    expect(Math.max(...chunks.map(({ atMs }) => atMs))).toBeLessThan(end);
  });

  test('ends with the line of the exit code where the native agent read one', () => {
    const text = (scenario: string) => Object.values(outputsOf(scenarioOf(scenario, 'raw'))).flat().map(({ data }) => Buffer.from(data, 'base64').toString()).join('');
    expect(text('c')).toBe('step 1\nstep 2\nstep 3\nstep 4\ndone\n\n[exited with code 3]\n');
    expect(text('f')).toBe('listening on port 3000\n');
  });
});

test('a scenario in memory, through a relay without plugins', async () => {
  const run = await runInMemory(scenarioOf('b', 'v2'), []);
  expect([run.missing, run.schemaErrors, run.differences]).toEqual([[], [], []]);
  expect(run.checkFindings.map(({ rule }) => rule)).toEqual(['5.7']);
});

describe('a scenario as processes, without a proxy', () => {
  test.concurrent.each(['a', 'f', 'h', 'l', 'l4'])('%s', async (scenario) => {
    const run = await runScenario(scenarioOf(scenario, 'v2'), { proxy: [] });
    expect(run.stderr).toBe('');
    expect([run.missing, run.noise, run.schemaErrors, run.checkFindings, run.differences]).toEqual([[], [], [], [], []]);
    expect(run.exit).toEqual({ code: 0, signal: null, killed: false });
  });

  test.concurrent('the agent writes the output file where its messages say', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'afterturn-replay-'));
    try {
      const scenario = scenarioOf('c', 'legacy');
      const outputs = join(folder, 'outputs.json');
      writeFileSync(outputs, JSON.stringify(outputsOf(scenario)));
      const agent = [process.execPath, fileURLToPath(new URL('replay-agent.mjs', import.meta.url)), recordingPath(scenario.replayed)];
      const run = await runClient([...agent, '--longest-wait', '100', '--outputs', outputs, '--out-dir', folder], loadRecording(scenario.replayed), { longestWait: 100 });
      const path = /"outputFilePath":"([^"]+)"/.exec(JSON.stringify(run.recording))?.[1] ?? '';
      expect(path.startsWith(folder)).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe('step 1\nstep 2\nstep 3\nstep 4\ndone\n\n[exited with code 3]\n');
      expect(JSON.stringify(run.recording)).toContain(`Output is being written to: ${path}.`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.concurrent('a v1 agent is no v2 agent', async () => {
    const run = await runScenario(scenarioOf('a', 'legacy'), { proxy: [], giveUpAfter: 1500 });
    expect(run.schemaErrors).not.toEqual([]);
    expect(unexplained(run.differences)).not.toEqual([]);
    expect(run.missing).not.toEqual([]);
  });
});
