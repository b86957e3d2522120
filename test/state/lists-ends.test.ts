import { describe, expect, it } from 'vitest';
import { idleWithShell, idleWithWorkflow, inTurn, withCodexShell, withShell } from './sessions.js';

describe('the exit status', () => {
  it('the terminal\'s own exit comes first, and is waited for', () => {
    const agent = withCodexShell();
    agent.ended('c', 'failed');
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.exited('c', { exitCode: 3 });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable', 'running []']);
  });

  it('also when it came before the end', () => {
    const agent = withCodexShell();
    agent.exited('c', { exitCode: 3 });
    expect(agent.client()).toEqual([]);
    agent.ended('c', 'failed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable', 'running []']);
  });

  it('a signal is one', () => {
    const agent = withCodexShell();
    agent.ended('c', 'failed');
    agent.exited('c', { exitCode: null, signal: 'SIGKILL' });
    expect(agent.client()).toEqual(['terminal c exited {"signal":"SIGKILL"} not cancellable', 'running []']);
  });

  it('whole output in the same update goes before it', () => {
    const agent = withCodexShell();
    agent.ended('c', 'completed');
    agent.says('terminal_update', { terminalId: 'c', output: { data: '' }, exitStatus: { exitCode: 0 } });
    expect(agent.client()).toEqual(['terminal c output', 'terminal c exited {"exitCode":0} not cancellable', 'running []']);
  });

  it('the launching call\'s output comes next', () => {
    const agent = withCodexShell();
    agent.ended('c', 'failed');
    agent.call('c', 'failed', { rawOutput: { exit_code: 3 } });
    expect(agent.client()).toEqual(['call c failed', 'terminal c exited {"exitCode":3} not cancellable', 'running []']);
  });

  it('with the whole output as text, where the agent has lost the terminal: the terminal shows it, and the call the terminal', () => {
    const agent = withCodexShell();
    agent.ended('c', 'failed');
    const content = [{ type: 'content', content: { type: 'text', text: 'one\ntwo\n' } }];
    agent.call('c', 'failed', { rawOutput: { exit_code: 3 }, content });
    expect(agent.client()).toEqual(['terminal c output', 'call c failed', 'terminal c exited {"exitCode":3} not cancellable', 'running []']);
    const other = withCodexShell();
    other.ended('c', 'failed');
    other.call('c', 'failed', { rawOutput: { exit_code: 3 }, content: [...content, ...content] });
    expect(other.client()[0]).not.toBe('terminal c output');
  });

  it('then the summary of the raw feed, or the description of the turn that the end causes', () => {
    const raw = idleWithShell();
    raw.ended('b', 'failed');
    raw.raw('task_notification', { task_id: 'b', status: 'failed', summary: 'Background command "x" failed with exit code 3' });
    expect(raw.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable']);
    const turn = idleWithShell({}, { description: 'Run it' });
    turn.ended('b', 'completed');
    turn.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" completed (exit code 0)' });
    turn.running();
    expect(turn.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable', 'running []']);
  });

  it('then the output file\'s last line, read after the end', () => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.fileCodes.set('b', 0);
    agent.ended('b', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
    expect(agent.files()).toEqual(['unfollow b']);
  });

  it('read again until it is there, also at the end of the window', () => {
    const grows = idleWithShell({}, { outputFilePath: '/tmp/b' });
    grows.ended('b', 'completed');
    grows.wait(100);
    expect(grows.client()).toEqual([]);
    grows.fileEnds('b', 0);
    expect(grows.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
    const late = idleWithShell({}, { outputFilePath: '/tmp/b' });
    late.ended('b', 'failed');
    late.wait(200);
    late.fileCodes.set('b', 3);
    late.wait(50);
    expect(late.client()).toEqual(['terminal c exited {"exitCode":3} not cancellable']);
  });

  it('without any it is empty, after the window', () => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.ended('b', 'completed');
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
    agent.wait(250);
    expect(agent.client()).toEqual(['idle []']);
  });

  it.each([['completed', 3], ['failed', 0]])('the file\'s code is not used against the end %s: %i', (state, code) => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.fileCodes.set('b', code);
    agent.ended('b', state);
    agent.wait(250);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
  });

  it.each([['completed', 3], ['failed', 0]])('nor is any other: %s, %i', (state, exitCode) => {
    const agent = withCodexShell();
    agent.ended('c', state);
    agent.exited('c', { exitCode });
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
  });

  it('after a stop there is never a code', () => {
    const claude = idleWithShell({}, { outputFilePath: '/tmp/b' });
    claude.fileCodes.set('b', 0);
    claude.stopAsked('b');
    claude.ended('b', 'stopped');
    expect(claude.client()).toEqual(['terminal c exited {} not cancellable']);
    const codex = withCodexShell();
    codex.stopAsked('c');
    codex.ended('c', 'stopped');
    codex.exited('c', { exitCode: 137 });
    expect(codex.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
  });

  it('a code that comes later is one more update', () => {
    const agent = idleWithShell({}, { description: 'Run it' });
    agent.ended('b', 'failed');
    agent.wait(600);
    agent.client();
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" failed with exit code 3' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3}']);
    agent.raw('task_notification', { task_id: 'b', status: 'failed', summary: 'Background command "x" failed with exit code 3' });
    expect(agent.client()).toEqual([]);
    const codex = withCodexShell();
    codex.ended('c', 'failed');
    codex.wait(300);
    codex.client();
    codex.exited('c', { exitCode: 3 });
    expect(codex.client()).toEqual(['terminal c exited {"exitCode":3}']);
  });

  it('an output file that only the end names is read all the same', () => {
    const agent = idleWithShell();
    agent.fileCodes.set('b', 0);
    agent.ended('b', 'completed', { outputFilePath: '/tmp/b' });
    expect(agent.files()).toEqual(['follow /tmp/b into c', 'unfollow b']);
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
  });

  it('output is followed from when it is listed, or from when its file is known', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.progress('b', { outputFilePath: '/tmp/b' });
    expect(agent.files()).toEqual([]);
    agent.call('c', 'completed');
    expect(agent.files()).toEqual(['follow /tmp/b into c']);
    const later = withShell();
    later.progress('b', { outputFilePath: '/tmp/b' });
    expect(later.files()).toEqual(['follow /tmp/b into c']);
  });
});

