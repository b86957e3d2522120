import { describe, expect, test } from 'vitest';
import { check, rules as all } from '../../src/check/index.js';
import { after, answerTo, before, changed, request, saying, sessionOf, update, without } from '../tools/edits.js';
import { loadRecording, type RecordedMessage } from '../tools/recording.js';
import type { Json } from '../tools/updates.js';

/** Those of v2; the others have a file of their own. */
const rules = all.filter(({ number }) => number.startsWith('5.'));
const SHELL = 'toolu_01BashBackground000001';
const WORKFLOW = 'toolu_01Workflow000000000001';
const TERMINAL = { type: 'terminal', terminalId: SHELL };
const stopped = loadRecording('f_stop_server.v2');
const ended = loadRecording('b_background_exit0.v2');
const foreground = loadRecording('a_foreground_bash.v2');
const closed = loadRecording('h_close_session.v2');
const asked = loadRecording('l_permission.v2');
const resumed = loadRecording('k_resume_live.v2');

const running = (list: readonly Json[]) => update({ sessionUpdate: 'state_update', state: 'running', background: list });
const exit = update({ sessionUpdate: 'terminal_update', exitStatus: {}, capabilities: null });
const removal = update({ sessionUpdate: 'state_update', state: 'idle', background: [] });
const completion = update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
const state = (records: readonly RecordedMessage[], members: Json) => saying(sessionOf(records), { sessionUpdate: 'state_update', ...members });
const sent = (method: string, id: number, params: Json) => (t: number): RecordedMessage => ({ t, dir: 'c2a', msg: { jsonrpc: '2.0', id, method, params } });
const answered = (id: number, result: Json) => (t: number): RecordedMessage => ({ t, dir: 'a2c', msg: { jsonrpc: '2.0', id, result } });

/** For each rule a sound recording broken in one place, and every rule that this breaks. */
const BROKEN: Readonly<Record<string, readonly [records: RecordedMessage[], alsoBroken?: readonly string[]]>> = {
  'announce-before-list': [changed(stopped, running([TERMINAL]), { background: [TERMINAL, { type: 'terminal', terminalId: 'ghost' }] }), ['settle-before-remove']],
  'settle-before-remove': [without(stopped, exit)],
  'listed-after-end': [changed(ended, removal, { background: [TERMINAL] })],
  'cancel-ends-with-item': [changed(stopped, exit, { capabilities: undefined })],
  'listed-once': [changed(stopped, running([TERMINAL]), { background: [TERMINAL, TERMINAL] })],
  'process-as-terminal': [
    changed(changed(stopped, update({ toolCallId: SHELL, status: 'completed' }), { status: 'in_progress' }), running([TERMINAL]), { background: [TERMINAL, { type: 'tool_call', toolCallId: SHELL }] }),
    ['settle-before-remove'],
  ],
  'detached-only': [without(stopped, update({ toolCallId: SHELL, status: 'completed' }))],
  'always-reported': [changed(stopped, completion, { background: undefined })],
  'readable-list': [changed(stopped, completion, { background: [{ type: 'terminal' }] })],
  'mirrored-list': [changed(loadRecording('e2_foreground_agent.v2'), update({ sessionUpdate: 'subagent_update' }), { state: { state: 'idle', stopReason: 'end_turn' } }, -1)],
  'resend-without-stop-reason': [changed(stopped, removal, { stopReason: 'end_turn' })],
  'resend-on-change': [without(stopped, removal)],
  'no-removal-then-running': [before(before(stopped, answerTo(stopped, 'terminal/cancel'), [state(stopped, { state: 'running', background: [] })]), answerTo(stopped, 'terminal/cancel'), [state(stopped, { state: 'idle', stopReason: 'end_turn', background: [] })])],
  'cancel-spares-background': [
    before(loadRecording('extra/wf.v2'), update({ stopReason: 'cancelled' }), [saying(sessionOf(loadRecording('extra/wf.v2')), { sessionUpdate: 'tool_call_update', toolCallId: WORKFLOW, status: 'cancelled', capabilities: null })]),
    ['listed-after-end'],
  ],
  'close-empties-list': [without(closed, removal)],
  'close-ends-idle': [changed(closed, removal, { state: 'running' })],
  'close-settles': [without(closed, exit), ['settle-before-remove']],
  'close-is-last': [after(closed, [saying(sessionOf(closed), { sessionUpdate: 'session_info_update', title: 'x' })])],
  'resume-announces-again': [without(resumed, update({ sessionUpdate: 'terminal_update', command: './server.sh', capabilities: { cancel: {} } }), 1), ['listed-after-end']],
  'resume-tells-state': [without(resumed, update({ sessionUpdate: 'state_update', state: 'idle', stopReason: undefined })), ['listed-after-end']],
  'fork-starts-empty': [
    after(stopped, [
      sent('session/fork', 50, { sessionId: sessionOf(stopped), cwd: '/workspace/project', mcpServers: [] }),
      answered(50, { sessionId: 'forked' }),
      saying('forked', { sessionUpdate: 'state_update', state: 'idle', background: [{ type: '_host', name: 'x' }] }),
    ]),
  ],
  'one-completion': [after(foreground, [state(foreground, { state: 'idle', stopReason: 'end_turn', background: [] })])],
  'completion-told': [changed(foreground, completion, { stopReason: undefined })],
  'prompt-runs': [without(foreground, running([]))],
  'cancelled-told': [changed(loadRecording('l4_permission_cancel.v2'), update({ stopReason: 'cancelled' }), { stopReason: 'end_turn' })],
  'action-from-running': [before(asked, update({ state: 'requires_action' }), [state(asked, { state: 'idle', stopReason: 'end_turn', background: [] })])],
  'action-before-request': [without(asked, update({ state: 'requires_action' }))],
  'withdrawn-cancelled': [before(asked, ({ dir, msg }) => dir === 'c2a' && msg.method === undefined, [(t) => ({ t: t - 200, dir: 'a2c', msg: { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 0 } } })])],
  'cancel-refused': [stopped.map((record) => (record.dir === 'a2c' && record.msg.method === undefined && record.msg.id === 4 ? { ...record, msg: { jsonrpc: '2.0', id: 4, result: {} } } : record))],
  'prompt-inserted': [without(foreground, update({ sessionUpdate: 'user_message' }))],
};

