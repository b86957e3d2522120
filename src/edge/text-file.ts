/** Text files of the user. Some editors and shells put a byte order mark before the text. Knows no format. */
import { readFileSync } from 'node:fs';

/** The text of a file, or of stdin (`0`). Throws as `readFileSync` does. */
export const textOfFile = (path: string | 0): string => readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
