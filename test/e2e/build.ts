/** Builds the command once before the tests that run it, where the sources are newer than the build. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

function newest(folder: string): number {
  const files = readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(...files.map((file) => statSync(`${file.parentPath}/${file.name}`).mtimeMs));
}

export default function build(): void {
  const bundle = `${root}dist/afterturn.cjs`;
  const modules = existsSync(`${root}dist/src/plugin.js`);
  const fresh = existsSync(bundle) && statSync(bundle).mtimeMs > Math.max(newest('bin'), newest('src'), newest('plugins'));
  if (fresh && modules) return;
  execFileSync(process.execPath, [`${root}bin/build.js`, ...(modules ? ['--bundle'] : [])], { stdio: 'inherit' });
}
