/**
 * Contents as attributes, where they are asked for: what a background item does, in words of the agent
 * and the user. Bounded; knows nothing of messages.
 */
import { defined } from '../protocol/index.js';
import type { Item } from './ledger-types.js';
import { Attribute } from './trace-names.js';
import type { SessionTrace, TraceAttributes } from './trace-types.js';

/** How long the text of an attribute may be, in UTF-16 code units. */
export const LONGEST_CONTENT = 8192;

/** The text, or its beginning with the mark of what is missing. */
export function boundedContent(text: string): string {
  if (text.length <= LONGEST_CONTENT) return text;
  return `${text.slice(0, LONGEST_CONTENT - 1).replace(/[\uD800-\uDBFF]$/, '')}\u2026`;
}

const bounded = (text: string | undefined): string | undefined => (text === undefined ? undefined : boundedContent(text));

/** What is known of the command of an item that is a terminal: by its launching call, and the terminals that this shows. */
function runOf(item: Item, { runs, calls }: SessionTrace): { readonly command?: string; readonly cwd?: string } {
  const { toolCallId } = item;
  if (item.kind !== 'terminal' || toolCallId === undefined) return {};
  return [toolCallId, ...(calls.get(toolCallId)?.terminals ?? [])].reduce((known, id) => ({ ...known, ...runs.get(id) }), {});
}

/** What an item is, and where its output goes. */
export function itemContent(item: Item, trace: SessionTrace): TraceAttributes {
  const { command, cwd } = runOf(item, trace);
  return defined({
    [Attribute.backgroundTitle]: bounded(item.title ?? item.description),
    [Attribute.backgroundSummary]: bounded(item.summary),
    [Attribute.outputFile]: bounded(item.outputFile),
    [Attribute.commandLine]: bounded(command),
    [Attribute.workingDirectory]: bounded(cwd),
  }) as TraceAttributes;
}