const namesOf = (records: readonly RecordedMessage[]): string[] => [...new Set(check(records).map(({ name }) => name))].sort();

describe('each rule catches what breaks it', () => {
  test.each(rules.map(({ number, name, title }) => [`${number} ${name}: ${title}`, name] as const))('%s', (_, name) => {
    const [records, alsoBroken = []] = BROKEN[name] ?? [[]];
    expect(namesOf(records)).toEqual([name, ...alsoBroken].sort());
  });

  test('every case belongs to a rule, and every rule says what it follows', () => {
    expect(Object.keys(BROKEN).sort()).toEqual(rules.map(({ name }) => name).sort());
    for (const { number, title, section } of rules) {
      expect(number).toMatch(/^5\.\d+$/);
      expect(title).not.toBe('');
      expect(section).not.toBe('');
    }
  });
});

const cancelling = loadRecording('extra/wf.v2');
const dropping = [
  saying(sessionOf(cancelling), { sessionUpdate: 'tool_call_update', toolCallId: WORKFLOW, status: 'cancelled', capabilities: null }),
  state(cancelling, { state: 'idle', background: [TERMINAL] }),
];

test('listed work that is cancelled just after the foreground work', () => {
  const place = cancelling.findIndex(update({ stopReason: 'cancelled' }));
  const late = (ms: number) => [...cancelling.slice(0, place + 1), ...dropping.map((make) => make(Number(cancelling[place]?.t) + ms))];
  expect(namesOf(late(260))).toEqual(['cancel-spares-background']);
  expect(namesOf(late(2000))).toEqual([]);
});

test('listed work that ends because the agent is gone, at once after a cancel', () => {
  const ends = (reason: string) => before(loadRecording('extra/wf.v2'), update({ stopReason: 'cancelled' }), [
    saying(sessionOf(cancelling), { sessionUpdate: 'tool_call_update', toolCallId: WORKFLOW, status: 'cancelled', capabilities: null, _meta: { afterturn: { reason } } }),
  ]);
  expect(namesOf(ends('the agent exited'))).toEqual(['listed-after-end']);
  expect(namesOf(ends('its turn was cancelled without ending it'))).toEqual(['cancel-spares-background', 'listed-after-end']);
});

