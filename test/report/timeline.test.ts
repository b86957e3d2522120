import { describe, expect, test } from 'vitest';
import { timelineOf } from '../../src/report/index.js';
import { backgroundSpan, callSpan, EPOCH, recordLine, spanLine, turnSpan } from './otlp-lines.js';
import { entriesOf, readingOf, timelineOfTraces } from './read.js';

test('a session is a tree of turns, tool calls and background items, in the order of their starts', () => {
  const timeline = timelineOfTraces(
    spanLine(backgroundSpan({ id: 'b', parent: 'c', from: 150, to: 900, attributes: { 'process.exit.code': 0 } })) +
    spanLine(callSpan({ id: 'c', parent: 'a', from: 120, to: 160 }), callSpan({ id: 'd', parent: 'a', from: 170, to: 200, error: true, attributes: { 'acp.tool_call.status': 'failed', 'error.type': 'failed' } })) +
    spanLine(turnSpan({ id: 'a', from: 100, to: 300, attributes: { 'gen_ai.response.finish_reasons': ['end_turn'] } })),
  );
  expect(entriesOf(timeline)).toEqual([
    's turn prompt 0..200 completed (end_turn)',
    's   call Bash 20..60 completed',
    's     background shell 50..800 completed (exit code 0)',
    's   call Bash 70..100 failed',
  ]);
  expect(timeline).toMatchObject({ zero: EPOCH + 100, length: 800, sessions: [{ id: 's', agent: 'agent-x 1.2.3', start: 0, end: 800 }] });
});

test('a turn of the agent names the item that caused it', () => {
  const { sessions } = timelineOfTraces(spanLine(backgroundSpan({ id: 'b', from: 0, to: 10 }), turnSpan({ id: 'a', trace: 't2', from: 11, to: 12, links: ['b'], attributes: { 'acp.turn.started_by': 'agent' } })));
  const [item, turn] = sessions[0]?.entries ?? [];
  expect(turn).toMatchObject({ name: 'started by the agent', causes: [item?.key] });
});

test('the session of a subagent names the item whose work it is', () => {
  const { sessions } = timelineOfTraces(spanLine(backgroundSpan({ id: 'b', from: 0, to: 90, attributes: { 'acp.subagent.session_id': 'child' } }), callSpan({ id: 'c', from: 5, to: 9 }, 'child')));
  expect(sessions.map(({ id, workOf }) => [id, workOf])).toEqual([['s', undefined], ['child', sessions[0]?.entries[0]?.key]]);
});

describe('states', () => {
  test.each([
    ['a failed item with its code', backgroundSpan({ id: 'x', error: true, attributes: { 'acp.background.outcome': 'failed', 'error.type': 'failed', 'process.exit.code': 3 } }), 'failed (exit code 3)'],
    ['a stopped item', backgroundSpan({ id: 'x', attributes: { 'acp.background.outcome': 'cancelled' } }), 'cancelled'],
    ['an item whose end nobody explained', backgroundSpan({ id: 'x', attributes: { 'acp.background.outcome': 'unknown' } }), 'unknown'],
    ['an item that was left running', backgroundSpan({ id: 'x', attributes: { 'acp.background.outcome': 'unknown', 'acp.background.unfinished': true, 'acp.end_reason': 'session_closed' } }), 'running (the session was closed)'],
    ['a call that was left open', callSpan({ id: 'x', attributes: { 'acp.unfinished': true, 'acp.end_reason': 'agent_exited' } }), 'running (the agent ended)'],
    ['a failed turn', turnSpan({ id: 'x', error: true, attributes: { 'error.type': '-32603' } }), 'failed (-32603)'],
    ['a cancelled turn', turnSpan({ id: 'x', attributes: { 'gen_ai.response.finish_reasons': ['cancelled'] } }), 'cancelled'],
    ['a span of somebody else', { id: 'x', error: true, attributes: { 'session.id': 's' } }, 'failed'],
    ['a state that nobody knows', callSpan({ id: 'x', attributes: { 'acp.tool_call.status': 'constructor' } }), 'completed'],
  ])('%s', (_, span, state) => {
    expect(entriesOf(timelineOfTraces(spanLine({ to: 0, ...span })))[0]).toMatch(new RegExp(`0\\.\\.0 ${state.replace(/[()]/g, '\\$&')}$`));
  });

  test('a permission wait tells its answer', () => {
    const wait = { id: 'x', name: 'session/request_permission', attributes: { 'rpc.method': 'session/request_permission', 'session.id': 's', 'acp.permission.outcome': 'selected', 'acp.permission.option_kind': 'reject_once' } };
    expect(entriesOf(timelineOfTraces(spanLine(wait)))).toEqual(['s permission wait 0..0 completed (reject_once)']);
  });
});

