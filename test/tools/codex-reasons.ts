/**
 * Why what a v2 client learns of Codex through the proxy differs from what Codex's own v2 tells. The
 * list is closed: a difference that no row explains is a fault.
 */
import { factOf, same, type Compared, type Explanation } from './compare-facts.js';
import { listOf, objectOf } from './updates.js';

export type CodexReason =
  | 'lists-no-background' | 'null-is-absent' | 'stop-has-no-code' | 'stopped-is-cancelled' | 'loses-terminal-at-prompt' | 'leaves-open' | 'answers-stop-otherwise' | 'output-goes-on'
  | 'asks-without-state' | 'names-plan' | 'diff-file-type' | 'run-differs';

const withoutNull = (value: unknown): unknown => Object.fromEntries(Object.entries(objectOf(value)).filter(([, member]) => member !== null));
const order = ({ facts, session }: Compared, terminal: string): unknown => factOf(facts.ours, session, `items/terminal:${terminal}/order`);
/** The command ran in the background, and its end was told. */
const wasListed = (it: Compared): boolean => listOf(order(it, it.id)).includes('settle');
/** A client's stop, a cancelled turn or the session's end reached it: nothing of an exit is told. */
const hasNoExit = (it: Compared): boolean => same(factOf(it.facts.ours, it.session, `terminals/${it.id}/exitStatus`), {});

/** The states in which work ended. */
const spans = (states: unknown): unknown[] => listOf(states).filter((state) => String(state).startsWith('idle'));

const REFUSED: readonly unknown[] = [['terminal/cancel', -32602], ['tool_call/cancel', -32602]];

/** At the next prompt Codex's v2 forgets the terminal, and puts the whole output into the call at its end. */
function isForgotten(it: Compared): boolean {
  const content = listOf(factOf(it.facts.native, it.session, `calls/${it.id}/content`)).map(objectOf);
  return content.length === 1 && content[0]?.type === 'content' && factOf(it.facts.native, it.session, `terminals/${it.id}/exitStatus`) === undefined && wasListed(it);
}

function forgets(it: Compared): boolean {
  if (!isForgotten(it)) return false;
  if (it.group === 'terminals') return it.name === 'exitStatus' ? it.native === undefined : it.name === 'output' && String(it.ours).startsWith(String(it.native));
  if (it.group !== 'calls') return false;
  return it.name === 'content' ? same(it.ours, [{ type: 'terminal', terminalId: it.id }]) : it.name === 'rawOutput' && it.ours === undefined;
}

export const codexReasons: readonly Explanation<CodexReason>[] = [
  {
    reason: 'lists-no-background',
    rule: 'its v2 has no background list and no cancel',
    explains: (it) =>
      (it.group === 'lists' && listOf(it.native).every((list) => same(list, ['not reported']))) || (it.group === 'items' && it.native === undefined) ||
      (it.group === 'terminals' && it.name === 'capabilities' && it.native === undefined),
  },
  {
    reason: 'null-is-absent',
    rule: 'in an exit status a member that is null says nothing',
    explains: (it) => it.group === 'terminals' && it.name === 'exitStatus' && it.native !== undefined && same(withoutNull(it.native), it.ours),
  },
  {
    reason: 'stop-has-no-code',
    rule: 'the code after a stop is made up: -1 or 137, as it happens',
    explains: (it) => it.group === 'terminals' && it.name === 'exitStatus' && wasListed(it) && hasNoExit(it) && [-1, 137].includes(Number(objectOf(it.native).exitCode)),
  },
  {
    reason: 'stopped-is-cancelled',
    rule: 'what was stopped did not fail',
    explains: (it) => it.group === 'calls' && it.name === 'status' && it.native === 'failed' && it.ours === 'cancelled' && hasNoExit(it),
  },
  { reason: 'loses-terminal-at-prompt', rule: 'its v2 loses a background terminal at the next prompt', explains: forgets },
  {
    reason: 'leaves-open',
    rule: 'it tells no end of the call and its terminal where the session is closed, or its process dies',
    explains: (it) =>
      (it.group === 'calls' && it.name === 'status' && it.native === 'in_progress' && it.ours === 'cancelled' && hasNoExit(it)) ||
      (it.group === 'terminals' && it.name === 'exitStatus' && it.native === undefined && same(it.ours, {})),
  },
  {
    reason: 'answers-stop-otherwise',
    rule: 'it stops only by its own method, and answers what cannot be stopped without an error',
    explains: (it) => it.session === 'errors' && [it.native, it.ours].every((error) => error === undefined || REFUSED.some((refused) => same(error, refused))),
  },
  {
    reason: 'output-goes-on',
    rule: 'it cannot stop a terminal that a client names, and tells no more of one whose turn failed',
    explains: (it) => {
      if (it.group !== 'terminals' || it.name !== 'output' || !wasListed(it)) return false;
      const wasStopped = same(factOf(it.facts.native, 'errors', '0'), REFUSED[0]) && factOf(it.facts.ours, it.session, `calls/${it.id}/status`) === 'cancelled';
      const hasFailed = listOf(factOf(it.facts.ours, it.session, 'states')).includes('idle error');
      return (wasStopped && String(it.native).startsWith(String(it.ours))) || (hasFailed && String(it.ours).startsWith(String(it.native)));
    },
  },
  {
    reason: 'asks-without-state',
    rule: 'its v2 counts a running background terminal as foreground progress, and raises no requires_action',
    explains: (it) =>
      it.group === 'states' && listOf(it.ours).filter((state) => state === 'requires_action').length > listOf(it.native).filter((state) => state === 'requires_action').length &&
      same(spans(it.ours), spans(it.native)),
  },
  { reason: 'names-plan', rule: 'the one plan of v1 has no id', explains: (it) => it.group === 'plan' && same({ ...objectOf(it.native), planId: 'plan' }, it.ours) },
  { reason: 'diff-file-type', rule: 'a diff of v1 is text', explains: (it) => it.group === 'calls' && it.name === 'content' && it.ours !== undefined && same(JSON.parse(JSON.stringify(it.ours).replaceAll(',"fileType":"text"', '')), it.native) },
  {
    reason: 'run-differs',
    rule: 'two runs of one scenario: the cancel came before and after the tokens of the second request were counted',
    explains: (it) => it.group === 'turns' && it.name === 'usage' && factOf(it.facts.ours, it.session, `turns/${it.id}/stopReason`) === 'cancelled' && it.native !== undefined && it.ours !== undefined,
  },
];
