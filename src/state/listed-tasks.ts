/**
 * Background work that an agent lists itself, told as tasks of the private extension (its v2 form): a
 * pure reducer for one session. It knows nothing of who asks for what.
 *
 * A list tells what lives; an exit, a final status or the absence from a later list tells what ended. A
 * state that lists nothing at all ends nothing, and neither does history.
 *
 * Follows the v2 Background Work RFD ("The `background` list on state snapshots").
 */
import { backgroundListOf, isBackgroundType, type BackgroundEntry, type JsonObject } from '../protocol/index.js';
import { endOfRemoved, endOfTurn, ownEnd, type KnownEnd } from './listed-tasks-ends.js';
import { withFeed } from './listed-tasks-feed.js';
import { concerns, subjectOf, withKnown, withLife, wordsOf } from './listed-tasks-known.js';
import type { ListedTask, ListedTasks, ListedTasksEvent, ListedTasksOptions, TaskTold } from './listed-tasks-types.js';
import { Table } from './table.js';

export const noListedTasks: ListedTasks = {
  tasks: Table.empty(), calls: Table.empty(), terminals: Table.empty(), children: Table.empty(), said: Table.empty(), cause: undefined,
  running: false, prompts: 0, prompted: false, turns: 0, resuming: 0,
};

type Step = readonly [ListedTasks, readonly TaskTold[]];
type Update = TaskTold['update'];

const then = ([state, told]: Step, step: (state: ListedTasks) => Step): Step => {
  const [next, more] = step(state);
  return [next, more.length === 0 ? told : [...told, ...more]];
};
const eachOf = <T>(all: readonly T[], start: Step, step: (state: ListedTasks, one: T) => Step): Step => all.reduce<Step>((done, one) => then(done, (state) => step(state, one)), start);
const withTask = (state: ListedTasks, task: ListedTask): ListedTasks => ({ ...state, tasks: state.tasks.set(task.key, task) });
const tell = (place: TaskTold['place'], ...updates: readonly Update[]): readonly TaskTold[] => updates.map((update) => ({ place, update }));

/** An id that no other task of the session has: a terminal and a tool call can share theirs. */
function taskId(state: ListedTasks, { key, id = key }: BackgroundEntry): string {
  return [...state.tasks.values()].some((other) => other.task === id && other.key !== key) ? key : id;
}

function spawned(state: ListedTasks, entry: BackgroundEntry, { marks, subagents }: ListedTasksOptions): Step {
  const { key, type, id } = entry;
  if (id === undefined || !isBackgroundType(type) || (type === 'subagent' && !subagents)) return [state, []];
  const live = withLife(state, type, id);
  const known = live.tasks.get(key);
  if (known !== undefined && !known.ended) return [live, []];
  const { name, taskType, ...words } = wordsOf(live, type, id);
  const task: ListedTask = { key, task: taskId(live, entry), type, id, ended: false, stopAsked: false, paused: false, ...words };
  const { description, canStop, toolCallId } = words;
  const spawn: Update = {
    sessionUpdate: '_async_task_spawned', asyncTaskId: task.task, name, taskType, description, showInTranscript: false, canStop, ...(toolCallId === undefined ? {} : { toolCallId }),
  };
  const mark: Update[] = marks && type === 'terminal' && toolCallId !== undefined ? [{ sessionUpdate: 'tool_call_update', toolCallId, _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } }] : [];
  return [withTask(live, task), tell('before', ...mark, spawn)];
}

/** The end is told once. What the client asked to stop was stopped. */
function ended(state: ListedTasks, task: ListedTask, { end, reason }: KnownEnd, place: TaskTold['place']): Step {
  if (task.ended) return [state, []];
  const why = reason === undefined || task.stopAsked ? {} : { _meta: { afterturn: { reason } } };
  const update: Update = { sessionUpdate: '_async_task_state_update', asyncTaskId: task.task, state: task.stopAsked ? 'stopped' : end, ...(task.toolCallId === undefined ? {} : { toolCallId: task.toolCallId }), ...why };
  return [withTask(state, { ...task, ended: true }), tell(place, update)];
}

const forgotten = (state: ListedTasks, task: ListedTask): ListedTasks => ({ ...state, tasks: state.tasks.delete(task.key) });

/** What the list names from now on. An item whose end was told lives anew only after a list without it. */
function listed(state: ListedTasks, update: JsonObject, options: ListedTasksOptions): Step {
  const list = backgroundListOf(update);
  if (typeof list === 'string') return [state, []];
  const names = new Set(list.map(({ key }) => key));
  const gone = [...state.tasks.values()].filter((task) => task.type !== 'turn' && !names.has(task.key));
  const settled = eachOf(gone, [state, []], (next, task) => then(ended(next, task, endOfRemoved(next, task), 'before'), (after) => [forgotten(after, task), []]));
  const fresh = list.filter(({ key }) => state.tasks.get(key)?.ended !== true);
  return eachOf(fresh, settled, (next, entry) => spawned(next, entry, options));
}

const openTurn = (state: ListedTasks): ListedTask | undefined => [...state.tasks.values()].find(({ type }) => type === 'turn');

