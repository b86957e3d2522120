/** Recordings of an agent that reports background work itself, through all built-in plugins, line by line. */
import { builtInPlugins } from '../../../plugins/index.js';
import { GAPS, type Gap } from '../../../src/state/index.js';
import { withMethods } from '../../../src/check/validity.js';
import { changedIn, lineByLine, type Passed } from '../../tools/line-by-line.js';
import { loadRecording, type RecordedMessage } from '../../tools/recording.js';
import { listOf, objectOf, rawMessage, updateOf, type Json } from '../../tools/updates.js';

export const AGENT = ['claude-agent-acp'];

const wordsOf: Readonly<Record<string, (update: Json) => string>> = {
  state_update: ({ state, stopReason, background }) => [state, stopReason, `lists ${listOf(background).length}`].filter(Boolean).join(' '),
  tool_call_update: ({ status }) => `call ${String(status)}`,
};

/** A message in a few words. */
function described(record: RecordedMessage, method: string | undefined): string {
  const update = updateOf(record)?.update;
  const raw = rawMessage(record);
  if (update !== undefined) return wordsOf[String(update.sessionUpdate)]?.(update) ?? String(update.sessionUpdate);
  if (raw !== undefined) return `feed ${String(raw.subtype)} ${String(objectOf(raw.patch).status ?? '')}`.trim();
  return record.msg.method ?? `answer ${String(method)}`;
}

export interface Played {
  /** The messages that did not pass as they came, in a few words, with their places. */
  readonly changed: readonly string[];
  readonly passed: readonly Passed[];
  readonly log: readonly string[];
}

/** `name`: of `test/corpus/claude`. What is said too late to be about any message is the last one. */
export function played(name: string, fills: readonly Gap[] = GAPS): Played {
  const recording = loadRecording(name);
  const plugins = builtInPlugins({ agentProtocol: 'v2', source: 'auto', fills, followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: AGENT });
  const { passed, rest, log } = lineByLine(recording, plugins, AGENT);
  const methods = withMethods(recording);
  // A line that comes with the time is the one that was held, and is told of there.
  const changed = changedIn(passed).filter(({ said, got }) => got.length !== 1 || got[0] !== said);
  const late = [...passed.flatMap((each) => each.late), ...rest];
  const held = new Set(changed.filter(({ got }) => got.length === 0).map(({ said }) => said));
  const unknown = late.filter((line) => !held.has(line)).map((line) => `late ${line}`);
  return { changed: [...changed.map(({ record }) => `${passed.findIndex((each) => each.record === record)} ${described(record, methods[recording.indexOf(record)]?.method)}`), ...unknown], passed, log };
}
