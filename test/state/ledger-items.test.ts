import { describe, expect, it } from 'vitest';
import { mark, running, type Listener } from './listener.js';

describe('orders that agents really have', () => {
  it('the final state before the spawn -> started and ended at once, never detached', () => {
    const agent = running();
    expect(agent.ended('b', 'failed', { summary: 's' })).toEqual([]);
    expect(agent.spawned('b', { toolCallId: 'c' })).toEqual(['started b', 'ended b failed']);
    expect(agent.call('c', 'completed')).toEqual([]);
    expect(agent.item('b')).toMatchObject({ summary: 's', toolCallId: 'c', life: 1 });
  });

  it('the final state before the acknowledgement -> never detached', () => {
    const agent = running();
    agent.spawned('b', { toolCallId: 'c' });
    expect(agent.ended('b', 'completed')).toEqual(['ended b completed']);
    expect([...agent.call('c', 'completed'), ...agent.state('idle')]).toEqual([]);
  });

  it('the final state twice -> told once', () => {
    const agent = running();
    agent.spawned('b');
    agent.at = 5;
    agent.ended('b', 'completed');
    agent.at = 7;
    expect(agent.ended('b', 'completed')).toEqual([]);
    expect(agent.item('b')?.endedAt).toBe(5);
  });

  it('the summary only with the second one -> the same end, refined', () => {
    const agent = running();
    agent.spawned('b');
    agent.ended('b', 'completed');
    expect(agent.ended('b', 'completed', { summary: 's', outputFilePath: '/tmp/o' })).toEqual(['refined b completed']);
    expect(agent.item('b')).toMatchObject({ summary: 's', outputFile: '/tmp/o' });
  });

  it('`stopped`, corrected to `completed` 2 ms later (0.80) -> tentative, then corrected', () => {
    const agent = running();
    agent.spawned('b');
    expect(agent.ended('b', 'stopped')).toEqual(['ended b stopped?']);
    expect(agent.ended('b', 'completed')).toEqual(['corrected b stopped to completed']);
    expect(agent.ended('b', 'completed')).toEqual([]);
  });

  it('a stop that was asked for -> certain', () => {
    const agent = running();
    agent.spawned('b');
    agent.hears({ type: 'stopAsked', task: 'b' });
    expect(agent.ended('b', 'stopped')).toEqual(['ended b stopped']);
  });

  it('a stop that was asked for and refused -> tentative again', () => {
    const agent = running();
    agent.spawned('b');
    agent.hears({ type: 'stopAsked', task: 'b' });
    agent.hears({ type: 'stopRefused', task: 'b' });
    expect(agent.ended('b', 'stopped')).toEqual(['ended b stopped?']);
  });

  it('the raw feed\'s word is certain, also after the extension\'s', () => {
    const agent = running();
    agent.spawned('a');
    expect(agent.raw('task_updated', { task_id: 'a', patch: { status: 'killed' } })).toEqual(['ended a stopped']);
    agent.spawned('b');
    agent.ended('b', 'stopped');
    expect(agent.raw('task_updated', { task_id: 'b', patch: { status: 'killed' } })).toEqual(['refined b stopped']);
    expect(agent.item('b')?.endedBy).toBe('raw');
  });

  it('a `stopped` that nobody asked for says nothing against an end that the raw feed told (0.80 with the feed)', () => {
    const agent = running();
    agent.spawned('b');
    expect(agent.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } })).toEqual(['ended b completed']);
    expect(agent.ended('b', 'stopped')).toEqual([]);
    expect(agent.ended('b', 'completed')).toEqual([]);
    expect(agent.item('b')?.outcome).toBe('completed');
  });

  it('the empty live set before the end (0.66, 0.80) -> ends nothing', () => {
    const agent = running({ asyncTasks: false });
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', task_type: 'local_bash' }] })).toEqual(['started b']);
    expect(agent.raw('background_tasks_changed', { tasks: [] })).toEqual([]);
    expect(agent.raw('task_updated', { task_id: 'b', patch: { status: 'completed' } })).toEqual(['ended b completed']);
    expect(agent.raw('task_notification', { task_id: 'b', status: 'completed', summary: 'Background command "x" completed (exit code 0)' })).toEqual(['refined b completed']);
    expect(agent.item('b')?.exitCode).toBe(0);
  });

  it('task_started alone starts nothing: a foreground Agent has one too', () => {
    const agent = running({ asyncTasks: false });
    expect(agent.raw('task_started', { task_id: 'a', task_type: 'local_agent', tool_use_id: 'c' })).toEqual([]);
    expect(agent.raw('task_updated', { task_id: 'a', patch: { status: 'completed' } })).toEqual([]);
  });

  it('where the extension reports tasks the raw feed only adds facts', () => {
    const agent = running();
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'a', task_type: 'local_workflow' }] })).toEqual([]);
    expect(agent.item('a')?.phase).toBe('noted');
  });

  it('but for subagents, which the extension does not report as tasks: those of its set are in the background', () => {
    const agent = running();
    expect(agent.raw('task_started', { task_id: 'a', task_type: 'local_agent', tool_use_id: 'c' })).toEqual([]);
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'a', task_type: 'local_agent' }] })).toEqual(['started a', 'detached a by ack']);
    expect(agent.raw('task_updated', { task_id: 'a', patch: { status: 'completed' } })).toEqual(['ended a completed']);
  });

  it('a pause is told while it runs, and not after', () => {
    const agent = running();
    agent.spawned('w', { taskType: 'workflow' });
    expect(agent.ended('w', 'paused')).toEqual(['changed w']);
    expect(agent.item('w')?.paused).toBe(true);
    expect(agent.ended('w', 'running')).toEqual(['changed w']);
    expect(agent.ended('w', 'running')).toEqual([]);
    agent.ended('w', 'paused');
    agent.ended('w', 'completed');
    expect(agent.ended('w', 'paused')).toEqual([]);
    expect(agent.item('w')?.paused).toBe(false);
  });
});