function turnEnded(state: ListedTasks, end: KnownEnd): Step {
  const turn = openTurn(state);
  return turn === undefined ? [state, []] : then(ended(state, turn, end, 'before'), (next) => [forgotten(next, turn), []]);
}

/** Foreground work that no prompt explains is a turn of the agent's own. */
function turnStarted(state: ListedTasks, { turnName: name }: ListedTasksOptions): Step {
  const turns = state.turns + 1;
  const id = `afterturn:turn:${turns}`;
  const description = state.cause ?? 'The agent started a turn without a prompt.';
  const turn: ListedTask = { key: `turn:${id}`, task: id, type: 'turn', id, ended: false, stopAsked: false, paused: false, description, canStop: true, toolCallId: undefined };
  const update: Update = { sessionUpdate: '_async_task_spawned', asyncTaskId: id, name, taskType: 'turn', description, showInTranscript: false, canStop: true };
  return [withTask({ ...state, turns, cause: undefined }, turn), tell('before', update)];
}

function foreground(state: ListedTasks, update: JsonObject, isChild: boolean, options: ListedTasksOptions): Step {
  if (isChild) return [state, []];
  if (update.state === 'idle') return then(turnEnded({ ...state, running: false, prompted: false }, endOfTurn(update)), (next) => [next, []]);
  if (update.state !== 'running' && update.state !== 'requires_action') return [state, []];
  const isOwn = !state.running && !state.prompted && state.prompts === 0;
  const running = { ...state, running: true };
  return isOwn ? turnStarted(running, options) : [running, []];
}

/** What is known of a live task now, where the client was told otherwise. */
function progressed(state: ListedTasks, task: ListedTask): Step {
  if (task.ended || task.type === 'turn') return [state, []];
  const { description, canStop, toolCallId } = wordsOf(state, task.type, task.id);
  const news = {
    ...(description === task.description ? {} : { description }),
    ...(canStop === task.canStop ? {} : { canStop }),
    ...(toolCallId === task.toolCallId || toolCallId === undefined ? {} : { toolCallId }),
  };
  const paused = task.type === 'tool_call' && state.calls.get(task.id)?.status === 'paused';
  const next = { ...task, ...news, paused };
  const updates: Update[] = [
    ...(Object.keys(news).length === 0 ? [] : [{ sessionUpdate: '_async_task_progress', asyncTaskId: task.task, ...news }]),
    ...(paused === task.paused ? [] : [{ sessionUpdate: '_async_task_state_update', asyncTaskId: task.task, state: paused ? 'paused' : 'running' }]),
  ];
  return updates.length === 0 ? [state, []] : [withTask(state, next), tell('after', ...updates)];
}

function entity(state: ListedTasks, update: JsonObject, options: ListedTasksOptions): Step {
  const next = withKnown(state, update, options);
  const subject = subjectOf(update);
  if (next === state || subject === undefined) return [next, []];
  const touched = [...next.tasks.values()].filter((task) => concerns(task, update, subject));
  return eachOf(touched, [next, []], (now, task) => {
    const end = now.resuming > 0 ? undefined : ownEnd(now, task);
    return end === undefined ? progressed(now, task) : ended(now, task, end, 'after');
  });
}

function stopAsked(state: ListedTasks, id: string, asked: boolean): Step {
  const task = taskOf(state, id);
  return [task === undefined ? state : withTask(state, { ...task, stopAsked: asked }), []];
}

/** The task that the client knows by this id, if it is known that it has not ended. */
export const taskOf = (state: ListedTasks, id: string): ListedTask | undefined => [...state.tasks.values()].find((task) => task.task === id && !task.ended);

/** One event: the state after it, and what the client is told. The same state comes back when nothing changed. */
export function reduceListedTasks(state: ListedTasks, event: ListedTasksEvent, options: ListedTasksOptions): Step {
  switch (event.type) {
    case 'update':
      if (event.update.sessionUpdate !== 'state_update') return entity(state, event.update, options);
      return then(listed(state, event.update, options), (next) => foreground(next, event.update, event.isChild, options));
    case 'fed':
      return [withFeed(state, event.signals), []];
    case 'promptSent':
      return [{ ...state, prompts: state.prompts + 1 }, []];
    case 'promptAnswered': {
      const next = { ...state, prompts: Math.max(0, state.prompts - 1), prompted: state.prompted || event.accepted };
      // The work that runs is the prompt's from now on.
      return event.accepted ? turnEnded(next, { end: 'completed' }) : [next, []];
    }
    case 'stopAsked':
    case 'stopRefused':
      return stopAsked(state, event.task, event.type === 'stopAsked');
    case 'resumes':
    case 'resumed':
      return [{ ...state, resuming: Math.max(0, state.resuming + (event.type === 'resumes' ? 1 : -1)) }, []];
    case 'ended':
      return eachOf([...state.tasks.values()], [noListedTasks, []], (next, task) => {
        const [, told] = ended(state, task, { end: 'stopped', reason: event.reason }, 'before');
        return [next, told];
      });
  }
}
