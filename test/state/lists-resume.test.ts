import { describe, expect, it } from 'vitest';
import { idleWithShell, idleWithWorkflow, inTurn, withCodexShell, withShell, world } from './sessions.js';

const begun = { title: 'Run it', status: 'pending', locations: null, capabilities: null };

describe('before the state that a resume tells', () => {
  it('a listed terminal is told with its launching call', () => {
    const agent = idleWithShell();
    agent.resumes('state_update', { state: 'idle' }, 'live');
    expect(agent.client()).toEqual(['call c', 'terminal c "./run.sh" cancellable', 'idle [terminal c]']);
  });

  it('a listed call is told with its status', () => {
    const agent = idleWithWorkflow();
    agent.resumes('state_update', { state: 'idle' }, 'live');
    expect(agent.client()).toEqual(['call c in_progress cancellable', 'idle [tool_call c]']);
    agent.ended('w', 'paused');
    agent.client();
    agent.resumes('state_update', { state: 'running' }, 'live');
    expect(agent.client()).toEqual(['call c paused cancellable', 'running [tool_call c]']);
  });

  it('what cannot be cancelled is told so, and a terminal without a launching call is told alone', () => {
    const agent = inTurn();
    agent.spawned('b', { canStop: false, name: './run.sh' });
    agent.idle();
    agent.client();
    agent.resumes('state_update', { state: 'idle' }, 'live');
    expect(agent.client()).toEqual(['terminal afterturn:b "./run.sh" not cancellable', 'idle [terminal afterturn:b]']);
  });

  it('nothing is told where nothing is listed, or background work is not reported', () => {
    const agent = inTurn();
    agent.idle();
    agent.client();
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['idle []']);
    const silent = world({ reported: false });
    silent.resumes('state_update', { state: 'idle' });
    expect(silent.client()).toEqual(['idle no list']);
  });

  it('a removal that waits is told with it, and a held idle before it', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['idle []']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
    const held = inTurn({ agent: 'codex' });
    held.command('f', 'in_progress');
    held.idle();
    held.client();
    held.resumes('state_update', { state: 'idle' });
    expect(held.client()).toEqual(['idle (end_turn) []', 'idle []']);
  });

  it('a terminal that waits for its exit code is still listed, and cannot be cancelled', () => {
    const agent = idleWithShell();
    agent.ended('b', 'completed');
    agent.client();
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['call c', 'terminal c "./run.sh" not cancellable', 'idle [terminal c]']);
    agent.wait(250);
    expect(agent.client()[0]).toBe('terminal c exited {} not cancellable');
  });
});

