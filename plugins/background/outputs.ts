/**
 * The output files of one session's commands. What a command wrote last is due when it has ended, so
 * it is then looked for more often than files are else.
 */
import type { Host } from 'afterturn/plugin';
import { followOutput, type FollowedOutput } from './output.js';

/** Milliseconds between two looks for the rest of an output. */
const READ_ON_MS = 15;

export interface OutputPorts {
  readonly host: Host;
  send(update: object): void;
  /** The tasks whose end waits for their output. */
  awaited(): readonly string[];
  /** The last line of an awaited output is there. */
  completed(task: string): void;
}

export class Outputs {
  readonly #files = new Map<string, FollowedOutput>();
  #cancelReading: (() => void) | undefined;

  constructor(private readonly ports: OutputPorts) {}

  follow(task: string, path: string, terminalId: string): void {
    this.#files.get(task)?.close();
    const { ports } = this;
    this.#files.set(task, followOutput(ports.host, path, terminalId, (update) => ports.send(update), () => this.#grown(task)));
  }

  /** Reads and sends what is there now. */
  flush(task: string): void {
    this.#files.get(task)?.flush();
  }

  /** Reads and sends what is there now, and stops. */
  unfollow(task: string): void {
    this.flush(task);
    this.#files.get(task)?.close();
    this.#files.delete(task);
  }

  exitCode(task: string): number | undefined {
    return this.#files.get(task)?.exitCode();
  }

  /** Nothing more is to be expected of it. */
  isComplete(task: string): boolean {
    return this.#files.get(task)?.isComplete() ?? true;
  }

  /** Looks for what is awaited until it is there, or awaited no more. */
  readOn(): void {
    if (this.#cancelReading !== undefined || !this.ports.awaited().some((task) => this.#files.has(task))) return;
    this.#cancelReading = this.ports.host.after(READ_ON_MS, () => {
      this.#cancelReading = undefined;
      for (const task of this.ports.awaited()) this.flush(task);
      this.readOn();
    });
  }

  dispose(): void {
    this.#cancelReading?.();
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }

  #grown(task: string): void {
    if (this.isComplete(task) && this.ports.awaited().includes(task)) this.ports.completed(task);
  }
}
