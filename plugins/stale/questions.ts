/** Permission requests (ACP "Requesting Permission"): a call that waits for the user's answer is not abandoned. */
import type { Call, Reply } from 'afterturn/plugin';
import { at } from 'afterturn/protocol';
import { sessionOf, type Context, type Hooks } from './context.js';
import { OpenRequests } from '../open-requests.js';
import { askedAbout, isRefusal, refusalsOf } from './reading.js';

interface Question {
  readonly session: string;
  readonly question: string;
  /** The answers that refuse. */
  readonly refusals: readonly string[];
}

export function questionHooks(context: Context): Hooks {
  const open = new OpenRequests<Question>();
  let asked = 0;

  const onAsked = (call: Call): void => {
    const session = sessionOf(call.params);
    const about = askedAbout(call.params);
    if (session === undefined || about === undefined || context.watch === undefined) return;
    const question = `${++asked}`;
    open.add(call.id, { session, question, refusals: refusalsOf(call.params) });
    context.happened(session, { type: 'asked', question, call: about.call, creates: about.whole, status: about.status });
  };
  const onAnswer = (reply: Reply): void => {
    const answered = open.take(reply.to.id);
    if (answered === undefined) return;
    context.happened(answered.session, { type: 'answered', question: answered.question, refused: isRefusal(reply.result, answered.refusals) });
  };
  /** Nobody waits for the answer any more, though the client still sends one. */
  const onTakenBack = (call: Call): void => {
    const taken = open.find(at(call.params, 'requestId'));
    if (taken !== undefined) context.happened(taken.session, { type: 'answered', question: taken.question, refused: false });
  };

  return {
    toAgent: { replies: { 'session/request_permission': onAnswer } },
    toClient: { calls: { 'session/request_permission': onAsked, '$/cancel_request': onTakenBack } },
  };
}
