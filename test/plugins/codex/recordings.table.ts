/**
 * What a v2 client is to learn of each recording of codex-acp, written down from what happened there:
 * which command runs in the background, in which state of the session it is listed and removed, how
 * it and its call end, and what it printed. `test/corpus/codex/README.md` tells the scenarios.
 */

export interface ExpectedItem {
  /** The state of the session when it was listed first, and when the list dropped it. Absent: it never was. */
  readonly listed?: 'running' | 'idle';
  readonly removed?: 'running' | 'idle';
  /** The exit status of its terminal. Absent: the command runs on, or there is none. */
  readonly exit?: Readonly<Record<string, unknown>>;
  /** The last status of the call that launched it. */
  readonly call: 'completed' | 'failed' | 'cancelled' | 'in_progress';
  readonly output?: string;
}

export interface ExpectedSession {
  /** By the id of its call, which is that of its terminal. */
  readonly commands: Readonly<Record<string, ExpectedItem>>;
  readonly states: readonly string[];
}

export interface Expected {
  readonly sessions: readonly ExpectedSession[];
  /** The requests that are refused, with the code. */
  readonly refused?: readonly (readonly [method: string, code: number])[];
}

const FIRST = 'call_mock_0001';
const SECOND = 'call_mock_0002';
const OK = { exitCode: 0 };
const RAN = ['running', 'idle end_turn'];
const RAN_TWICE = [...RAN, ...RAN];
const CANCELLED = ['running', 'idle cancelled'];
const ASKED_TWICE = ['running', 'requires_action', 'running', 'requires_action', 'running'];

const lines = (from: number, to: number, word = 'line'): string => Array.from({ length: to - from + 1 }, (_, index) => `${word} ${from + index}\n`).join('');
/** Codex never tells the first line: it is printed before the call is told. */
const JOB = `${lines(2, 6)}finished\n`;
const LONG_JOB = `${lines(2, 8)}finished\n`;
const ticks = (to: number): string => lines(2, to, 'tick');
/** The bytes of the text, one character each. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');
const MIXED = bytes(`café ✓ 🚀\r\n\u001b[32mgreen\u001b[0m\r\n50%\r100%\r\n${Array.from({ length: 3000 }, (_, index) => `${index + 1}\r\n`).join('')}end\r\n`);

const one = (commands: ExpectedSession['commands'], states: readonly string[], more: Omit<Expected, 'sessions'> = {}): Expected => ({ sessions: [{ commands, states }], ...more });
const foreground = (output: string): ExpectedItem => ({ exit: OK, call: 'completed', output });
const background = (output: string, more: Partial<ExpectedItem> = {}): ExpectedItem => ({ listed: 'running', removed: 'idle', exit: OK, call: 'completed', output, ...more });
/** Stopped, or gone with the session or the agent: nothing of an exit is told. */
const ended = (output: string, more: Partial<ExpectedItem> = {}): ExpectedItem => background(output, { exit: {}, call: 'cancelled', ...more });

export const expectations: Readonly<Record<string, Expected>> = {
  a: one({ [FIRST]: foreground('world\n') }, RAN),
  b: one({ [FIRST]: background(JOB) }, RAN),
  'b-next': one({ [FIRST]: background(JOB) }, RAN_TWICE),
  'b-codemode': one({ 'exec-1': background(JOB) }, RAN),
  c: one({ [FIRST]: background('step 2\nstep 3\nstep 4\nboom\n', { exit: { exitCode: 3 }, call: 'failed' }) }, RAN),
  d: one({ [FIRST]: background(JOB, { removed: 'running' }), [SECOND]: foreground('slept\n') }, RAN_TWICE),
  e: one({ [FIRST]: background(LONG_JOB), [SECOND]: foreground('quick\n') }, RAN_TWICE),
  // The end repeats the whole output.
  'e-silent': one({ [FIRST]: background('one\ntwo\n') }, RAN_TWICE),
  // The second stop comes after the end.
  f: one({ [FIRST]: ended(ticks(4)) }, RAN, { refused: [['terminal/cancel', -32602]] }),
  // The first stop comes before the command is announced.
  'f-busy': one({ [FIRST]: ended(ticks(7)), [SECOND]: foreground('slept\n') }, RAN, { refused: [['terminal/cancel', -32602]] }),
  'f-talk': one({ [FIRST]: ended(ticks(3), { removed: 'running' }), [SECOND]: foreground('slept\n') }, RAN),
  // The cancel promotes the foreground command: it is announced after the turn, and outlives the recording.
  g: one({ [FIRST]: ended(ticks(9)), [SECOND]: { listed: 'idle', call: 'in_progress' } }, [...CANCELLED, ...RAN]),
  'g-idle': one({ [FIRST]: ended(ticks(5)) }, RAN),
  'g-model': one({ [FIRST]: ended(ticks(6)) }, CANCELLED),
  'g-promote': one({ [FIRST]: background(LONG_JOB, { listed: 'idle' }) }, CANCELLED),
  h: one({ [FIRST]: ended(ticks(3)) }, RAN),
  // The session is closed before anything was announced.
  'h-busy': one({ [FIRST]: { exit: {}, call: 'cancelled', output: ticks(3) }, [SECOND]: { exit: {}, call: 'cancelled' } }, CANCELLED),
  'h-delete': one({ [FIRST]: ended(ticks(3)) }, RAN),
  i: one({ [FIRST]: background(JOB), [SECOND]: ended(ticks(4)) }, RAN),
  // It ends in its own turn, polled by the model: it is never announced.
  j: one({ [FIRST]: foreground('Ada\r\nhi Ada\r\n\nAda\n\nbye\r\n') }, RAN),
  'j-poll': one({ [FIRST]: background(JOB, { removed: 'running' }) }, RAN_TWICE),
  // A refused permission cancels the turn.
  l: one({ [FIRST]: foreground('allowed\n'), [SECOND]: { exit: {}, call: 'failed' } }, [...ASKED_TWICE, 'idle cancelled']),
  'l-bg': one({ [FIRST]: background(JOB, { listed: 'idle' }), [SECOND]: foreground('second\n') }, [...ASKED_TWICE, 'idle end_turn']),
  'l-cancel': one({ [FIRST]: background(JOB, { listed: 'idle' }), [SECOND]: { exit: {}, call: 'cancelled' } }, [...ASKED_TWICE, 'idle cancelled']),
  m: one({ [SECOND]: { call: 'completed' } }, RAN),
  n: one({}, ['running', 'idle error', ...RAN]),
  'n-bg': one({ [FIRST]: background(JOB, { listed: 'idle' }) }, ['running', 'idle error']),
  // Its call cannot be stopped, and the close comes after its end.
  o: one({ [FIRST]: ended(ticks(3)) }, RAN, { refused: [['tool_call/cancel', -32602]] }),
  // The process of Codex is killed: the task fails, and nothing tells the end of the call.
  p: one({ [FIRST]: ended(ticks(3)) }, RAN_TWICE),
  q: one({ [FIRST]: foreground('two\n') }, RAN),
  r: one({ [FIRST]: background(JOB), [SECOND]: foreground('slept\n') }, RAN),
  // The second prompt waits for the first.
  s: one({ [FIRST]: background(JOB), [SECOND]: foreground('slept\n') }, RAN_TWICE),
  t: one({ [FIRST]: background(MIXED) }, RAN),
  u: { sessions: [{ commands: { [FIRST]: background(JOB) }, states: RAN }, { commands: { [SECOND]: ended(ticks(3)) }, states: RAN }] },
};
