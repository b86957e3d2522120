import { describe, expect, it } from 'vitest';
import { asyncTaskWords, isLaunchTool, launchedTask, rawTaskWords, toolNameOf } from '../../src/protocol/launches.js';

const answering = (toolResponse: unknown) => ({ _meta: { claudeCode: { toolResponse } } });

describe('the task of a structured answer', () => {
  it.each([
    ['Monitor', { taskId: 't' }], ['Bash', { backgroundTaskId: 't' }], ['Agent', { status: 'async_launched', agentId: 't' }],
    ['Task', { status: 'async_launched', agentId: 't' }], ['Workflow', { status: 'async_launched', taskId: 't' }],
  ])('is where %s names it', (name, answer) => expect(launchedTask(name, answering(answer))).toBe('t'));

  it.each<[string | undefined, unknown]>([
    ['Monitor', { backgroundTaskId: 't' }], ['Bash', { taskId: 't' }], ['Agent', { status: 'completed', agentId: 't' }], ['Agent', { agentId: 't' }], ['Workflow', { taskId: 't' }],
    ['Edit', { taskId: 't', backgroundTaskId: 't' }], ['mcp__x__Bash', { backgroundTaskId: 't' }], ['toString', { taskId: 't' }], [undefined, { backgroundTaskId: 't' }],
    ['Bash', { backgroundTaskId: 1 }], ['Bash', { backgroundTaskId: '' }], ['Bash', 'backgroundTaskId: t'], ['Bash', null], ['Bash', [{ backgroundTaskId: 't' }]],
  ])('is nowhere else: %s %j', (name, answer) => expect(launchedTask(name, answering(answer))).toBe(undefined));
});

describe('the tool of a call', () => {
  it('is the agent\'s own word first', () => {
    expect(toolNameOf({ name: 'Bash', _meta: { claudeCode: { toolName: 'mcp__x__Bash' } } })).toBe('mcp__x__Bash');
    expect(toolNameOf({ name: 'Bash' })).toBe('Bash');
    expect(toolNameOf({ title: 'Bash', kind: 'execute' })).toBe(undefined);
  });

  it('is covered only when the table names it', () => expect(['Monitor', 'Bash', 'Agent', 'Task', 'Workflow', 'Edit', 'constructor', undefined].filter(isLaunchTool)).toEqual(['Monitor', 'Bash', 'Agent', 'Task', 'Workflow']));
});

describe('the harness\'s words', () => {
  it('are taken as they are', () => {
    expect(rawTaskWords({ message: { subtype: 'task_started', task_id: 't', task_type: 'local_bash', description: 'D', tool_use_id: 'T' } })).toEqual([{ task: 't', taskType: 'local_bash', description: 'D' }]);
    expect(rawTaskWords({ message: { subtype: 'task_updated', task_id: 't', patch: { status: 'killed' } } })).toEqual([{ task: 't', status: 'killed' }]);
    expect(rawTaskWords({ message: { subtype: 'task_notification', task_id: 't', status: 'stopped', summary: 'S' } })).toEqual([{ task: 't', status: 'stopped' }]);
    expect(rawTaskWords({ message: { subtype: 'background_tasks_changed', tasks: [{ task_id: 't', task_type: 'local_agent', description: 'D' }, { task_id: 7 }, null] } }))
      .toEqual([{ task: 't', taskType: 'local_agent', description: 'D' }]);
    expect(asyncTaskWords({ asyncTaskId: 't', taskType: 'shell', description: 'D' })).toEqual([{ task: 't', taskType: 'shell', description: 'D' }]);
    expect(asyncTaskWords({ asyncTaskId: 't', state: 'stopped' })).toEqual([{ task: 't', status: 'stopped' }]);
  });

  it.each([undefined, null, {}, { message: null }, { message: { subtype: 'task_progress', task_id: 't', description: 'busy' } }, { message: { subtype: 'background_tasks_changed', tasks: 'none' } }, { message: { subtype: 'task_updated', patch: null } }])('are none in %j', (params) =>
    expect(rawTaskWords(params)).toEqual([]));
});
