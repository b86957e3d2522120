/** The keys of the timeline. Follows the keyboard interaction of a treegrid (WAI-ARIA Authoring Practices). */
import type { Row } from './rows.js';

/** What a key does. */
export type Command =
  | { readonly do: 'move'; readonly by: number }
  | { readonly do: 'to'; readonly place: 'first' | 'last' }
  | { readonly do: 'in' | 'out' | 'details' | 'close' | 'zoomIn' | 'zoomOut' | 'all' | 'fit' | 'earlier' | 'later' | 'expandBeside' };

/** How many rows a page key moves. */
const PAGE = 20;

const plain: Readonly<Record<string, Command>> = {
  ArrowDown: { do: 'move', by: 1 },
  ArrowUp: { do: 'move', by: -1 },
  PageDown: { do: 'move', by: PAGE },
  PageUp: { do: 'move', by: -PAGE },
  Home: { do: 'to', place: 'first' },
  End: { do: 'to', place: 'last' },
  ArrowRight: { do: 'in' },
  ArrowLeft: { do: 'out' },
  Enter: { do: 'details' },
  ' ': { do: 'details' },
  Escape: { do: 'close' },
  '+': { do: 'zoomIn' },
  '=': { do: 'zoomIn' },
  '-': { do: 'zoomOut' },
  '−': { do: 'zoomOut' },
  '0': { do: 'all' },
  f: { do: 'fit' },
  F: { do: 'fit' },
  '*': { do: 'expandBeside' },
};

const shifted: Readonly<Record<string, Command>> = { ArrowRight: { do: 'later' }, ArrowLeft: { do: 'earlier' } };

/** The command of a key, if it is one of ours. Keys of the browser and the system are left alone. */
export function commandOf({ key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): Command | undefined {
  if (ctrlKey || altKey || metaKey) return undefined;
  const special = shiftKey && Object.hasOwn(shifted, key) ? shifted[key] : undefined;
  return special ?? (Object.hasOwn(plain, key) ? plain[key] : undefined);
}

/** The row that a move leads to. */
export function moved(shown: readonly Row[], from: Row | undefined, by: number): Row | undefined {
  const place = from === undefined ? -1 : shown.indexOf(from);
  return shown[Math.min(shown.length - 1, Math.max(0, place + by))];
}
