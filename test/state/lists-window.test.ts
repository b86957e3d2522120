import { describe, expect, it } from 'vitest';
import { nextTick } from 'afterturn/state';
import { idleWithShell, idleWithWorkflow, inTurn, withCodexShell, withShell } from './sessions.js';
import type { World, WorldOptions } from './world.js';

describe('the follow-up window', () => {
  it('while running, removal is at once', () => {
    const agent = withShell();
    agent.stopAsked('b');
    agent.ended('b', 'stopped');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []']);
  });

  it('while idle, it waits; the agent\'s own turn shows the item gone and `running` in one snapshot', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.wait(200);
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.running();
    expect(agent.client()).toEqual(['running []']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
  });

  it('does not end between the message of a prompt and the state that follows it', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.wait(240);
    agent.says('user_message', { messageId: 'm', content: [] });
    agent.wait(20);
    agent.running();
    expect(agent.client()).toEqual(['call c completed not cancellable', 'user_message', 'running []']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
  });

  it('a new item flushes it', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.spawned('d', { name: 'Another' });
    expect(agent.client()).toEqual(['call c completed not cancellable', 'terminal afterturn:d "Another" cancellable', 'idle [terminal afterturn:d]']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
  });

  it('a state that comes while a command waits for its code settles it first', () => {
    const agent = idleWithShell();
    agent.ended('b', 'completed');
    agent.says('state_update', { state: 'requires_action' });
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'requires_action []']);
  });

  it('an `idle` does not: the item is listed until it is settled', () => {
    const agent = withShell();
    agent.ended('b', 'completed');
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) [terminal c]']);
    agent.wait(250);
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable']);
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('`idle` told again while a removal waits: it waits with it, and nothing of it is lost', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.wait(100);
    agent.says('state_update', { state: 'idle', _meta: { quota: 1 } });
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.wait(150);
    expect(agent.client()).toEqual(['idle []']);
    expect(agent.sent.at(-1)?.update._meta).toEqual({ quota: 1 });
  });

  it('`idle` told again gives way to the agent\'s own turn: the removal is shown by that', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.says('state_update', { state: 'idle' });
    agent.running();
    expect(agent.client()).toEqual(['call c completed not cancellable', 'running []']);
  });

  it('two removals share one wait, which is long enough for the second', () => {
    const agent = idleWithWorkflow();
    agent.spawned('d', { name: 'Another' });
    agent.stopAsked('d');
    agent.client();
    agent.ended('w', 'completed');
    agent.wait(200);
    agent.ended('d', 'stopped');
    agent.wait(249);
    expect(agent.client()).toEqual(['call c completed not cancellable', 'terminal afterturn:d exited {} not cancellable']);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle []']);
  });

  it('there is none for the ends of an agent that starts no turns', () => {
    const agent = withCodexShell();
    agent.idle();
    agent.client();
    agent.stopAsked('c');
    agent.ended('c', 'stopped');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
  });

  it('with a window of 0 nothing waits', () => {
    const agent = idleWithShell({ window: 0 });
    agent.ended('b', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
    const stopped = idleWithWorkflow({ window: 0 });
    stopped.ended('w', 'stopped');
    expect(stopped.client()).toEqual(['call c cancelled not cancellable', 'idle []']);
    const open = inTurn({ window: 0, agent: 'codex' });
    open.command('c', 'in_progress');
    open.client();
    open.idle();
    expect(open.client()).toEqual(['idle (end_turn) []']);
  });

  it('nothing is due when nothing waits', () => {
    expect(nextTick(idleWithShell().lists)).toBeUndefined();
  });
});

describe('an `idle` with an open call whose terminal has no exit', () => {
  const open = (options: WorldOptions = {}): World => {
    const agent = inTurn({ agent: 'codex', ...options });
    agent.command('c', 'in_progress');
    agent.client();
    agent.idle('cancelled');
    return agent;
  };

  it('waits for the announcement, and goes out once with the task (Codex)', () => {
    const agent = open();
    expect(agent.client()).toEqual([]);
    agent.wait(2);
    agent.marked('c');
    agent.spawned('c', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'idle (cancelled) [terminal c]']);
    agent.wait(1000);
    expect(agent.client()).toEqual([]);
  });

  it('goes out after the window with what is known', () => {
    const agent = open();
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle (cancelled) []']);
    agent.spawned('c', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'idle [terminal c]']);
  });

  it('goes out before the next prompt is taken in', () => {
    const agent = open();
    agent.says('user_message', { messageId: 'm', content: [] });
    agent.running();
    expect(agent.client()).toEqual(['idle (cancelled) []', 'user_message', 'running []']);
  });

  it('goes out as soon as no such call is open any more', () => {
    const agent = open();
    agent.exited('c', { exitCode: 1 });
    agent.call('c', 'failed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":1}', 'idle (cancelled) []', 'call c failed']);
  });

  it('goes out before the next state', () => {
    const agent = open();
    agent.running();
    expect(agent.client()).toEqual(['idle (cancelled) []', 'running []']);
  });

  it('goes out with the item still listed when that ends meanwhile: the removal has its own wait', () => {
    const agent = open({ agent: 'other' });
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'x' });
    agent.client();
    agent.ended('w', 'completed');
    expect(agent.client()).toEqual(['idle (cancelled) [tool_call afterturn:w]', 'call afterturn:w completed not cancellable']);
    agent.wait(100);
    agent.running();
    expect(agent.client()).toEqual(['running []']);
  });

  it('does not wait for calls without a terminal, or whose work is listed', () => {
    const plain = inTurn({ agent: 'codex' });
    plain.call('p', 'in_progress');
    plain.client();
    plain.idle();
    expect(plain.client()).toEqual(['idle (end_turn) []']);
    const listed = withCodexShell();
    listed.idle();
    expect(listed.client()).toEqual(['idle (end_turn) [terminal c]']);
  });

  it('does not wait where work is not reported', () => {
    const agent = inTurn({ agent: 'codex', reported: false });
    agent.command('c', 'in_progress');
    agent.client();
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) no list']);
  });
});
