/**
 * Which tool calls are background work that the client has on its list: known to whoever makes the
 * lists, asked by whoever tells the client what the agent wants to know.
 */
export interface ListedWork {
  /**
   * Whether the call is listed work, or launched it. If it is, the client is told of the list first:
   * what the asker says next comes after it.
   */
  covers(session: string, toolCallId: string): boolean;
}

/** The one place where the two meet. Until somebody makes lists, nothing is listed. */
export class ListedBoard implements ListedWork {
  #covers: ListedWork['covers'] = () => false;

  provide(covers: ListedWork['covers']): void {
    this.#covers = covers;
  }

  covers(session: string, toolCallId: string): boolean {
    return this.#covers(session, toolCallId);
  }
}
