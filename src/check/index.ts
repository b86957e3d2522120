/**
 * Checks a client-side recording of ACP v2 against the rules of background work: order of an item's
 * life, lists, close and cancel, states. Pure: records in, findings out.
 */
import { eventsOf, type CheckEvent } from './events.js';
import type { RecordedMessage } from './record.js';
import type { CheckOptions, Fault, Rule } from './rule.js';
import { itemRules } from './rules-items.js';
import { listRules } from './rules-lists.js';
import { requestRules } from './rules-requests.js';
import { stateRules } from './rules-states.js';
import { emptyView, viewed, type SessionView } from './view.js';

export type { RecordedJson, RecordedMessage } from './record.js';
export type { CheckOptions, Rule } from './rule.js';

/** A rule that was broken: when (`t` and line of the recording), where, what was expected, what came. */
export interface Finding extends Fault {
  readonly rule: string;
  readonly name: string;
  readonly title: string;
  readonly section: string;
  readonly t: number;
  readonly line: number;
  readonly session: string;
}

/** Every rule, in the order of the design. */
export const rules: readonly Rule[] = [...itemRules, ...listRules, ...requestRules, ...stateRules];

type Views = ReadonlyMap<string, SessionView>;

/** A fork's session begins with the answer that opens it. */
function withFork(views: Views, event: CheckEvent): Views {
  if (event.type !== 'answer' || event.method !== 'session/fork' || event.opened === undefined) return views;
  return new Map(views).set(event.opened, { ...emptyView, freshFork: true });
}

function findingsOf(event: CheckEvent, before: SessionView, after: SessionView, options: Required<CheckOptions>): Finding[] {
  const { t, line, session } = event;
  return rules.flatMap(({ number, name, title, section, find }) =>
    find({ event, before, after, options }).map(({ expected, came }) => ({ rule: number, name, title, section, t, line, session, expected, came })));
}

/**
 * The findings of a recording, in its order; empty if no rule was broken. `records` are the client's
 * own view: what it sent (`c2a`) and received (`a2c`).
 */
export function check(records: readonly RecordedMessage[], options: CheckOptions = {}): Finding[] {
  const settings = { window: options.window ?? 250, resendWithin: options.resendWithin ?? 2000, crossing: options.crossing ?? 50 };
  const findings: Finding[] = [];
  let views: Views = new Map();
  for (const event of eventsOf(records)) {
    const before = views.get(event.session) ?? emptyView;
    const after = viewed(before, event);
    findings.push(...findingsOf(event, before, after, settings));
    views = withFork(new Map(views).set(event.session, after), event);
  }
  return findings;
}
