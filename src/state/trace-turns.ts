/**
 * Turns as spans: a prompt until its response (v1) or until the state that follows it (v2), and work
 * that the agent starts itself. Follows ACP "Prompt Turn" and the v2 prompt lifecycle.
 */
import { defined, type Outcome } from '../protocol/index.js';
import type { Fact } from './ledger-types.js';
import { ROOF, type Index } from './table.js';
import { callOf, newKey, putItem, type Draft } from './trace-draft.js';
import { Attribute, FAILED, Operation, providerOf, SpanEvent, turnName } from './trace-names.js';
import type { AgentFacts, SessionTrace, SpanParent, TraceAttributes, TracedItem, TraceEvent, Turn, TurnEnd } from './trace-types.js';

type Told<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

const REQUEST_CANCELLED = -32800;
const CANCELLED = 'cancelled';

interface NewTurn extends Pick<Turn, 'cause' | 'id' | 'running'> {
  readonly parent?: SpanParent | undefined;
  readonly attributes?: TraceAttributes;
  readonly links?: readonly SpanParent[];
}

/** Whose turn it is, and who started it. Set one by one: a turn is made of no attribute that is absent. */
function turnAttributes({ name, version }: AgentFacts, session: string, cause: Turn['cause']): TraceAttributes {
  const attributes: Record<string, string> = { [Attribute.operation]: Operation.invokeAgent };
  if (name !== undefined) {
    attributes[Attribute.provider] = providerOf(name);
    attributes[Attribute.agentName] = name;
  }
  if (version !== undefined) attributes[Attribute.agentVersion] = version;
  attributes[Attribute.conversation] = session;
  attributes[Attribute.session] = session;
  attributes[Attribute.startedBy] = cause === 'prompt' ? 'client' : 'agent';
  return attributes;
}

function startTurn(draft: Draft, { cause, id, running, parent, attributes = {}, links = [] }: NewTurn): void {
  const { name } = draft.agent;
  const key = newKey(draft, Operation.invokeAgent);
  draft.ops.push({
    do: 'start',
    key,
    name: turnName(name),
    kind: cause === 'prompt' ? 'client' : 'internal',
    parent,
    time: draft.wall,
    links,
    attributes: { ...turnAttributes(draft.agent, draft.session, cause), ...attributes },
  });
  draft.own.turns = [...draft.trace.turns, { key, cause, id, running, cancelRequested: false, startedAt: draft.at }].slice(-ROOF);
}

const usage = (end: TurnEnd): TraceAttributes =>
  defined({
    [Attribute.inputTokens]: end.inputTokens,
    [Attribute.outputTokens]: end.outputTokens,
    [Attribute.cacheReadTokens]: end.cacheReadTokens,
    [Attribute.cacheWriteTokens]: end.cacheWriteTokens,
  }) as TraceAttributes;

function endTurns(draft: Draft, ended: (turn: Turn) => boolean, end: TurnEnd, errorType?: string): void {
  if (!draft.trace.turns.some(ended)) return;
  const cancelled = end.errorCode === REQUEST_CANCELLED;
  const error = errorType ?? (end.errorCode === undefined || cancelled ? undefined : String(end.errorCode));
  const stopReason = cancelled ? CANCELLED : end.stopReason;
  for (const { key } of draft.trace.turns.filter(ended)) {
    const reasons: TraceAttributes = stopReason === undefined ? {} : { [Attribute.finishReasons]: [stopReason] };
    draft.ops.push({ do: 'set', key, attributes: { ...reasons, ...usage(end), ...(error === undefined ? {} : { [Attribute.errorType]: error }) } });
    draft.ops.push({ do: 'end', key, time: draft.wall, failed: error !== undefined });
  }
  draft.own.turns = draft.trace.turns.filter((turn) => !ended(turn));
}

export function promptAsked(draft: Draft, { id, client, content = {} }: Told<'prompt'>): void {
  const remote = client && { remote: client };
  const linked = draft.options.linkClient === true;
  startTurn(draft, {
    cause: 'prompt',
    id: JSON.stringify(id),
    running: draft.agent.protocol === 1,
    parent: linked ? undefined : remote,
    links: linked && remote !== undefined ? [remote] : [],
    attributes: { ...content, ...(id === null ? {} : { [Attribute.requestId]: String(id) }) },
  });
}

/** The span of an open prompt. */
export const promptSpan = (trace: SessionTrace | undefined, id: unknown): string | undefined =>
  trace?.turns.findLast((turn) => turn.cause === 'prompt' && turn.id === JSON.stringify(id))?.key;

/** In v2 the response only says that the prompt was taken in; the next `idle` ends it. */
export function promptAnswered(draft: Draft, { id, end }: Told<'promptAnswered'>): void {
  const turn = draft.trace.turns.find((other) => other.cause === 'prompt' && other.id === JSON.stringify(id));
  if (turn === undefined) return;
  if (draft.agent.protocol === 1 || end.errorCode !== undefined) return endTurns(draft, (other) => other === turn, end);
  draft.own.turns = draft.trace.turns.map((other) => (other === turn ? { ...turn, running: true } : other));
}

