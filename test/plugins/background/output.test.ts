import { describe, expect, it } from 'vitest';
import { connected, SESSION, type Connected, type ConnectedOptions } from './connected.js';

const PATH = '/tmp/b.output';

/** A listed shell whose output file is known; the placeholder of its tool result was shown. */
function followed(options: ConnectedOptions = {}): Connected {
  const on = connected(options);
  on.runsShell({ outputFilePath: PATH, description: 'Run it' });
  on.client.received();
  return on;
}

const text = (data: unknown): string => Buffer.from(String(data), 'base64').toString();

/** What the client saw of the terminal: `= text` for a snapshot, `+ text` for a chunk, the exit in short form. */
function output(on: Connected): string[] {
  return on.client.received().filter(({ method }) => method === 'session/update').map(({ params: { update } }) => {
    if (update.output !== undefined) return `= ${text(update.output.data)}`;
    if (update.sessionUpdate === 'terminal_output_chunk') return `+ ${text(update.data)}`;
    return update.exitStatus === undefined ? String(update.state ?? update.sessionUpdate) : `exit ${JSON.stringify(update.exitStatus)}`;
  });
}

const ends = (on: Connected, state: string): void => on.says('_async_task_state_update', { asyncTaskId: 'b', state });

describe('the output of a listed command', () => {
  it('first a snapshot that replaces the placeholder, then chunks, all of it before the exit', () => {
    const on = followed();
    on.files.write(PATH, 'line 1\n');
    on.files.write(PATH, 'line 2\n');
    on.files.write(PATH, 'line 3\n[exited with code 0]\n', { lazily: true });
    ends(on, 'completed');
    expect(output(on)).toEqual(['= line 1\n', '+ line 2\n', '+ line 3\n[exited with code 0]\n', 'exit {"exitCode":0}']);
    expect(on.files.followed()).toEqual([]);
  });

  it('is waited for, listed, when the harness has named the code but not yet written its last line', () => {
    const on = followed();
    on.files.write(PATH, 'line 1\n');
    on.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } });
    on.raw('task_notification', { task_id: 'b', status: 'completed', summary: 'Background command "Run it" completed (exit code 0)' });
    on.says('state_update', { state: 'running' });
    expect(output(on)).toEqual(['= line 1\n', 'running']);
    on.files.write(PATH, '\n[exited with code 0]\n', { lazily: true });
    on.clock.advance(15);
    expect(output(on)).toEqual(['+ \n[exited with code 0]\n', 'exit {"exitCode":0}', 'running']);
  });

  it('is waited for only as long as the harness takes to write it, and not at all after a stop', () => {
    const on = followed();
    on.files.write(PATH, 'line 1\n');
    on.raw('task_notification', { task_id: 'b', status: 'completed', summary: 'Background command "Run it" completed (exit code 0)' });
    on.clock.advance(39);
    expect(output(on)).toEqual(['= line 1\n']);
    on.clock.advance(1);
    expect(output(on)).toEqual(['exit {"exitCode":0}']);
    const stopped = followed();
    stopped.raw('task_updated', { task_id: 'b', patch: { status: 'killed' } });
    expect(output(stopped)).toEqual(['exit {}']);
  });

  it('alone is waited for once a turn of the agent runs, and no exit code any more', () => {
    const on = followed();
    on.files.write(PATH, 'line 1\n');
    ends(on, 'completed');
    on.clock.advance(20);
    on.says('state_update', { state: 'running' });
    on.clock.advance(19);
    expect(output(on)).toEqual(['= line 1\n', 'running']);
    on.clock.advance(1);
    expect(output(on)).toEqual(['exit {}', 'running']);
  });

  it('is not waited for where the file cannot be read', () => {
    const on = followed();
    on.files.fail(PATH, 'it is a directory');
    on.raw('task_notification', { task_id: 'b', status: 'completed', summary: 'Background command "Run it" completed (exit code 0)' });
    expect(output(on)).toEqual(['exit {"exitCode":0}']);
  });

  it('of a command that wrote nothing is empty: the placeholder goes', () => {
    const on = followed();
    on.files.write(PATH, '', { lazily: true });
    ends(on, 'completed');
    on.clock.advance(250);
    expect(output(on)).toEqual(['= ', 'exit {}']);
  });

  it('is base64 of the bytes as they are', () => {
    const on = followed();
    on.files.write(PATH, Buffer.from([0xff, 0x00, 0xc3]));
    expect(on.client.received()[0].params).toEqual({ sessionId: SESSION, update: { sessionUpdate: 'terminal_update', terminalId: 'c', output: { data: Buffer.from([0xff, 0x00, 0xc3]).toString('base64') } } });
  });

  it('is replaced when the file starts anew', () => {
    const on = followed();
    on.files.write(PATH, 'old');
    on.files.replace(PATH, 'new');
    on.files.replace(PATH, '');
    expect(output(on)).toEqual(['= old', '= new', '= ']);
  });

  it('comes with the end when all of it does', () => {
    const on = followed();
    on.files.write(PATH, 'quick\n[exited with code 3]\n', { lazily: true });
    ends(on, 'failed');
    expect(output(on)).toEqual(['= quick\n[exited with code 3]\n', 'exit {"exitCode":3}']);
  });

  it('is followed from where it is when the file is known only later', () => {
    const on = connected();
    on.runsShell();
    on.files.write(PATH, 'before');
    expect(output(on)).toEqual([]);
    on.says('_async_task_progress', { asyncTaskId: 'b', outputFilePath: PATH });
    on.files.write(PATH, ' after');
    expect(output(on)).toEqual(['= before after']);
  });

  it('of a command that ended before its acknowledgement is shown too', () => {
    const on = connected();
    on.files.write(PATH, 'quick\n[exited with code 0]\n');
    on.says('state_update', { state: 'running' });
    on.says('terminal_update', { terminalId: 'c', command: './run.sh' });
    on.says('tool_call_update', { toolCallId: 'c', status: 'pending', content: [{ type: 'terminal', terminalId: 'c' }] });
    on.says('_async_task_spawned', { asyncTaskId: 'b', taskType: 'shell', toolCallId: 'c', outputFilePath: PATH });
    ends(on, 'completed');
    on.says('terminal_update', { terminalId: 'c', output: { data: 'cGxhY2Vob2xkZXI=' }, exitStatus: { exitCode: 0 } });
    on.client.received();
    on.says('tool_call_update', { toolCallId: 'c', status: 'completed' });
    expect(output(on)).toEqual(['tool_call_update', '= quick\n[exited with code 0]\n', 'exit {"exitCode":0}']);
  });

  it('of two commands goes to two terminals', () => {
    const on = followed();
    on.says('_async_task_spawned', { asyncTaskId: 'd', taskType: 'shell', outputFilePath: '/tmp/d' });
    on.client.received();
    on.files.write('/tmp/d', 'of d');
    on.files.write(PATH, 'of b');
    expect(on.client.received().map(({ params: { update } }) => `${update.terminalId} ${text(update.output.data)}`)).toEqual(['afterturn:d of d', 'c of b']);
  });

  it('a file that cannot be followed is named, and costs nothing else', () => {
    const on = followed();
    on.files.fail(PATH, 'it is a symbolic link');
    expect(on.log).toEqual(['warn: the output of a background command cannot be followed: it is a symbolic link']);
    ends(on, 'completed');
    on.clock.advance(500);
    expect(output(on)).toEqual(['exit {}', 'idle']);
  });
});

