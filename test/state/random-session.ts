/**
 * Random sessions: what an agent and a client do, in any order, with repeats, losses and second
 * lives. Each is played to the reducers and to a client that knows the rules (`model-client`).
 */
import fc from 'fast-check';
import type { reduceLists } from 'afterturn/state';
import { ModelClient, type Kind } from './model-client.js';
import { World, agents } from './world.js';

const TASKS = [
  { name: 's1', taskType: 'shell', kind: 'terminal', canCancel: true },
  { name: 's2', taskType: 'shell', kind: 'terminal', canCancel: false },
  { name: 'w1', taskType: 'workflow', kind: 'tool_call', canCancel: true },
  { name: 'm1', taskType: 'monitor', kind: 'tool_call', canCancel: false },
] as const satisfies readonly { name: string; taskType: string; kind: Kind; canCancel: boolean }[];

const COMMANDS = ['c1', 'c2'] as const;
const CALLS = ['d1', 'd2'] as const;

export type Step =
  | { readonly do: 'spawn'; readonly task: string; readonly call: string | undefined }
  | { readonly do: 'progress'; readonly task: string; readonly call: string }
  | { readonly do: 'end'; readonly task: string; readonly state: string }
  | { readonly do: 'pause'; readonly task: string; readonly paused: boolean }
  | { readonly do: 'rawEnd'; readonly task: string; readonly state: string; readonly run: string | undefined }
  | { readonly do: 'rawLevel'; readonly task: string; readonly run: string | undefined }
  | { readonly do: 'call'; readonly call: string }
  | { readonly do: 'ack' | 'fail' | 'mark' | 'output'; readonly call: string }
  | { readonly do: 'exit'; readonly call: string; readonly exitCode: number }
  | { readonly do: 'file'; readonly task: string; readonly code: number }
  | { readonly do: 'stopAsked'; readonly task: string }
  | { readonly do: 'prompt' | 'ownTurn' | 'idle' | 'again' | 'close' | 'closeFails' }
  | { readonly do: 'wait'; readonly ms: number };

const task = fc.constantFrom(...TASKS.map(({ name }) => name));
const anyCall = fc.constantFrom(...COMMANDS, ...CALLS);
/** The call that fits the task, mostly. */
const callOf = (name: string): fc.Arbitrary<string> => {
  const fitting = name.startsWith('s') ? COMMANDS : CALLS;
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fitting) }, { weight: 1, arbitrary: anyCall });
};
const run = fc.constantFrom(undefined, undefined, 'r1', 'r2', 'r3');
const endState = fc.constantFrom('completed', 'failed', 'stopped');
const wait = fc.oneof(fc.constantFrom(1, 2, 50, 200, 249, 250, 251, 600), fc.integer({ min: 0, max: 700 }));

const single: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: task.chain((name) => fc.option(callOf(name), { nil: undefined }).map((call): Step => ({ do: 'spawn', task: name, call }))) },
  { weight: 2, arbitrary: task.chain((name) => callOf(name).map((call): Step => ({ do: 'progress', task: name, call }))) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), task, state: endState }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), task, paused: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rawEnd' as const), task, state: endState, run }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rawLevel' as const), task, run }) },
  { weight: 3, arbitrary: anyCall.map((call): Step => ({ do: 'call', call })) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('ack' as const, 'ack' as const, 'fail' as const, 'mark' as const, 'output' as const), call: anyCall }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('exit' as const), call: fc.constantFrom(...COMMANDS), exitCode: fc.constantFrom(0, 3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('file' as const), task, code: fc.constantFrom(0, 3) }) },
  { weight: 1, arbitrary: task.map((name): Step => ({ do: 'stopAsked', task: name })) },
  { weight: 7, arbitrary: fc.constantFrom<Step>({ do: 'prompt' }, { do: 'ownTurn' }, { do: 'ownTurn' }, { do: 'idle' }, { do: 'idle' }, { do: 'again' }, { do: 'again' }, { do: 'close' }, { do: 'closeFails' }) },
  { weight: 5, arbitrary: wait.map((ms): Step => ({ do: 'wait', ms })) },
);

/** What really happens in a row: a launch the way Claude or Codex does it, an end that starts a turn, one that is corrected. */
const usual: fc.Arbitrary<readonly Step[]> = task.chain((name) => callOf(name).chain((call) => fc.oneof(
  fc.constantFrom<readonly Step[]>(
    [{ do: 'prompt' }, { do: 'call', call }, { do: 'spawn', task: name, call }, { do: 'exit', call: name.startsWith('s') ? call : 'c1', exitCode: 0 }, { do: 'ack', call }],
    [{ do: 'prompt' }, { do: 'call', call }, { do: 'spawn', task: name, call: undefined }, { do: 'progress', task: name, call }, { do: 'ack', call }, { do: 'idle' }],
    [{ do: 'prompt' }, { do: 'call', call }, { do: 'mark', call }, { do: 'spawn', task: name, call }, { do: 'idle' }],
    [{ do: 'prompt' }, { do: 'call', call }, { do: 'idle' }, { do: 'wait', ms: 2 }, { do: 'mark', call }, { do: 'spawn', task: name, call }],
    [{ do: 'end', task: name, state: 'stopped' }, { do: 'wait', ms: 2 }, { do: 'end', task: name, state: 'completed' }],
    [{ do: 'stopAsked', task: name }, { do: 'end', task: name, state: 'stopped' }],
    [{ do: 'end', task: name, state: 'completed' }, { do: 'exit', call, exitCode: 0 }, { do: 'ack', call }],
    [{ do: 'rawEnd', task: name, state: 'failed', run: undefined }, { do: 'end', task: name, state: 'failed' }],
  ),
  fc.tuple(endState, wait).map(([state, ms]): readonly Step[] => [{ do: 'end', task: name, state }, { do: 'wait', ms }, { do: 'ownTurn' }, { do: 'wait', ms }, { do: 'idle' }]),
)));