/** A subagent's work: its end is told to the subagent first. */
function isNested(draft: Draft, { item }: TracedItem): boolean {
  const own = item.toolCallId === undefined ? undefined : draft.trace.calls.get(item.toolCallId);
  return own === undefined ? item.toolCallId !== undefined && callOf(draft, item.toolCallId) !== undefined : own.nested;
}

const endedBefore = (a: TracedItem, b: TracedItem): number => (a.endedAt ?? 0) - (b.endedAt ?? 0);

/** What has ended and started no turn yet. */
const causes: Index<TracedItem> = ({ endedAt, causedTurn }) => (endedAt === undefined || causedTurn ? undefined : 'cause');

/**
 * The item whose end started this turn: the one that the turn's description names, else the first
 * that ended within the window and has not started another, work of subagents last.
 */
function causeOf(draft: Draft, description: string | undefined): TracedItem | undefined {
  const ended = [...draft.trace.items.where(causes, 'cause')].sort(endedBefore);
  const names = ({ item }: TracedItem): boolean => [item.description, item.title].some((text) => text !== undefined && text !== '' && description?.includes(`"${text}"`) === true);
  const recent = ended.filter(({ endedAt }) => draft.at - (endedAt ?? 0) <= draft.options.window);
  return ended.findLast(names) ?? recent.find((traced) => !isNested(draft, traced)) ?? recent[0];
}

/** A subagent of a subagent whose end started this turn: its task is of the session of its parent. */
function nestedCauseOf(draft: Draft): TracedItem | undefined {
  const ended = draft.descendants().flatMap(([session, { items }]) => items.where(causes, 'cause').map((item) => ({ session, item })));
  const recent = ended.filter(({ item: { item, endedAt } }) => item.kind === 'subagent' && draft.at - (endedAt ?? 0) <= draft.options.window);
  [draft.cause] = recent.sort((a, b) => endedBefore(a.item, b.item));
  return draft.cause?.item;
}

function startOwnTurn(draft: Draft, cause: 'task' | 'state', id: string, description?: string): void {
  const own = causeOf(draft, description);
  if (own !== undefined) putItem(draft, { ...own, causedTurn: true });
  const item = own ?? nestedCauseOf(draft);
  startTurn(draft, { cause, id, running: true, links: item === undefined ? [] : [{ key: item.key }] });
}

const turnEnds: Readonly<Record<Outcome, readonly [TurnEnd, string?]>> = {
  completed: [{}],
  failed: [{}, FAILED],
  stopped: [{ stopReason: CANCELLED }],
  unknown: [{}],
};

/** A turn of the agent's own that is told as a task. It may be known from the session's state already. */
export function turnTask(draft: Draft, fact: Fact): void {
  const { task, description, outcome } = fact.item;
  if (fact.type === 'itemStarted') {
    const known = draft.trace.turns.find((turn) => turn.cause === 'state');
    if (known === undefined) return startOwnTurn(draft, 'task', task, description);
    draft.own.turns = draft.trace.turns.map((turn) => (turn === known ? { ...turn, cause: 'task', id: task } : turn));
  } else if (fact.type === 'itemEnded') {
    const cancelled = draft.trace.turns.some((turn) => turn.cause === 'task' && turn.id === task && turn.cancelRequested);
    // Some agents call a turn failed that was cancelled.
    const [end, errorType] = turnEnds[outcome === 'failed' && cancelled ? 'stopped' : (outcome ?? 'unknown')];
    endTurns(draft, (turn) => turn.cause === 'task' && turn.id === task, end, errorType);
  }
}

function runs(draft: Draft, running: boolean): void {
  if (running === draft.trace.running) return;
  draft.own.running = running;
  if (running && draft.trace.turns.length === 0 && draft.trace.ready) startOwnTurn(draft, 'state', '');
}

/** A v2 state snapshot. `idle` ends all foreground work that has begun. */
export function stateChanged(draft: Draft, state: string, end: TurnEnd): void {
  if (state === 'idle') endTurns(draft, (turn) => turn.running, end);
  runs(draft, state !== 'idle');
}

/** The raw feed's word, where the agent has no snapshots of its own. */
export function feedStateChanged(draft: Draft, running: boolean): void {
  if (draft.agent.protocol === 2) return;
  if (!running) endTurns(draft, (turn) => turn.cause === 'state', {});
  runs(draft, running);
}

/** Somebody asked for the end of all turns, or of the one that is this task. True: there is one. */
export function turnCancelRequested(draft: Draft, task: string | undefined): boolean {
  const asked = draft.trace.turns.filter((turn) => task === undefined || (turn.cause === 'task' && turn.id === task));
  for (const { key } of asked) draft.ops.push({ do: 'event', key, name: SpanEvent.cancelRequested, time: draft.wall });
  if (asked.length > 0) draft.own.turns = draft.trace.turns.map((turn) => (asked.includes(turn) ? { ...turn, cancelRequested: true } : turn));
  return asked.length > 0;
}
