/**
 * One JSON-RPC message: the bytes it came as, its payload parsed on first read, and its bytes again
 * when it was changed. Immutable: a change makes a new frame. Knows nothing of who sees it.
 *
 * A changed message keeps its id's text, the digits of every number that was not touched, its other
 * members and their order, and its line ending.
 */
import { Buffer } from 'node:buffer';
import { jsonText, parsedJson } from './json.js';
import { markedText, textPieces, unmarked, withoutTexts, type Pieces, type TextPlaces } from './long-text.js';
import { ErrorCode, rpcError, type RequestId, type RpcError } from './jsonrpc.js';

export type Members = Readonly<Record<string, unknown>>;

/** What is known of a message without its payload. */
export interface Head {
  readonly kind: 'request' | 'notification' | 'reply';
  /** Empty for a reply. */
  readonly method: string;
  /** The id's JSON text as it came; `undefined` for a notification. */
  readonly idText: string | undefined;
}

/** What a changed message differs in. A key that is there counts, also with `undefined`. */
export interface Change {
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
}

/** A line that looked like a message is none: it is not JSON. */
export class NotAMessage extends Error {}

const lineEnding = (line: Uint8Array): string =>
  line[line.length - 1] !== 10 ? '' : line[line.length - 2] === 13 ? '\r\n' : '\n';

export class Frame implements Head {
  readonly kind: Head['kind'];
  readonly method: string;
  readonly idText: string | undefined;
  #line: Uint8Array | undefined;
  /** The line of a message that was made here, in pieces. */
  #pieces: Pieces | undefined;
  /** May hold long texts in a message that was made here. */
  #given: Members | undefined;
  #hasTexts = false;
  #members: Members | undefined;
  #outline: Members | undefined;
  #longStrings: readonly number[] = [];
  #plainNumbers = true;
  #ending = '\n';

  private constructor({ kind, method, idText }: Head, line: Uint8Array | undefined, members: Members | undefined) {
    this.kind = kind;
    this.method = method;
    this.idText = idText;
    this.#line = line;
    this.#given = members;
  }

  /**
   * A message as it came. `plainNumbers`: none of its numbers needs its digits kept. `longStrings`: the
   * places of long strings in the line, without their quotes, start and end by turns.
   */
  static ofLine(line: Uint8Array, head: Head, plainNumbers: boolean, longStrings: readonly number[] = []): Frame {
    const frame = new Frame(head, line, undefined);
    frame.#plainNumbers = plainNumbers;
    frame.#longStrings = longStrings;
    return frame;
  }

  /** A notification, or with an id a request. Throws where `JSON.stringify` throws. */
  static ofCall(method: string, params: unknown, idText?: string): Frame {
    if (typeof method !== 'string') throw new TypeError(`expected a method that is a string, got ${typeof method}`);
    const id = idText === undefined ? {} : { id: JSON.parse(idText) as unknown };
    const kind = idText === undefined ? 'notification' : 'request';
    return new Frame({ kind, method, idText }, undefined, { jsonrpc: '2.0', ...id, method, params }).#written();
  }

  /** A response. A missing result is `null`: without one it would be no response. */
  static ofReply(idText: string, body: { readonly result: unknown } | { readonly error: RpcError }): Frame {
    const outcome = 'error' in body ? { error: body.error } : { result: body.result ?? null };
    const members = { jsonrpc: '2.0', id: JSON.parse(idText) as unknown, ...outcome };
    return new Frame({ kind: 'reply', method: '', idText }, undefined, members).#written();
  }

  get id(): RequestId | undefined {
    return this.idText === undefined ? undefined : (JSON.parse(this.idText) as RequestId);
  }

  get params(): unknown {
    return this.members.params;
  }

