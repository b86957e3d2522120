/**
 * ACP v1 terminals, which the client runs ("Terminals"): a call whose content shows one is at work as
 * long as something runs in it.
 */
import type { Call, Reply } from 'afterturn/plugin';
import { at, idOf } from 'afterturn/protocol';
import { sessionOf, type Context, type Hooks } from './context.js';
import { OpenRequests } from '../open-requests.js';

interface Place {
  readonly session: string;
  readonly terminal: string | undefined;
}

export function terminalHooks(context: Context): Hooks {
  const open = new OpenRequests<Place>();
  const remember = (call: Call): void => {
    const session = sessionOf(call.params);
    if (session !== undefined) open.add(call.id, { session, terminal: idOf(at(call.params, 'terminalId')) });
  };
  const onCreated = (reply: Reply): void => {
    const place = open.take(reply.to.id);
    const terminal = idOf(at(reply.result, 'terminalId'));
    if (place !== undefined && terminal !== undefined) context.happened(place.session, { type: 'terminalLive', terminal });
  };
  const onEnded = (reply: Reply): void => {
    const place = open.take(reply.to.id);
    if (place?.terminal !== undefined && reply.error === undefined) context.happened(place.session, { type: 'terminalEnded', terminal: place.terminal });
  };
  return {
    toAgent: { replies: { 'terminal/create': onCreated, 'terminal/wait_for_exit': onEnded, 'terminal/release': onEnded } },
    toClient: { calls: { 'terminal/create': remember, 'terminal/wait_for_exit': remember, 'terminal/release': remember } },
  };
}
