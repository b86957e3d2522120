/**
 * Which session is whose subagent, and whose task a task of the raw feed is: the feed tells all of
 * them under the session of the root.
 */
import { arrayOf, type Signal } from 'afterturn/protocol';
import { BoundedMap } from './bounded.js';

/** Subagents within subagents: those further down are sessions of their own. */
const DEEPEST = 64;

type TaskSignal = Extract<Signal, { readonly task: string }>;

const isTaskSignal = (signal: Signal): signal is TaskSignal => 'task' in signal;
const keyOf = (root: string, task: string): string => JSON.stringify([root, task]);

export class Family {
  readonly #parents = new BoundedMap<string, string>(undefined, (parent, child) => this.#leaves(child, parent));
  /** The same by parent. */
  readonly #children = new Map<string, Set<string>>();
  readonly #owners = new BoundedMap<string, string>();

  /** `child` was told of by `parent`. True: it is new. */
  adopt(child: string, parent: string): boolean {
    if (this.#parents.get(child) === parent || child === parent) return false;
    const above = this.ancestors(parent);
    if (above.includes(child) || above.length >= DEEPEST) return false;
    this.#leaves(child, this.#parents.get(child));
    const children = this.#children.get(parent) ?? new Set();
    this.#children.set(parent, children.add(child));
    this.#parents.set(child, parent);
    return true;
  }

  #leaves(child: string, parent: string | undefined): void {
    const children = this.#children.get(parent ?? '');
    children?.delete(child);
    if (children?.size === 0) this.#children.delete(parent ?? '');
  }

  parentOf(id: string): string | undefined {
    return this.#parents.get(id);
  }

  /** The parent, its parent and so on. */
  ancestors(id: string): readonly string[] {
    const above: string[] = [];
    for (let parent = this.#parents.get(id); parent !== undefined && above.length < DEEPEST; parent = this.#parents.get(parent)) above.push(parent);
    return above;
  }

  /** The session in which the agent knows the tasks of `id`. */
  rootOf(id: string): string {
    return this.ancestors(id).at(-1) ?? id;
  }

  /** All that come from `id`, the innermost first. */
  descendants(id: string): readonly string[] {
    return [...(this.#children.get(id) ?? [])].flatMap((child) => [...this.descendants(child), child]);
  }

  /** `id` told of a task: the raw feed's words on it are about that session. */
  owns(id: string, signals: readonly Signal[]): void {
    const root = this.rootOf(id);
    for (const signal of signals) if (signal.type === 'taskStarted') this.#own(root, signal.task, id);
  }

  #own(root: string, task: string, id: string): void {
    if (id === root && !this.#owners.has(keyOf(root, task))) return;
    this.#owners.set(keyOf(root, task), id);
  }

  /** The signals of the raw feed of `root`, by the session that they are about, in order. */
  routed(root: string, signals: readonly Signal[]): readonly (readonly [session: string, signals: readonly Signal[]])[] {
    const routes: [string, Signal[]][] = [];
    for (const signal of signals) {
      const id = isTaskSignal(signal) ? this.#ownerOf(root, signal) : root;
      const last = routes.at(-1);
      if (last?.[0] === id) last[1].push(signal);
      else routes.push([id, [signal]]);
    }
    return routes;
  }

  #ownerOf(root: string, signal: TaskSignal): string {
    const known = this.#owners.get(keyOf(root, signal.task));
    if (known !== undefined) return known;
    // A subagent's task has the id of its session.
    const parent = 'facts' in signal ? signal.facts.parentTask : undefined;
    if (parent === undefined || this.rootOf(parent) !== root || parent === root) return root;
    this.#own(root, signal.task, parent);
    return parent;
  }

  /** `id` and all that come from it are gone. */
  forget(id: string): void {
    for (const child of this.descendants(id)) {
      this.#leaves(child, this.#parents.get(child));
      this.#parents.delete(child);
    }
    for (const [key] of this.#owners) if (arrayOf(JSON.parse(key))?.[0] === id) this.#owners.delete(key);
  }
}
