/** The script and the style of the report's page, which the build puts beside the command. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Asset, PageAssets } from '../report/index.js';

/** Throws where the tree has not been built. */
export function pageAssets(): PageAssets {
  const dist = join(dirname(createRequire(import.meta.url).resolve('afterturn/package.json')), 'dist');
  const asset = (name: string): Asset => {
    const text = readFileSync(join(dist, name), 'utf8');
    return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
  };
  return { script: asset('report-page.js'), style: asset('report-style.css') };
}