describe('the exit code in the file\'s last line', () => {
  it('is read again until it is there', () => {
    const on = followed();
    on.files.write(PATH, 'line\n');
    ends(on, 'completed');
    on.clock.advance(100);
    expect(output(on)).toEqual(['= line\n']);
    on.files.write(PATH, '[exited with code 0]');
    expect(output(on)).toEqual(['+ [exited with code 0]', 'exit {"exitCode":0}']);
  });

  it('also at the very end of the window', () => {
    const on = followed();
    ends(on, 'failed');
    on.files.write(PATH, 'x\n[exited with code 3]\n', { lazily: true });
    on.clock.advance(250);
    expect(output(on)).toEqual(['= x\n[exited with code 3]\n', 'exit {"exitCode":3}']);
  });

  it('is not read before the end, nor anywhere but in the last line', () => {
    const on = followed();
    on.files.write(PATH, '[exited with code 0]\n');
    on.files.write(PATH, 'it goes on\n');
    ends(on, 'completed');
    on.clock.advance(249);
    expect(output(on)).toEqual(['= [exited with code 0]\n', '+ it goes on\n']);
    on.clock.advance(1);
    expect(output(on)).toEqual(['exit {}']);
  });

  it.each<[string, readonly string[], unknown]>([
    ['in two pieces', ['x\n[exited wi', 'th code 12]\n'], { exitCode: 12 }],
    ['without a newline', ['[exited with code 12]'], { exitCode: 12 }],
    ['with CRLF', ['x\r\n[exited with code 12]\r\n'], { exitCode: 12 }],
    ['after a lot of output', ['y'.repeat(5000), '\n[exited with code 12]\n'], { exitCode: 12 }],
    ['not at the start of its line', ['x [exited with code 12]\n'], {}],
    ['followed by an empty line', ['[exited with code 12]\n\n'], {}],
    ['with something else', ['[exited with code 12] \n'], {}],
    ['negative', ['[exited with code -1]\n'], {}],
    ['at the start of a file that was replaced', ['x\n[exited with', '\0replace code 12]\n'], {}],
  ])('%s', (_, pieces, exit) => {
    const on = followed();
    for (const piece of pieces) {
      if (piece.startsWith('\0replace')) on.files.replace(PATH, piece.slice('\0replace'.length));
      else on.files.write(PATH, piece);
    }
    ends(on, 'failed');
    on.clock.advance(250);
    expect(output(on)).toContain(`exit ${JSON.stringify(exit)}`);
  });

  it('is not used against the end, and never after a stop', async () => {
    for (const [state, code] of [['completed', 3], ['failed', 0]] as const) {
      const on = followed();
      on.files.write(PATH, `[exited with code ${code}]\n`);
      ends(on, state);
      on.clock.advance(250);
      expect(output(on)).toContain('exit {}');
    }
    const on = followed();
    on.client.sends({ jsonrpc: '2.0', id: 1, method: 'terminal/cancel', params: { sessionId: SESSION, terminalId: 'c' } });
    on.files.write(PATH, '[exited with code 0]\n');
    ends(on, 'stopped');
    await on.settled();
    expect(output(on).at(-1)).toBe('exit {}');
  });

  it('gives way to what the harness says', () => {
    const on = followed();
    on.files.write(PATH, '[exited with code 4]\n');
    on.raw('task_notification', { task_id: 'b', status: 'failed', summary: 'Background command "x" failed with exit code 3' });
    expect(output(on)).toContain('exit {"exitCode":3}');
  });
});
