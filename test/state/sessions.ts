/** Sessions in the states that the tests of lists start from. Every update of theirs is checked against the schema. */
import { afterEach, expect } from 'vitest';
import { World, type WorldOptions } from './world.js';

const worlds: World[] = [];

export function world(options: WorldOptions = {}): World {
  const made = new World(options);
  worlds.push(made);
  return made;
}

/** In a turn, with what the client saw so far read. */
export function inTurn(options: WorldOptions = {}): World {
  const agent = world(options);
  agent.running();
  agent.client();
  return agent;
}

/** A background command, listed, the way Claude launches one. */
export function withShell(options: WorldOptions = {}, members: object = {}): World {
  const agent = inTurn(options);
  agent.command('c');
  agent.spawned('b', { toolCallId: 'c', name: 'Run it', ...members });
  agent.exited('c', { exitCode: 0 });
  agent.call('c', 'completed');
  agent.client();
  return agent;
}

/** The same, after its turn. */
export function idleWithShell(options: WorldOptions = {}, members: object = {}): World {
  const agent = withShell(options, members);
  agent.idle();
  agent.client();
  agent.files();
  return agent;
}

/** A background command the way Codex launches one: its call goes on. */
export function withCodexShell(options: WorldOptions = {}): World {
  const agent = inTurn({ agent: 'codex', ...options });
  agent.command('c', 'in_progress');
  agent.marked('c');
  agent.spawned('c', { toolCallId: 'c' });
  agent.client();
  return agent;
}

/** A workflow, listed and idle. */
export function idleWithWorkflow(options: WorldOptions = {}, members: object = {}): World {
  const agent = inTurn(options);
  agent.call('c', 'pending', { title: 'Workflow' });
  agent.spawned('w', { taskType: 'workflow', toolCallId: 'c', description: 'Survey', ...members });
  agent.call('c', 'completed');
  agent.idle();
  agent.client();
  return agent;
}

afterEach(() => {
  const invalid = worlds.splice(0).flatMap((each) => each.invalid());
  expect(invalid, 'every update is valid by the schema').toEqual([]);
});
