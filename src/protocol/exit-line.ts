/**
 * The line that Claude Code writes behind the output of a command of the background that ended by
 * itself, `[exited with code N]`: the one text from which the exit code of such a command is read.
 */

/** How many bytes of the end of an output are enough to hold it. */
const TAIL = 256;
const BASE64_TAIL = 4 * Math.ceil(TAIL / 3);

const lastLine = /(?:^|\n)\[exited with code (\d{1,10})\]\r?\n?$/;

/** The end of an output, with these bytes added to it. */
export const tailOf = (before: string, bytes: Uint8Array): string =>
  (before + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-TAIL).toString('latin1')).slice(-TAIL);

/** As `tailOf`, for bytes in base64. */
export function tailOfBase64(before: string, data: string): string {
  const end = data.slice(Math.max(0, data.length - (data.length % 4) - BASE64_TAIL));
  return tailOf(before, Buffer.from(end, 'base64'));
}

/** The exit code that the last line of an output names. */
export function exitCodeOfTail(tail: string): number | undefined {
  const code = lastLine.exec(tail)?.[1];
  return code === undefined ? undefined : Number(code);
}
