/** Prompts and their turns (ACP "Prompt Lifecycle"): what opens, ends and cancels the turn that owns a call. */
import type { Call, Reply } from 'afterturn/plugin';
import { sessionOf, type Context, type Hooks } from './context.js';
import { OpenRequests } from '../open-requests.js';
import { endOfPrompt } from './reading.js';

export function promptHooks(context: Context): Hooks {
  const open = new OpenRequests<{ readonly session: string; readonly prompt: string }>();
  let sent = 0;

  const onPrompt = (call: Call): void => {
    const session = sessionOf(call.params);
    if (session === undefined || context.watch === undefined) return;
    const prompt = `${++sent}`;
    open.add(call.id, { session, prompt });
    context.happened(session, { type: 'promptSent', prompt });
  };
  /** ACP v1 answers at the end of the turn, ACP v2 when the prompt was taken up. */
  const onAnswer = (reply: Reply): void => {
    const answered = open.take(reply.to.id);
    if (answered === undefined) return;
    const { session, prompt } = answered;
    if (reply.error !== undefined) context.happened(session, { type: 'promptEnded', prompt, end: 'failed' });
    else if (context.version === 2) context.happened(session, { type: 'promptInserted', prompt });
    else context.happened(session, { type: 'promptEnded', prompt, end: endOfPrompt(reply.result) });
  };
  const onCancel = (call: Call): void => {
    const session = sessionOf(call.params);
    if (session !== undefined) context.happened(session, { type: 'cancelSent' });
  };

  return {
    toAgent: { calls: { 'session/prompt': onPrompt, 'session/cancel': onCancel } },
    toClient: { replies: { 'session/prompt': onAnswer } },
  };
}
