/** Text of others, made safe to print. Knows neither where it comes from nor where it goes. */

// Control and format characters could move the cursor, change colours or reorder what is shown.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;

const shorthands: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with its control characters made visible. JSON text stays JSON, of the same value. */
export function printable(text: string): string {
  return text.replace(unprintable, (each) => shorthands[each] ?? `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same of an error's text: one line, but for the places in its stack, each on its own. */
export const printableLines = (text: string): string => text.split(/\n(?= +at )/).map(printable).join('\n');
