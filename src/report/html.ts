/**
 * A timeline as one page that needs nothing else: no network, no font, no picture. What it may load is
 * forbidden by its own Content-Security-Policy; its script and its style are allowed by their hashes.
 * Pure; the script and the style come from outside (`page/`).
 */
import { htmlJson, htmlText } from './html-text.js';
import { entryRowId, rowsHtml, stateIcon } from './html-rows.js';
import { icons } from './icons.js';
import type { Source, Timeline } from './model.js';
import { states, totalsOf, type Found, type Totals } from './totals.js';
import { countsText, countText, fileName, kindWords, labelOf, lengthText, remarksOf, stateWords, zeroText } from './words.js';

/** A script or a style, and its hash in the form of CSP: `sha256-…`. */
export interface Asset {
  readonly text: string;
  readonly hash: string;
}

export interface PageAssets {
  readonly script: Asset;
  readonly style: Asset;
}

/** So many of those that failed or were left running are linked. */
const LINKED = 8;

const policy = ({ script, style }: PageAssets): string =>
  `default-src 'none'; script-src '${script.hash}'; style-src '${style.hash}'; base-uri 'none'; form-action 'none'`;

const sourceHtml = (source: Source): string => `<li><span class="file">${htmlText(fileName(source.file))}</span> <span class="note">${htmlText([source.form, ...remarksOf(source)].join('; '))}</span></li>`;

function foundHtml(title: string, found: readonly Found[]): string {
  const linked = found.slice(0, LINKED).map(({ entry }) =>
    `<li><a href="#${entryRowId(entry)}">${stateIcon(entry.state)}<span class="label">${htmlText(`${kindWords[entry.kind]} ${labelOf(entry)}`)}</span> <span class="num">${lengthText(entry)}</span></a></li>`);
  const rest = found.length > LINKED ? `<p class="note">and ${found.length - LINKED} more</p>` : '';
  return `<section class="found"><h2>${title} <span class="note">${found.length}</span></h2>${found.length === 0 ? '<p class="note">nothing</p>' : `<ol>${linked.join('')}</ol>${rest}`}</section>`;
}

const summaryHtml = (timeline: Timeline, totals: Totals): string => `<section class="summary" aria-label="Totals">
<p class="counts">${countText(timeline.sessions.length, 'session', 'sessions')}, ${countsText(totals.counts)} in <span class="num">${lengthText({ start: 0, end: timeline.length })}</span></p>
<div class="founds">${foundHtml('Ran longest', totals.longest)}${foundHtml('Left running', totals.running)}${foundHtml('Failed', totals.failed)}</div>
</section>`;

/** A button for each state that there is, pressed: it is shown. */
const stateButtons = (totals: Totals): string =>
  states.filter((state) => totals.states[state] > 0).map((state) => `<button type="button" data-state="${state}" aria-pressed="true">${stateIcon(state)}${stateWords[state]} <span class="num">${totals.states[state]}</span></button>`).join('');

const button = (act: string, label: string, text: string): string => `<button type="button" data-act="${act}" aria-label="${label}" title="${label}">${text}</button>`;

const toolsHtml = (totals: Totals): string => `<div class="tools" hidden>
<div role="group" aria-label="Show by state" class="states">${stateButtons(totals)}</div>
<label class="search"><span class="hidden">Find in the timeline</span><input type="search" id="search" placeholder="Find" autocomplete="off" spellcheck="false"></label>
<div role="group" aria-label="Groups">${button('collapse', 'Collapse all', 'Collapse')}${button('expand', 'Expand all', 'Expand')}</div>
<div role="group" aria-label="Time shown">${button('earlier', 'Earlier', '◂')}${button('out', 'Zoom out', '−')}${button('in', 'Zoom in', '+')}${button('later', 'Later', '▸')}${button('all', 'Show the whole time', 'All')}</div>
<p id="status" role="status" class="note"></p>
</div>`;

const keys: readonly (readonly [string, string])[] = [
  ['↑ ↓ Home End Page keys', 'move'], ['→ ←', 'expand, collapse, to the parent'], ['Enter', 'details'], ['Esc', 'close the details'],
  ['+ − 0', 'zoom in, zoom out, whole time'], ['F', 'zoom to the row'], ['Shift ← Shift →', 'earlier, later'], ['*', 'expand all beside the row'],
];
const helpHtml = `<details class="help" aria-label="Keys"><summary>Keys in the timeline</summary><dl>${keys.map(([key, text]) => `<div><dt>${key}</dt><dd>${text}</dd></div>`).join('')}</dl></details>`;

const themes = `<div role="group" aria-label="Colours" class="themes" hidden>${['System', 'Light', 'Dark'].map((name) => `<button type="button" data-theme-choice="${name.toLowerCase()}" aria-pressed="${name === 'System'}">${name}</button>`).join('')}</div>`;

const columns = [['', 'What'], ['state', 'State'], ['start', 'Start'], ['length', 'Duration'], ['axis', 'Time']] as const;
const headHtml = `<thead><tr role="row">${columns.map(([name, text]) => `<th role="columnheader" scope="col"${name === '' ? '' : ` class="${name}"`}><span>${text}</span></th>`).join('')}</tr></thead>`;

/** The whole page. */
export function pageHtml(timeline: Timeline, assets: PageAssets): string {
  const totals = totalsOf(timeline);
  const { sources } = timeline;
  const name = sources.length === 1 ? fileName(sources[0]?.file ?? '') : countText(sources.length, 'file', 'files');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(assets)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${htmlText(name)} · afterturn report</title>
<style>${assets.style.text}</style>
</head>
<body>
${icons}
<a class="skip" href="#timeline">To the timeline</a>
<header><div><h1>${htmlText(name)}</h1>
<ul class="sources">${sources.map(sourceHtml).join('')}</ul>
<p class="note">0 is ${htmlText(zeroText(timeline))}</p></div>
${themes}</header>
<main>
${summaryHtml(timeline, totals)}
${toolsHtml(totals)}
<table role="treegrid" id="timeline" aria-label="Timeline" tabindex="-1">
${headHtml}
<tbody role="rowgroup">
${[...rowsHtml(timeline)].join('')}</tbody>
</table>
${helpHtml}
</main>
<aside id="details" aria-labelledby="details-title" hidden></aside>
<script type="application/json" id="data">${htmlJson({ ...timeline, sources: sources.map((source) => ({ ...source, file: fileName(source.file) })) })}</script>
<script>${assets.script.text}</script>
</body>
</html>
`;
}
