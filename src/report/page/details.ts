/** Everything that is known of one row, beside the timeline. Texts are set as texts, never as markup. */
import { dateText, offsetText } from '../duration.js';
import type { Entry, Fact, Timeline } from '../model.js';
import { printable } from '../../printable.js';
import { countsOf, kinds } from '../totals.js';
import { countsText, kindWords, labelOf, lengthText, remarksOf, sessionLabel, stateWords } from '../words.js';
import type { Row } from './rows.js';

type Child = Node | string;

function made<K extends keyof HTMLElementTagNameMap>(name: K, className: string, ...children: readonly Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

const listOf = (facts: readonly (readonly [string, Child])[]): HTMLElement =>
  made('dl', '', ...facts.map(([label, value]) => made('div', '', made('dt', '', printable(label)), made('dd', '', typeof value === 'string' ? printable(value) : value))));

export class Details {
  readonly #panel: HTMLElement;
  readonly #timeline: Timeline;
  readonly #go: (row: Row) => void;
  readonly #close: () => void;
  #byKey: ReadonlyMap<string, Row>;

  /** `go` shows another row; `close` is told that the panel was closed by its button. */
  constructor(panel: HTMLElement, timeline: Timeline, rows: readonly Row[], go: (row: Row) => void, close: () => void) {
    this.#panel = panel;
    this.#timeline = timeline;
    this.#go = go;
    this.#close = close;
    this.#byKey = new Map(rows.flatMap((row) => (row.entry === undefined ? [] : [[row.entry.key, row]])));
  }

  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  close(): void {
    this.#panel.hidden = true;
    document.body.classList.remove('with-details');
  }

  open(row: Row): void {
    const title = row.entry === undefined ? sessionLabel(row.session) : `${kindWords[row.entry.kind]} ${labelOf(row.entry)}`;
    const heading = made('h2', '', printable(title));
    heading.id = 'details-title';
    heading.tabIndex = -1;
    const close = made('button', 'close', '✕');
    close.type = 'button';
    close.ariaLabel = 'Close the details';
    close.addEventListener('click', () => this.#close());
    this.#panel.replaceChildren(made('div', 'top', heading, close), ...(row.entry === undefined ? this.#sessionParts(row) : this.#entryParts(row, row.entry)));
    this.#panel.hidden = false;
    document.body.classList.add('with-details');
  }

  focus(): void {
    document.getElementById('details-title')?.focus();
  }

  #time(at: number, isAbsolute: boolean): string {
    const { zero } = this.#timeline;
    return isAbsolute && zero !== undefined ? `${offsetText(at)} (${dateText(zero + at)})` : offsetText(at);
  }

  #link(row: Row | undefined): Child {
    if (row?.entry === undefined) return '';
    const link = made('button', 'link', printable(`${kindWords[row.entry.kind]} ${labelOf(row.entry)}`));
    link.type = 'button';
    link.addEventListener('click', () => this.#go(row));
    return link;
  }

  #sessionParts({ session }: Row): Node[] {
    const source = this.#timeline.sources[session.source];
    const isAbsolute = source?.clock === 'absolute';
    const facts: Fact[] = [
      ['Session', session.id],
      ...(session.agent === undefined ? [] : [['Agent', session.agent] as const]),
      ['Holds', countsText(countsOf(kinds, session.entries, ({ kind }) => kind))],
      ['Start', this.#time(session.start, isAbsolute)],
      ['End', this.#time(session.end, isAbsolute)],
      ['Duration', lengthText(session)],
      ...(source === undefined ? [] : [['File', [source.file, source.form, ...remarksOf(source)].join('; ')] as const]),
    ];
    return [listOf(facts)];
  }

  #entryParts({ session, parent }: Row, entry: Entry): Node[] {
    const isAbsolute = this.#timeline.sources[session.source]?.clock === 'absolute';
    const { state, outcome, start, end, causes, facts, moments } = entry;
    const all: (readonly [string, Child])[] = [
      ['State', outcome === '' ? stateWords[state] : `${stateWords[state]} (${outcome})`],
      ['Start', this.#time(start, isAbsolute)],
      [state === 'running' ? 'Last known' : 'End', this.#time(end, isAbsolute)],
      ['Duration', state === 'running' ? `at least ${lengthText(entry)}` : lengthText(entry)],
      ...(parent?.entry === undefined ? [] : [['Within', this.#link(parent)] as const]),
      ...causes.map((key) => ['Caused by', this.#link(this.#byKey.get(key))] as const),
      ['Session', session.title ?? session.id],
      ...facts,
    ];
    if (moments.length === 0) return [listOf(all)];
    const events = listOf(moments.map(({ at, name, text }) => [offsetText(at), text === '' ? name : `${name} (${text})`] as const));
    events.className = 'moments';
    return [listOf(all), made('h3', '', 'On the way'), events];
  }
}
