/**
 * Compares what a client learns from the native v2 agent with what it learns through the proxy. A
 * difference is explained by one of a closed list of reasons, or it is a fault.
 */
import type { Facts } from './facts.js';
import { listOf, objectOf } from './updates.js';

export type Reason = 'monitor-listed' | 'exit-code-told' | 'no-removal-then-running' | 'air-leaves-out' | 'own-work-listed' | 'cut-off-child' | 'survives-its-replay' | 'list-always-told';

export interface Difference<R extends string = Reason> {
  readonly path: string;
  readonly native: unknown;
  readonly ours: unknown;
  /** `undefined`: nothing on the list explains it. */
  readonly reason: R | undefined;
  /** The rule of the design that the reason stands on. */
  readonly rule: string | undefined;
}

export interface Compared {
  readonly session: string;
  readonly group: string;
  readonly id: string;
  readonly name: string;
  readonly native: unknown;
  readonly ours: unknown;
  readonly facts: { readonly native: Facts; readonly ours: Facts };
}

export interface Explanation<R extends string = Reason> {
  readonly reason: R;
  readonly rule: string;
  readonly explains: (difference: Compared) => boolean;
}

export const same = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** JSON with sorted member names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part) ?? 'undefined';
}

const FINAL: readonly unknown[] = ['completed', 'failed', 'cancelled'];
export const factOf = (facts: Facts, session: string, path: string): unknown => facts.get(`${session}/${path}`);
const isMonitor = ({ facts, session }: Compared, callId: string): boolean => factOf(facts.native, session, `calls/${callId}/name`) === 'Monitor';
const isListed = (facts: Facts, session: string, key: string): boolean => facts.has(`${session}/items/${key}/order`);
const exitCode = (status: unknown): unknown => objectOf(status).exitCode;

/** The sequence of lists without some items; lists that are equal then are one. */
function listsWithout(lists: unknown, drop: (key: string) => boolean): unknown[] {
  const kept = listOf(lists).map((list) => listOf(list).filter((key) => !drop(String(key))));
  return kept.filter((list, index) => index === 0 || !same(list, kept[index - 1]));
}

const isPart = (part: unknown, whole: unknown): boolean =>
  Object.entries(objectOf(part)).every(([name, value]) => same(value, objectOf(whole)[name]));

const EXPLANATIONS: readonly Explanation[] = [
  {
    reason: 'monitor-listed',
    rule: '4 Kinds: a monitor is a tool call item; the native agent never lists one',
    explains: (it) =>
      it.group === 'lists'
        ? same(listsWithout(it.ours, (key) => isMonitor(it, key.replace(/^tool_call:/, ''))), it.native)
        : it.group === 'items'
          ? it.native === undefined && it.id.startsWith('tool_call:') && isMonitor(it, it.id.slice('tool_call:'.length))
          : it.group === 'calls' && it.name === 'status' && isMonitor(it, it.id) && it.native === 'completed' && FINAL.includes(it.ours),
  },
  {
    reason: 'exit-code-told',
    rule: '5.5: the exit code is told where it is known; the native agent sends an empty status',
    explains: (it) =>
      it.group === 'terminals' && it.name === 'exitStatus' && isListed(it.facts.native, it.session, `terminal:${it.id}`) &&
      same(it.native, {}) && Number.isInteger(exitCode(it.ours)) && Object.keys(objectOf(it.ours)).length === 1,
  },
  {
    reason: 'no-removal-then-running',
    rule: '5.7: a removal is never followed within the window by a running that the agent started itself',
    explains: (it) =>
      it.group === 'items' && it.name === 'removedIn' &&
      same(it.ours, listOf(it.native).map((state) => (state === 'idle, then running' ? 'running' : state))),
  },
  {
    reason: 'own-work-listed',
    rule: "5.13: a subagent's own background work is in its list, and keeps it in its parent's; the native agent calls that work finished at its launch",
    explains: (it) => ownWork(it),
  },
  {
    reason: 'cut-off-child',
    rule: '5.13: after a cancel of the parent the extension tells nothing more of a child that goes on; its end is known from the raw feed',
    explains: (it) => cutOff(it),
  },
  {
    reason: 'survives-its-replay',
    rule: '5.10: exits of live items are dropped in their replay, and the kept output is told after it; the native agent says that a listed terminal exited',
    explains: (it) => survived(it),
  },
  {
    reason: 'list-always-told',
    rule: '5.2: once reported, every state carries the list; the native agent leaves it out of the state at the close of a running session',
    explains: ({ group, native, ours }) => group === 'lists' && same(listOf(native).filter((list) => !same(list, ['not reported'])), ours),
  },
  {
    reason: 'air-leaves-out',
    rule: '2.1: the extension has fewer fields',
    explains: (it) => leftOut(it),
  },
];

/** A terminal that is listed to the end, of which the native agent's replay says that it exited, and shows its launch. */
function survived({ group, id, name, native, ours, facts, session }: Compared): boolean {
  const key = group === 'items' ? id : `terminal:${id}`;
  const endsListed = (side: Facts): boolean => listOf(listOf(factOf(side, session, 'lists')).at(-1)).includes(key);
  if (!key.startsWith('terminal:') || !endsListed(facts.native) || !endsListed(facts.ours)) return false;
  if (group === 'items') return name === 'order' && same(native, [...listOf(ours), 'settle']);
  if (group !== 'terminals') return false;
  return (name === 'exitStatus' && ours === undefined && same(native, { exitCode: 0 })) || (name === 'output' && String(native).startsWith('Command running in background'));
}

