/** Text of others inside a page: never markup, and nothing that is not seen. */
import { printable } from '../printable.js';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For the text of an element and for a quoted attribute. */
export const htmlText = (text: string): string => printable(text).replace(/[&<>"']/g, (each) => entities[each] ?? each);

/** JSON inside a script element: nothing in it can end the element or begin a comment. */
export const htmlJson = (value: unknown): string =>
  printable(JSON.stringify(value)).replace(/[<>&]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
