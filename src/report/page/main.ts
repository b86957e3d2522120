/** The page at work: puts rows, time, details and controls together. Everything is on the page already; nothing is loaded. */
import { durationText, offsetText } from '../duration.js';
import type { State } from '../model.js';
import { Axis } from './axis.js';
import { Details } from './details.js';
import { commandOf, moved as rowMoved, type Command } from './keyboard.js';
import { rowsIn, timelineIn, type Row } from './rows.js';
import { addThemes } from './theme.js';
import { Tree } from './tree.js';
import { around, moved, whole, zoomed, type Shown } from './window.js';

/** Of more rows than this, groups are collapsed at first. */
const EXPANDED = 150;
const ZOOM = 0.5;
const STEP = 0.5;

const timeline = timelineIn(document);
const { length } = timeline;
const table = document.getElementById('timeline') as HTMLTableElement;
const tools = document.querySelector<HTMLElement>('.tools');
const status = document.getElementById('status') as HTMLElement;
const search = document.getElementById('search') as HTMLInputElement;

const rows = rowsIn(document, timeline);
const byElement = new Map<Element, Row>(rows.map((row) => [row.element, row]));
const tree = new Tree(rows, EXPANDED);
let shown: Shown = whole(length);
const axis = new Axis(table, rows, tree, shown);
let current: Row | undefined = rows[0];

const details = new Details(document.getElementById('details') as HTMLElement, timeline, rows, go, closeDetails);

function draw(): void {
  axis.draw(shown);
}

function tell(): void {
  const entries = rows.length - timeline.sessions.length;
  const items = tree.found === entries ? `${entries} items` : `${tree.found} of ${entries} items`;
  const { from, to } = shown;
  const time = to - from >= whole(length).to ? 'whole time' : `${offsetText(from)} to ${offsetText(Math.min(to, length))}, ${durationText(to - from)}`;
  status.textContent = `${items}, ${time}`;
}

function redraw(): void {
  draw();
  tell();
}

function show(next: Shown): void {
  shown = next;
  redraw();
}

/** One row is in the order of Tab; the arrow keys move on from it. */
function setCurrent(row: Row | undefined, focus = true): void {
  if (row === undefined) return;
  if (current !== undefined) {
    current.element.tabIndex = -1;
    current.element.removeAttribute('aria-selected');
  }
  current = row;
  row.element.tabIndex = 0;
  row.element.ariaSelected = 'true';
  if (focus) {
    row.element.focus({ preventScroll: true });
    row.element.scrollIntoView({ block: 'nearest' });
  }
  if (details.isOpen) details.open(row);
}

function go(row: Row): void {
  if (tree.reveal(row)) resetFilter();
  redraw();
  setCurrent(row);
}

function closeDetails(): void {
  details.close();
  setCurrent(current);
}

function setCollapsed(which: Iterable<Row>, collapsed: boolean): void {
  tree.setCollapsed(which, collapsed);
  while (current !== undefined && current.element.hidden && current.parent !== undefined) setCurrent(current.parent, document.activeElement === current.element);
  redraw();
}

/** Into a group: it is expanded, or its first row comes next. */
function goIn(row: Row): void {
  if (tree.isCollapsed(row)) setCollapsed([row], false);
  else if (row.children.length > 0) setCurrent(rowMoved(tree.shown, row, 1));
}

/** Out of a group: it is collapsed, or the row that it is in comes next. */
function goOut(row: Row): void {
  if (row.children.length > 0 && !tree.isCollapsed(row)) setCollapsed([row], true);
  else setCurrent(row.parent);
}

type Run<D extends Command['do']> = (row: Row, command: Extract<Command, { do: D }>) => void;
const runs: { readonly [D in Command['do']]: Run<D> } = {
  move: (row, { by }) => setCurrent(rowMoved(tree.shown, row, by)),
  to: (_row, { place }) => setCurrent(tree.shown.at(place === 'first' ? 0 : -1)),
  in: goIn,
  out: goOut,
  details: (row) => {
    details.open(row);
    details.focus();
  },
  close: () => closeDetails(),
  zoomIn: (row) => show(zoomed(shown, ZOOM, length, middleOf(row))),
  zoomOut: (row) => show(zoomed(shown, 1 / ZOOM, length, middleOf(row))),
  all: () => show(whole(length)),
  fit: (row) => show(around(row.start, row.end, length)),
  earlier: () => show(moved(shown, -STEP, length)),
  later: () => show(moved(shown, STEP, length)),
  expandBeside: (row) => setCollapsed(row.parent?.children ?? tree.shown.filter(({ parent }) => parent === undefined), false),
};