describe('what is sound is not found', () => {
  test('a running for a prompt of the client after a removal', () => {
    const session = sessionOf(stopped);
    const records = before(stopped, answerTo(stopped, 'terminal/cancel'), [
      sent('session/prompt', 60, { sessionId: session, prompt: [] }),
      saying(session, { sessionUpdate: 'user_message', messageId: 'm', content: [] }),
      answered(60, { messageId: 'm' }),
      state(stopped, { state: 'running', background: [] }),
      state(stopped, { state: 'idle', stopReason: 'end_turn', background: [] }),
    ]);
    expect(namesOf(records)).toEqual([]);
  });

  test('a permission request for listed work while the session is idle', () => {
    const session = sessionOf(stopped);
    const ask = (subject: Json) => (t: number): RecordedMessage =>
      ({ t, dir: 'a2c', msg: { jsonrpc: '2.0', id: 'p', method: 'session/request_permission', params: { sessionId: session, title: 'x', subject, options: [] } } });
    const about = (subject: Json) => namesOf(before(stopped, request('terminal/cancel'), [ask(subject)]));
    expect(about({ type: 'command', command: 'x', terminalId: SHELL })).toEqual([]);
    expect(about({ type: 'tool_call', toolCall: { toolCallId: SHELL } })).toEqual([]);
    expect(about({ type: 'tool_call', toolCall: { toolCallId: 'other' } })).toEqual(['action-before-request']);
  });

  test('an item of an unknown type', () => {
    const odd = { type: '_cron', name: 'x' };
    const records = changed(changed(stopped, running([TERMINAL]), { background: [TERMINAL, odd] }), completion, { background: [odd, TERMINAL] });
    expect(namesOf(records)).toEqual([]);
  });

  test('a second life of an item', () => {
    const records = after(ended, [
      saying(sessionOf(ended), { sessionUpdate: 'terminal_update', terminalId: SHELL, exitStatus: null, capabilities: { cancel: {} } }),
      state(ended, { state: 'idle', background: [TERMINAL] }),
      saying(sessionOf(ended), { sessionUpdate: 'terminal_update', terminalId: SHELL, exitStatus: {}, capabilities: null }),
      state(ended, { state: 'idle', background: [] }),
    ]);
    expect(namesOf(records)).toEqual(['no-removal-then-running']);
  });

  test('an agent that does not report background work', () => {
    const silent = stopped.map((record) => (update({ sessionUpdate: 'state_update' })(record) ? changed([record], () => true, { background: undefined })[0] : record) as RecordedMessage);
    expect(namesOf(silent)).toEqual([]);
  });

  test('a running that the agent starts after a removal that had waited for it', () => {
    const place = stopped.findIndex(removal);
    const end = Number(stopped[stopped.findLastIndex((record, index) => index < place && exit(record))]?.t);
    const late = (ms: number, then: number): RecordedMessage[] => [
      ...stopped.slice(0, place), state(stopped, { state: 'idle', background: [] })(end + ms),
      state(stopped, { state: 'running', background: [] })(end + then), state(stopped, { state: 'idle', stopReason: 'end_turn', background: [] })(end + then),
    ];
    expect(namesOf(late(250, 260))).toEqual([]);
    expect(namesOf(late(240, 260))).toEqual(['no-removal-then-running']);
  });

  test('a session that is closed and resumed', () => {
    const records = after(closed, [
      sent('session/resume', 70, { sessionId: sessionOf(closed), cwd: '/workspace/project', mcpServers: [] }),
      state(closed, { state: 'idle', background: [] }),
      answered(70, {}),
    ]);
    expect(namesOf(records)).toEqual([]);
  });

  test('a session that is resumed before its close is answered', () => {
    const records = before(closed, answerTo(closed, 'session/close'), [sent('session/resume', 70, { sessionId: sessionOf(closed), cwd: '/workspace/project', mcpServers: [] })]);
    expect(namesOf(after(records, [state(closed, { state: 'idle', background: [] }), answered(70, {}), state(closed, { state: 'running', background: [] }), state(closed, { state: 'idle', stopReason: 'end_turn', background: [] })], 1))).toEqual([]);
  });

  test('a new session under the id of one that was closed', () => {
    const records = after(closed, [sent('session/new', 70, { cwd: '/workspace/project', mcpServers: [] }), answered(70, { sessionId: sessionOf(closed) }), state(closed, { state: 'idle', background: [] })]);
    expect(namesOf(records)).toEqual([]);
  });

  test('a session that is opened again at once, and a turn of the agent\'s own in it', () => {
    const records = after(closed, [
      sent('session/resume', 70, { sessionId: sessionOf(closed), cwd: '/workspace/project', mcpServers: [] }),
      state(closed, { state: 'idle', background: [] }),
      answered(70, {}),
      state(closed, { state: 'running', background: [] }),
      state(closed, { state: 'idle', stopReason: 'end_turn', background: [] }),
    ], 1);
    expect(namesOf(records)).toEqual([]);
  });

  test('a running that the agent starts after a resume has told the list without what has ended', () => {
    const place = stopped.findIndex(removal);
    const t = Number(stopped[place]?.t);
    const records = [
      ...stopped.slice(0, place), sent('session/resume', 70, { sessionId: sessionOf(stopped), cwd: '/workspace/project', mcpServers: [] })(t),
      state(stopped, { state: 'idle', background: [] })(t), answered(70, {})(t), state(stopped, { state: 'running', background: [] })(t), state(stopped, { state: 'idle', stopReason: 'end_turn', background: [] })(t),
    ];
    expect(namesOf(records)).toEqual([]);
  });

  test('a removal that is told with the state of a resume which took long, and no other that is late', () => {
    const session = sessionOf(stopped);
    const place = stopped.findIndex(removal);
    const at = Number(stopped[place]?.t);
    const resumes = (asked: number, done: number): RecordedMessage[] => [
      ...stopped.slice(0, place), sent('session/resume', 70, { sessionId: session, cwd: '/workspace/project', mcpServers: [] })(at + asked),
      state(stopped, { state: 'idle', background: [] })(at + done), answered(70, {})(at + done),
    ];
    expect(namesOf(resumes(10, 9000))).toEqual([]);
    expect(namesOf(resumes(8000, 9000))).toEqual(['resend-on-change']);
  });
});
