/**
 * How much of a growing text has been told. v1 can only append, so a text that v2 replaces is told as
 * far as it goes on from what was told. Only a length and a digest are kept, not the text.
 */

export interface Told {
  readonly length: number;
  readonly digest: number;
}

export const nothingTold: Told = { length: 0, digest: 0x811c9dc5 };

/** After `text` was told as well. FNV-1a, 32 bits, of UTF-16 units. */
export function toldAfter(told: Told, text: string): Told {
  let { digest } = told;
  for (let index = 0; index < text.length; index += 1) digest = Math.imul(digest ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return { length: told.length + text.length, digest };
}

/** Whether `text` begins with all that was told. */
export const goesOn = (told: Told, text: string): boolean => text.length >= told.length && toldAfter(nothingTold, text.slice(0, told.length)).digest === told.digest;
