/// <reference lib="dom" />
/** The contrast of what a page says: the least of its texts to what is behind them (WCAG "Contrast (Minimum)"). */
import type { Page } from 'playwright-core';

/** The least ratio of all texts that are seen; 4.5 is enough for AA. Backgrounds are taken as opaque or none. */
export const leastContrast = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (canvas === null) throw new Error('expected a canvas');
    /** Colours of any notation over one another, as the canvas paints them. */
    const painted = (...colors: readonly string[]): number[] => {
      canvas.clearRect(0, 0, 1, 1);
      for (const color of colors) {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
      }
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb: readonly number[]): number => {
      const [r = 0, g = 0, b = 0] = rgb.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    let least = 21;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (element === null || !/\S/.test(node.textContent ?? '') || !element.checkVisibility() || element.closest('script, style') !== null) continue;
      const behind: string[] = [];
      for (let here: Element | null = element; here !== null; here = here.parentElement) behind.unshift(getComputedStyle(here).backgroundColor);
      const [text, ground] = [luminance(painted(...behind, getComputedStyle(element).color)), luminance(painted(...behind))];
      least = Math.min(least, (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05));
    }
    return least;
  });
