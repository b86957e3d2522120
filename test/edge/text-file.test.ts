import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textOfFile } from '../../src/edge/text-file.js';

it('leaves a byte order mark at the beginning out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'afterturn-'));
  const file = join(folder, 'text');
  writeFileSync(file, '\ufeffa\ufeff\n');
  expect(textOfFile(file)).toBe('a\ufeff\n');
  rmSync(folder, { recursive: true });
});
