/** Draws the shown time: the axis, the bars of the rows that are near, and what is in collapsed groups. */
import { ticksOf } from '../ticks.js';
import { under, type Row } from './rows.js';
import type { Tree } from './tree.js';
import type { Shown } from './window.js';

/** A mark needs this much room, and a letter of its text this much. Pixels. */
const MARK = 92;
const LETTER = 8;
/** What is in a collapsed group is drawn this finely. */
const PARTS = 400;
/** Rows so near to what is seen are drawn. */
const NEAR = '800px 0px';

const SVG = 'http://www.w3.org/2000/svg';

export class Axis {
  /** The cell of the head that the axis is in. */
  readonly head: HTMLElement;
  readonly #tree: Tree;
  readonly #rows: readonly Row[];
  readonly #near = new Set<Row>();
  #shown: Shown;
  /** Where the lines in the rows are: the first, and the distance of two, in the percents of CSS. */
  #lines: readonly [first: string, step: string] = ['0', '100%'];

  constructor(table: HTMLElement, rows: readonly Row[], tree: Tree, shown: Shown) {
    this.head = table.querySelector('th.axis') as HTMLElement;
    this.#tree = tree;
    this.#rows = rows;
    this.#shown = shown;
    const byElement = new Map<Element, Row>(rows.map((row) => [row.element, row]));
    const observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        const row = byElement.get(target);
        if (row === undefined) continue;
        if (isIntersecting) this.#near.add(row);
        else this.#near.delete(row);
        if (isIntersecting) this.#drawRow(row);
      }
    }, { rootMargin: NEAR });
    for (const { element } of rows) observer.observe(element);
  }

  /** Draws this part of the time. */
  draw(shown: Shown): void {
    this.#shown = shown;
    this.#drawMarks();
    for (const row of this.#near) this.#drawRow(row);
  }

  /** Draws rows that are far away, too: for paper. */
  drawAll(): void {
    for (const row of this.#rows) this.#drawRow(row);
  }

  #placeOf(at: number): number {
    const { from, to } = this.#shown;
    return ((at - from) / (to - from)) * 100;
  }

  #drawMarks(): void {
    const { from, to } = this.#shown;
    const { head } = this;
    const width = head.clientWidth;
    const ticks = ticksOf(from, to, Math.max(2, Math.floor(width / MARK)));
    const marks = ticks.map(({ at, text }) => {
      const mark = document.createElement('b');
      const place = this.#placeOf(at);
      // The last one has no room for its text.
      mark.textContent = ((100 - place) / 100) * width < (text.length + 1) * LETTER ? '' : text;
      mark.style.insetInlineStart = `${place}%`;
      return mark;
    });
    for (const old of head.querySelectorAll('b')) old.remove();
    head.append(...marks);
    const [first = from, second = to] = ticks.map(({ at }) => at);
    const step = this.#placeOf(second) - this.#placeOf(first);
    // The place of a background in percent counts what it leaves free.
    this.#lines = [`${step >= 100 ? 0 : (this.#placeOf(first) / (100 - step)) * 100}%`, `${step}%`];
  }

  #drawRow(row: Row): void {
    const { element, start, end } = row;
    const { from, to } = this.#shown;
    const [first, step] = this.#lines;
    const place = this.#placeOf(start);
    element.style.setProperty('--x', `${place}%`);
    element.style.setProperty('--w', `${this.#placeOf(end) - place}%`);
    element.style.setProperty('--first', first);
    element.style.setProperty('--step', step);
    // What is not in the shown time says where it is.
    element.classList.toggle('earlier', end < from);
    element.classList.toggle('later', start > to);
    this.#drawInside(row);
  }

  /** What is in a collapsed group, or in a session, is drawn small in its own row. */
  #drawInside(row: Row): void {
    const track = row.element.querySelector('.track');
    const old = track?.querySelector('svg');
    const wanted = row.children.length > 0 && (row.entry === undefined || this.#tree.isCollapsed(row));
    if (!wanted || track === null) {
      old?.remove();
      return;
    }
    const parts = this.#partsOf(row);
    const svg = old ?? document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `0 0 ${PARTS} 2`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('class', 'inside');
    svg.replaceChildren(pathOf(parts.all, 'all', 0), pathOf(parts.failed, 'bad', 1));
    if (old === null || old === undefined) track.append(svg);
  }

  /** Which parts of the shown time have something in them, and something that failed. */
  #partsOf(row: Row): { readonly all: Uint8Array; readonly failed: Uint8Array } {
    const parts = { all: new Uint8Array(PARTS), failed: new Uint8Array(PARTS) };
    for (const child of under(row)) {
      if (!this.#tree.passes(child) || (row.entry === undefined && child.entry?.kind === 'turn')) continue;
      const [first, last] = [child.start, child.end].map((at) => Math.floor((this.#placeOf(at) / 100) * PARTS)) as [number, number];
      parts.all.fill(1, Math.max(0, first), Math.max(0, last + 1));
      if (child.state === 'failed') parts.failed.fill(1, Math.max(0, first), Math.max(0, last + 1));
    }
    return parts;
  }
}

/** The parts that are set as a path of boxes, from a height down. */
function pathOf(parts: Uint8Array, name: string, top: number): SVGPathElement {
  let shape = '';
  for (let part = 0; part < parts.length; part += 1) {
    if (parts[part] === 0) continue;
    const next = parts.indexOf(0, part);
    const end = next < 0 ? parts.length : next;
    shape += `M${part} ${top}H${end}V2H${part}Z`;
    part = end;
  }
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', shape);
  path.setAttribute('class', name);
  return path;
}
