/**
 * What arrives in one direction: bytes to lines, lines to messages. What nobody wants goes straight
 * to the way out, unparsed; what is no message is diverted. Knows what the tables want, runs no hook.
 */
import { constants, type Buffer } from 'node:buffer';
import type { Direction } from '../plugin.js';
import { Forms } from '../wire/forms.js';
import { Frame, type Head } from '../wire/frame.js';
import { bufferOf, Lines } from '../wire/lines.js';
import type { Outbox } from '../wire/outbox.js';
import { Peek } from '../wire/peek.js';
import { afterMark, afterMessages, hasMessageShape, isBatch, isStray, startsAsMessage } from '../wire/shape.js';
import { kinds, type Table } from './compile.js';
import { Asked, isId, type OpenRequests } from './pending.js';
import type { Item, LineRange } from './queue.js';

const LF = 10;
const lineEnd = Uint8Array.of(LF);
/** From this many bytes on the beginning of a line may leave before its end is there. */
const longLine = 4 * 1024;
/** After a read of this size more is on its way: a line that it cuts leaves as soon as it is known to be a message. */
const fullRead = 32 * 1024;
const messageHead = 32;

export interface IntakePorts {
  readonly direction: Direction;
  readonly outbox: Outbox;
  /** The requests of this direction that were sent on. */
  readonly requests: OpenRequests;
  /** The requests whose replies travel in this direction. */
  readonly answered: OpenRequests;
  /** Takes lines that are no message; `undefined`: they pass. */
  readonly stray: ((line: Uint8Array) => void) | undefined;
  /** Whether an id is one that plugins ask with: replies to it reach nobody else, also the second one. */
  readonly isOurs: (idText: string) => boolean;
  /** Answers whoever sent a batch that it is none of ACP's. */
  readonly refuseBatch: () => void;
  readonly now: () => number;
  /** A line of more bytes passes unlooked at. Default: what fits into a string. */
  readonly longestText?: number | undefined;
}

/** Places in a buffer as places in the line that starts there. */
const placesFrom = (start: number, places: readonly number[]): readonly number[] => (places.length === 0 || start === 0 ? places : places.map((place) => place - start));

export class Intake {
  /** Replies in the other direction have hooks: requests of this one have to be remembered. */
  remembers = false;
  /** No more bytes will come. */
  ended = false;
  readonly #ports: IntakePorts;
  #lines = new Lines();
  /** Bytes of a line that may leave before its end is there. */
  #cutFrom = longLine;
  #table: Table;
  readonly #peek = new Peek(kinds);
  /** The forms of notifications that nobody wants. */
  readonly #unwanted = new Forms(['method', ...kinds.path]);

  constructor(table: Table, ports: IntakePorts) {
    this.#table = table;
    this.#ports = ports;
  }

  get table(): Table {
    return this.#table;
  }

  set table(table: Table) {
    this.#table = table;
    this.#unwanted.forget();
  }

  get unread(): number {
    return this.#lines.unread;
  }

  /**
   * Takes a read. `isFirst`: no other message is at hand or waits; then what nobody wants goes on at once.
   * False: nothing of it is left to be looked at.
   */
  push(chunk: Uint8Array, isFirst: boolean): boolean {
    this.#cutFrom = chunk.length < fullRead ? longLine : messageHead;
    const bytes = bufferOf(chunk);
    const from = isFirst && this.#isPlain && this.#lines.isEmpty ? this.#passRead(bytes) : 0;
    this.#lines.push(bytes, from);
    return from < bytes.length;
  }

