import { describe, expect, it } from 'vitest';
import { noSubagentRuns, reduceSubagentRuns, rootSession, type RunEvent, type SubagentRuns } from '../../src/state/index.js';

function after(...events: readonly RunEvent[]): { runs: SubagentRuns; news: string[] } {
  return events.reduce<{ runs: SubagentRuns; news: string[] }>(
    ({ runs, news }, event) => {
      const [next, more] = reduceSubagentRuns(runs, event);
      return { runs: next, news: [...news, ...more.map((one) => `${one.child.id} ${one.child.run} ${one.type}${one.type === 'started' && one.message ? `: ${one.message.text}` : one.type === 'ended' ? ` ${one.outcome}` : ''}`)] };
    },
    { runs: noSubagentRuns, news: [] },
  );
}
const says = (session: string, sessionUpdate: string, members: object = {}): RunEvent => ({ type: 'update', session, update: { sessionUpdate, ...members } });
const child = (state: object | undefined, id = 'child', parent = 's'): RunEvent => says(parent, 'subagent_update', { sessionId: id, ...(state === undefined ? {} : { state }) });
const message = (text: string): RunEvent => says('s', 'session_message', { messageId: 'm', senderSessionId: 's', recipientSessionId: 'child', content: [{ type: 'text', text }] });

const RUNNING = { state: 'running' };
const IDLE = { state: 'idle', stopReason: 'end_turn' };

describe('reduceSubagentRuns', () => {
  it('starts a run with its message, or without one at the next word', () => {
    expect(after(child(RUNNING), says('child', 'state_update', RUNNING), message('Find it')).news).toEqual(['child 1 started: Find it']);
    expect(after(child(RUNNING), says('s', 'state_update')).news).toEqual(['child 1 started']);
    expect(after(child(RUNNING), { type: 'due' }, { type: 'due' }).news).toEqual(['child 1 started']);
  });

  it('ends a run once, and numbers the next', () => {
    expect(after(child(RUNNING), child(IDLE), child(IDLE), child(RUNNING), child({ state: 'unknown' })).news).toEqual(['child 1 started', 'child 1 ended completed', 'child 2 started', 'child 2 ended unknown']);
  });

  it('takes the work of a child that was announced without a state for a start', () => {
    expect(after(child(undefined), says('child', 'tool_call_update')).news).toEqual(['child 1 started']);
    expect(after(child(undefined), child(RUNNING), { type: 'due' }).news).toEqual(['child 1 started']);
  });

  it('does not take a session for its own ancestor', () => {
    const { runs } = after(child(RUNNING, 'b', 'a'), child(RUNNING, 'c', 'b'), child(RUNNING, 'a', 'c'), child(RUNNING, 'a', 'a'));
    expect([runs.has('a'), rootSession(runs, 'c')]).toEqual([false, 'a']);
  });

  it('forgets a session with all that comes from it', () => {
    const { runs, news } = after(child(RUNNING), child(RUNNING, 'grandchild', 'child'), { type: 'due' }, { type: 'gone', session: 's' });
    expect(news.slice(-2)).toEqual(['child 1 ended unknown', 'grandchild 1 ended unknown']);
    expect(runs.size).toBe(0);
  });

  it('gives the same runs back for what is about none', () => {
    const { runs } = after(child(RUNNING), message('x'));
    for (const event of [says('s', 'agent_message_chunk'), says('child', 'state_update', RUNNING), says('s', 'session_message', { senderSessionId: 'x' })]) expect(reduceSubagentRuns(runs, event)[0]).toBe(runs);
  });
});
