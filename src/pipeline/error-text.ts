/** What the log says of an error that a plugin threw. */

/** Its text and where it came from, without the payload that an error of the JSON parser quotes. */
export function errorText(error: unknown): string {
  if (error instanceof SyntaxError) return 'text that is not JSON';
  if (error instanceof Error) return error.stack ?? error.message;
  return `expected an Error to be thrown, got ${error === null ? 'null' : typeof error}`;
}