  /** Forgets what was not looked at. A line that has begun to go on ends here. */
  forget(): void {
    if (this.#lines.midLine) this.#ports.outbox.pass(lineEnd, 0, lineEnd.length);
    this.#lines = new Lines();
  }

  /** The beginning of a line went on already, and its end has not come yet. */
  get midLine(): boolean {
    return this.#lines.midLine;
  }

  /** The next message that somebody wants; `passed`: something went on, ask again; `undefined`: nothing is there. */
  next(): Item | 'passed' | undefined {
    const lines = this.#lines;
    const plain = this.#isPlain;
    const found = (plain ? lines.block() : lines.next()) || (this.ended && lines.last());
    if (!found) {
      lines.release();
      this.#unwanted.release();
      return (plain || lines.begun > this.#longestText) && this.#passBeginning() ? 'passed' : undefined;
    }
    const { buffer, start, end } = lines;
    if (lines.isRest || end - start > this.#longestText) this.#ports.outbox.pass(buffer, start, end);
    else if (plain) this.#passBlock(buffer, start, end);
    else if (!this.#passUnwanted(buffer, start)) return this.#wanted(buffer, start, end) ?? 'passed';
    return 'passed';
  }

  /** Whether the reply to this request of the peer has to be known: somebody wants it, or it looks like one of ours. */
  hasToRemember(idText: string): boolean {
    return this.remembers || this.#ports.isOurs(idText);
  }

  /** Takes back a message whose line turned out to be no JSON. */
  reject({ frame, asked, line }: Item): void {
    if (line === undefined) return;
    const { stray, outbox, answered } = this.#ports;
    if (frame.kind === 'reply' && asked !== undefined) answered.add(asked);
    if (stray === undefined) outbox.pass(line.buffer, line.start, line.end);
    else stray(line.buffer.subarray(line.start, line.end));
  }

  /** Nobody wants anything of this direction. */
  get #isPlain(): boolean {
    return !this.#table.hasCalls && !this.#table.hasReplies && !this.#table.hasBatchRules && !this.remembers && this.#ports.answered.own === 0;
  }

  /** Sends on the beginning of a read that nobody wants, as far as it is sound; returns its length. */
  #passRead(bytes: Buffer): number {
    const lines = this.#lines;
    const { outbox, stray } = this.#ports;
    let end = 0;
    if (lines.midLine) {
      end = bytes.indexOf(LF) + 1 || bytes.length;
      lines.midLine = bytes[end - 1] !== LF;
    }
    if (!lines.midLine) {
      end = stray === undefined ? bytes.lastIndexOf(LF) + 1 || end : afterMessages(bytes, end);
      if (this.#mayCut(bytes, end)) {
        end = bytes.length;
        lines.midLine = true;
      }
    }
    if (end > 0) outbox.pass(bytes, 0, end);
    return end;
  }

  /** What comes here is the beginning of a line, and may leave before the rest is there. */
  #mayCut(bytes: Buffer, from: number): boolean {
    if (bytes.length - from < this.#cutFrom || bytes.indexOf(LF, from) !== -1) return false;
    return this.#ports.stray === undefined || startsAsMessage(bytes, from, bytes.length);
  }

  get #longestText(): number {
    return this.#ports.longestText ?? constants.MAX_STRING_LENGTH;
  }

  /** A long line does not wait for its end when nobody wants it and its beginning is that of a message. */
  #passBeginning(): boolean {
    const lines = this.#lines;
    if (lines.begun < this.#cutFrom) return false;
    const { stray, outbox } = this.#ports;
    const isReadable = lines.begun <= this.#longestText;
    if (isReadable && stray !== undefined && !startsAsMessage(lines.beginning, 0, lines.beginning.length)) return false;
    for (const part of lines.cut()) outbox.pass(part, 0, part.length);
    return true;
  }

  #passBlock(buffer: Buffer, start: number, end: number): void {
    const { outbox, stray } = this.#ports;
    if (stray === undefined) {
      outbox.pass(buffer, start, end);
      return;
    }
    let from = start;
    for (let line = start; line < end; ) {
      const found = buffer.indexOf(LF, line);
      const next = found === -1 ? end : found + 1;
      if (!hasMessageShape(buffer, line, next) && this.#isStray(buffer, afterMark(buffer, line, next), next)) {
        if (from < line) outbox.pass(buffer, from, line);
        from = next;
        stray(buffer.subarray(line, next));
      }
      line = next;
    }
    if (from < end) outbox.pass(buffer, from, end);
  }

