/** An agent that announces its tasks late, keeps their calls open, and does not report all of its work. */
import { afterEach, describe, expect, it } from 'vitest';
import { World, type WorldOptions } from './world.js';

const worlds: World[] = [];

function world(options: WorldOptions = {}): World {
  const made = new World({ agent: 'codex', ...options });
  worlds.push(made);
  made.running();
  made.command('c', 'in_progress');
  made.client();
  return made;
}

/** A command that is listed while its call goes on. */
function withShell(options: WorldOptions = {}): World {
  const agent = world(options);
  agent.marked('c');
  agent.spawned('c', { toolCallId: 'c' });
  agent.client();
  return agent;
}

afterEach(() => {
  const invalid = worlds.splice(0).flatMap((each) => each.invalid());
  expect(invalid, 'every update is valid by the schema').toEqual([]);
});

describe('a call that stayed open while its command ran in the background', () => {
  it('is cancelled when that was stopped, whatever its exit says', () => {
    const agent = withShell();
    agent.stopAsked('c');
    agent.ended('c', 'stopped');
    agent.exited('c', { exitCode: -1 });
    agent.call('c', 'failed', { name: 'exec_command' });
    expect(agent.client()).toEqual(['terminal c exited {} not cancellable', 'running []', 'call c cancelled']);
    expect(agent.sent.at(-1)?.update).toMatchObject({ name: 'exec_command', status: 'cancelled' });
  });

  it.each(['completed', 'failed'])('ends as the agent says when that ended by itself: %s', (status) => {
    const agent = withShell();
    agent.ended('c', status);
    agent.exited('c', { exitCode: status === 'failed' ? 3 : 0 });
    agent.call('c', status);
    expect(agent.client().at(-1)).toBe(`call c ${status}`);
  });

  it('fails while it is not certain that it was stopped', () => {
    const agent = withShell({ agent: 'other' });
    agent.ended('c', 'stopped');
    agent.call('c', 'failed');
    expect(agent.client()).toEqual(['call c failed']);
  });

  it('fails when its id is used again', () => {
    const agent = withShell();
    agent.stopAsked('c');
    agent.ended('c', 'stopped');
    agent.call('c', 'failed');
    agent.wait(1);
    agent.call('c', 'in_progress');
    agent.client();
    agent.call('c', 'failed');
    expect(agent.client()).toEqual(['call c failed']);
  });
});

describe('the exit of a terminal that was known as exited when its work was announced', () => {
  const failedFirst = (): World => {
    const agent = world();
    agent.exited('c', { exitCode: null });
    agent.call('c', 'failed');
    agent.idle('error');
    agent.marked('c');
    agent.spawned('c', { toolCallId: 'c', name: './run.sh' });
    agent.client();
    return agent;
  };

  it('is that of the terminal of our own, too', () => {
    const agent = failedFirst();
    agent.ended('c', 'completed');
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0}', 'terminal afterturn:c exited {"exitCode":0} not cancellable', 'idle []', 'call c completed']);
  });

  it('is told once more when it comes late', () => {
    const agent = failedFirst();
    agent.ended('c', 'completed');
    agent.wait(250);
    agent.client();
    agent.exited('c', { exitCode: 0 });
    expect(agent.client()).toEqual(['terminal c exited {"exitCode":0}', 'terminal afterturn:c exited {"exitCode":0}']);
  });
});

describe('an `idle` of an agent that announces tasks, but does not report all of its work', () => {
  const ended = (): World => {
    const agent = world({ reported: false, announcesTasks: true });
    agent.idle('cancelled');
    return agent;
  };

  it('waits for the announcement, and goes out once with the task', () => {
    const agent = ended();
    expect(agent.client()).toEqual([]);
    agent.marked('c');
    agent.spawned('c', { toolCallId: 'c' });
    expect(agent.client()).toEqual(['terminal c "./run.sh" cancellable', 'idle (cancelled) [terminal c]']);
  });

  it('goes out after the window without a list', () => {
    const agent = ended();
    agent.wait(249);
    expect(agent.client()).toEqual([]);
    agent.wait(1);
    expect(agent.client()).toEqual(['idle (cancelled) no list']);
  });

  it.each([['end_turn', 'cancelled'], ['error', 'error']])('tells a cancellation that comes meanwhile: %s is %s', (reason, told) => {
    const agent = world({ reported: false, announcesTasks: true });
    agent.idle(reason);
    agent.cancelAsked();
    expect(agent.client()).toEqual([]);
    agent.wait(250);
    expect(agent.client()).toEqual([`idle (${told}) no list`]);
    agent.cancelAsked();
    expect(agent.client()).toEqual([]);
  });

  it('goes out before the next state, and when the call ends', () => {
    const next = ended();
    next.running();
    expect(next.client()).toEqual(['idle (cancelled) no list', 'running no list']);
    const over = ended();
    over.exited('c', { exitCode: 1 });
    over.call('c', 'failed');
    expect(over.client()).toEqual(['terminal c exited {"exitCode":1}', 'idle (cancelled) no list', 'call c failed']);
  });

  it.each([['closed', 'the session was closed'], ['agentGone', 'the agent exited']] as const)('goes out when the session ends (%s), behind the ends of what is open', (reason, why) => {
    const agent = ended();
    agent.over(reason);
    expect(agent.client()).toEqual(['terminal c exited {}', `call c cancelled not cancellable because ${why}`, 'idle (cancelled) no list']);
  });

  it('goes out at once where nothing can be announced, as it came', () => {
    const agent = world({ reported: false, announcesTasks: true });
    agent.exited('c', { exitCode: 0 });
    agent.call('c', 'completed');
    agent.client();
    agent.idle();
    expect(agent.client()).toEqual(['idle (end_turn) no list']);
  });
});