describe('a live item survives its replay', () => {
  it('the exit of its terminal and its lost capabilities are dropped', () => {
    const agent = idleWithShell();
    agent.resumes('terminal_update', { terminalId: 'c', command: './run.sh', output: null, exitStatus: null, capabilities: null });
    agent.resumes('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 0 } });
    agent.resumes('terminal_update', { terminalId: 'c', output: { data: 'eA==' }, exitStatus: { exitCode: 0 } });
    expect(agent.client()).toEqual(['terminal c "./run.sh" output exited null', 'terminal c output']);
    agent.ended('b', 'completed');
    agent.wait(250);
    expect(agent.client()[0]).toBe('terminal c exited {} not cancellable');
  });

  it('the launching call of a terminal has the status that its agent gives it', () => {
    const agent = withShell();
    agent.resumes('tool_call_update', { toolCallId: 'c', ...begun });
    agent.resumes('tool_call_update', { toolCallId: 'c', status: 'completed' });
    expect(agent.client()).toEqual(['call c "Run it" pending not cancellable', 'call c completed']);
  });

  it('the status of a listed call is dropped, whichever it is', () => {
    const agent = idleWithWorkflow();
    agent.resumes('tool_call_update', { toolCallId: 'c', ...begun });
    agent.resumes('tool_call_update', { toolCallId: 'c', status: 'completed' });
    expect(agent.client()).toEqual(['call c "Run it"']);
    agent.ended('w', 'failed');
    agent.wait(250);
    expect(agent.client()).toEqual(['call c failed not cancellable', 'idle []']);
  });

  it('a terminal that was not told as background work yet keeps its exit', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.client();
    agent.resumes('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 0 } });
    expect(agent.client()).toEqual([]);
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c completed', 'terminal c "./run.sh" cancellable', 'running [terminal c]']);
  });
});

describe('what has ended is told as it was', () => {
  it('a terminal with the exit that it was told', () => {
    const agent = idleWithShell();
    agent.ended('b', 'failed', { summary: 'x' });
    agent.raw('task_notification', { task_id: 'b', status: 'failed', summary: 'Background command "x" failed with exit code 3' });
    agent.wait(1000);
    agent.client();
    agent.resumes('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 0 } });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":3}']);
  });

  it('a call with its final status, and it is no new call', () => {
    const agent = idleWithWorkflow();
    agent.stopAsked('w');
    agent.ended('w', 'stopped');
    agent.wait(1000);
    agent.client();
    agent.resumes('tool_call_update', { toolCallId: 'c', ...begun });
    agent.resumes('tool_call_update', { toolCallId: 'c', status: 'completed' });
    agent.resumes('tool_call_update', { toolCallId: 'c', ...begun });
    agent.resumes('tool_call_update', { toolCallId: 'c', status: 'completed' });
    expect(agent.client()).toEqual(['call c "Run it" pending not cancellable', 'call c cancelled', 'call c "Run it" pending not cancellable', 'call c cancelled']);
  });

  it('a call whose work ended before its launch was acknowledged', () => {
    const agent = inTurn();
    agent.call('c', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'c' });
    agent.ended('w', 'failed');
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c pending', 'call c failed']);
    agent.resumes('tool_call_update', { toolCallId: 'c', status: 'completed' });
    expect(agent.client()).toEqual(['call c failed']);
  });

  it('history that nobody here knows passes, without the extension’s mark', () => {
    const agent = world();
    agent.resumes('tool_call_update', { toolCallId: 'x', title: 'x', status: 'completed', _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } });
    agent.resumes('terminal_update', { terminalId: 'x', exitStatus: { exitCode: 0 } });
    agent.resumes('agent_message_chunk', { messageId: 'm', content: { type: 'text', text: 'x' } });
    expect(agent.client()).toEqual(['call x "x" completed', 'terminal x exited {"exitCode":0}', 'agent_message_chunk']);
    agent.over();
    expect(agent.client()).toEqual([]);
  });
});

it('what the agent says while a session is resumed without a replay is no history', () => {
  const agent = withCodexShell();
  agent.resumes('terminal_update', { terminalId: 'other', exitStatus: { exitCode: 0 } }, 'live');
  agent.resumes('terminal_output_chunk', { terminalId: 'c', data: 'eA==' }, 'live');
  expect(agent.client()).toEqual(['terminal other exited {"exitCode":0}', 'terminal_output_chunk']);
});

describe('an end that the history does not tell is told again before the state', () => {
  const terminal = { terminalId: 'c', command: './run.sh', output: null, exitStatus: null, capabilities: null };

  it('the exit of a background command', () => {
    const agent = idleWithShell();
    agent.stopAsked('b');
    agent.ended('b', 'stopped');
    agent.wait(1000);
    agent.client();
    agent.resumes('terminal_update', terminal);
    agent.resumes('tool_call_update', { toolCallId: 'c', ...begun });
    agent.resumes('tool_call_update', { toolCallId: 'c', status: 'completed' });
    agent.client();
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['terminal c exited {}', 'idle []']);
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['idle []']);
  });

  it('the exit and the status of foreground work, also where background work is not reported', () => {
    for (const [agent, list] of [[inTurn({ agent: 'codex' }), '[]'], [world({ agent: 'other', reported: false }), 'no list']] as const) {
      agent.command('c');
      agent.exited('c', { exitCode: 3 });
      agent.call('c', 'failed');
      agent.idle();
      agent.client();
      agent.resumes('terminal_update', terminal);
      agent.resumes('tool_call_update', { toolCallId: 'c', ...begun });
      agent.client();
      agent.resumes('state_update', { state: 'idle' });
      expect(agent.client()).toEqual(['terminal c exited {"exitCode":3}', 'call c failed', `idle ${list}`]);
    }
  });

  it('the status of a call whose work has ended in another way than the agent says', () => {
    const agent = idleWithWorkflow();
    agent.stopAsked('w');
    agent.ended('w', 'stopped');
    agent.wait(1000);
    agent.resumes('tool_call_update', { toolCallId: 'c', ...begun });
    agent.client();
    agent.resumed();
    expect(agent.client()).toEqual(['call c cancelled']);
  });

  it('not what it tells itself, and nothing of what lives or nobody knows; the call that launched what lives has ended', () => {
    const agent = idleWithShell();
    agent.command('f');
    agent.exited('f', { exitCode: 0 });
    agent.call('f', 'completed');
    for (const id of ['c', 'f', 'unknown']) {
      agent.resumes('terminal_update', { ...terminal, terminalId: id });
      agent.resumes('tool_call_update', { toolCallId: id, ...begun });
    }
    agent.resumes('tool_call_update', { toolCallId: 'f', status: 'failed' });
    agent.resumes('terminal_update', { terminalId: 'f', exitStatus: { exitCode: 1 } });
    agent.client();
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['call c completed', 'call c', 'terminal c "./run.sh" cancellable', 'idle [terminal c]']);
  });
});

