export * from './table.js';
export * from './ledger.js';
export type * from './ledger-types.js';
export * from './lists.js';
export type * from './lists-types.js';
export { noTurns, turnsAfter } from './turns.js';
export type * from './turns-types.js';