describe('work that has not ended', () => {
  /** The span that announces another: its child, without length. */
  const pending = (id: string, from: number, above: string): string =>
    spanLine(backgroundSpan({ id: `p-${id}`, parent: id, from, to: from, attributes: { 'acp.pending': true, 'acp.pending.parent_span_id': above } }));

  test('is shown from its pending span to the last thing that is known', () => {
    const timeline = timelineOfTraces(spanLine(turnSpan({ id: 'a', from: 0, to: 500 })) + pending('b', 100, 'a'));
    expect(entriesOf(timeline)).toEqual(['s turn prompt 0..500 completed', 's   background shell 100..500 running (no end was written)']);
    expect(timeline.sessions[0]?.entries[1]?.facts.map(([label]) => label)).toEqual(['Task type', 'Listed as', 'Background item']);
  });

  test.each([[0, 1], [1, 0]])('its pending span gives way to the one that has ended, in either order (%i, %i)', (...order) => {
    const lines = [pending('b', 100, 'gone'), spanLine(backgroundSpan({ id: 'b', from: 100, to: 700 }))];
    expect(entriesOf(timelineOfTraces(order.map((index) => lines[index]).join('')))).toEqual(['s background shell 0..600 completed']);
  });

  test('is shown from its start record where it has no span', () => {
    const record = recordLine({ at: 100, span: 'b', attributes: backgroundSpan({ id: 'b' }).attributes ?? {} });
    const turn = spanLine(turnSpan({ id: 'a', from: 0, to: 400 }));
    expect(entriesOf(timelineOfTraces(record + turn))).toEqual(['s turn prompt 0..400 completed', 's background shell 100..400 running (no end was written)']);
    const ended = spanLine(backgroundSpan({ id: 'b', from: 100, to: 300 }));
    expect(entriesOf(timelineOfTraces(record + turn + ended))).toEqual(['s turn prompt 0..400 completed', 's background shell 100..300 completed']);
  });

  test('a start record without the id of a span is told by the item that it names', () => {
    const attributes = backgroundSpan({ id: 'b' }).attributes ?? {};
    const text = recordLine({ at: 100, attributes }) + spanLine(backgroundSpan({ id: 'b', from: 100, to: 300 }));
    expect(entriesOf(timelineOfTraces(text))).toEqual(['s background shell 0..200 completed']);
  });

  test('an item whose parent is not told stands under the call that it names', () => {
    const text = recordLine({ at: 30, attributes: { ...backgroundSpan({ id: 'b' }).attributes, 'gen_ai.tool.call.id': 'call-c' } }) + spanLine(callSpan({ id: 'c', from: 0, to: 50 }));
    expect(entriesOf(timelineOfTraces(text))[1]).toBe('s   background shell 30..50 running (no end was written)');
  });
});

describe('spans that do not say what they belong to', () => {
  test('belong to the session of their parents, else of their trace, else to their trace', () => {
    const text = spanLine(
      turnSpan({ id: 'a', from: 0, to: 9 }),
      { id: 'b', parent: 'a', from: 1 }, { id: 'c', parent: 'b', from: 2 },
      { id: 'd', parent: 'gone', from: 3 },
      { id: 'e', trace: 't2', from: 4 },
    );
    expect(entriesOf(timelineOfTraces(text))).toEqual([
      's turn prompt 0..9 completed', 's   other b 1..1 completed', 's     other c 2..2 completed', 's other d 3..3 completed', 'trace t2 other e 4..4 completed',
    ]);
  });

  test('each appear once where they are their own or each others parents', () => {
    const text = spanLine({ id: 'a', parent: 'b' }, { id: 'b', parent: 'a' }, { id: 'c', parent: 'c' });
    expect(entriesOf(timelineOfTraces(text)).sort()).toEqual(['trace t1 other a 0..0 completed', 'trace t1 other c 0..0 completed', 'trace t1   other b 0..0 completed'].sort());
  });

  test('a chain of 20,000 parents is no trouble', () => {
    const spans = Array.from({ length: 20_000 }, (_, index) => ({ id: `n${index}`, parent: `n${index - 1}`, from: index }));
    expect(timelineOfTraces(spanLine(...spans)).sessions[0]?.entries.at(-1)?.depth).toBe(19_999);
  });
});

describe('several files', () => {
  const one = spanLine(turnSpan({ id: 'a', from: 1000, to: 2000 }));
  const other = spanLine(turnSpan({ id: 'a', from: 400, to: 1500 }));

  test('stand on one clock, each with its own sessions', () => {
    const { sessions, zero, length } = timelineOfTraces(one, other);
    expect(sessions.map(({ source, start, end }) => [source, start, end])).toEqual([[1, 0, 1100], [0, 600, 1600]]);
    expect([zero, length]).toEqual([EPOCH + 400, 1600]);
    expect(new Set(sessions.flatMap(({ entries }) => entries.map(({ key }) => key))).size).toBe(2);
  });

  test('one whose times are relative begins with the clock, behind the others', () => {
    const relative = { ...readingOf(one, 'r.ndjson'), clock: 'relative' as const, zero: EPOCH };
    const { sessions } = timelineOf([relative, readingOf(other)]);
    expect(sessions.map(({ source, start, end }) => [source, start, end])).toEqual([[1, 0, 1100], [0, 1000, 2000]]);
  });
});
