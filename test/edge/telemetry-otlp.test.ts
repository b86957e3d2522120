import { expect, test } from 'vitest';
import { signalUrl } from '../../src/edge/telemetry-otlp.js';

test('the path of a URL for each signal', () => {
  expect(['http://h', 'http://h/', 'http://h:1/base', 'http://h/v1/traces', 'https://h/x/v1/traces?k=v'].map((url) => signalUrl(url, 'traces'))).toEqual([
    'http://h/v1/traces', 'http://h/v1/traces', 'http://h:1/base/v1/traces', 'http://h/v1/traces', 'https://h/x/v1/traces?k=v',
  ]);
  expect(signalUrl('http://h/x/v1/traces', 'metrics')).toBe('http://h/x/v1/metrics');
});
