/** The shapes of the states, so that none is told by its colour alone: drawn once, used by reference. */
import type { State } from './model.js';

const shapes: Readonly<Record<State, string>> = {
  completed: '<path d="M3 8.5 6.5 12 13 4.5"/>',
  failed: '<path d="M4 4l8 8M12 4l-8 8"/>',
  cancelled: '<circle cx="8" cy="8" r="5.5"/><path d="M4.2 11.8 11.8 4.2"/>',
  running: '<path d="M5 3.5v9l7-4.5z"/>',
  unknown: '<path d="M5.2 6a2.8 2.8 0 1 1 4 2.5c-.8.4-1.2.9-1.2 1.7M8 13v.1"/>',
};

export const icons = `<svg class="icons" aria-hidden="true" width="0" height="0">${Object.entries(shapes)
  .map(([state, shape]) => `<symbol id="i-${state}" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${shape}</symbol>`)
  .join('')}</svg>`;
