import { describe, expect, it } from 'vitest';
import { inTurn } from './sessions.js';

const begun = { terminalId: 'c', command: './run.sh', output: null, exitStatus: null, capabilities: null };

/** A command that ended before its work detached, the way Codex launches one: the client heard of its exit and of no work. */
function endedUnlisted() {
  const agent = inTurn({ agent: 'codex' });
  agent.command('c', 'in_progress');
  agent.spawned('b', { toolCallId: 'c' });
  agent.ended('b', 'failed');
  agent.exited('c', { exitCode: 1 });
  agent.call('c', 'failed');
  agent.idle();
  agent.client();
  return agent;
}

describe('the exit of a command that ended before it was listed', () => {
  it('is told again when a replay does not tell it', () => {
    const agent = endedUnlisted();
    agent.resumes('terminal_update', begun);
    agent.client();
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":1}', 'idle []']);
  });

  it('passes when a replay tells it', () => {
    const agent = endedUnlisted();
    agent.resumes('terminal_update', begun);
    agent.client();
    agent.resumes('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 1 } });
    agent.resumes('state_update', { state: 'idle' });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":1}', 'idle []']);
  });

  it('is kept back while the command lives', () => {
    const agent = inTurn({ agent: 'codex' });
    agent.command('c', 'in_progress');
    agent.spawned('b', { toolCallId: 'c' });
    agent.client();
    agent.resumes('terminal_update', { terminalId: 'c', exitStatus: { exitCode: 1 } });
    expect(agent.client()).toEqual([]);
  });
});