const isChild = (session: string): boolean => /^child\d+$/.test(session);
/** Whether a child lists work of its own here, and not in the native recording. */
const listsOwnWork = ({ facts }: Compared, child: string): boolean =>
  [...facts.ours.keys()].some((path) => path.startsWith(`${child}/items/`)) && ![...facts.native.keys()].some((path) => path.startsWith(`${child}/items/`));

/** Several lives of a child, between which its own work runs, as the one that they are then. */
const asOneLife = (order: unknown): unknown[] => listOf(order).filter((step, index, all) => all.indexOf(step) === index);
const isOneOf = (value: unknown, all: unknown): boolean => listOf(value).length === 1 && [listOf(all).at(0), listOf(all).at(-1)].some((one) => same(listOf(value)[0], one === 'idle, then running' ? 'running' : one));

function ownWork(it: Compared): boolean {
  const { session, group, id, name, native, ours } = it;
  if (isChild(session) && listsOwnWork(it, session)) {
    if (group === 'items') return native === undefined;
    if (group === 'lists') return same(listsWithout(ours, () => true), native);
    return group === 'terminals' && isListed(it.facts.ours, session, `terminal:${id}`) && (name === 'output' || name === 'exitStatus');
  }
  const child = id.replace(/^subagent:/, '');
  if (group === 'items' && isChild(child) && listsOwnWork(it, child)) {
    return name === 'order' ? same(asOneLife(native), ours) : isOneOf(ours, native);
  }
  const works = (key: string): boolean => key.startsWith('subagent:') && listsOwnWork(it, key.slice('subagent:'.length));
  return group === 'lists' && same(listsWithout(ours, works), listsWithout(native, works));
}

function cutOff({ session, group, id, name, native, ours, facts }: Compared): boolean {
  const wasCancelled = [...facts.ours].some(([path, value]) => /^session\/turns\/\d+\/stopReason$/.test(path) && value === 'cancelled');
  if (!isChild(session) || !wasCancelled) return false;
  const isCut = (call: string): boolean => factOf(facts.ours, session, `calls/${call}/status`) === 'cancelled' && factOf(facts.native, session, `calls/${call}/status`) === 'completed';
  if (group === 'messages') return listOf(ours).length < listOf(native).length && same(listOf(native).slice(0, listOf(ours).length), ours);
  if (group === 'calls') return name === 'status' && isCut(id);
  return group === 'terminals' && isCut(id) && ((name === 'exitStatus' && same(ours, {})) || (name === 'output' && ours === ''));
}

/** What claude-agent-acp leaves out, or tells otherwise, towards a client that declares `asyncTasks`. */
function leftOut({ group, id, name, native, ours, facts, session }: Compared): boolean {
  if (group === 'turns')
    return name === 'usage' && ours === undefined && factOf(facts.ours, session, `turns/${id}/own`) === true && factOf(facts.native, session, `turns/${id}/own`) === true;
  if (group === 'terminals') {
    const status = factOf(facts.native, session, `calls/${id}/status`);
    if (isListed(facts.native, session, `terminal:${id}`)) return false;
    // A permission that is open at a cancel is refused in other words.
    if (name === 'output') return status === 'cancelled' && ours === 'Tool permission request failed: Error: Tool use aborted';
    return name === 'exitStatus' && exitCode(ours) === 1 && (status === 'failed' || status === 'cancelled');
  }
  if (group !== 'calls' || factOf(facts.ours, session, `calls/${id}/status`) === undefined) return false;
  if (name === 'rawOutput') return ours === undefined;
  if (name === 'rawInput') return isPart(ours, native);
  return name === 'content' && factOf(facts.native, session, `calls/${id}/kind`) === 'read' && listOf(ours).length === 0;
}

function compared(path: string, native: Facts, ours: Facts): Compared {
  const [session = '', group = '', ...rest] = path.split('/');
  const name = rest.at(-1) ?? '';
  return { session, group, id: rest.slice(0, -1).join('/'), name, native: native.get(path), ours: ours.get(path), facts: { native, ours } };
}

/** Every path whose value differs, with its reason: one of claude-agent-acp's, or of the list that is given. */
export function compareFacts(native: Facts, ours: Facts): Difference[];
export function compareFacts<R extends string>(native: Facts, ours: Facts, explanations: readonly Explanation<R>[]): Difference<R>[];
export function compareFacts(native: Facts, ours: Facts, explanations: readonly Explanation<string>[] = EXPLANATIONS): Difference<string>[] {
  const paths = [...new Set([...native.keys(), ...ours.keys()])].filter((path) => !same(native.get(path), ours.get(path)));
  return paths.map((path) => {
    const it = compared(path, native, ours);
    const explanation = explanations.find(({ explains }) => explains(it));
    return { path, native: it.native, ours: it.ours, reason: explanation?.reason, rule: explanation?.rule };
  });
}

/** The differences that nothing explains, as lines. */
export const unexplained = (differences: readonly Difference<string>[]): string[] =>
  differences
    .filter(({ reason }) => reason === undefined)
    .map(({ path, native, ours }) => `${path}: native ${canonical(native)}, ours ${canonical(ours)}`);
