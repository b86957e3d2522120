import { describe, expect, test } from 'vitest';
import { exportersOf, otelVariable, telemetryFor, telemetryWanted, wishOf } from '../../src/edge/telemetry-wanted.js';
import type { Log } from '../../src/plugin.js';

const none = { 'trace-file': undefined, otlp: undefined, 'follow-up-window': 250 };

describe('telemetry is wanted', () => {
  test.each<[string, object, Record<string, string>, boolean]>([
    ['by nobody', {}, {}, false],
    ['by --trace-file', { 'trace-file': '/t' }, {}, true],
    ['by --otlp', { otlp: 'http://x' }, {}, true],
    ['by an endpoint', {}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, true],
    ['by an endpoint for traces', {}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x' }, true],
    ['by an endpoint for metrics', {}, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://x' }, true],
    ['by an exporter of log records', {}, { OTEL_LOGS_EXPORTER: 'otlp' }, true],
    ['by an exporter', {}, { OTEL_TRACES_EXPORTER: 'console' }, true],
    ['not by the exporter none of each signal', {}, { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, false],
    ['not by a disabled SDK', { otlp: 'http://x' }, { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, false],
    ['by an SDK that is disabled for the agent only', {}, { OTEL_SDK_DISABLED: 'true', AFTERTURN_OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp' }, true],
    ['not when our own variable says none', {}, { OTEL_TRACES_EXPORTER: 'otlp', AFTERTURN_OTEL_TRACES_EXPORTER: 'none' }, false],
    ['by an option, whatever a variable says that may be the agent\'s', { otlp: 'http://x' }, { OTEL_TRACES_EXPORTER: 'none' }, true],
    ['not by empty variables', {}, { OTEL_TRACES_EXPORTER: ' ', OTEL_EXPORTER_OTLP_ENDPOINT: '', AFTERTURN_OTEL_TRACES_EXPORTER: '' }, false],
    ['not by other variables', {}, { OTEL_SERVICE_NAME: 'x', OTEL_RESOURCE_ATTRIBUTES: 'a=b', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }, false],
  ])('%s', (_what, options, env, wanted) => {
    expect(telemetryWanted({ ...none, ...options }, env)).toBe(wanted);
  });

  test('and what it is sent by', () => {
    expect(exportersOf({ OTEL_TRACES_EXPORTER: ' otlp , Console,' }, 'traces')).toEqual(['otlp', 'console']);
    expect(exportersOf({ OTEL_TRACES_EXPORTER: 'otlp,none' }, 'traces')).toEqual([]);
    expect(otelVariable({ OTEL_X: 'theirs', AFTERTURN_OTEL_X: 'ours' }, 'OTEL_X')).toBe('ours');
  });
});

describe('each signal has exporters of its own', () => {
  test.each<[string, object, Record<string, string>, object]>([
    ['all by --otlp', { otlp: 'http://x' }, {}, { traces: ['otlp'], metrics: ['otlp'], logs: ['otlp'] }],
    ['all by an endpoint', {}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, { traces: ['otlp'], metrics: ['otlp'], logs: ['otlp'] }],
    ['one by its endpoint', {}, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://x' }, { traces: [], metrics: ['otlp'], logs: [] }],
    ['one by its exporter', {}, { OTEL_LOGS_EXPORTER: 'console' }, { traces: [], metrics: [], logs: ['console'] }],
    ['but one, by a variable of the endpoint\'s kind', {}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_METRICS_EXPORTER: 'none' }, { traces: ['otlp'], metrics: [], logs: ['otlp'] }],
    ['but one, by a variable that is ours', { otlp: 'http://x' }, { AFTERTURN_OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }, { traces: ['otlp'], metrics: [], logs: ['otlp'] }],
    ['one more', { otlp: 'http://x' }, { OTEL_LOGS_EXPORTER: 'console,otlp' }, { traces: ['otlp'], metrics: ['otlp'], logs: ['otlp', 'console'] }],
    ['none by --trace-file, which has spans only', { 'trace-file': '/t' }, {}, { traces: [], metrics: [], logs: [] }],
  ])('%s', (_what, options, env, wish) => {
    expect(wishOf({ ...none, ...options }, env)).toEqual(wish);
  });
});

test('an option that a variable makes void is named', () => {
  const said: string[] = [];
  const log: Log = { error: () => {}, warn: (text) => void said.push(text), info: () => {}, debug: () => {} };
  expect(telemetryFor({ ...none, 'trace-file': '/nowhere/x' }, { OTEL_SDK_DISABLED: 'true' }, log, () => {})).toBeUndefined();
  expect(telemetryFor(none, { OTEL_SDK_DISABLED: 'true' }, log, () => {})).toBeUndefined();
  expect(said).toEqual([expect.stringContaining('OTEL_SDK_DISABLED')]);
});
