/** A browser that is installed, without a window. Tests that need one are left out where there is none, and say so. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));

/** The path of a Chromium: what `AFTERTURN_BROWSER` says, else the first on the PATH. */
export const browserPath = process.env.AFTERTURN_BROWSER ?? onPath.find(isExecutable);

if (browserPath === undefined) console.warn(`The page of the report is not tested: none of ${names.join(', ')} is on the PATH. Install one (Debian: apt-get install chromium), or name it in AFTERTURN_BROWSER.`);

/** The sandbox needs rights that a container does not give; nothing but our own pages is opened. */
export const launched = (): Promise<Browser> => chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