/** Zooming keeps the row in sight, if it is. */
function middleOf({ start, end }: Row): number | undefined {
  const middle = (Math.max(start, shown.from) + Math.min(end, shown.to)) / 2;
  return middle >= shown.from && middle <= shown.to ? middle : undefined;
}

function run(command: Command, row: Row): void {
  (runs[command.do] as (row: Row, command: Command) => void)(row, command);
}

const rowOf = (target: EventTarget | null): Row | undefined => (target instanceof Element ? byElement.get(target.closest('tbody tr') ?? table) : undefined);

table.addEventListener('keydown', (event) => {
  const command = commandOf(event);
  if (command === undefined || current === undefined) return;
  event.preventDefault();
  run(command, current);
});
table.addEventListener('focusin', (event) => {
  const row = rowOf(event.target);
  if (row !== undefined && row !== current) setCurrent(row, false);
});
table.addEventListener('focus', () => setCurrent(current));
table.addEventListener('click', (event) => {
  const row = rowOf(event.target);
  if (row === undefined) return;
  if (event.target instanceof Element && event.target.closest('.twist') !== null) {
    setCurrent(row);
    return setCollapsed([row], !tree.isCollapsed(row));
  }
  setCurrent(row);
  details.open(row);
});
document.getElementById('details')?.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeDetails();
});
document.querySelector('.summary')?.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const row = rows.find(({ element }) => `#${element.id}` === link?.getAttribute('href'));
  if (row === undefined) return;
  event.preventDefault();
  go(row);
  details.open(row);
});

const acts: Readonly<Record<string, () => void>> = {
  collapse: () => setCollapsed(rows.filter(({ entry }) => entry !== undefined), true),
  expand: () => setCollapsed(rows, false),
  earlier: () => show(moved(shown, -STEP, length)),
  later: () => show(moved(shown, STEP, length)),
  in: () => show(zoomed(shown, ZOOM, length)),
  out: () => show(zoomed(shown, 1 / ZOOM, length)),
  all: () => show(whole(length)),
};

const stateButtons = [...document.querySelectorAll<HTMLButtonElement>('[data-state]')];

function filter(): void {
  const hidden = new Set(stateButtons.filter((button) => button.ariaPressed === 'false').map((button) => button.dataset.state as State));
  tree.setFilter({ hidden, words: search.value.trim().toLowerCase() });
  if (current?.element.hidden === true) setCurrent(tree.shown[0], false);
  redraw();
}

function resetFilter(): void {
  for (const button of stateButtons) button.ariaPressed = 'true';
  search.value = '';
}

tools?.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  const { act, state } = button?.dataset ?? {};
  if (act !== undefined) acts[act]?.();
  if (button === null || state === undefined) return;
  button.ariaPressed = String(button.ariaPressed === 'false');
  filter();
});
search.addEventListener('input', filter);

/** A part of the axis that is drawn over is shown. */
axis.head.addEventListener('pointerdown', (down) => {
  const { left, width } = axis.head.getBoundingClientRect();
  const timeAt = (x: number): number => shown.from + ((x - left) / width) * (shown.to - shown.from);
  axis.head.addEventListener('pointerup', (up) => {
    const [from = 0, to = 0] = [timeAt(down.clientX), timeAt(up.clientX)].sort((one, other) => one - other);
    if (Math.abs(up.clientX - down.clientX) > 5) show(around(from, to, length));
  }, { once: true });
});

window.addEventListener('beforeprint', () => axis.drawAll());
if (tools !== null) tools.hidden = false;
addThemes(document);
document.documentElement.classList.add('live');
new ResizeObserver(() => {
  document.documentElement.style.setProperty('--tools', `${tools?.offsetHeight ?? 0}px`);
  draw();
}).observe(table);
if (current !== undefined) current.element.tabIndex = 0;
table.removeAttribute('tabindex');
redraw();
const asked = rows.find(({ element }) => element.id !== '' && `#${element.id}` === location.hash);
if (asked !== undefined) go(asked);
