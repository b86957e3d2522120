import { describe, expect, test } from 'vitest';
import { exportersOf, otelVariable, telemetryFor, tracingWanted } from '../../src/edge/telemetry-wanted.js';
import type { Log } from '../../src/plugin.js';

const none = { 'trace-file': undefined, otlp: undefined, 'follow-up-window': 250 };

describe('spans are wanted', () => {
  test.each<[string, object, Record<string, string>, boolean]>([
    ['by nobody', {}, {}, false],
    ['by --trace-file', { 'trace-file': '/t' }, {}, true],
    ['by --otlp', { otlp: 'http://x' }, {}, true],
    ['by an endpoint', {}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, true],
    ['by an endpoint for traces', {}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x' }, true],
    ['not by an endpoint for metrics', {}, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://x' }, false],
    ['by an exporter', {}, { OTEL_TRACES_EXPORTER: 'console' }, true],
    ['not by the exporter none', {}, { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, false],
    ['not by a disabled SDK', { otlp: 'http://x' }, { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, false],
    ['by an SDK that is disabled for the agent only', {}, { OTEL_SDK_DISABLED: 'true', AFTERTURN_OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp' }, true],
    ['not when our own variable says none', {}, { OTEL_TRACES_EXPORTER: 'otlp', AFTERTURN_OTEL_TRACES_EXPORTER: 'none' }, false],
    ['by an option, whatever the exporter variable says', { otlp: 'http://x' }, { OTEL_TRACES_EXPORTER: 'none' }, true],
    ['not by empty variables', {}, { OTEL_TRACES_EXPORTER: ' ', OTEL_EXPORTER_OTLP_ENDPOINT: '', AFTERTURN_OTEL_TRACES_EXPORTER: '' }, false],
    ['not by other variables', {}, { OTEL_SERVICE_NAME: 'x', OTEL_RESOURCE_ATTRIBUTES: 'a=b', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }, false],
  ])('%s', (_what, options, env, wanted) => {
    expect(tracingWanted({ ...none, ...options }, env)).toBe(wanted);
  });

  test('and what they are sent by', () => {
    expect(exportersOf({ OTEL_TRACES_EXPORTER: ' otlp , Console,' })).toEqual(['otlp', 'console']);
    expect(exportersOf({ OTEL_TRACES_EXPORTER: 'otlp,none' })).toEqual([]);
    expect(otelVariable({ OTEL_X: 'theirs', AFTERTURN_OTEL_X: 'ours' }, 'OTEL_X')).toBe('ours');
  });
});

test('an option that a variable makes void is named', async () => {
  const said: string[] = [];
  const log: Log = { error: () => {}, warn: (text) => void said.push(text), info: () => {}, debug: () => {} };
  expect(await telemetryFor({ ...none, 'trace-file': '/nowhere/x' }, { OTEL_SDK_DISABLED: 'true' }, log, () => {})).toBeUndefined();
  expect(await telemetryFor(none, { OTEL_SDK_DISABLED: 'true' }, log, () => {})).toBeUndefined();
  expect(said).toEqual([expect.stringContaining('OTEL_SDK_DISABLED')]);
});
