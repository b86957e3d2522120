/**
 * The agent, and after a restart the next one in its place: to the outside they are one. What is
 * written while none is there waits for the next; of the old one neither bytes nor its exit count.
 * Knows processes and bytes, not why an agent is started again.
 */
import type { Log } from '../plugin.js';
import { startAgent, type Agent, type ProcessEnd } from './agent.js';
import { settledWithin } from './patience.js';
import { createSink, type Sink, type SinkEvents } from './sink.js';

export interface AgentEvents extends SinkEvents {
  /** Bytes of its stdout. False: pause, until `resume`. */
  output(chunk: Buffer): boolean;
}

/** How long an agent that is to go may take to see the end of its input, then SIGTERM. Milliseconds. */
const graces = [['SIGTERM', 500], ['SIGKILL', 2000]] as const;

/** What the next agent is told first. */
interface Waiting {
  readonly writes: Uint8Array[];
  ended: boolean;
  /** A signal asked us to end meanwhile: there will be no next one. */
  stopped: boolean;
}

export class Agents {
  /** The end of the last agent, and of its output. */
  readonly exited: Promise<ProcessEnd>;
  readonly over: Promise<void>;
  readonly #command: readonly string[];
  readonly #events: AgentEvents;
  readonly #log: Log;
  #agent: Agent;
  #sink: Sink | undefined;
  #waiting: Waiting | undefined;
  #hasExited = false;
  #isExited!: (end: ProcessEnd) => void;
  #isOver!: () => void;

  constructor(first: Agent, command: readonly string[], events: AgentEvents, log: Log) {
    this.#command = command;
    this.#events = events;
    this.#log = log;
    this.exited = new Promise((resolve) => (this.#isExited = resolve));
    void this.exited.then(() => (this.#hasExited = true));
    this.over = new Promise((resolve) => (this.#isOver = resolve));
    this.#agent = first;
    this.#sink = this.#attach(first);
  }

  write(bytes: Uint8Array): boolean {
    if (this.#sink !== undefined) return this.#sink.write(bytes);
    this.#waiting?.writes.push(bytes);
    return true;
  }

  endInput(): void {
    if (this.#waiting !== undefined) this.#waiting.ended = true;
    this.#sink?.end();
  }

  resume(): void {
    this.#agent.output.resume();
  }

  /** Reads nothing more. */
  stopReading(): void {
    this.#agent.output.destroy();
  }

  signal(name: NodeJS.Signals): void {
    if (this.#waiting !== undefined) this.#waiting.stopped = true;
    this.#agent.signal(name);
  }

  /** What the last agent left behind is ended too. */
  sweep(): Promise<void> {
    return this.#agent.sweep();
  }

  /** Ends the agent, first by the end of its input, and what it left behind. */
  async end(): Promise<void> {
    this.endInput();
    await ended(this.#agent, () => false);
    await this.sweep();
  }

  /** Ends the agent and starts its command again. False: it has ended by itself. */
  restart(): boolean {
    if (this.#waiting !== undefined || this.#hasExited) return false;
    const old = this.#agent;
    this.#waiting = { writes: [], ended: false, stopped: false };
    this.#sink?.end();
    this.#sink = undefined;
    old.output.resume();
    void this.#replace(old, this.#waiting);
    return true;
  }

  #isCurrent(agent: Agent): boolean {
    return this.#agent === agent && this.#waiting === undefined;
  }

  /** Joins the streams of an agent to the outside, as long as it is the one. */
  #attach(agent: Agent): Sink {
    const { output, exited } = agent;
    output.on('data', (chunk: Buffer) => {
      if (this.#isCurrent(agent) && !this.#events.output(chunk)) output.pause();
    });
    // A source that fails has ended: nothing more comes from it.
    for (const event of ['end', 'error', 'close']) output.on(event, () => void (this.#isCurrent(agent) && this.#isOver()));
    void exited.then((end) => void (this.#isCurrent(agent) && this.#isExited(end)));
    return createSink(agent.input, {
      drained: () => void (this.#isCurrent(agent) && this.#events.drained()),
      broken: (error) => void (this.#isCurrent(agent) && this.#events.broken(error)),
    });
  }

  async #replace(old: Agent, waiting: Waiting): Promise<void> {
    const end = await ended(old, () => waiting.stopped);
    old.output.destroy();
    void old.sweep();
    if (waiting.stopped) return this.#finish(end);
    try {
      const next = await startAgent(this.#command);
      this.#waiting = undefined;
      this.#agent = next;
      const sink = (this.#sink = this.#attach(next));
      for (const bytes of waiting.writes) sink.write(bytes);
      if (waiting.ended) sink.end();
      if (waiting.stopped) next.signal('SIGTERM');
    } catch (error) {
      this.#log.error(`the agent could not be started again: ${(error as Error).message}`);
      this.#finish({ code: 1, signal: null });
    }
  }

  #finish(end: ProcessEnd): void {
    this.#isOver();
    this.#isExited(end);
  }
}

/** Asks an agent whose input has ended to go, more firmly each time; leaves that to others once they do. */
async function ended(agent: Agent, isLeft: () => boolean): Promise<ProcessEnd> {
  for (const [signal, grace] of graces) {
    const isGone = await settledWithin(agent.exited, grace);
    if (isGone || isLeft()) break;
    agent.signal(signal);
  }
  return agent.exited;
}