  /** The params without their long strings, which are empty here: nearly all of a big message is in them. */
  get outline(): unknown {
    if (this.#members !== undefined) return this.params;
    if (this.#hasTexts) return (this.#outline ??= withoutTexts(this.#given, () => '') as Members).params;
    if (this.#line === undefined || this.#longStrings.length === 0) return this.params;
    return (this.#outline ??= membersIn(textWithoutLong(this.#line, this.#longStrings), this.#plainNumbers)).params;
  }

  /** The params with long texts in place of the long strings at these places. */
  withTexts(places: TextPlaces): unknown {
    if (this.#members !== undefined) return this.params;
    if (this.#hasTexts) return withoutTexts(this.#given?.params, String, places);
    if (this.#line === undefined || this.#longStrings.length === 0) return this.params;
    const marked = markedText(this.#line, this.#longStrings);
    try {
      if (marked !== undefined) return unmarked(membersIn(marked, this.#plainNumbers).params, this.#line, this.#longStrings, places);
    } catch {
      // What is no JSON, or no UTF-8, is found to be so as in any other message.
    }
    return this.params;
  }

  get result(): unknown {
    return this.members.result;
  }

  get error(): RpcError | undefined {
    return errorOf(this.members.error);
  }

  /** The message as a line, with its line ending. */
  get raw(): Uint8Array {
    return (this.#line ??= bytesOf(this.pieces));
  }

  /** The same in pieces. */
  get pieces(): Pieces {
    if (this.#line !== undefined) return [this.#line];
    return this.#pieces ?? this.#written().pieces;
  }

  /** The whole message as far as its short strings: what it is can be told by that. */
  get unread(): Members {
    return this.#given ?? this.members;
  }

  /** The whole message. Throws `NotAMessage` when the line is not one JSON object. */
  get members(): Members {
    if (this.#members !== undefined) return this.#members;
    if (this.#given !== undefined) return (this.#members = this.#hasTexts ? (withoutTexts(this.#given, String) as Members) : this.#given);
    return (this.#members = membersOf(this.#line ?? Buffer.alloc(0), this.#plainNumbers));
  }

  /** The same message with other contents. Throws where `JSON.stringify` throws. */
  changed(change: Change): Frame {
    const members: Record<string, unknown> = { ...(this.#given ?? this.members) };
    if ('error' in change) delete members.result;
    if ('result' in change) delete members.error;
    Object.assign(members, change);
    if ('result' in change) members.result ??= null;
    const frame = new Frame({ kind: this.kind, method: change.method ?? this.method, idText: this.idText }, undefined, members);
    frame.#ending = this.#line === undefined ? this.#ending : lineEnding(this.#line);
    return frame.#written();
  }

  /** Writes the line now, so that what has no JSON fails where it was asked for. */
  #written(): this {
    const { pieces, hasTexts } = textPieces((again) => textOf(this.#given ?? {}, this.idText, again) + this.#ending);
    this.#pieces = pieces;
    this.#hasTexts = hasTexts;
    return this;
  }
}

const bytesOf = (pieces: Pieces): Uint8Array => Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));

/** What is no error as JSON-RPC 2.0 (section 5.1) has it becomes one that says so; `null` is how JSON-RPC 1.0 says that there is none. */
function errorOf(error: unknown): RpcError | undefined {
  if (error === undefined || error === null) return undefined;
  const { code, message } = error as Partial<RpcError>;
  if (Number.isInteger(code) && typeof message === 'string') return error as RpcError;
  return rpcError(ErrorCode.internalError, `expected an error with a code that is an integer and a message that is a string, got ${typeof error} with ${typeof code} and ${typeof message}`);
}

/** Quotes stand around each long string, so that no character is torn. */
function textWithoutLong(line: Uint8Array, places: readonly number[]): string {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  let text = '';
  let from = 0;
  for (let i = 0; i < places.length; i += 2) {
    text += bytes.toString('utf8', from, places[i]);
    from = places[i + 1] as number;
  }
  return text + bytes.toString('utf8', from);
}

const membersOf = (line: Uint8Array, plainNumbers: boolean): Members => membersIn(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString(), plainNumbers);

function membersIn(text: string, plainNumbers: boolean): Members {
  let value: unknown;
  try {
    value = plainNumbers ? JSON.parse(text) : parsedJson(text);
  } catch {
    throw new NotAMessage('expected a JSON object, got text that is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotAMessage('expected a JSON object, got another JSON value');
  return value as Members;
}

/** The members of JSON-RPC as they are written. */
const keyTexts: ReadonlyMap<string, string> = new Map(['jsonrpc', 'id', 'method', 'params', 'result', 'error'].map((key) => [key, `"${key}":`]));

/** The message's JSON text. The id's own text is used, whatever its number form. */
function textOf(members: Members, idText: string | undefined, again: () => void): string {
  let written = '';
  for (const key of Object.keys(members)) {
    const text = key === 'id' && idText !== undefined ? idText : jsonText(members[key], again);
    if (text !== undefined) written += `${written === '' ? '' : ','}${keyTexts.get(key) ?? `${JSON.stringify(key)}:`}${text}`;
  }
  return `{${written}}`;
}
