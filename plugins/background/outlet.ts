/**
 * Where updates to the client go, for all sessions of a connection in one order: into the answer to
 * the message at hand while there is one, else at once.
 */
import type { Host, Outgoing } from 'afterturn/plugin';

export class Outlet {
  #out: Outgoing[] | undefined;

  /** What `run` sends, in order. */
  collect(run: () => void): readonly Outgoing[] {
    const before = this.#out;
    const out: Outgoing[] = [];
    this.#out = out;
    try {
      run();
    } finally {
      this.#out = before;
    }
    return out;
  }

  send(host: Host, message: { readonly method: string; readonly params: unknown }): void {
    if (this.#out === undefined) host.notify('toClient', message.method, message.params, 'list');
    else this.#out.push(message);
  }

  /** The message at hand goes on here, if there is one. */
  keep(message: Outgoing): void {
    this.#out?.push(message);
  }
}
