/** The messages that spans are made of, `initialize` apart: without them there is nothing to trace. Names only. */
import { RAW_FEED, SUBAGENT_KIND } from 'afterturn/protocol';

export const STOP = '_session/async_task/stop';

/** The update kinds that spans are made of, beside those of tool calls. The others pass unread. */
export const KINDS = [
  'terminal_update', 'state_update',
  'async_task_spawned', 'async_task_progress', 'async_task_state_update',
  '_async_task_spawned', '_async_task_progress', '_async_task_state_update',
  'subagent_update', 'subagent_spawned', 'subagent_state_update', SUBAGENT_KIND,
] as const;

const cancels = ['terminal/cancel', 'tool_call/cancel'] as const;
const ends = ['session/close', 'session/delete'] as const;
const replays = ['session/load', 'session/resume'] as const;

/** By direction. The kinds are those of `session/update`. */
export const wanted = {
  toAgent: { calls: [...replays, 'session/prompt', 'session/cancel', ...cancels, ...ends, STOP], replies: ['session/request_permission'] },
  toClient: {
    calls: [RAW_FEED, 'session/request_permission'],
    kinds: [...KINDS, 'tool_call', 'tool_call_update'],
    replies: ['session/new', 'session/fork', ...replays, 'session/prompt', ...ends, ...cancels],
  },
} as const;
