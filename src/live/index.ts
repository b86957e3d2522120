/** A client that checks a live agent in one short session. Pure: what happens comes in as events. */
export { lived, newLive, type Live } from './client.js';
export { judged, obstacleOf, signInAsked, type Conversation } from './judged.js';
export type { LiveEffect, LiveEvent, LiveSettings, StepReport } from './types.js';
