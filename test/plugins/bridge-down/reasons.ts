/**
 * What is lost of a v2 session when it is told in v1 and the private extension, and from there in v2
 * again. The list is closed: a difference that no row explains is a fault.
 */
import { factOf, same, type Compared, type Explanation } from '../../tools/compare-facts.js';
import { listOf } from '../../tools/updates.js';

export type DownReason = 'output-is-appended' | 'usage-of-prompts-only' | 'cancelled-is-failed' | 'listed-when-detached' | 'no-removal-then-running' | 'survives-its-replay' | 'list-always-told';

const isOwnTurn = ({ facts, session, id }: Compared): boolean => factOf(facts.native, session, `turns/${id}/own`) === true;
/** The item is on the last list of both sides. */
const lives = ({ facts, session }: Compared, key: string): boolean => [facts.native, facts.ours].every((side) => listOf(listOf(factOf(side, session, 'lists')).at(-1)).includes(key));

export const downReasons: readonly Explanation<DownReason>[] = [
  {
    reason: 'output-is-appended',
    rule: 'the terminal extension of v1 can only append: output that is replaced stays above what replaces it',
    explains: (it) => it.group === 'terminals' && it.name === 'output' && String(it.ours).endsWith(String(it.native)) && String(it.ours).length > String(it.native).length,
  },
  { reason: 'usage-of-prompts-only', rule: 'v1 tells usage in the answer to a prompt only', explains: (it) => it.group === 'turns' && it.name === 'usage' && it.ours === undefined && isOwnTurn(it) },
  { reason: 'cancelled-is-failed', rule: 'a v1 call that was cancelled has failed', explains: ({ group, name, native, ours }) => group === 'calls' && name === 'status' && native === 'cancelled' && ours === 'failed' },
  {
    reason: 'listed-when-detached',
    rule: '5.3: an item without a launch acknowledgement of its own is listed when the foreground work ends',
    explains: ({ group, id, name, native, ours }) => group === 'items' && !id.startsWith('terminal:') && name === 'listedIn' && listOf(native)[0] === 'running' && same(ours, listOf(native).map((state) => (state === 'running' ? 'idle' : state))),
  },
  {
    reason: 'no-removal-then-running',
    rule: '5.7: a removal is never followed within the window by a running that the agent started itself',
    explains: ({ group, name, native, ours }) => group === 'items' && name === 'removedIn' && same(ours, listOf(native).map((state) => (state === 'idle, then running' ? 'running' : state))),
  },
  {
    reason: 'survives-its-replay',
    rule: '5.10: exits of live items are dropped in their replay, and the kept output is told after it',
    explains: (it) => {
      const key = it.group === 'items' ? it.id : `terminal:${it.id}`;
      if (!lives(it, key)) return false;
      if (it.group === 'items') return it.name === 'order' && same(it.native, [...listOf(it.ours), 'settle']);
      return it.group === 'terminals' && ((it.name === 'exitStatus' && it.ours === undefined && same(it.native, { exitCode: 0 })) || (it.name === 'output' && String(it.ours).startsWith(String(it.native))));
    },
  },
  {
    reason: 'list-always-told',
    rule: '5.2: once reported, every state carries the list',
    explains: ({ group, native, ours }) => group === 'lists' && same(listOf(native).filter((list) => !same(list, ['not reported'])), ours),
  },
];