describe('another life of a task id', () => {
  it('a start after an end is a new life', () => {
    const agent = running();
    agent.at = 1;
    agent.spawned('b', { toolCallId: 'c', description: 'first' });
    agent.ended('b', 'completed');
    agent.at = 9;
    expect(agent.spawned('b')).toEqual(['started b#2']);
    expect(agent.item('b')).toMatchObject({ life: 2, phase: 'foreground', outcome: undefined, toolCallId: undefined, description: undefined, startedAt: 9, endedAt: undefined });
    expect(agent.ended('b', 'failed')).toEqual(['ended b#2 failed']);
  });

  it('a start of another run ends a life whose end nobody told, as unknown', () => {
    const agent = running({ asyncTasks: false });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] });
    agent.at = 50;
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2', task_type: 'local_workflow' }] })).toEqual(['ended b unknown', 'started b#2']);
    expect(agent.facts[0]?.item).toMatchObject({ endedAt: 50, phase: 'ended' });
  });

  it('the same, where the extension reports tasks and the live set names the run', () => {
    const agent = running();
    agent.spawned('b', { taskType: 'workflow', toolCallId: 'c' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] });
    agent.call('c', 'completed');
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2', task_type: 'local_workflow' }] })).toEqual(['ended b unknown', 'started b#2']);
    expect(agent.item('b')).toMatchObject({ taskType: 'workflow', canCancel: true, run: 'r2' });
  });

  it('a final state of an older run is late and ignored', () => {
    const agent = running({ asyncTasks: false });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] });
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2', task_type: 'local_workflow' }] })).toEqual(['started b#2']);
    expect(agent.raw('task_notification', { task_id: 'b', run_id: 'r1', status: 'failed' })).toEqual([]);
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] })).toEqual([]);
    expect(agent.item('b')).toMatchObject({ life: 2, phase: 'foreground', run: 'r2' });
  });

  it('also where the spawn of the new run does not name it', () => {
    const agent = running();
    agent.spawned('b', { taskType: 'workflow' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1' }] });
    agent.ended('b', 'completed');
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.spawned('b', { taskType: 'workflow' })).toEqual(['started b#2']);
    expect(agent.raw('task_notification', { task_id: 'b', run_id: 'r1', status: 'completed' })).toEqual([]);
    expect(agent.item('b')?.phase).toBe('foreground');
  });

  it('what the raw feed says of the next run before its spawn is not lost', () => {
    const agent = running();
    agent.spawned('b', { taskType: 'workflow' });
    agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r1' }] });
    agent.ended('b', 'completed');
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2' }] })).toEqual([]);
    expect(agent.raw('task_started', { task_id: 'b', run_id: 'r2', tool_use_id: 'c2', ambient: true })).toEqual([]);
    expect(agent.item('b')).toMatchObject({ life: 1, phase: 'ended', ambient: false });
    expect(agent.spawned('b', { taskType: 'workflow' })).toEqual(['started b#2']);
    expect(agent.item('b')).toMatchObject({ run: 'r2', toolCallId: 'c2', ambient: true });
  });

  it('a start that names the run that is over is told again, not new', () => {
    const agent = running({ asyncTasks: false });
    const level = { tasks: [{ task_id: 'b', run_id: 'r1', task_type: 'local_workflow' }] };
    agent.raw('background_tasks_changed', level);
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.raw('background_tasks_changed', level)).toEqual([]);
  });

  it('an end that came before the spawn of another run is not the end of that', () => {
    const agent = running({ asyncTasks: false });
    agent.raw('task_updated', { task_id: 'b', run_id: 'r1', patch: { status: 'completed' } });
    expect(agent.raw('background_tasks_changed', { tasks: [{ task_id: 'b', run_id: 'r2' }] })).toEqual(['started b#2']);
  });

  it('a mark that came before the spawn detaches the second life too', () => {
    const agent = running({ asyncTasks: false });
    agent.call('c', 'in_progress', mark);
    agent.raw('task_started', { task_id: 'b', run_id: 'r1', tool_use_id: 'c' });
    const start = (run: string): string[] => agent.hears({ type: 'taskStarted', source: 'raw', task: 'b', facts: { run, toolCallId: 'c', taskType: 'shell' } });
    expect(start('r1')).toEqual(['started b', 'detached b by mark']);
    expect(start('r2')).toEqual(['ended b unknown', 'started b#2', 'detached b#2 by mark']);
  });
});

