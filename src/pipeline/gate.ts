/**
 * The gate before a lane: shut as long as a plugin holds back what arrives. The end of the input
 * waits before it too, but not for ever. Knows who shuts it, not what waits.
 */

/** The end of the input waits this long. Milliseconds. */
const patience = 10_000;

export interface GatePorts {
  /** It may have opened. */
  readonly opened: () => void;
  readonly after: (ms: number, run: () => void) => () => void;
}

export class Gate {
  readonly #ports: GatePorts;
  readonly #holds = new Set<() => void>();
  #ended = false;

  constructor(ports: GatePorts) {
    this.#ports = ports;
  }

  get isShut(): boolean {
    return this.#holds.size > 0;
  }

  /** Shuts it, until the function that it returns is called. */
  hold(): () => void {
    const release = (): void => {
      if (this.#holds.delete(release)) this.#ports.opened();
    };
    this.#holds.add(release);
    if (this.#ended) this.#openInTime();
    return release;
  }

  /** The end of the input stands before it. */
  end(): void {
    this.#ended = true;
    if (this.isShut) this.#openInTime();
  }

  #openInTime(): void {
    this.#ports.after(patience, () => {
      for (const release of [...this.#holds]) release();
    });
  }
}
