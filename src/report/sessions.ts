/** Which session each span belongs to, and the order of a session's spans as a tree. Pure. */
import { Attribute } from '../state/trace-names.js';
import { rowOf, textOf } from './kinds.js';
import type { Span } from './otlp.js';
import { spanKey } from './reading.js';

export interface SpanTree {
  readonly session: string;
  /** Each span behind its parent, with its depth, in the order of their starts. */
  readonly placed: readonly Placed[];
}

export interface Placed {
  readonly span: Span;
  readonly parent: Span | undefined;
  readonly depth: number;
}

const named = ({ values }: Span): string | undefined => textOf(values, Attribute.conversation) ?? textOf(values, Attribute.session);

/**
 * What a span names, or the nearest of its parents. Each span is asked once, however long the chain; a
 * ring of parents names nothing.
 */
function inherited(find: (span: Span) => string | undefined, parentOf: (span: Span) => Span | undefined): (span: Span) => string | undefined {
  const known = new Map<Span, string | undefined>();
  return (span) => {
    const path: Span[] = [];
    let here: Span | undefined = span;
    for (; here !== undefined && !known.has(here); here = parentOf(here)) {
      known.set(here, find(here));
      path.push(here);
      if (known.get(here) !== undefined) break;
    }
    const found = here && known.get(here);
    for (const asked of path) known.set(asked, found);
    return found;
  };
}

/** The spans by the session that they name, else the one that a parent names, else one that their trace names. */
function bySession(spans: readonly Span[], parentOf: (span: Span) => Span | undefined): ReadonlyMap<string, Span[]> {
  const ofTrace = new Map<string, string>();
  for (const span of spans) {
    const session = named(span);
    if (session !== undefined && !ofTrace.has(span.trace)) ofTrace.set(span.trace, session);
  }
  const inheritedBy = inherited(named, parentOf);
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const session = inheritedBy(span) ?? ofTrace.get(span.trace) ?? `trace ${span.trace}`;
    const group = groups.get(session);
    if (group === undefined) groups.set(session, [span]);
    else group.push(span);
  }
  return groups;
}

const byStart = (one: Span, other: Span): number => one.start - other.start || other.end - one.end;

/** A session's spans as a tree. Whoever has no parent here stands on its own. */
function placedOf(spans: readonly Span[], parentOf: (span: Span) => Span | undefined): Placed[] {
  const here = new Set(spans);
  const calls = new Map(spans.filter((span) => rowOf(span).kind === 'call').map((span) => [textOf(span.values, Attribute.toolCallId), span]));
  const launchOf = (span: Span): Span | undefined => (rowOf(span).kind === 'background' ? calls.get(textOf(span.values, Attribute.toolCallId) ?? '') : undefined);
  const children = new Map<Span | undefined, Span[]>();
  for (const span of [...spans].sort(byStart)) {
    const told = parentOf(span) ?? launchOf(span);
    const parent = told !== undefined && told !== span && here.has(told) ? told : undefined;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [span]);
    else siblings.push(span);
  }
  const placed: Placed[] = [];
  const reached = new Set<Span>();
  const place = (roots: readonly Span[]): void => {
    const waiting: Placed[] = roots.map((span) => ({ span, parent: undefined, depth: 0 })).reverse();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { span, depth } = next;
      if (reached.has(span)) continue;
      reached.add(span);
      placed.push(next);
      for (const child of [...(children.get(span) ?? [])].reverse()) waiting.push({ span: child, parent: span, depth: depth + 1 });
    }
  };
  place(children.get(undefined) ?? []);
  // Spans that are each other's parents hang on nothing.
  for (const span of spans) if (!reached.has(span)) place([span]);
  return placed;
}

/** The sessions of these spans, in the order of their starts. */
export function treesOf(spans: readonly Span[]): SpanTree[] {
  const byKey = new Map(spans.map((span) => [spanKey(span), span]));
  const parentOf = (span: Span): Span | undefined => (span.parent === undefined ? undefined : byKey.get(spanKey({ trace: span.trace, id: span.parent })));
  const trees = [...bySession(spans, parentOf)].map(([session, group]): SpanTree => ({ session, placed: placedOf(group, parentOf) }));
  const startOf = ({ placed }: SpanTree): number => Math.min(...placed.map(({ depth, span }) => (depth === 0 ? span.start : Infinity)));
  return trees.map((tree) => [startOf(tree), tree] as const).sort(([one], [other]) => one - other).map(([, tree]) => tree);
}
