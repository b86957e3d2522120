import { describe, expect, it } from 'vitest';
import { idleWithShell, idleWithWorkflow, inTurn, world } from './sessions.js';

describe('the identity of terminals and calls', () => {
  it('a terminal that the client knows as exited is not listed: one of our own is, with its command, and the call references both', () => {
    const agent = inTurn({ agent: 'codex' });
    agent.command('c', 'in_progress', 'npm run dev');
    agent.exited('c', { exitCode: null });
    agent.call('c', 'failed');
    agent.idle('error');
    agent.client();
    agent.marked('c');
    agent.spawned('c', { toolCallId: 'c', name: 'npm run dev' });
    expect(agent.client()).toEqual(['terminal afterturn:c "npm run dev" cancellable', 'call c + terminal afterturn:c', 'idle [terminal afterturn:c]']);
    agent.ended('c', 'completed');
    agent.call('c', 'completed', { rawOutput: { exit_code: 0 } });
    expect(agent.client()).toEqual(['call c completed', 'terminal afterturn:c exited {"exitCode":0} not cancellable', 'idle []']);
  });

  it('Claude\'s, when it was told as exited before the spawn', () => {
    const agent = inTurn();
    agent.command('c');
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    agent.client();
    agent.spawned('b', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal afterturn:b "./run.sh" cancellable', 'call c + terminal afterturn:b', 'running [terminal afterturn:b]']);
  });

  it('content that replaces the call\'s does not lose the reference', () => {
    const agent = inTurn();
    agent.command('c');
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    agent.spawned('b', { toolCallId: 'c' });
    agent.client();
    agent.call('c', undefined, { content: [] });
    expect(agent.client()).toEqual(['call c content', 'call c + terminal afterturn:b']);
  });

  it('a second life is a new item under a new id, also a third', () => {
    const agent = idleWithShell();
    agent.ended('b', 'completed');
    agent.client();
    agent.spawned('b', { name: 'again' });
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'terminal afterturn:b "again" cancellable', 'idle [terminal afterturn:b]']);
    agent.ended('b', 'failed');
    agent.wait(500);
    agent.client();
    agent.spawned('b', { name: 'once more' });
    expect(agent.client()).toEqual(['terminal afterturn:b:2 "once more" cancellable', 'idle [terminal afterturn:b:2]']);
  });

  it('the second life of a workflow whose end nobody told: the first ends as unknown', () => {
    const agent = idleWithWorkflow();
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'w', run_id: 'r1' }] });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'w', run_id: 'r2', description: 'Survey again' }] });
    expect(agent.client()).toEqual(['call c cancelled not cancellable', 'call afterturn:w "Survey again" in_progress cancellable', 'idle [tool_call afterturn:w]']);
    agent.raw('task_updated', { task_id: 'w', run_id: 'r1', patch: { status: 'failed' } });
    expect(agent.client()).toEqual([]);
    agent.raw('task_updated', { task_id: 'w', run_id: 'r2', patch: { status: 'completed' } });
    expect(agent.client()).toEqual(['call afterturn:w completed not cancellable']);
  });

  it('a task id that looks like an id of ours gets another one', () => {
    const agent = inTurn();
    for (const task of ['b', 'b:2']) {
      agent.spawned(task);
      agent.idle();
      agent.ended(task, 'failed');
      agent.wait(500);
    }
    agent.client();
    agent.spawned('b');
    expect(agent.client()[1]).toBe('idle [terminal afterturn:b:3]');
  });

  it('the same call id, used again for a foreground call, is left alone', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.running();
    agent.client();
    agent.call('c', 'pending');
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c pending', 'call c completed']);
  });

  it('and used again for a background call, it is not listed again', () => {
    const agent = idleWithWorkflow();
    agent.ended('w', 'completed');
    agent.running();
    agent.call('c', 'pending');
    agent.spawned('w2', { taskType: 'workflow', toolCallId: 'c', description: 'Second' });
    agent.client();
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['call c completed', 'call afterturn:w2 "Second" in_progress cancellable', 'running [tool_call afterturn:w2]']);
  });

  it('remembers a bounded number of ids, and gives no id of ours twice all the same', () => {
    const agent = world();
    const ids = new Set<string>();
    for (let i = 0; i < 3000; i++) {
      const task = `t${i % 700}`;
      agent.spawned(task);
      const id = agent.lists.entries.get(task)?.id ?? '';
      expect(ids.has(id), id).toBe(false);
      ids.add(id);
      agent.stopAsked(task);
      agent.ended(task, 'stopped');
    }
    expect(agent.lists.used.size).toBeLessThanOrEqual(1024);
    expect(agent.lists.entries.size).toBeLessThanOrEqual(257);
    agent.sent.length = 0;
  });
});
