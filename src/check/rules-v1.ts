/**
 * What ACP v1 demands of a session: kinds and statuses, the life of a call, the end of a prompt, of a
 * permission request and of a session.
 */
import { isExtension } from '../protocol/methods.js';
import { faultIf, on, type Moment, type Rule } from './rule.js';
import type { Entity } from './view.js';

const TURN = 'Prompt Turn';
const CALLS = 'Tool Calls';
const CANCELLATION = 'Prompt Turn: Cancellation';
const CLOSING = 'Session Setup: Closing Active Sessions';

/** The update kinds of v1, with those that only its unstable schema has. */
const KINDS: ReadonlySet<string> = new Set([
  'user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan', 'plan_update', 'plan_removed',
  'available_commands_update', 'current_mode_update', 'config_option_update', 'session_info_update', 'usage_update',
  'notice', 'compaction_update', 'compaction_summary_chunk', 'subagent_update', 'session_message', 'session_message_chunk',
]);
const STATUSES: ReadonlySet<string> = new Set(['pending', 'in_progress', 'completed', 'failed']);

const known = ({ before }: Moment, id: string): Entity | undefined => before.entities.get(`tool_call:${id}`);

/** Whether the session's history is being told, or could be. */
const isRetelling = ({ before }: Moment): boolean => before.replaying || ['session/load', 'session/resume'].some((method) => before.open.has(method));

/** How long ago the session was cancelled, in milliseconds. `NaN`: it was not, or nobody knows. */
const sinceCancel = ({ event, before }: Moment): number => (before.cancelled === undefined ? NaN : event.t - before.cancelled.t);

export const v1Rules: readonly Rule[] = [
  {
    number: 'V1.1',
    versions: [1],
    name: 'v1-kinds',
    title: 'An update has a kind of v1',
    section: 'Prompt Turn: Agent Reports Output; Extensibility',
    find: ({ event, options }) => {
      if (event.type !== 'update' && event.type !== 'spawned') return [];
      const { kind } = event;
      const isForeign = kind !== '' && !KINDS.has(kind) && !isExtension(kind) && !options.extensionKinds.has(kind);
      return faultIf(isForeign && !kind.includes('/') && !kind.startsWith('$'), 'a kind of v1, one that starts with _, or one that the client asked for', kind);
    },
  },
  {
    number: 'V1.2',
    versions: [1],
    name: 'v1-statuses',
    title: 'A tool call has a status of v1',
    section: `${CALLS}: Status`,
    find: on('call', ({ id, status }) =>
      faultIf(status !== undefined && !STATUSES.has(status), 'pending, in_progress, completed or failed', `tool_call:${id}: ${String(status)}`)),
  },
  {
    number: 'V1.3',
    versions: [1],
    name: 'v1-call-begins-once',
    title: 'A tool call begins once',
    section: `${CALLS}: Creating`,
    find: on('call', ({ id, begins }, moment) =>
      faultIf(begins && known(moment, id)?.begun === true && !isRetelling(moment), 'an id of its own, or tool_call_update', `tool_call:${id}: a second tool_call`)),
  },
  {
    number: 'V1.4',
    versions: [1],
    name: 'v1-call-ends-once',
    title: 'A tool call that has ended does not end again, and does not go on',
    section: `${CALLS}: Status`,
    find: on('call', ({ id, begins, status }, moment) => {
      const before = known(moment, id);
      // The same status told again ends nothing: an update may refine what came of the call.
      const isNew = status !== undefined && before?.final === true && status !== before.status && !begins && !isRetelling(moment);
      return faultIf(isNew, 'no further status', `tool_call:${id}: ${String(status)} after ${String(before?.status)}`);
    }),
  },
  {
    number: 'V1.5',
    versions: [1],
    name: 'v1-prompt-answered',
    title: 'A prompt is answered: before its session is closed, and after a session/cancel',
    section: TURN,
    find: (moment) => {
      const { event, before, options } = moment;
      if (event.type === 'answer' && event.method === 'session/close' && event.accepted)
        return faultIf(before.openPrompts.length > 0, 'the response to the prompt before that to the close', `${before.openPrompts.length} without one`);
      const isLate = event.type === 'end' && before.openPrompts.some((key) => before.cancelled?.prompts.includes(key)) && sinceCancel(moment) > options.answerWithin;
      return faultIf(isLate && !before.closed, `the response to the prompt within ${options.answerWithin} ms of the session/cancel`, 'none until the end of the recording');
    },
  },
  {
    number: 'V1.6',
    versions: [1],
    name: 'v1-cancelled-told',
    title: 'A prompt that a session/cancel fell into ends with the stop reason cancelled',
    section: CANCELLATION,
    find: on('answer', ({ key, accepted, code, stopReason }, moment) => {
      const { before, options } = moment;
      const isDue = before.cancelled?.prompts.includes(key) === true && sinceCancel(moment) > options.crossing;
      return faultIf(isDue && stopReason !== 'cancelled', 'stopReason cancelled', accepted ? `stopReason ${String(stopReason)}` : `the error ${String(code)}`);
    }),
  },
  {
    number: 'V1.7',
    versions: [1],
    name: 'v1-permission-answered',
    of: 'client',
    title: 'The client answers the permission requests that a session/cancel finds open',
    section: CANCELLATION,
    find: on('end', (_, moment) => {
      const { before, options } = moment;
      const open = (before.cancelled?.asks ?? []).filter((key) => before.asks.has(key));
      return open.flatMap((key) => faultIf(sinceCancel(moment) > options.answerWithin, 'the outcome cancelled', `none for the request ${key} until the end of the recording`));
    }),
  },
  {
    number: 'V1.8',
    versions: [1],
    name: 'v1-permission-in-turn',
    title: 'A prompt is not answered while a permission request for one of its calls is open',
    section: `${CALLS}: Requesting Permission`,
    find: on('answer', ({ method }, { before }) =>
      method === 'session/prompt' && before.openPrompts.length === 1
        ? [...before.asks].flatMap(([key, about]) =>
            faultIf(about.some((item) => before.entities.get(item)?.final === false), 'the answer to the permission request first', `the request ${key} is open`))
        : []),
  },
  {
    number: 'V1.9',
    versions: [1],
    name: 'v1-close-is-last',
    title: 'After the response to a close nothing is sent for the session',
    section: CLOSING,
    find: ({ event, before }) => faultIf(before.closed && ['call', 'update', 'spawned', 'userMessage', 'ask'].includes(event.type), 'nothing', `${event.type === 'update' || event.type === 'spawned' ? event.kind : event.type} after the response`),
  },
];

