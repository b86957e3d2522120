/** What is said around a prompt of an agent that speaks v1 with async tasks. */
import type { Traced } from './traced.js';

/** A prompt of an agent that speaks v1, whose Bash call goes to the background at 100..200 of it. */
export function launches(conversation: Traced, { task = 't1', call = 'c1', taskType = 'shell', tool = 'Bash', canStop = true } = {}): void {
  const { updates, clock } = conversation;
  updates({ sessionUpdate: 'tool_call', toolCallId: call, name: tool, kind: 'execute', title: 'secret title', status: 'pending', rawInput: { command: 'secret command' } });
  clock.advance(50);
  updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: task, name: 'secret name', description: `Run ${task}`, taskType, canStop, toolCallId: call });
  clock.advance(50);
  updates({ sessionUpdate: 'tool_call_update', toolCallId: call, status: 'completed' });
}

export function prompts({ client, clock }: Traced, meta?: object): number {
  clock.advance(100);
  return client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'secret prompt' }], ...(meta === undefined ? {} : { _meta: meta }) });
}

export const ends = ({ updates }: Traced, state: string, task = 't1'): void => updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: task, state });

export const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
