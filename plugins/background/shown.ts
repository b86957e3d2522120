/**
 * What the client of one session was shown that it may have to be shown again when it resumes it: tool
 * calls as they add up to, and the tail of each open terminal's output. Bounded: calls that have ended
 * are forgotten, oldest first, unless they launched what lives; of an output the last bytes are kept.
 */
import { arrayOf, at, isObject, kept, stringOf, type JsonObject } from 'afterturn/protocol';
import { isFinalStatus } from 'afterturn/state';
import { BoundedMap } from '../bounded.js';

/** So much of a terminal's output is kept, in bytes. */
export const TAIL_BYTES = 64 * 1024;
const MAX_ENDED_CALLS = 64;
const MAX_TERMINALS = 256;

/** So many bytes are in this base64. */
const bytesIn = (data: string): number => Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);

/** A piece of more characters is cut when it comes. */
const LONG_PIECE = 4 * TAIL_BYTES;
const endOf = (piece: string): string => Buffer.from(piece, 'base64').subarray(-TAIL_BYTES).toString('base64');

/** The end of an output, in pieces of base64 as they came: only who reads it looks into them. */
class Tail {
  #pieces: string[] = [];
  /** The first piece that is kept. */
  #first = 0;
  #size = 0;
  #isCut = false;

  add(data: string): void {
    const isLong = data.length > LONG_PIECE;
    const piece = isLong ? endOf(data) : data;
    this.#isCut ||= isLong;
    this.#pieces.push(piece);
    this.#size += bytesIn(piece);
    while (this.#size - bytesIn(this.#pieces[this.#first] as string) >= TAIL_BYTES) this.#forgetFirst();
    if (2 * this.#first < this.#pieces.length) return;
    this.#pieces = this.#pieces.slice(this.#first);
    this.#first = 0;
  }

  #forgetFirst(): void {
    this.#size -= bytesIn(this.#pieces[this.#first] as string);
    this.#pieces[this.#first++] = '';
    this.#isCut = true;
  }

  /** In base64. It does not begin within a character. */
  read(): string {
    const all = Buffer.concat(this.#pieces.map((piece) => Buffer.from(piece, 'base64')));
    const tail = all.subarray(Math.max(0, all.length - TAIL_BYTES));
    const isCut = this.#isCut || tail.length < all.length;
    let from = 0;
    while (isCut && from < 4 && (Number(tail[from]) & 0xc0) === 0x80) from++;
    return tail.subarray(from).toString('base64');
  }
}

const withPatch = (before: JsonObject, patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));

/** Members of an update that are no members of the call. */
const ofUpdate: ReadonlySet<string> = new Set(['sessionUpdate', 'toolCallId', '_meta']);

/** The call after an update: `null` clears a member, and `_meta` is patched by key. */
function patched(call: JsonObject, update: JsonObject): JsonObject {
  const next: Record<string, unknown> = { ...call };
  for (const key of Object.keys(update)) {
    if (ofUpdate.has(key)) continue;
    if (update[key] === null) delete next[key];
    // That name would not become a member.
    else if (key === '__proto__') Object.defineProperty(next, key, { value: update[key], writable: true, enumerable: true, configurable: true });
    else next[key] = update[key];
  }
  if (isObject(update._meta)) next._meta = withPatch(isObject(call._meta) ? call._meta : {}, update._meta);
  else if (update._meta === null) delete next._meta;
  else if (update._meta !== undefined) next._meta = update._meta;
  return next;
}

const showsTerminal = (content: readonly unknown[], terminal: string): boolean => content.some((part) => at(part, 'terminalId') === terminal);

/** The call's content with a terminal of ours in it. */
export function withTerminal(call: JsonObject, terminal: string): JsonObject {
  const content = arrayOf(call.content) ?? [];
  return showsTerminal(content, terminal) ? call : { ...call, content: [...content, { type: 'terminal', terminalId: terminal }] };
}

export class Shown {
  readonly #calls = new BoundedMap<string, JsonObject>();
  readonly #tails = new Map<string, Tail>();
  /** The calls that have ended, in the order of that: those that may be forgotten, and those that launched what lived when it was their turn. */
  readonly #ended = new Set<string>();
  readonly #keptEnded = new Set<string>();

  /** `isKept`: the call launched what lives. */
  constructor(private readonly isKept: (call: string) => boolean) {}

  /** All that is known of a call, without its id; `undefined`: nothing. */
  call = (id: string): JsonObject | undefined => this.#calls.get(id);

  /** The last bytes of a terminal's output, in base64; `undefined`: none came, or it has exited. */
  output = (terminal: string): string | undefined => this.#tails.get(terminal)?.read();

  /** An update that goes to the client. */
  saw(update: JsonObject): void {
    this.#rows[String(update.sessionUpdate)]?.(update);
  }

  readonly #rows: Readonly<Record<string, (update: JsonObject) => void>> = {
    tool_call_update: (update) => this.#put(String(update.toolCallId), (call) => patched(call, update)),
    tool_call_content_chunk: (update) => this.#put(String(update.toolCallId), (call) => ({ ...call, content: [...(arrayOf(call.content) ?? []), update.content] })),
    terminal_update: (update) => this.#terminal(String(update.terminalId), update),
    terminal_output_chunk: (update) => this.#output(String(update.terminalId), stringOf(update.data) ?? ''),
  };

  #put(id: string, change: (call: JsonObject) => JsonObject): void {
    const call = change(this.#calls.get(id) ?? {});
    kept(call.content);
    kept(call.rawOutput);
    this.#calls.set(id, call);
    this.#ended.delete(id);
    this.#keptEnded.delete(id);
    if (!isFinalStatus(stringOf(call.status))) return;
    this.#ended.add(id);
    this.#forgetCalls();
  }

  #forgetCalls(): void {
    // Of those that were kept one is looked at again with each end.
    const [oldest] = this.#keptEnded;
    if (oldest !== undefined) {
      this.#keptEnded.delete(oldest);
      this.#forget(oldest);
    }
    for (const id of this.#ended) {
      if (this.#ended.size <= MAX_ENDED_CALLS) return;
      this.#ended.delete(id);
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    if (this.isKept(id)) this.#keptEnded.add(id);
    else this.#calls.delete(id);
  }

  #terminal(id: string, update: JsonObject): void {
    const data = stringOf(at(update.output, 'data'));
    if (update.output !== undefined || isObject(update.exitStatus)) this.#tails.delete(id);
    if (data !== undefined && !isObject(update.exitStatus)) this.#output(id, data);
  }

  #output(id: string, data: string): void {
    const tail = this.#tails.get(id) ?? new Tail();
    this.#tails.set(id, tail);
    tail.add(data);
    for (const oldest of this.#tails.keys()) {
      if (this.#tails.size <= MAX_TERMINALS) return;
      this.#tails.delete(oldest);
    }
  }
}
