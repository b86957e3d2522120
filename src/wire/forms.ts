/**
 * The forms of lines that need no look at their structure: each was met in a line that was looked at, and
 * what held for that line holds for all of its form. Most of what an agent sends has one of a few forms,
 * and a form is compared many bytes at a time. Knows lines, and not why a line is of no interest.
 */
import type { Buffer } from 'node:buffer';
import { Form } from './form.js';

const LF = 10;
/** So many forms are remembered. One that comes new takes the place of the one that was met least recently. */
const formLimit = 6;
/** Longer lines are no examples: a look at their structure costs little beside the rest that they cost. */
const exampleLimit = 2048;
/** Examples cost more than a look. Beyond so many, each has to be of use to four lines. */
const examplesOnTrust = 32;
const uses = 4;

const noBytes = new DataView(new ArrayBuffer(0));

export class Forms {
  readonly #fixedKeys: readonly string[];
  /** The one that was met last comes first. */
  #forms: Form[] = [];
  #met = 0;
  #examples = 0;
  #buffer: Buffer | undefined;
  #view: DataView = noBytes;

  /** `fixedKeys`: the keys whose texts are the same in all lines of a form. */
  constructor(fixedKeys: readonly string[]) {
    this.#fixedKeys = fixedKeys;
  }

  /** The index after the last of the whole lines from `from` on that, one after the other, have a known form. */
  afterKnown(lines: Buffer, from: number): number {
    if (this.#forms.length === 0) return from;
    const view = this.#viewOf(lines);
    let at = from;
    for (let end = lines.indexOf(LF, at); end !== -1; end = lines.indexOf(LF, at)) {
      if (!this.#isKnown(lines, view, at, end)) break;
      at = end + 1;
    }
    return at;
  }

  /** Takes a line of sound structure as an example. */
  learn(line: Buffer, start: number, end: number): void {
    if (end - start > exampleLimit || line[end - 1] !== LF || this.#examples > examplesOnTrust + this.#met / uses) return;
    this.#examples++;
    if (this.#forms.some((form) => form.widen(line, start, end - 1))) return;
    const form = Form.of(line.subarray(start, end - 1), this.#fixedKeys);
    if (form !== undefined) this.#forms = [form, ...this.#forms.slice(0, formLimit - 1)];
  }

  /** Forgets all of them. */
  forget(): void {
    this.#forms = [];
    this.#met = this.#examples = 0;
  }

  /** Lets go of the bytes that were looked at last. */
  release(): void {
    this.#buffer = undefined;
    this.#view = noBytes;
  }

  #isKnown(lines: Buffer, view: DataView, start: number, end: number): boolean {
    const forms = this.#forms;
    for (let i = 0; i < forms.length; i++) {
      const form = forms[i] as Form;
      if (!form.fits(lines, view, start, end)) continue;
      if (i > 0) this.#forms = [form, ...forms.filter((other) => other !== form)];
      this.#met++;
      return true;
    }
    return false;
  }

  #viewOf(buffer: Buffer): DataView {
    if (this.#buffer !== buffer) {
      this.#buffer = buffer;
      this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    }
    return this.#view;
  }
}
