import { expect, test } from 'vitest';
import { textLines, timelineOf } from '../../src/report/index.js';
import { backgroundSpan, callSpan, EPOCH, spanLine, turnSpan } from './otlp-lines.js';
import { readingOf, timelineOfTraces } from './read.js';

test('sessions as trees with times, states and outcomes, and totals', () => {
  const timeline = timelineOfTraces(spanLine(
    turnSpan({ id: 'a', from: 0, to: 3000 }),
    callSpan({ id: 'c', parent: 'a', from: 100, to: 250 }),
    backgroundSpan({ id: 'b', parent: 'c', from: 200, to: 65_200, attributes: { 'acp.background.unfinished': true, 'acp.end_reason': 'agent_exited' } }),
    backgroundSpan({ id: 'd', parent: 'a', from: 400, to: 900, error: true, attributes: { 'acp.background.outcome': 'failed', 'process.exit.code': 3 } }),
    turnSpan({ id: 'e', from: 1000, to: 1200, links: ['d'], attributes: { 'acp.turn.started_by': 'agent' } }),
  ));
  expect([...textLines(timeline)].join('\n')).toBe(`0.jsonl (trace)
0 is 2026-01-02 03:04:05.000 UTC

Session s, agent-x 1.2.3, 1 m 05 s
       START  DURATION  STATE
    0:00.000    3.00 s  completed     turn prompt
    0:00.100    150 ms  completed       tool Bash
    0:00.200  1 m 05 s  left running      background shell (the agent ended)
    0:00.400    500 ms  failed          background shell (exit code 3)
    0:01.000    200 ms  completed     turn started by the agent (after background shell)

Totals: 1 session, 2 turns, 1 tool call, 2 background items, in 1 m 05 s
Ran longest: 3 items
    0:00.200  1 m 05 s  left running  background shell (the agent ended)
    0:00.400    500 ms  failed        background shell (exit code 3)
    0:00.100    150 ms  completed     tool Bash
Left running: 1 item
    0:00.200  1 m 05 s  left running  background shell (the agent ended)
Failed: 1 item
    0:00.400    500 ms  failed        background shell (exit code 3)`);
});

test('a title of several lines stays on its line', () => {
  const titles = new Map([['s', { title: 'a\n b', calls: new Map([['call-c', 'make\n  test']]), tasks: new Map() }]]);
  const lines = [...textLines(timelineOf([{ ...readingOf(spanLine(callSpan({ id: 'c', to: 1 }))), titles }]))];
  expect(lines.find((line) => line.startsWith('Session'))).toBe('Session s: a b, 1 ms');
  expect(lines.filter((line) => line.endsWith('tool Bash: make test'))).toHaveLength(2);
});

test('files whose times are relative, or missing, are told', () => {
  const reading = { ...readingOf(spanLine(turnSpan({ id: 'a', from: 0, to: 1 })), 'r.ndjson'), form: 'recording' as const, zero: EPOCH, remarks: ['it begins in the middle'] };
  const lines = [...textLines(timelineOf([{ ...reading, clock: 'relative' }, { ...reading, file: 'n.ndjson', clock: 'none' }]))];
  expect(lines.slice(0, 3)).toEqual([
    'r.ndjson (recording); its times are relative, from 0 at its start; it begins in the middle',
    'n.ndjson (recording); it has no times: one message is shown as one millisecond; it begins in the middle',
    '0 is the start of each file',
  ]);
  expect(lines.filter((line) => line.startsWith('Session'))).toEqual(['Session s, agent-x 1.2.3, 1 ms, r.ndjson', 'Session s, agent-x 1.2.3, 1 ms, n.ndjson']);
});

test('of many that failed the first are named, the others counted', () => {
  const calls = Array.from({ length: 14 }, (_, index) => callSpan({ id: `c${index}`, from: index, to: index + 1, error: true, attributes: { 'acp.tool_call.status': 'failed' } }));
  const lines = [...textLines(timelineOfTraces(spanLine(...calls)))];
  expect(lines.slice(lines.indexOf('Failed: 14 items') + 11)).toEqual(['              and 4 more']);
});
