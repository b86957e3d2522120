/** Everything that is known of one row, beside the timeline. Texts are set as texts, never as markup. */
import { dateText, offsetText } from '../duration.js';
import type { Entry, Session, Timeline } from '../model.js';
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

const titleOf = ({ entry, session }: Row): string => (entry === undefined ? sessionLabel(session) : `${kindWords[entry.kind]} ${labelOf(entry)}`);

export class Details {
  readonly #panel: HTMLElement;
  readonly #timeline: Timeline;
  readonly #rows: readonly Row[];
  readonly #go: (row: Row) => void;
  readonly #close: () => void;
  #byKey: ReadonlyMap<string, Row>;

  /** `go` shows another row; `close` is told that the panel was closed by its button. */
  constructor(panel: HTMLElement, timeline: Timeline, rows: readonly Row[], go: (row: Row) => void, close: () => void) {
    this.#panel = panel;
    this.#timeline = timeline;
    this.#rows = rows;
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
    const heading = made('h2', '', printable(titleOf(row)));
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
    if (row === undefined) return '';
    const link = made('button', 'link', printable(titleOf(row)));
    link.type = 'button';
    link.addEventListener('click', () => this.#go(row));
    return link;
  }

  /** Between a subagent's item and its session. */
  #subagentFacts(session: Session | undefined, key: string | undefined): (readonly [string, Child])[] {
    const item = session?.workOf === undefined ? undefined : this.#byKey.get(session.workOf);
    const child = key === undefined ? undefined : this.#rows.find((row) => row.entry === undefined && row.session.workOf === key);
    return [...(item === undefined ? [] : [['The work of', this.#link(item)] as const]), ...(child === undefined ? [] : [['Its work', this.#link(child)] as const])];
  }

  #sessionParts({ session }: Row): Node[] {
    const source = this.#timeline.sources[session.source];
    const isAbsolute = source?.clock === 'absolute';
    const facts: (readonly [string, Child])[] = [
      ['Session', session.id],
      ...this.#subagentFacts(session, undefined),
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
      ...this.#subagentFacts(undefined, entry.key),
      ['Session', session.title ?? session.id],
      ...facts,
    ];
    if (moments.length === 0) return [listOf(all)];
    const events = listOf(moments.map(({ at, name, text }) => [offsetText(at), text === '' ? name : `${name} (${text})`] as const));
    events.className = 'moments';
    return [listOf(all), made('h3', '', 'On the way'), events];
  }
}