describe('a `stopped` that nobody asked for', () => {
  it('corrected within the window: the client sees one final status (0.80)', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.wait(2);
    expect(agent.client()).toEqual([]);
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.wait(1000);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('a command\'s, whose file names its code meanwhile', () => {
    const agent = idleWithShell({}, { outputFilePath: '/tmp/b' });
    agent.ended('b', 'stopped', { outputFilePath: '/tmp/b' });
    agent.wait(1);
    agent.fileEnds('b', 0);
    agent.wait(1);
    expect(agent.client()).toEqual([]);
    agent.ended('b', 'completed', { outputFilePath: '/tmp/b' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable']);
  });

  it('not corrected: stopped, after the window', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['call c cancelled not cancellable']);
    agent.wait(250);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('of an agent that corrects none: at once, and the last word wins all the same', () => {
    const agent = idleWithWorkflow({ correctsStops: false });
    agent.ended('w', 'stopped');
    expect(agent.client()).toEqual(['call c cancelled not cancellable']);
    agent.wait(250);
    expect(agent.client()).toEqual(['idle []']);
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['call c completed']);
  });

  it('whose terminal tells its exit meanwhile: that is kept for the correction', () => {
    const agent = withCodexShell({ agent: 'other' });
    agent.ended('c', 'stopped');
    agent.exited('c', { exitCode: 0 });
    expect(agent.client()).toEqual([]);
    agent.ended('c', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0} not cancellable', 'running []']);
  });

  it('confirmed by the raw feed: at once', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.raw('task_updated', { task_id: 'w', patch: { status: 'killed' } });
    expect(agent.client()).toEqual(['call c cancelled not cancellable']);
  });

  it('a state change meanwhile does not settle it: it is listed until then', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.running();
    expect(agent.client()).toEqual(['running [tool_call c]']);
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['call c completed not cancellable', 'running []']);
  });

  it('corrected after the window: the last word wins on the call, the removal happens once', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'stopped');
    agent.wait(600);
    expect(agent.client()).toEqual(['call c cancelled not cancellable', 'idle []']);
    agent.ended('w', 'completed');
    agent.wait(600);
    expect(agent.client()).toEqual(['call c completed']);
  });

  it('and on the terminal, if that says anything else', () => {
    const agent = withShell({}, { description: 'Run it' });
    agent.ended('b', 'stopped');
    agent.wait(600);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
    agent.ended('b', 'failed');
    agent.wait(600);
    expect(agent.client()).toEqual([]);
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" failed with exit code 3' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3}']);
    agent.ended('b', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {}']);
  });

  it('a stop that was asked for does not wait', () => {
    const agent = idleWithShell();
    agent.stopAsked('b');
    agent.ended('b', 'stopped');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
  });

  it('an end told twice, or with its summary the second time, is shown once', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.ended('w', 'completed', { summary: 's', outputFilePath: '/tmp/w' });
    agent.ended('w', 'completed', { summary: 's', outputFilePath: '/tmp/w' });
    agent.wait(1000);
    expect(agent.client()).toEqual(['call c completed not cancellable', 'idle []']);
  });
});
