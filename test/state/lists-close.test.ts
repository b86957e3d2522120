import { describe, expect, it } from 'vitest';
import { nextTick } from 'afterturn/state';
import { idleWithShell, idleWithWorkflow, inTurn, withCodexShell, withShell, world } from './sessions.js';

describe('close', () => {
  it('settles what is listed, then what references it, then one idle with an empty list', () => {
    const agent = withCodexShell();
    agent.call('w1', 'pending');
    agent.spawned('w', { taskType: 'workflow', toolCallId: 'w1' });
    agent.call('w1', 'completed');
    agent.idle();
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual([
      'terminal c exited {} not cancellable because the session was closed', 'call w1 cancelled not cancellable because the session was closed',
      'call c cancelled not cancellable because the session was closed', 'idle []',
    ]);
  });

  it('ends foreground work as cancelled, with its calls and terminals', () => {
    const agent = inTurn();
    agent.command('f');
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual(['terminal f exited {}', 'call f cancelled not cancellable because the session was closed', 'idle (cancelled) []']);
  });

  it('also the terminal whose exit at launch was kept back, when the launch was never acknowledged', () => {
    const agent = inTurn();
    agent.command('c');
    agent.spawned('b', { toolCallId: 'c' });
    agent.exited('c', { exitCode: 0 });
    agent.client();
    agent.over();
    expect(agent.client()).toEqual(['terminal c exited {}', 'call c cancelled not cancellable because the session was closed', 'idle (cancelled) []']);
  });

  it('also the terminal that was told anew after it had exited, with or without work of its own before', () => {
    for (const agent of [inTurn(), withShell()]) {
      agent.command('c');
      agent.ended('b', 'completed');
      agent.exited('c', { exitCode: 0 });
      agent.wait(250);
      agent.says('terminal_update', { terminalId: 'c', exitStatus: null });
      agent.call('c', 'completed');
      agent.client();
      agent.over();
      expect(agent.client()).toEqual(['terminal c exited {}', 'idle (cancelled) []']);
    }
  });

  it('the idle of the foreground that the close stops waits for it: one idle', () => {
    const agent = withShell();
    agent.closing();
    agent.idle('cancelled');
    agent.says('state_update', { state: 'idle' });
    expect(agent.client()).toEqual([]);
    agent.over();
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable because the session was closed', 'idle (cancelled) []']);
  });

  it('flushes a removal that waits, and what waits for a code or a correction', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual(['idle []']);
    const ending = idleWithShell({}, { outputFilePath: '/tmp/b' });
    ending.ended('b', 'completed');
    ending.files();
    ending.closing();
    ending.over();
    expect(ending.client()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
    expect(ending.files()).toEqual(['unfollow b']);
    const stopped = idleWithWorkflow();
    stopped.ended('w', 'stopped');
    stopped.closing();
    stopped.over();
    expect(stopped.client()).toEqual(['call c cancelled not cancellable', 'idle []']);
  });

  it('an agent\'s own `stopped` during the close (Codex) is the end', () => {
    const agent = withCodexShell();
    agent.idle();
    agent.client();
    agent.closing();
    agent.ended('c', 'stopped');
    agent.over();
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'call c cancelled not cancellable because the session was closed', 'idle []']);
  });

  it('says nothing of a session in which nothing ran', () => {
    const agent = world();
    agent.running();
    agent.call('f', 'completed');
    agent.idle();
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual([]);
    expect(nextTick(agent.lists)).toBeUndefined();
  });

  it('says nothing where work is not reported', () => {
    const agent = world({ reported: false });
    agent.running();
    agent.command('f');
    agent.client();
    agent.closing();
    agent.over();
    expect(agent.client()).toEqual([]);
  });

  it('refused: nothing is settled, and what waited goes out', () => {
    const agent = idleWithShell();
    agent.closing();
    agent.wait(1000);
    agent.closeFailed();
    expect(agent.client()).toEqual([]);
    const listed = withShell();
    listed.closing();
    listed.idle('cancelled');
    listed.spawned('d', { name: 'Another' });
    listed.wait(249);
    expect(listed.client()).toEqual(['terminal afterturn:d "Another" cancellable']);
    listed.closeFailed();
    expect(listed.client()).toEqual(['idle (cancelled) [terminal c, terminal afterturn:d]']);
    const removed = idleWithWorkflow();
    removed.closing();
    removed.ended('w', 'completed');
    removed.wait(249);
    expect(removed.client()).toEqual(['call c completed not cancellable']);
    removed.closeFailed();
    expect(removed.client()).toEqual(['idle []']);
  });

  it('refused after it was waited for: a removal that waited before is not lost', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.closing();
    agent.wait(249);
    expect(agent.client()).toEqual(['call c completed not cancellable']);
    agent.closeFailed();
    expect(agent.client()).toEqual(['idle []']);
  });

  describe('unanswered for longer than the window', () => {
    it('work that ends meanwhile leaves the list, and the close tells the rest', () => {
      const agent = withShell();
      agent.call('w1', 'pending');
      agent.spawned('w', { taskType: 'workflow', toolCallId: 'w1' });
      agent.call('w1', 'completed');
      agent.idle();
      agent.client();
      agent.closing();
      agent.ended('w', 'completed');
      agent.wait(250);
      expect(agent.client()).toEqual(['call w1 completed not cancellable', 'idle [terminal c]']);
      agent.ended('b', 'completed');
      agent.wait(500);
      expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'idle []']);
      agent.over();
      expect(agent.client()).toEqual([]);
    });

    it('a prompt that is taken in when it is refused comes after the end of what ran', () => {
      const agent = withShell();
      agent.closing();
      agent.idle('error');
      agent.says('user_message', { messageId: 'm', content: [] });
      expect(agent.client()).toEqual(['idle (error) [terminal c]', 'user_message']);
    });

    it('changes that follow one another share one list', () => {
      const agent = idleWithWorkflow();
      agent.closing();
      agent.spawned('d', { name: 'Another' });
      agent.wait(200);
      agent.ended('w', 'completed');
      agent.wait(50);
      expect(agent.client()).toEqual(['terminal afterturn:d "Another" cancellable', 'call c completed not cancellable', 'idle [terminal afterturn:d]']);
    });

    it('the end of foreground work is told, and is not told again with the close', () => {
      const agent = withShell();
      agent.closing();
      agent.idle('cancelled');
      agent.wait(250);
      expect(agent.client()).toEqual(['idle (cancelled) [terminal c]']);
      agent.over();
      expect(agent.client()).toEqual(['terminal c exited {} not cancellable because the session was closed', 'idle []']);
    });
  });

  it('an agent that is gone: the same, with that reason', () => {
    const agent = withShell();
    agent.over('agentGone');
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable because the agent exited', 'idle (cancelled) []']);
    const waiting = inTurn({ agent: 'codex' });
    waiting.command('c', 'in_progress');
    waiting.client();
    waiting.idle();
    waiting.over('agentGone');
    expect(waiting.client()).toEqual(['terminal c exited {}', 'call c cancelled not cancellable because the agent exited', 'idle (end_turn) []']);
  });
});
