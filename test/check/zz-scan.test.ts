import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'vitest';
import { check } from '../../src/check/index.js';
import { strictValidator } from '../../src/edge/schema.js';
test('scan', () => {
  const found: Record<string, string[]> = {};
  const kinds = new Map<string, number>();
  for (const f of readdirSync('test/corpus', { recursive: true, encoding: 'utf8' }).filter((n) => n.endsWith('.ndjson') && !n.includes('rejection')).sort()) {
    const rs = readFileSync('test/corpus/' + f, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
    for (const x of check(rs)) (found[f] ??= []).push(`${x.t} ${x.rule} ${x.name} [${x.line}] ${x.came}`);
    for (const x of check(rs, {}, strictValidator).filter((y) => y.rule === 'S.1')) { const k = f.split('/')[0] + (f.includes('v2') ? 'v2 ' : 'v1 ') + x.expected + ' ' + x.came; kinds.set(k, (kinds.get(k) ?? 0) + 1); }
  }
  console.log(JSON.stringify(found, null, 1));
  console.log([...kinds].map(([k, n]) => n + ' ' + k).join('\n'));
});