describe('an exit code', () => {
  it('is read from the description of the agent\'s own turn that the end causes', () => {
    const agent = running();
    agent.spawned('b', { description: 'Run it' });
    agent.ended('b', 'failed');
    expect(agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" failed with exit code 3' })).toEqual(['started turn-1', 'refined b failed']);
    expect(agent.item('b')?.exitCode).toBe(3);
  });

  it('comes with a corrected description of that turn as well', () => {
    const agent = running();
    agent.spawned('b', { description: 'Run it' });
    agent.ended('b', 'completed');
    agent.spawned('turn-1', { taskType: 'turn', description: 'A turn.' });
    expect(agent.progress('turn-1', { description: 'Background command "Run it" completed (exit code 0)' })).toEqual(['changed turn-1', 'refined b completed']);
  });

  it('goes to the item that it agrees with', () => {
    const agent = running();
    for (const task of ['a', 'b']) agent.spawned(task, { description: 'Run it' });
    agent.ended('a', 'completed');
    agent.ended('b', 'failed');
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" completed (exit code 0)' });
    expect([agent.item('a')?.exitCode, agent.item('b')?.exitCode]).toEqual([0, undefined]);
  });

  it.each([
    ['runs still', (agent: Listener) => agent.spawned('b', { description: 'Run it' })],
    ['is no command', (agent: Listener) => [agent.spawned('b', { taskType: 'workflow', description: 'Run it' }), agent.ended('b', 'completed')]],
    ['has another description', (agent: Listener) => [agent.spawned('b', { description: 'Run' }), agent.ended('b', 'completed')]],
    ['was stopped', (agent: Listener) => [agent.spawned('b', { description: 'Run it' }), agent.ended('b', 'stopped')]],
  ])('is not given to what %s', (_, before) => {
    const agent = running();
    before(agent);
    agent.spawned('turn-1', { taskType: 'turn', description: 'Background command "Run it" completed (exit code 0)' });
    expect(agent.item('b')?.exitCode).toBeUndefined();
  });

  it('is read from the output of the launching call', () => {
    const agent = running();
    agent.call('c', 'in_progress', mark);
    agent.spawned('c', { toolCallId: 'c' });
    agent.ended('c', 'failed');
    expect(agent.call('c', 'failed', { rawOutput: { exit_code: 3 } })).toEqual(['refined c failed']);
    expect(agent.item('c')?.exitCode).toBe(3);
  });

  it('is not read from the output of another call under the same id', () => {
    const agent = running();
    agent.call('c', 'in_progress', mark);
    agent.spawned('c', { toolCallId: 'c' });
    agent.ended('c', 'failed');
    agent.call('c', 'failed');
    agent.at = 10;
    agent.call('c', 'pending');
    agent.call('c', 'failed', { rawOutput: { exit_code: 3 } });
    expect(agent.item('c')?.exitCode).toBeUndefined();
  });
});
