/**
 * Why what a v2 client learns of a Codex that is spoken to in v2 differs from what it learns where Codex is
 * spoken to in v1. The list is closed: a difference that no row explains is a fault.
 */
import { factOf, same, type Compared, type Explanation } from './compare-facts.js';
import { listOf, objectOf } from './updates.js';

export type CodexV2Reason =
  | 'says-null' | 'tells-whole-output' | 'stopped-after-loss' | 'fails-what-is-open' | 'stands-in' | 'names-plan' | 'diff-file-type' | 'call-fields' | 'run-differs';

const withoutNull = (value: unknown): unknown => Object.fromEntries(Object.entries(objectOf(value)).filter(([, member]) => member !== null));
/** Lost at a prompt, and stopped later: the whole output is the content of its call. */
function isStoppedAfterLoss(it: Compared): boolean {
  const content = listOf(factOf(it.facts.ours, it.session, `calls/${it.id}/content`)).map(objectOf);
  return content.length === 1 && content[0]?.type === 'content' && same(factOf(it.facts.ours, it.session, `terminals/${it.id}/exitStatus`), {});
}
const own = (id: string): string => `afterturn:${id.replace(/^terminal:/, '').replace(/^afterturn:/, '')}`;
/** Codex called the terminal exited before it announced that its work goes on: one of ours shows it. */
const isStoodIn = (it: Compared): boolean => it.facts.ours.has(`${it.session}/items/terminal:${own(it.id)}/order`);
const withOwn = (lists: unknown, id: string): unknown => JSON.parse(JSON.stringify(lists).replaceAll(`terminal:afterturn:${id}`, `terminal:${id}`)) as unknown;

function standsIn(it: Compared): boolean {
  if (it.group === 'lists') return same(withOwn(it.ours, 'call_mock_0001'), it.native);
  if (!isStoodIn(it) || !['items', 'terminals'].includes(it.group)) return false;
  const theirs = it.id.replace('afterturn:', '');
  // The same life under another id; what it prints from then on is lost.
  if (it.group === 'items') return same(factOf(it.facts.ours, it.session, `items/terminal:${own(it.id)}/${it.name}`), factOf(it.facts.native, it.session, `items/${theirs}/${it.name}`));
  if (it.id.startsWith('afterturn:')) return it.native === undefined && (it.name === 'output' || same(it.ours, factOf(it.facts.native, it.session, `terminals/${theirs}/${it.name}`)));
  return it.name === 'output' && String(it.native).startsWith(String(it.ours));
}

const REFUSED: readonly unknown[] = [undefined, ['terminal/cancel', -32602], ['tool_call/cancel', -32602]];
const isUnasked = ({ session, native, ours }: Compared): boolean => session === 'errors' && [native, ours].every((error) => REFUSED.some((refused) => same(error, refused)));

export const codexV2Reasons: readonly Explanation<CodexV2Reason>[] = [
  { reason: 'stands-in', rule: 'a failing turn closes its open calls and terminals, and then announces that their work goes on: it is shown in a terminal of ours', explains: standsIn },
  {
    reason: 'says-null',
    rule: 'of a foreground command it says null for what it does not know of the exit',
    explains: (it) => it.group === 'terminals' && it.name === 'exitStatus' && same(withoutNull(it.ours), it.native),
  },
  {
    reason: 'tells-whole-output',
    rule: 'it loses a background terminal at the next prompt and tells the whole output at its end, with the first lines, which the stream of v1 misses',
    explains: (it) => it.group === 'terminals' && it.name === 'output' && String(it.ours).endsWith(String(it.native)) && listOf(factOf(it.facts.ours, it.session, `items/terminal:${it.id}/order`)).includes('settle'),
  },
  {
    reason: 'stopped-after-loss',
    rule: 'the terminal of a stopped command has its end before the output is told: that stays the content of the call',
    explains: (it) =>
      isStoppedAfterLoss(it) && ((it.group === 'calls' && (it.name === 'content' || it.name === 'rawOutput')) || (it.group === 'terminals' && it.name === 'output' && String(it.native).startsWith(String(it.ours)))),
  },
  {
    reason: 'fails-what-is-open',
    rule: 'a cancelled turn fails the call that waits for a permission',
    explains: (it) => it.group === 'calls' && it.name === 'status' && it.native === 'cancelled' && it.ours === 'failed' && listOf(factOf(it.facts.ours, it.session, 'states')).includes('idle cancelled'),
  },
  { reason: 'names-plan', rule: 'the one plan of v1 has no id', explains: (it) => it.group === 'plan' && same({ ...objectOf(it.ours), planId: 'plan' }, it.native) },
  {
    reason: 'diff-file-type',
    rule: 'a diff of v1 is text',
    explains: (it) => it.group === 'calls' && it.name === 'content' && it.native !== undefined && it.ours !== undefined && same(JSON.parse(JSON.stringify(it.native).replaceAll(',"fileType":"text"', '')), it.ours),
  },
  {
    reason: 'call-fields',
    rule: 'of calls that start subagents it tells a status more, and not the prompt',
    explains: (it) =>
      it.group === 'calls' && ((it.name === 'rawInput' && same({ ...objectOf(it.native), status: 'completed' }, it.ours)) || (it.name === 'content' && it.ours === undefined && factOf(it.facts.ours, it.session, `calls/${it.id}/kind`) === 'other')),
  },
  {
    reason: 'run-differs',
    rule: 'two runs of one scenario: when tokens were counted, how much was printed before the end; the recorded agent was never asked for a stop',
    explains: (it) =>
      (it.group === 'turns' && it.name === 'usage' && it.native !== undefined && it.ours !== undefined) || isUnasked(it) ||
      (it.group === 'terminals' && it.name === 'output' && String(it.ours).startsWith(String(it.native)) && same(factOf(it.facts.ours, it.session, `terminals/${it.id}/exitStatus`), {})),
  },
];
