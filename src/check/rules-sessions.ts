/**
 * What both versions demand of sessions and of permission requests: which sessions are spoken of, what
 * may be asked in them, and what an answer may choose.
 */
import { faultIf, on, type Moment, type Rule } from './rule.js';
import { isCancellable } from './view.js';

const SETUP = 'Session Setup';
const PERMISSION = 'Tool Calls: Requesting Permission';

/** Said by the agent, in a session. */
const SAID: ReadonlySet<string> = new Set(['state', 'call', 'terminal', 'child', 'userMessage', 'update', 'ask', 'spawned']);
/** Possible only in a session that is open. */
const IN_SESSION: ReadonlySet<string> = new Set(['session/prompt', 'session/set_mode', 'session/set_config_option', 'terminal/cancel', 'tool_call/cancel']);
/** Invalid params, or an agent that has no such method. */
const REFUSED: ReadonlySet<number | undefined> = new Set([-32602, -32601]);

/** The recording shows that nobody opened the session. */
const isUnknown = ({ event, before, options }: Moment): boolean => options.isWhole && event.session !== '' && !before.opened;

export const sessionRules: readonly Rule[] = [
  {
    number: 'A.1',
    versions: [1, 2],
    name: 'known-session',
    title: 'The agent speaks only of sessions that are there: made, loaded, resumed or forked by the client, or told as a subagent',
    section: `${SETUP}: Session ID`,
    find: (moment) => {
      const { event } = moment;
      return faultIf(SAID.has(event.type) && isUnknown(moment), 'the id of a session that was opened', `${event.type === 'update' ? event.kind : event.type} in another one`);
    },
  },
  {
    number: 'A.2',
    versions: [1, 2],
    name: 'unknown-session-refused',
    title: 'What is asked in a session that is not there is answered with an error',
    section: `${SETUP}: Session ID`,
    find: on('answer', ({ method, accepted }, moment) => faultIf(IN_SESSION.has(method) && accepted && isUnknown(moment), 'an error', `a result for ${method}`)),
  },
  {
    number: 'A.3',
    versions: [1, 2],
    name: 'option-offered',
    of: 'client',
    title: 'An answer to a permission request selects an option that was offered',
    section: PERMISSION,
    find: on('reply', ({ key, outcome, option }, { before }) => {
      const offer = before.offers.get(key);
      return faultIf(outcome === 'selected' && offer !== undefined && !offer.options.includes(option ?? ''), 'one of the options of the request', `optionId ${String(option)}`);
    }),
  },
  {
    number: 'V1.16',
    versions: [1],
    name: 'v1-permission-cancelled',
    of: 'client',
    title: 'The client answers the permission requests that a session/cancel finds open with the outcome cancelled',
    section: 'Prompt Turn: Cancellation',
    find: on('reply', ({ key, method, outcome, t }, { before: { cancelled }, options }) => {
      const isDue = method === 'session/request_permission' && cancelled?.asks.includes(key) === true && t - cancelled.t > options.crossing;
      return faultIf(isDue && outcome !== 'cancelled', 'the outcome cancelled', outcome ?? 'an error');
    }),
  },
  {
    number: '5.11',
    versions: [2],
    name: 'withdrawn-cancelled',
    of: 'client',
    title: 'A permission request that the agent takes back is answered with the outcome cancelled',
    section: 'Prompt Lifecycle: Cancellation',
    find: on('reply', ({ key, method, outcome, t }, { before, options }) => {
      const since = before.offers.get(key)?.withdrawnAt;
      const isDue = method === 'session/request_permission' && since !== undefined && t - since > options.crossing;
      return faultIf(isDue && outcome !== 'cancelled', 'the outcome cancelled', outcome ?? 'an error');
    }),
  },
  {
    number: '5.8',
    versions: [2],
    name: 'cancel-refused',
    title: 'The cancel of what is unknown, has ended or cannot be cancelled is refused with -32602',
    section: 'Cancellable tool calls; Cancellable terminals',
    find: on('answer', ({ key, accepted, code }, { before }) => {
      const asked = before.cancels.get(key);
      const isImpossible = asked !== undefined && !asked.isPossible && !isCancellable(before, asked.item);
      return faultIf(isImpossible && (accepted || !REFUSED.has(code)), 'the error -32602', `${String(asked?.item)}: ${accepted ? 'a result' : `the error ${String(code)}`}`);
    }),
  },
  {
    number: '5.12',
    versions: [2],
    name: 'prompt-inserted',
    title: 'The user message of a prompt is told before the prompt is answered',
    section: 'Prompt Lifecycle: Prompt Accepted',
    find: on('answer', ({ method, accepted, messageId }, { before }) =>
      faultIf(method === 'session/prompt' && accepted && messageId !== undefined && !before.userMessages.has(messageId), 'a user message with that id first', 'an answer with the id of none')),
  },
];
