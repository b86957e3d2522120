import { describe, expect, test } from 'vitest';
import { pageHtml, timelineOf } from '../../src/report/index.js';
import { htmlJson, htmlText } from '../../src/report/html-text.js';
import { backgroundSpan, callSpan, spanLine, turnSpan } from './otlp-lines.js';
import { readingOf, timelineOfTraces } from './read.js';

const assets = { script: { text: 'run()', hash: 'sha256-script' }, style: { text: 'p{}', hash: 'sha256-style' } };
const text = spanLine(turnSpan({ id: 'a', from: 0, to: 900 }), callSpan({ id: 'c', parent: 'a', from: 10, to: 20 }), backgroundSpan({ id: 'b', parent: 'c', from: 15, to: 800 }));
const rowsOf = (page: string): string[] => [...page.matchAll(/<tr role="row" id=.*?<\/tr>/g)].map(([row]) => row);

test('a page names the only script and style that it allows, and refers to nothing outside', () => {
  const page = pageHtml(timelineOfTraces(text), assets);
  expect(page).toContain(`content="default-src 'none'; script-src 'sha256-script'; style-src 'sha256-style'; base-uri 'none'; form-action 'none'"`);
  expect(page).toContain('<style>p{}</style>');
  expect(page).toContain('<script>run()</script>');
  expect(page.match(/(?:src|href)="(?!#)/g)).toBeNull();
  expect(page.match(/ (?:style|on\w+)="/g)).toBeNull();
});

test('its rows are a tree with levels, states and times', () => {
  const rows = rowsOf(pageHtml(timelineOfTraces(text), assets));
  const plain = rows.map((row) => row.replace(/<[^>]*>/g, '|').replace(/\|+/g, '|'));
  expect(rows.map((row) => /aria-level="(\d)"( aria-expanded)?/.exec(row)?.slice(1))).toEqual([['1', ' aria-expanded'], ['2', ' aria-expanded'], ['3', ' aria-expanded'], ['4', undefined]]);
  expect(plain).toEqual([
    '| |Session s| |agent-x 1.2.3 · 1 turn, 1 tool call, 1 background item|0:00.000|900 ms|',
    '|turn| |prompt| |2 items|completed|0:00.000|900 ms|',
    '|tool| |Bash|completed|0:00.010|10 ms|',
    '|background| |shell|completed|0:00.015|785 ms|',
  ]);
});

test('the folders of a file are not told', () => {
  const page = pageHtml(timelineOf([readingOf(text, '/home/someone/traces/one.jsonl'), readingOf(text, 'C:\\Users\\someone\\two.jsonl')]), assets);
  expect(page).not.toContain('someone');
  expect(page).toContain('one.jsonl');
  expect(page).toContain('two.jsonl');
});

describe('texts of others', () => {
  test('are no markup', () => {
    expect(htmlText('</a>"\'&\u001b')).toBe('&lt;/a&gt;&quot;&#39;&amp;\\u001b');
  });

  test('cannot end a script from within its data', () => {
    const hostile = { a: '</script><!--&\u2028' };
    expect(htmlJson(hostile)).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(htmlJson(hostile))).toEqual(hostile);
  });

  test('are escaped wherever they stand', () => {
    const mark = '<x>';
    const hostile = spanLine(
      turnSpan({ id: mark, to: 1, attributes: { 'gen_ai.agent.name': mark, 'gen_ai.response.finish_reasons': [mark] } }, mark),
      callSpan({ id: 'c', to: 1, error: true, events: [[mark, 0]], attributes: { 'gen_ai.tool.name': mark, 'error.type': mark, [mark]: mark } }, mark),
      { id: 'o', name: mark, attributes: { 'session.id': mark } },
    );
    const page = pageHtml(timelineOf([{ ...readingOf(hostile, mark), remarks: [mark] }]), assets);
    expect(page).not.toContain(mark);
    expect(page).toContain('&lt;x&gt;');
  });
});
