/**
 * What a live check found: the breaches of the rules in what was said, and of those that only a live
 * agent can break. Knows no process.
 */
import { check, type Finding, type RecordedMessage, type Validator } from '../check/index.js';
import { arrayOf, at, stringOf } from '../protocol/shape.js';
import { protocolVersionOf } from '../protocol/versions.js';
import type { Live } from './client.js';
import type { StepReport } from './types.js';

/** What came of a live conversation. */
export interface Conversation {
  readonly live: Live;
  readonly messages: readonly RecordedMessage[];
  /** Lines on stdout that are no message: the line of the transcript, the time, and what they are. */
  readonly strays: readonly { readonly line: number; readonly t: number }[];
  /** The agent ended before all was said. */
  readonly endedEarly: { readonly code: number | null; readonly signal: string | null; readonly t: number } | undefined;
}

/** The rules that only a live agent can break. */
const RULES = {
  answered: { rule: 'L.1', title: 'Each request is answered, and foreground work ends', section: 'JSON-RPC 2.0: Response object' },
  'messages-only': { rule: 'L.2', title: 'stdout carries messages only', section: 'Transports: stdio' },
  'goes-on': { rule: 'L.3', title: 'The agent runs until its input ends', section: 'Transports: stdio' },
  'unknown-method': { rule: 'L.4', title: 'A request with a method that the agent does not have is answered with the error -32601', section: 'Extensibility: Custom Requests' },
} as const;

const finding = (name: keyof typeof RULES, line: number, t: number, expected: string, came: string): Finding => ({ ...RULES[name], name, by: 'agent', line, t, session: '', expected, came });

const reportOf = ({ reports }: Live, name: string): StepReport | undefined => reports.find((report) => report.name === name);

function liveFindings({ live, messages, strays, endedEarly }: Conversation): Finding[] {
  const { t = 0, line = 0 } = messages.at(-1) ?? {};
  const found: Finding[] = [];
  const [stray] = strays;
  if (stray !== undefined) found.push(finding('messages-only', stray.line, stray.t, 'one JSON-RPC message a line', strays.length === 1 ? 'a line that is none' : `${strays.length} lines that are none, the first of them here`));
  for (const { name, outcome } of live.reports) {
    if (outcome === 'unanswered' && endedEarly === undefined) found.push(finding('answered', line, t, `an answer to "${name}" within ${live.settings.patience} ms`, 'none'));
  }
  if (endedEarly !== undefined) {
    const { code, signal } = endedEarly;
    found.push(finding('goes-on', line, endedEarly.t, 'an agent that goes on', `it ended ${signal === null ? `with exit code ${String(code)}` : `by ${signal}`} in the middle of the conversation`));
  }
  const method = reportOf(live, 'a method that nobody has');
  if (method !== undefined && ((method.outcome === 'refused' && method.code !== -32601) || method.outcome === 'answered')) found.push(finding('unknown-method', line, t, 'the error -32601', method.outcome === 'answered' ? 'a result' : `the error ${String(method.code)}`));
  return found;
}

/** All breaches, in the order of the conversation. */
export function judged(conversation: Conversation, validator: Validator | undefined): Finding[] {
  const { messages, live } = conversation;
  // An agent that answers in another version is judged by that: it may have no other.
  const version = protocolVersionOf(live.facts.answers.get('initialize')?.result) ?? live.settings.version;
  return [...check(messages, { version }, validator), ...liveFindings(conversation)].sort((one, other) => one.line - other.line);
}

/** Why nothing could be checked: the agent does not answer, refuses, or speaks another version. `undefined`: it could. */
export function obstacleOf({ live, endedEarly }: Conversation): string | undefined {
  const { settings, facts } = live;
  const answer = facts.answers.get('initialize');
  if (answer === undefined) return endedEarly === undefined ? `it did not answer \`initialize\` within ${settings.patience} ms. Does this command start an ACP agent on stdio? If it only needs longer: --timeout MS` : 'it ended before it answered `initialize`. What it wrote to stderr may say why';
  if (answer.error !== undefined) return `it refused \`initialize\` of ACP v${settings.version} (${answer.error.code})`;
  const version = protocolVersionOf(answer.result);
  if (version === undefined) return 'its answer to `initialize` names no protocolVersion';
  return version === settings.version ? undefined : `it does not speak ACP v${settings.version}, but v${version}`;
}

/** The ways to sign in of an agent that asked for it. `undefined`: it did not ask. */
export function signInAsked({ live }: Conversation): readonly string[] | undefined {
  const asked = live.reports.some(({ code }) => code === -32000);
  const methods = arrayOf(at(live.facts.answers.get('initialize')?.result, 'authMethods')) ?? [];
  return asked ? methods.map((method) => stringOf(at(method, 'id')) ?? stringOf(at(method, 'methodId')) ?? '?') : undefined;
}
