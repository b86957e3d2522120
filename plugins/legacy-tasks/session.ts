/** One session's listed work, told as tasks: feeds the reducer and puts what it tells beside the message at hand. */
import { keep, type Outgoing } from 'afterturn/plugin';
import type { JsonObject } from 'afterturn/protocol';
import { noListedTasks, reduceListedTasks, taskOf, type ListedTask, type ListedTasks, type ListedTasksEvent, type ListedTasksOptions, type TaskTold } from 'afterturn/state';

export class TaskSession {
  #state: ListedTasks = noListedTasks;

  constructor(
    readonly id: string,
    private readonly options: ListedTasksOptions,
  ) {}

  /** What the client is told of an event, in order. */
  told(event: ListedTasksEvent): readonly Exclude<Outgoing, typeof keep>[] {
    return this.#run(event).map((one) => this.#outgoing(one));
  }

  /** As `told`, with the message at hand at its place. */
  around(update: JsonObject, isChild: boolean): readonly Outgoing[] {
    const told = this.#run({ type: 'update', update, isChild });
    const at = (place: TaskTold['place']): readonly Outgoing[] => told.filter((one) => one.place === place).map((one) => this.#outgoing(one));
    return [...at('before'), keep, ...at('after')];
  }

  task(id: string): ListedTask | undefined {
    return taskOf(this.#state, id);
  }

  #run(event: ListedTasksEvent): readonly TaskTold[] {
    const [state, told] = reduceListedTasks(this.#state, event, this.options);
    this.#state = state;
    return told;
  }

  #outgoing({ update }: TaskTold): Exclude<Outgoing, typeof keep> {
    return { method: 'session/update', params: { sessionId: this.id, update } };
  }
}
