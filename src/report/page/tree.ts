/** Which rows are seen: groups that are collapsed, states that are left out, words that are looked for. */
import type { State } from '../model.js';
import type { Row } from './rows.js';

export interface Filter {
  readonly hidden: ReadonlySet<State>;
  /** In lower case. Empty: everything. */
  readonly words: string;
}

export class Tree {
  readonly #rows: readonly Row[];
  readonly #collapsed = new Set<Row>();
  #filter: Filter = { hidden: new Set(), words: '' };
  #matches: ReadonlySet<Row>;
  #shown: readonly Row[];

  /** Of more than `most` rows, only sessions and their turns are seen at first. */
  constructor(rows: readonly Row[], most: number) {
    this.#rows = rows;
    if (rows.length > most) for (const row of rows) if (row.entry !== undefined && row.children.length > 0) this.#collapsed.add(row);
    this.#matches = new Set(rows);
    this.#shown = rows;
    this.#update();
  }

  /** The rows that are seen, in order. */
  get shown(): readonly Row[] {
    return this.#shown;
  }

  /** How many entries pass the filter. */
  get found(): number {
    let count = 0;
    for (const { entry } of this.#matches) if (entry !== undefined) count += 1;
    return count;
  }

  isCollapsed(row: Row): boolean {
    return this.#collapsed.has(row);
  }

  passes(row: Row): boolean {
    return this.#matches.has(row);
  }

  setCollapsed(rows: Iterable<Row>, collapsed: boolean): void {
    for (const row of rows) {
      if (collapsed && row.children.length > 0) this.#collapsed.add(row);
      else this.#collapsed.delete(row);
    }
    this.#update();
  }

  setFilter(filter: Filter): void {
    this.#filter = filter;
    const { hidden, words } = filter;
    this.#matches = new Set(this.#rows.filter(({ state, text }) => (state === undefined || !hidden.has(state)) && (words === '' || text.includes(words))));
    this.#update();
  }

  /** Makes a row seen: what it is in is expanded, and a filter that leaves it out is given up. True: it was. */
  reveal(row: Row): boolean {
    for (let above = row.parent; above !== undefined; above = above.parent) this.#collapsed.delete(above);
    const isLeftOut = !this.#matches.has(row);
    if (isLeftOut) this.setFilter({ hidden: new Set(), words: '' });
    else this.#update();
    return isLeftOut;
  }

  get #isFiltered(): boolean {
    return this.#filter.words !== '' || this.#filter.hidden.size > 0;
  }

  /** A row that passes is seen with everything that it is in. What was found by words is seen in collapsed groups, too. */
  #update(): void {
    const wanted = new Set<Row>();
    for (const row of this.#matches) {
      if (row.entry === undefined && this.#isFiltered) continue;
      for (let here: Row | undefined = row; here !== undefined && !wanted.has(here); here = here.parent) wanted.add(here);
    }
    const opens = this.#filter.words !== '';
    const closed = new Set<Row>();
    this.#shown = this.#rows.filter((row) => {
      const { parent, element } = row;
      const isInClosed = parent !== undefined && (closed.has(parent) || (!opens && this.#collapsed.has(parent)));
      if (isInClosed) closed.add(row);
      const isSeen = wanted.has(row) && !isInClosed;
      if (element.hidden === isSeen) element.hidden = !isSeen;
      if (row.children.length > 0) element.ariaExpanded = String(opens || !this.#collapsed.has(row));
      element.classList.toggle('beside', this.#isFiltered && row.entry !== undefined && !this.#matches.has(row));
      return isSeen;
    });
  }
}