export interface Script {
  readonly agent: keyof typeof agents;
  readonly window: number;
  readonly steps: readonly Step[];
  readonly end: 'closed' | 'agentGone';
}

const pieces: fc.Arbitrary<readonly Step[]> = fc.array(fc.oneof({ weight: 2, arbitrary: usual }, { weight: 3, arbitrary: single.map((step) => [step]) }), { maxLength: 16 }).map((parts) => parts.flat());

export const script: fc.Arbitrary<Script> = fc.record({
  agent: fc.constantFrom('claude', 'claude', 'codex', 'other'),
  window: fc.constantFrom(250, 250, 250, 0),
  steps: pieces,
  end: fc.constantFrom('closed', 'closed', 'agentGone'),
});

/** Plays a session. Throws `Broken` at the first rule that what the client saw breaks. */
export function play({ agent, window, steps, end }: Script, reduce?: typeof reduceLists): World {
  const world = new World({ agent, window, reduce });
  const model = new ModelClient({ ...agents[agent], window }, TASKS);
  const types = new Map<string, { readonly taskType: string; readonly canCancel: boolean }>(TASKS.map(({ name, ...rest }) => [name, rest]));
  let read = 0;
  let spans = 0;
  let closing = false;

  const hears = (): void => {
    for (; read < world.sent.length; read++) {
      const { update, at } = world.sent[read] ?? { update: {}, at: 0 };
      model.sees(update, at);
    }
  };
  const step = (happens: () => void, said: () => void): void => {
    happens();
    model.settled();
    said();
    hears();
    model.stepped();
  };

  const players: { readonly [D in Step['do']]: (one: Extract<Step, { readonly do: D }>) => void } = {
    spawn: (one) => {
      const { taskType, canCancel } = types.get(one.task) ?? { taskType: 'shell', canCancel: false };
      step(() => model.spawned(one.task, one.call), () => world.spawned(one.task, { taskType, canStop: canCancel, ...(one.call === undefined ? {} : { toolCallId: one.call }), outputFilePath: `/tmp/${one.task}` }));
    },
    progress: (one) => step(() => model.progressed(one.task, one.call), () => world.progress(one.task, { toolCallId: one.call })),
    end: (one) => step(() => model.ended(one.task, one.state, world.at, { certain: false }), () => world.ended(one.task, one.state)),
    pause: (one) => step(() => undefined, () => world.ended(one.task, one.paused ? 'paused' : 'running')),
    rawEnd: (one) => step(
      () => model.ended(one.task, one.state, world.at, { run: one.run, certain: true }),
      () => world.raw('task_notification', { task_id: one.task, status: one.state, ...(one.run === undefined ? {} : { run_id: one.run }) }),
    ),
    rawLevel: (one) => step(() => model.inLiveSet(one.task, one.run), () => world.raw('background_tasks_changed', { tasks: [{ task_id: one.task, ...(one.run === undefined ? {} : { run_id: one.run }) }] })),
    call: ({ call }) => {
      if (model.isOpenCall(call) || model.hasWork(call)) return;
      const isCommand = COMMANDS.some((id) => id === call);
      step(() => model.callStarted(call), () => (isCommand ? world.command(call) : world.call(call, 'pending')));
    },
    ack: ({ call }) => step(() => model.callEnded(call), () => world.call(call, 'completed')),
    fail: ({ call }) => step(() => model.callEnded(call), () => world.call(call, 'failed')),
    mark: ({ call }) => step(() => model.marked(call), () => world.marked(call)),
    output: ({ call }) => step(() => undefined, () => world.call(call, undefined, { content: [] })),
    exit: ({ call, exitCode }) => step(() => model.exited(call), () => world.exited(call, { exitCode })),
    file: (one) => step(() => undefined, () => world.fileEnds(one.task, one.code)),
    stopAsked: (one) => step(() => model.stopAsked(one.task), () => world.stopAsked(one.task)),
    prompt: () => step(() => model.runs(), () => world.running()),
    ownTurn: () => {
      if (model.isRunning || closing) return;
      model.ownTurn(world.at);
      step(() => model.runs(), () => world.running());
    },
    idle: () => {
      const span = model.isRunning ? `_span${++spans}` : undefined;
      step(() => model.idles(span), () => world.says('state_update', { state: 'idle', ...(span === undefined ? {} : { stopReason: span }) }));
    },
    again: () => step(() => undefined, () => world.says('state_update', { state: model.isRunning ? 'running' : 'idle' })),
    close: () => {
      closing = true;
      step(() => undefined, () => world.closing());
    },
    closeFails: () => {
      if (!closing) return;
      closing = false;
      step(() => model.closeFailed(), () => world.closeFailed());
    },
    wait: ({ ms }) => step(() => undefined, () => world.wait(ms)),
  };

  for (const one of steps) (players[one.do] as (each: Step) => void)(one);
  step(() => undefined, () => world.wait(2000));
  if (!closing) model.atRest();
  if (end === 'closed' && !closing) step(() => undefined, () => world.closing());
  step(() => model.ends(), () => world.over(end));
  model.afterEnd();
  world.wait(2000);
  hears();
  return world;
}
