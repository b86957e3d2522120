/** The version of this package, as its package.json says. Read late: it is off the start path. */
import { createRequire } from 'node:module';

export function packageVersion(): string {
  const { version } = createRequire(import.meta.url)('afterturn/package.json') as { readonly version: string };
  return version;
}
