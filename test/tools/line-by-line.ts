/**
 * A recording played line by line: each message is said at its recorded time, and what the other side
 * then gets is noted beside it. For what passes through as it came, byte for byte.
 */
import type { Plugin } from '../../src/plugin.js';
import { wired, type Wired } from '../pipeline/harness.js';
import { objectOf } from './updates.js';
import type { RecordedMessage } from './recording.js';

/** What a message of the recording became on the other side. */
export interface Passed {
  readonly record: RecordedMessage;
  /** The line as it was said. */
  readonly said: string;
  /** The lines that the other side got because of it. */
  readonly got: readonly string[];
  /** Lines that both sides got before it, with the time that passed: nothing made them but that. */
  readonly late: readonly string[];
}

/** Long enough for every timer. */
const QUIET_MS = 10_000;

/** The ids by which the agent knows requests: some are asked again under another id. */
class AgentIds {
  readonly #ids = new Map<unknown, unknown>();

  asked(asked: unknown, lines: readonly string[]): void {
    const { id } = objectOf(JSON.parse(lines.at(-1) ?? '{}') as unknown);
    if (id !== undefined) this.#ids.set(asked, id);
  }

  of = (id: unknown): unknown => this.#ids.get(id) ?? id;
}

export function lineByLine(recording: readonly RecordedMessage[], plugins: readonly Plugin[], agentCommand: readonly string[]): { readonly passed: readonly Passed[]; readonly rest: readonly string[]; readonly log: Wired['log'] } {
  const on = wired(plugins, { agentCommand });
  const ids = new AgentIds();
  const others = (): string[] => [...on.client.receivedLines(), ...on.agent.receivedLines()];
  const passed = recording.map((record): Passed => {
    on.clock.advance(Math.max(0, record.t - on.clock.now()));
    const late = others();
    const isReply = record.msg.method === undefined;
    if (record.dir === 'c2a') {
      const said = JSON.stringify(record.msg);
      on.client.sends(said);
      const got = on.agent.receivedLines();
      if (!isReply && record.msg.id !== undefined) ids.asked(record.msg.id, got);
      return { record, said, got, late: [...late, ...on.client.receivedLines()] };
    }
    const said = JSON.stringify(record.msg);
    on.agent.sends(isReply ? { ...record.msg, id: ids.of(record.msg.id) } : said);
    return { record, said, got: on.client.receivedLines(), late: [...late, ...on.agent.receivedLines()] };
  });
  on.clock.advance(QUIET_MS);
  return { passed, rest: others(), log: on.log };
}

/** The messages that did not simply pass. */
export const changedIn = (passed: readonly Passed[]): readonly Passed[] => passed.filter(({ said, got, late }) => late.length > 0 || got.length !== 1 || got[0] !== said);