describe('a list that is due before a resume has told what it names', () => {
  /** A command and a workflow are listed, and the workflow has ended. */
  function withRemoval() {
    const agent = idleWithShell();
    agent.call('w1', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'w1' });
    agent.call('w1', 'completed');
    agent.wait(1000);
    agent.client();
    agent.ended('w', 'completed');
    agent.resuming();
    agent.wait(5000);
    return agent;
  }

  it('waits for it, however long that takes', () => {
    const agent = withRemoval();
    expect(agent.client()).toEqual(['call w1 completed not cancellable']);
    agent.resumes('state_update', { state: 'idle' }, 'live');
    agent.resumed();
    agent.wait(1000);
    expect(agent.client()).toEqual(['call c', 'terminal c "./run.sh" cancellable', 'idle [terminal c]']);
  });

  it('goes out when that is refused', () => {
    const agent = withRemoval();
    agent.client();
    agent.resumed();
    expect(agent.client()).toEqual(['idle [terminal c]']);
  });

  it('so does what is listed meanwhile', () => {
    const agent = idleWithShell();
    agent.resuming();
    agent.spawned('d', { name: 'Another' });
    expect(agent.client()).toEqual(['terminal afterturn:d "Another" cancellable']);
    agent.resumes('state_update', { state: 'running' });
    expect(agent.client()).toEqual(['call c', 'terminal c "./run.sh" cancellable', 'terminal afterturn:d "Another" cancellable', 'running [terminal c, terminal afterturn:d]']);
  });

  it('an idle that waits for tasks is told after it, but before a prompt and a question', () => {
    const held = () => {
      const agent = withCodexShell();
      agent.command('f', 'in_progress');
      agent.idle();
      agent.client();
      agent.resuming();
      agent.wait(1000);
      expect(agent.client()).toEqual([]);
      return agent;
    };
    const again = ['call c', 'terminal c "./run.sh" cancellable'];
    const told = held();
    told.resumes('state_update', { state: 'idle' });
    expect(told.client()).toEqual([...again, 'idle (end_turn) [terminal c]', 'idle [terminal c]']);
    const prompted = held();
    prompted.resumes('user_message', { messageId: 'm', content: [] });
    expect(prompted.client()).toEqual(['user_message']);
    prompted.resumes('user_message', { messageId: 'n', content: [] }, 'live');
    expect(prompted.client()).toEqual([...again, 'idle (end_turn) [terminal c]', 'user_message']);
    const asked = held();
    asked.asked();
    expect(asked.client()).toEqual([...again, 'idle (end_turn) [terminal c]']);
  });
});

it('a refused resume has everything told anew', () => {
  const agent = idleWithShell();
  agent.restored();
  expect(agent.client()).toEqual(['call c', 'terminal c "./run.sh" cancellable', 'idle [terminal c]']);
});

it('work that is gone without a word is settled with the reason, and the next state has no list of it', () => {
  const agent = idleWithShell();
  agent.lost('the session was built anew');
  agent.resumes('state_update', { state: 'idle' }, 'live');
  expect(agent.client()).toEqual(['terminal c exited {} not cancellable because the session was built anew', 'idle []']);
});
