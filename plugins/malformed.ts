/** Names what is malformed once per kind and session, and the totals at the end. Never its contents. */
import type { Log } from 'afterturn/plugin';

export interface Malformed {
  /** `problem` says what was expected and what came, by types and key names. */
  report(session: string, kind: string, problem: string): void;
  /** Logs the totals. */
  close(): void;
}

const MAX_NAMED = 1000;

/** `became`: what happens to it, where it is not left out of what the client is told. */
export function countMalformed(log: () => Log | undefined, became = 'It was left out'): Malformed {
  const named = new Set<string>();
  const totals = new Map<string, number>();
  return {
    report(session, kind, problem) {
      totals.set(kind, (totals.get(kind) ?? 0) + 1);
      const key = JSON.stringify([session, kind]);
      if (named.has(key) || named.size >= MAX_NAMED) return;
      named.add(key);
      log()?.warn(`malformed ${kind} of session ${session}: ${problem}. ${became}; further ones of this session are only counted.`);
    },
    close() {
      for (const [kind, total] of totals) log()?.warn(`malformed ${kind}: ${total} in all.`);
    },
  };
}
