/// <reference lib="dom" />
/** The page of a report in a real browser. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manyItems } from '../report/many.js';
import { backgroundSpan, callSpan, spanLine, turnSpan } from '../report/otlp-lines.js';
import { browserPath, launched } from './browser.js';
import { leastContrast } from './contrast.js';
import { run } from './session.js';

const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function pageOf(name: string, text: string): Promise<string> {
  const [input, output] = [join(folder, `${name}.jsonl`), join(folder, `${name}.html`)];
  writeFileSync(input, text);
  const { code, stdout, stderr } = await run(['report', '--html', output, input]);
  expect([code, stdout.toString(), stderr]).toEqual([0, '', '']);
  return pathToFileURL(output).href;
}

const three = spanLine(
  turnSpan({ id: 'a', from: 0, to: 900, attributes: { 'gen_ai.response.finish_reasons': ['end_turn'] } }),
  callSpan({ id: 'c', parent: 'a', from: 100, to: 400 }),
  backgroundSpan({ id: 'b', parent: 'c', from: 300, to: 5000, error: true, events: [['paused', 700]], attributes: { 'acp.background.outcome': 'failed', 'process.exit.code': 3 } }),
);

describe.skipIf(browserPath === undefined)('the page', () => {
  let browser: Browser;
  let small: string;
  let large: string;
  beforeAll(async () => {
    [browser, small, large] = await Promise.all([launched(), pageOf('three', three), pageOf('many', manyItems(3000))]);
  }, 120_000);
  afterAll(() => browser.close());

  interface Opened {
    readonly page: Page;
    /** What the page asked for beside itself, and what went wrong in it. */
    readonly faults: string[];
    readonly rows: Locator;
    readonly seen: Locator;
  }

  async function opened(url: string, { colorScheme = 'light', width = 1280, height = 800 }: { colorScheme?: 'light' | 'dark'; width?: number; height?: number } = {}): Promise<Opened> {
    const page = await browser.newPage({ colorScheme, viewport: { width, height } });
    const faults: string[] = [];
    page.on('request', (request) => void (request.url().split('#')[0] === url ? undefined : faults.push(`request of ${request.url()}`)));
    page.on('console', (message) => void faults.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => void faults.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => void faults.push(`dialog: ${dialog.message()}`));
    await page.goto(url);
    const rows = page.locator('tbody tr');
    return { page, faults, rows, seen: page.locator('tbody tr:not([hidden])') };
  }

  const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.id ?? '');
  const barOf = (row: Locator) => row.locator('.track i').boundingBox();

  test('shows three items with their states and bars, asks for nothing and says nothing', async () => {
    const { page, faults, rows } = await opened(small);
    expect(await rows.count()).toBe(4);
    expect(await rows.locator('.state').allTextContents()).toEqual(['completed', 'completed', 'failed']);
    expect(await rows.nth(3).innerText()).toMatch(/background\s+shell\s+exit code 3\s+failed\s+0:00\.300\s+4\.70 s/);
    // The turn begins with the clock and the item ends with it; the item begins at 300 of 5000.
    const [track, turn, item] = await Promise.all([rows.nth(1).locator('.track').boundingBox(), barOf(rows.nth(1)), barOf(rows.nth(3))]);
    if (track === null || turn === null || item === null) throw new Error('expected bars');
    expect(turn.x - track.x).toBeCloseTo(0, 0);
    expect((item.x - track.x) / track.width).toBeCloseTo(300 / 5050, 2);
    expect(item.width / track.width).toBeCloseTo(4700 / 5050, 2);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('has a name for everything that can be reached, and the roles of a treegrid', async () => {
    const { page } = await opened(small);
    await page.locator('tbody tr').nth(3).click();
    const tree = await page.locator('body').ariaSnapshot();
    for (const part of ['treegrid "Timeline"', 'columnheader "What"', 'rowheader "turn prompt end_turn · 2 items, 1 failed"', 'gridcell "failed"', 'button "Zoom in"', 'searchbox "Find in the timeline"', 'group "Show by state"', 'button "failed 1" [pressed]', 'complementary "background shell"', 'button "Close the details"', 'status']) expect(tree).toContain(part);
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const nameless = nodes.filter(({ ignored, role, name }) => !ignored && ['button', 'link', 'row', 'searchbox', 'treegrid', 'group', 'complementary', 'rowheader', 'columnheader'].includes(String(role?.value)) && !/\S/.test(String(name?.value ?? '')));
    expect(nameless.map(({ role }) => role?.value)).toEqual([]);
    expect(await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => `${row.ariaLevel} ${row.ariaExpanded}`))).toEqual(['1 true', '2 true', '3 true', '4 null']);
    await page.close();
  });

  test('is worked by keys: rows, groups, details, time', async () => {
    const { page, rows, seen, faults } = await opened(small);
    await page.locator('[data-act="all"]').focus();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('s0');
    await page.keyboard.press('ArrowDown');
    const turn = await focused(page);
    expect(await rows.nth(1).getAttribute('id')).toBe(turn);
    expect(await page.locator(':focus-visible').count()).toBe(1);
    expect(await rows.nth(1).evaluate((row) => getComputedStyle(row).outlineStyle)).toBe('solid');
    await page.keyboard.press('ArrowLeft');
    expect([await seen.count(), await rows.nth(1).getAttribute('aria-expanded')]).toEqual([2, 'false']);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await seen.count()).toBe(4);
    expect(await focused(page)).toBe(await rows.nth(2).getAttribute('id'));
    await page.keyboard.press('End');
    expect(await focused(page)).toBe(await rows.nth(3).getAttribute('id'));
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('details-title');
    expect(await page.locator('#details').innerText()).toMatch(/failed \(exit code 3\)[\s\S]*On the way\s+0:00\.700\s+paused/);
    await page.keyboard.press('Escape');
    expect([await focused(page), await page.locator('#details').isHidden()]).toEqual([await rows.nth(3).getAttribute('id'), true]);
    await page.keyboard.press('ArrowLeft');
    const before = await barOf(rows.nth(2));
    await page.keyboard.press('f');
    const after = await barOf(rows.nth(2));
    expect(after?.width ?? 0).toBeGreaterThan(3 * (before?.width ?? 0));
    expect(await page.locator('#status').textContent()).toMatch(/^3 items, 0:00\.070 to 0:00\.430/);
    await page.keyboard.press('Shift+ArrowRight');
    expect(await page.locator('#status').textContent()).toMatch(/^3 items, 0:00\.250 to 0:00\.610/);
    await page.keyboard.press('0');
    expect(await page.locator('#status').textContent()).toBe('3 items, whole time');
    expect(faults).toEqual([]);
    await page.close();
  });

  test('filters by state and by words, and a link of the summary leads to what is left out', async () => {
    const { page, seen, rows } = await opened(small);
    await page.locator('[data-state="failed"]').click();
    expect(await page.locator('[data-state="failed"]').getAttribute('aria-pressed')).toBe('false');
    expect([await seen.count(), await page.locator('#status').textContent()]).toEqual([3, '2 of 3 items, whole time']);
    await page.locator('.found a').last().click();
    expect([await seen.count(), await focused(page)]).toEqual([4, await rows.nth(3).getAttribute('id')]);
    await page.locator('#search').fill('bash');
    expect(await seen.allTextContents()).toHaveLength(3);
    expect(await page.locator('#status').textContent()).toBe('1 of 3 items, whole time');
    await page.close();
  });

  test.each(['light', 'dark'] as const)('is %s where the system is, or where its button says so, with enough contrast', async (colorScheme) => {
    const other = colorScheme === 'light' ? 'dark' : 'light';
    const { page } = await opened(small, { colorScheme });
    const scheme = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await page.locator('tbody tr').nth(3).click();
    expect(await scheme()).toBe(colorScheme);
    expect(await leastContrast(page)).toBeGreaterThanOrEqual(4.5);
    await page.locator(`[data-theme-choice="${other}"]`).click();
    expect(await scheme()).toBe(other);
    expect(await leastContrast(page)).toBeGreaterThanOrEqual(4.5);
    await page.locator('[data-theme-choice="system"]').click();
    expect(await scheme()).toBe(colorScheme);
    await page.close();
  });

  test.each([320, 700, 1280])('fits a window %i pixels wide', async (width) => {
    const { page } = await opened(small, { width });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.close();
  });

  test('lays out 3,000 items, scrolls, zooms and collapses them', async () => {
    const begun = performance.now();
    const { page, rows, seen, faults } = await opened(large);
    expect(await rows.count()).toBe(3010);
    // Sessions and turns first; the rest on demand.
    expect(await seen.count()).toBeLessThan(400);
    await page.locator('[data-act="expand"]').click();
    expect(await seen.count()).toBe(3010);
    await page.locator('tbody tr').first().focus();
    await page.keyboard.press('End');
    const last = await rows.last().boundingBox();
    expect(last?.y ?? Infinity).toBeLessThan(800);
    await page.waitForFunction(() => (document.querySelector('tbody tr:last-child .track i')?.getBoundingClientRect().width ?? 0) >= 3);
    const head = await page.locator('thead').boundingBox();
    expect(head?.y ?? -1).toBeGreaterThanOrEqual(0);
    for (const key of ['f', '+', '-', '0', 'Home', 'PageDown']) await page.keyboard.press(key);
    await page.locator('[data-act="collapse"]').click();
    expect(await seen.count()).toBeLessThan(400);
    expect(await page.locator('#status').textContent()).toBe('3000 items, whole time');
    // A bound that only a page that does not work breaks.
    expect(performance.now() - begun).toBeLessThan(25_000);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('shows what an agent calls things as text, whatever is in it', async () => {
    const title = '</script><script>hacked=1</script><img src=x onerror="hacked=1"><!--"\'&amp;\u001b\u202e';
    const message = (t: number, dir: string, msg: object): string => `${JSON.stringify({ t, dir, msg: { jsonrpc: '2.0', ...msg } })}\n`;
    const url = await pageOf('hostile', [
      message(0, 'c2a', { id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
      message(1, 'a2c', { id: 0, result: { protocolVersion: 1, agentInfo: { name: title, version: title } } }),
      message(2, 'c2a', { id: 1, method: 'session/new', params: {} }),
      message(3, 'a2c', { id: 1, result: { sessionId: title } }),
      message(4, 'c2a', { id: 2, method: 'session/prompt', params: { sessionId: title, prompt: [], _meta: { secret: 'hunter2' } } }),
      message(5, 'a2c', { method: 'session/update', params: { sessionId: title, update: { sessionUpdate: 'tool_call', toolCallId: title, title, status: 'in_progress', _meta: { secret: 'hunter2' } } } }),
      message(6, 'a2c', { id: 2, result: { stopReason: title } }),
    ].join(''));
    const { page, faults, rows } = await opened(url);
    await rows.nth(2).click();
    expect(await page.locator('#details h2').innerText()).toBe(`tool other: ${title.replace('\u001b', '\\u001b').replace('\u202e', '\\u202e')}`);
    expect(await page.locator('#details').innerText()).toContain('left running (the recording ends before it)');
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.content()).not.toContain('hunter2');
    expect(faults).toEqual([]);
    await page.close();
  });

  test('forbids itself what is not in it', async () => {
    const { page } = await opened(small);
    const blocked = await page.evaluate(async () => {
      const found: string[] = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective));
      await fetch('https://example.invalid/').catch(() => undefined);
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 1';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src="https://example.invalid/x.png"><p style="color: red">');
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { found: [...new Set(found)].sort(), hacked: 'hacked' in window };
    });
    expect(blocked).toEqual({ found: ['connect-src', 'img-src', 'script-src-elem', 'style-src-attr'], hacked: false });
    await page.close();
  });

  test('says everything without a script, too', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(small);
    expect(await page.locator('tbody tr').nth(3).innerText()).toMatch(/background\s+shell\s+exit code 3\s+failed\s+0:00\.300\s+4\.70 s/);
    expect(await page.locator('.tools').isHidden()).toBe(true);
    await context.close();
  });
});