  /** Sends on the lines from here on whose form tells that nobody wants them. False: there is none. */
  #passUnwanted(buffer: Buffer, start: number): boolean {
    const end = this.#unwanted.afterKnown(buffer, start);
    if (end === start) return false;
    this.#lines.extend(end);
    this.#ports.outbox.pass(buffer, start, end);
    return true;
  }

  #wanted(buffer: Buffer, start: number, end: number): Item | undefined {
    const peek = this.#peek;
    const { stray, outbox } = this.#ports;
    const text = afterMark(buffer, start, end);
    if (this.#isStray(buffer, text, end) && stray !== undefined) {
      stray(buffer.subarray(start, end));
      return undefined;
    }
    if (this.#table.hasBatchRules && isBatch(buffer, text, end) && this.#table.refusesBatches()) {
      this.#ports.refuseBatch();
      return undefined;
    }
    const found = peek.sure ? this.#message(buffer, text, { buffer, start, end }) : 'unwanted';
    if (found === 'unwanted') outbox.pass(buffer, start, end);
    return typeof found === 'string' ? undefined : found;
  }

  /** Looks at the line; only one that is not plainly a message is parsed to know. */
  #isStray(buffer: Buffer, start: number, end: number): boolean {
    const peek = this.#peek;
    peek.look(buffer, start, end);
    return !(peek.sure && peek.isMessage) && this.#ports.stray !== undefined && isStray(buffer, start, end);
  }

  /** The message, whose text begins at `text`; `forNobody`: a second reply to a request of ours. */
  #message(buffer: Buffer, text: number, line: LineRange): Item | 'unwanted' | 'forNobody' {
    const { method, idStart } = this.#peek;
    if (method !== undefined) return this.#call(buffer, text, line, method);
    return idStart === -1 ? 'unwanted' : this.#reply(buffer, text, line);
  }

  #call(buffer: Buffer, text: number, line: LineRange, method: string): Item | 'unwanted' {
    const { kind, idStart, plainNumbers, longStrings } = this.#peek;
    const steps = this.#table.callSteps(method, kind);
    const idText = idStart === -1 ? undefined : this.#idText(buffer);
    if (idText !== undefined && !isId(idText)) return 'unwanted';
    if (steps.length === 0) {
      if (idText === undefined) this.#unwanted.learn(buffer, text, line.end);
      else if (this.hasToRemember(idText)) this.#ports.requests.add(this.#asked(idText, method));
      return 'unwanted';
    }
    const head: Head = { kind: idText === undefined ? 'notification' : 'request', method, idText };
    const frame = Frame.ofLine(buffer.subarray(text, line.end), head, plainNumbers, placesFrom(text, longStrings));
    const asked = idText === undefined ? undefined : this.#asked(idText, method);
    return { at: 0, frame, asked, steps, line };
  }

  #asked(idText: string, method: string): Asked {
    const asked = new Asked(idText, this.#ports.direction, undefined);
    asked.looksFrom(0, method, this.#ports.now());
    return asked;
  }

  #reply(buffer: Buffer, text: number, line: LineRange): Item | 'unwanted' | 'forNobody' {
    const { answered, isOurs } = this.#ports;
    const { answers, plainNumbers } = this.#peek;
    const idText = this.#idText(buffer);
    const looksOurs = isOurs(idText);
    // An answer to us that has neither result nor error is one all the same: nobody else can make sense of it.
    const asked = answered.empty || !isId(idText) || !(answers || looksOurs) ? undefined : answered.take(idText);
    if (asked === undefined) return looksOurs ? 'forNobody' : 'unwanted';
    const steps = this.#table.replySteps(asked, 0);
    if (steps.length === 0 && asked.owner === undefined) return 'unwanted';
    const frame = Frame.ofLine(buffer.subarray(text, line.end), { kind: 'reply', method: '', idText }, plainNumbers);
    return { at: 0, frame, asked, steps, line };
  }

  #idText(buffer: Buffer): string {
    return buffer.toString('utf8', this.#peek.idStart, this.#peek.idEnd);
  }
}
