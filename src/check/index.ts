/**
 * Checks a recording of one connection. ACP v2: the rules of background work (order of an item's life,
 * lists, close and cancel, states); ACP v1: the life of calls, prompts and permission requests; both:
 * JSON-RPC, and, where a validator is handed in, every message by its schema. Pure: records in,
 * findings out.
 */
import { eventsOf, type CheckEvent } from './events.js';
import type { RecordedMessage } from './record.js';
import type { CheckOptions, Fault, Rule, Settings } from './rule.js';
import { itemRules } from './rules-items.js';
import { listRules } from './rules-lists.js';
import { requestRules } from './rules-requests.js';
import { rpcRules } from './rules-rpc.js';
import { sessionRules } from './rules-sessions.js';
import { stateRules } from './rules-states.js';
import { terminalRules } from './rules-terminals.js';
import { v1Rules } from './rules-v1.js';
import { extensionKindsOf, isWhole, offeredBy, versionOf } from './connection.js';
import { schemaFaults, type Validator } from './validity.js';
import { emptyView, viewed, type SessionView } from './view.js';

export type { RecordedJson, RecordedMessage } from './record.js';
export type { CheckOptions, Rule } from './rule.js';
export type { Validator } from './validity.js';
export { versionOf } from './connection.js';
export { readRecording, UnusableLine, type Connection, type Recording, type Side } from './reading.js';

/** A rule that was broken: when (`t` and line of the recording), where, what was expected, what came. */
export interface Finding extends Fault {
  readonly rule: string;
  readonly name: string;
  readonly title: string;
  readonly section: string;
  /** Who broke it. */
  readonly by: 'agent' | 'client';
  readonly t: number;
  readonly line: number;
  readonly session: string;
}

/** Every rule, in the order of the design. */
export const rules: readonly Rule[] = [...itemRules, ...listRules, ...requestRules, ...stateRules, ...sessionRules, ...rpcRules, ...v1Rules, ...terminalRules];

type Views = ReadonlyMap<string, SessionView>;

/** The session that an event makes, and how it begins. */
function madeBy(event: CheckEvent): readonly [session: string, view: Partial<SessionView>] | undefined {
  if (event.type === 'answer' && event.opened !== undefined) return event.method === 'session/fork' ? [event.opened, { ...emptyView, freshFork: true }] : [event.opened, {}];
  if (event.type === 'child' || event.type === 'spawned') return [event.id, {}];
  return event.type === 'request' && OPENS.has(event.method) ? [event.session, {}] : undefined;
}

function withMade(views: Views, event: CheckEvent): Views {
  const made = madeBy(event);
  if (made === undefined) return views;
  const known = views.get(made[0]);
  // An id that a closed session had is that of another one now.
  const before = event.type === 'answer' && known?.closed === true ? emptyView : (known ?? emptyView);
  return new Map(views).set(made[0], { ...before, ...made[1], opened: true });
}

/** What the client names, and the agent speaks of, before it is answered. */
const OPENS: ReadonlySet<string> = new Set(['session/load', 'session/resume']);
/** While one of these is open, the agent may speak of a session that the client does not know yet. */
const MAKES: readonly string[] = ['session/new', 'session/fork'];
const isMaking = (views: Views): boolean => [...views.values()].some(({ open }) => MAKES.some((method) => open.has(method)));

function findingsOf(held: readonly Rule[], event: CheckEvent, before: SessionView, after: SessionView, options: Settings): Finding[] {
  const { t, line, session } = event;
  return held.flatMap(({ number, name, title, section, of: by = 'agent' as const, find }) =>
    find({ event, before, after, options }).map(({ expected, came }): Finding => ({ rule: number, name, title, section, by, t, line, session, expected, came })));
}

function settingsOf(records: readonly RecordedMessage[], options: CheckOptions): Settings {
  const { window = 250, resendWithin = 2000, crossing = 50, answerWithin = 5000, version = versionOf(records) } = options;
  return { window, resendWithin, crossing, answerWithin, version, extensionKinds: extensionKindsOf(records), offered: offeredBy(records), isWhole: isWhole(records) };
}

/**
 * The findings of a recording, in its order; empty if no rule was broken. `records` are one side's
 * view of one connection: what the client sent (`c2a`) and received (`a2c`). With `validator` every
 * message is checked by the schema of its method, too.
 */
export function check(records: readonly RecordedMessage[], options: CheckOptions = {}, validator?: Validator): Finding[] {
  const settings = settingsOf(records, options);
  const held = rules.filter(({ versions }) => versions.includes(settings.version));
  const findings: Finding[] = validator === undefined ? [] : schemaFaults(records, settings, validator);
  let views: Views = new Map();
  for (const event of eventsOf(records, settings.version)) {
    const known = views.get(event.session) ?? emptyView;
    const before = known.opened || !isMaking(views) ? known : { ...known, opened: true };
    const after = viewed(before, event);
    findings.push(...findingsOf(held, event, before, after, settings));
    views = withMade(new Map(views).set(event.session, after), event);
  }
  return validator === undefined ? findings : findings.sort((one, other) => one.line - other.line);
}
