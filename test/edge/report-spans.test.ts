/** A recording and the trace of the same conversation give the same picture. */
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { describe, expect, test } from 'vitest';
import { spansOf } from '../../src/edge/report-spans.js';
import { readTraceText, timelineOf, titlesOf, workOf, type Reading, type Timeline } from '../../src/report/index.js';
import { played } from '../plugins/otel/played.js';
import { loadRecording, recordingNames, type RecordedMessage } from '../tools/recording.js';
import { entriesOf } from '../report/read.js';

const plain = { file: 'x', form: 'recording', clock: 'relative', remarks: [], titles: new Map() } as const;

async function recorded(messages: readonly RecordedMessage[], startedAt?: number): Promise<Reading> {
  return { ...plain, ...(await spansOf({ continues: false, side: undefined, startedAt, messages })) };
}

/** What `--trace-file` would have written meanwhile. */
async function tracedText(records: readonly RecordedMessage[]): Promise<string> {
  const it = await played(records);
  return new TextDecoder().decode(JsonTraceSerializer.serializeRequest([...it.spans()]));
}

/** Without what only one of the two can know: when what never ended was last seen, and why. */
const picture = (timeline: Timeline): string[] => entriesOf(timeline).map((line) => line.replace(/\.\.\S+ running.*$/, ' running'));

describe('the picture of a recording', () => {
  test.each([
    ...['b_background_exit0', 'c_background_exit3', 'd_monitor', 'f_stop_server', 'h2_close_with_workflow', 'k_resume_live', 'l_permission', 'q_prompt_during_autonomous']
      .flatMap((scenario) => ['legacyrich', 'raw', 'v2', 'plain'].map((guise) => `${scenario}.${guise}`))
      .filter((name) => recordingNames(name.split('.')[1] ?? '').includes(name)),
  ])('%s is that of its trace', async (name) => {
    const records = loadRecording(name);
    const text = await tracedText(records);
    const ofTrace = timelineOf([{ ...plain, form: 'trace', zero: Date.UTC(2025, 0, 1), spans: workOf(readTraceText(text)) }]);
    expect(picture(timelineOf([await recorded(records)]))).toEqual(picture(ofTrace));
  });
});

test('with its titles', async () => {
  const messages = loadRecording('c_background_exit3.legacyrich');
  const { sessions } = timelineOf([{ ...(await recorded(messages)), titles: titlesOf(messages) }]);
  expect(sessions[0]?.entries.map(({ kind, title, state, outcome }) => [kind, title, state, outcome])).toEqual([
    ['turn', undefined, 'completed', 'end_turn'],
    ['call', './build.sh', 'completed', ''],
    ['background', 'Run the build in background', 'failed', 'exit code 3'],
    ['turn', undefined, 'completed', ''],
  ]);
});

test('what is open when the recording ends was left running, until its last message', async () => {
  const messages = loadRecording('k_resume_live.legacyrich');
  const { sessions } = timelineOf([await recorded(messages)]);
  expect(sessions[0]?.entries.at(-1)).toMatchObject({ kind: 'background', state: 'running', outcome: 'the recording ends before it', end: messages.at(-1)?.t });
});

test('times of day come from the start that the recording tells', async () => {
  const messages = loadRecording('a_foreground_bash.legacy');
  const [first] = (await recorded(messages, Date.UTC(2026, 5, 1))).spans;
  const [relative] = (await recorded(messages)).spans;
  expect((first?.start ?? 0) - Date.UTC(2026, 5, 1)).toBe((relative?.start ?? 0) - (await recorded(messages)).zero);
});

test('without times each message is a millisecond after the one before', async () => {
  const messages = loadRecording('a_foreground_bash.legacy').map((message) => ({ ...message, t: NaN }));
  const { length, sessions } = timelineOf([await recorded(messages)]);
  expect(sessions[0]?.entries.length).toBeGreaterThan(1);
  expect(length).toBeLessThan(messages.length);
});
