import { describe, expect, it } from 'vitest';
import { v1PrivateUpdate } from '../../src/protocol/private-updates.js';

describe('v1PrivateUpdate', () => {
  it.each([
    ['_async_task_spawned', {}, 'async_task_spawned'],
    ['_async_task_progress', {}, 'async_task_progress'],
    ['_async_task_state_update', { state: 'completed' }, 'async_task_state_update'],
    ['_subagent_update', { subagentSessionId: 'c', name: 'Search' }, 'subagent_spawned'],
    ['_subagent_update', { subagentSessionId: 'c', state: 'completed' }, 'subagent_state_update'],
  ])('calls %s %j %s and leaves its members', (sessionUpdate, members, kind) => {
    expect(v1PrivateUpdate({ sessionUpdate, asyncTaskId: 't', ...members })).toEqual({ sessionUpdate: kind, asyncTaskId: 't', ...members });
  });

  it.each([{ sessionUpdate: 'tool_call_update' }, { sessionUpdate: '_other' }, { sessionUpdate: 1 }, {}])('has nothing to say of %j', (update) => {
    expect(v1PrivateUpdate(update)).toBeUndefined();
  });
});
