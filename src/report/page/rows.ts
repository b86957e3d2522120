/** The rows of the page's table, with what the timeline says of each. Made once. */
import type { Entry, Session, State, Timeline } from '../model.js';

export interface Row {
  readonly element: HTMLTableRowElement;
  /** Its place among the rows. */
  readonly index: number;
  readonly parent: Row | undefined;
  readonly children: Row[];
  readonly session: Session;
  /** `undefined`: the row of the session itself. */
  readonly entry: Entry | undefined;
  readonly start: number;
  readonly end: number;
  readonly state: State | undefined;
  /** What a search looks through, in lower case. */
  readonly text: string;
}

export const timelineIn = (page: Document): Timeline => JSON.parse(page.getElementById('data')?.textContent ?? '') as Timeline;

/** The rows in the order of the table: each session, then its entries. */
export function rowsIn(page: Document, timeline: Timeline): Row[] {
  const rows: Row[] = [];
  const byKey = new Map<string, Row>();
  const add = (id: string, parent: Row | undefined, session: Session, entry: Entry | undefined): Row => {
    const element = page.getElementById(id) as HTMLTableRowElement;
    const { start, end } = entry ?? session;
    const row: Row = { element, index: rows.length, parent, children: [], session, entry, start, end, state: entry?.state, text: (element.cells[0]?.textContent ?? '').toLowerCase() };
    element.style.setProperty('--level', String(element.ariaLevel));
    parent?.children.push(row);
    rows.push(row);
    return row;
  };
  timeline.sessions.forEach((session, place) => {
    const own = add(`s${place}`, undefined, session, undefined);
    for (const entry of session.entries) {
      const parent = entry.parent === undefined ? undefined : byKey.get(entry.parent);
      byKey.set(entry.key, add(`e${entry.key}`, parent ?? own, session, entry));
    }
  });
  return rows;
}

/** The row and everything under it. */
export function* under(row: Row): Generator<Row> {
  const waiting = [...row.children];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    waiting.push(...next.children);
  }
}
