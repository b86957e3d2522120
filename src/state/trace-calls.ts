/**
 * Tool calls and permission waits as spans. Follows ACP "Tool Calls" and "Requesting Permission". A
 * call belongs to the turn that was open when it was first seen.
 */
import { defined, type Signal } from '../protocol/index.js';
import { isFinalStatus } from './ledger.js';
import { newKey, parentForCall, parentForNested, REMEMBERED, sessionAttributes, type Draft } from './trace-draft.js';
import { ROOF } from './table.js';
import { callsSeen } from './trace-items.js';
import { Attribute, callName, FAILED, Operation, PERMISSION_METHOD, wordOf } from './trace-names.js';
import type { CallContent, TraceAttributes, TracedCall, TraceEvent } from './trace-types.js';

type CallSignal = Extract<Signal, { type: 'toolCall' }>;
type Told<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

/** The kind that ACP gives a call without one. */
const OTHER = 'other';

function putCall(draft: Draft, id: string, call: TracedCall): void {
  const { trace } = draft;
  const over = !call.open && trace.calls.get(id)?.open !== false;
  const calls = over ? trace.calls.renew(id, call).bounded(REMEMBERED, (other) => !other.open) : trace.calls.set(id, call);
  if (calls !== trace.calls) draft.own.calls = calls;
}

function startCall(draft: Draft, { call: id, facts }: CallSignal, life: number): TracedCall {
  const key = newKey(draft, Operation.executeTool);
  const tool = wordOf(facts.name) ?? wordOf(facts.kind) ?? OTHER;
  draft.ops.push({
    do: 'start',
    key,
    name: callName(tool),
    kind: 'internal',
    parent: parentForNested(draft, facts.parentCall),
    time: draft.wall,
    links: [],
    attributes: {
      [Attribute.operation]: Operation.executeTool,
      [Attribute.toolName]: tool,
      [Attribute.toolCallId]: id,
      [Attribute.conversation]: draft.session,
      [Attribute.session]: draft.session,
    },
  });
  return { key, life, open: true, tool, terminals: [], nested: facts.parentCall !== undefined };
}

/** A tool's own name may come later than its kind. */
function named(draft: Draft, call: TracedCall, name: string | undefined): TracedCall {
  const tool = wordOf(name) ?? call.tool;
  if (tool === call.tool || call.key === undefined) return call;
  draft.ops.push({ do: 'set', key: call.key, name: callName(tool), attributes: { [Attribute.toolName]: tool } });
  return { ...call, tool };
}

function ended(draft: Draft, call: TracedCall, status: string): TracedCall {
  if (call.key === undefined) return { ...call, open: false };
  const failed = status === 'failed';
  draft.ops.push({ do: 'set', key: call.key, attributes: { [Attribute.callStatus]: status, ...(failed ? { [Attribute.errorType]: FAILED } : {}) } });
  draft.ops.push({ do: 'end', key: call.key, time: draft.wall, failed });
  return { ...call, open: false };
}

/** A final status ends the span; only a new start of the same id is a new life. */
export function callSeen(draft: Draft, signal: CallSignal, content?: TraceAttributes): void {
  const { call: id, facts } = signal;
  const before = draft.trace.calls.get(id);
  const isNew = before === undefined || (!before.open && facts.start === true);
  if (!isNew && !before.open) return;
  let call = isNew ? startCall(draft, signal, (before?.life ?? 0) + 1) : named(draft, before, facts.name);
  if (facts.terminals !== undefined && facts.terminals !== call.terminals) call = { ...call, terminals: facts.terminals };
  if (content !== undefined && call.key !== undefined) draft.ops.push({ do: 'set', key: call.key, attributes: content });
  if (facts.status !== undefined && isFinalStatus(facts.status)) call = ended(draft, call, facts.status);
  putCall(draft, id, call);
  if (isNew) callsSeen(draft, id);
}

/** What a terminal or a call runs. */
export function runSeen(draft: Draft, signal: Signal, content: CallContent | undefined): void {
  const id = signal.type === 'terminal' ? signal.terminal : signal.type === 'toolCall' ? signal.call : undefined;
  if (id === undefined) return;
  const { command, cwd } = signal.type === 'terminal' ? signal.facts : { command: content?.command, cwd: undefined };
  if (command === undefined && cwd === undefined) return;
  const { trace } = draft;
  draft.own.runs = trace.runs.set(id, { ...trace.runs.get(id), ...defined({ command, cwd }) }).bounded(REMEMBERED, () => true);
}

/** History: the call is known, and has no span. A call that is live here survives its own replay. */
export function callReplayed(draft: Draft, { call: id, facts }: CallSignal): void {
  if (draft.trace.calls.get(id) === undefined) putCall(draft, id, { key: undefined, life: 1, open: !isFinalStatus(facts.status), tool: OTHER, terminals: [], nested: false });
}

export function permissionAsked(draft: Draft, { id, toolCallId }: Told<'permission'>): void {
  const key = newKey(draft, PERMISSION_METHOD);
  draft.ops.push({
    do: 'start',
    key,
    name: PERMISSION_METHOD,
    kind: 'client',
    parent: parentForCall(draft, toolCallId),
    time: draft.wall,
    links: [],
    attributes: {
      [Attribute.rpcSystem]: 'jsonrpc',
      [Attribute.rpcMethod]: PERMISSION_METHOD,
      [Attribute.transport]: 'pipe',
      ...(id === null ? {} : { [Attribute.requestId]: String(id) }),
      ...(toolCallId === undefined ? {} : { [Attribute.toolCallId]: toolCallId }),
      ...sessionAttributes(draft.session),
    },
  });
  draft.own.permissions = [...draft.trace.permissions, { key, id: JSON.stringify(id) }].slice(-ROOF);
}

export function permissionAnswered(draft: Draft, { id, end }: Told<'permissionAnswered'>): void {
  const asked = draft.trace.permissions.find((other) => other.id === JSON.stringify(id));
  if (asked === undefined) return;
  const { key } = asked;
  const failed = end.errorCode !== undefined;
  const outcome = wordOf(end.outcome);
  const option = wordOf(end.optionKind);
  draft.ops.push({
    do: 'set',
    key,
    attributes: {
      ...(outcome === undefined ? {} : { [Attribute.permissionOutcome]: outcome }),
      ...(option === undefined ? {} : { [Attribute.permissionOption]: option }),
      ...(failed ? { [Attribute.errorType]: String(end.errorCode) } : {}),
    },
  });
  draft.ops.push({ do: 'end', key, time: draft.wall, failed });
  draft.own.permissions = draft.trace.permissions.filter((other) => other !== asked);
}
