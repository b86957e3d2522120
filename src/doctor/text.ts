/** The doctor's findings as lines for a person. Pure; what comes from the agent is not escaped yet. */
import { agentOf, arrayOf, at, extensionCapabilities, habitsOfCommand, isObject, protocolVersionOf, stringOf, type AgentHabits, type Choice, type Offer } from '../protocol/index.js';
import { reportingOf } from './reporting.js';
import { settledResult, type Trouble, type Visit, type VisitEvent } from './visit.js';

const width = 14;
const row = (label: string, text: string): string => `  ${label.padEnd(width)}${text}`;

const offers: Readonly<Record<Offer, string>> = { v1: 'ACP v1', v2: 'ACP v2', both: 'ACP v1 and v2 in one request' };

const profileOf = ({ name, since }: AgentHabits): string => (since === undefined || since === '0.0' ? name : `${name} since ${since}`);

const reasons: Readonly<Record<Choice['because'], (habits: AgentHabits) => string>> = {
  client: () => 'a v1 client gets a v1 agent side',
  option: () => '--agent-protocol says so',
  command: (habits) => (habits.speaks === 'both' ? `the command line names ${habits.name}, which does not decide it` : `the profile of ${profileOf(habits)}, which the command line names`),
  answer: (habits) => (habits.name === '' ? 'it is not the agent that the command line names' : `the profile of ${profileOf(habits)}, which it says it is`),
  none: () => 'nothing is known of it from its command line',
};

function answerText({ result, error }: Extract<VisitEvent, { type: 'answered' }>): string {
  if (error !== undefined) return `an error: ${String(at(error, 'message'))} (${String(at(error, 'code'))})`;
  const version = at(result, 'protocolVersion');
  const { name, version: own } = agentOf(result);
  return `ACP v${String(version)}${name === undefined ? '' : `, ${name}${own === undefined ? '' : ` ${own}`}`}`;
}

/** One line for each thing that was asked, why, and what came of it. */
function talk(events: readonly VisitEvent[]): string[] {
  let chosen: Choice | undefined;
  let asked = 0;
  return events.flatMap((event) => {
    if (event.type === 'answered') return row('answered', answerText(event));
    if (event.type === 'choice') {
      chosen = event.choice;
      return [];
    }
    const choice = chosen;
    chosen = undefined;
    asked += 1;
    if (choice === undefined) return row('asked again', 'ACP v1 alone: the answer acknowledged nothing of the v1 half');
    return row(asked === 1 ? 'offered' : 'started again', `${asked === 1 ? '' : 'offered '}${offers[choice.offer]}: ${reasons[choice.because](choice.habits)}`);
  });
}

/** The names of what is there, nested ones in brackets. Extensions are not among them. */
function namesIn(value: unknown): string {
  if (!isObject(value)) return '';
  const there = Object.entries(value).filter(([key, member]) => key !== '_meta' && member !== false && member !== null && member !== undefined);
  return there.map(([key, member]) => (namesIn(member) === '' ? key : `${key} (${namesIn(member)})`)).join(', ');
}

function signIn(result: unknown): string {
  const methods = arrayOf(at(result, 'authMethods')) ?? [];
  const names = methods.map((method) => stringOf(at(method, 'name')) ?? stringOf(at(method, 'id')) ?? stringOf(at(method, 'methodId')) ?? 'one without a name');
  return names.length === 0 ? 'none' : names.join(', ');
}

function agentLines(result: unknown): string[] {
  const info = at(result, 'agentInfo') ?? at(result, 'info');
  const { name = 'it tells no name', version } = agentOf(result);
  const title = stringOf(at(info, 'title'));
  const extension = extensionCapabilities(result);
  return [
    row('agent', `${name}${version === undefined ? '' : ` ${version}`}${title === undefined ? '' : ` (${title})`}`),
    row('capabilities', namesIn(at(result, 'agentCapabilities') ?? at(result, 'capabilities')) || 'none'),
    ...(extension.length === 0 ? [] : [row('extension', extension.join(', '))]),
    row('sign-in', signIn(result)),
  ];
}

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(1))} s`;

const troubles: { readonly [K in Trouble['kind']]: (trouble: Extract<Trouble, { kind: K }>) => string } = {
  notStarted: ({ text }) => text,
  silent: ({ ms }) => `The agent did not answer \`initialize\` within ${seconds(ms)}. Does this command start an ACP agent on stdio? If it only needs longer: --timeout MS.`,
  exited: ({ code, signal }) => `The agent ended ${signal === null ? `with exit code ${String(code)}` : `by ${signal}`} before it answered \`initialize\`. What it wrote to stderr may say why.`,
  refused: ({ code, message }) => `The agent refused \`initialize\`: ${String(message)} (${String(code)}).`,
  malformed: ({ came }) => `The agent answered \`initialize\`, but the answer is none: expected an object with a protocolVersion, got ${came}.`,
};

const troubleText = (trouble: Trouble): string => (troubles[trouble.kind] as (trouble: Trouble) => string)(trouble);

function strayLine({ strays, firstStray }: Visit): string[] {
  if (strays === 0) return [];
  return [row('stray output', `${strays === 1 ? 'a line' : `${strays} lines`} on stdout that ${strays === 1 ? 'is' : 'are'} no JSON-RPC message; the first: ${(firstStray ?? '').slice(0, 120)}`)];
}

function spoken(visit: Visit): string {
  const version = protocolVersionOf(settledResult(visit)) ?? 1;
  if (version === visit.client) return `ACP v${version}${version === 1 ? '' : ': the agent\'s own words pass'}`;
  return visit.client === 2 ? 'ACP v1, translated from and to the client\'s v2' : 'ACP v2: a v1 client cannot be served, nothing is translated in this direction';
}

/** What one client would find. */
export function visitLines(visit: Visit, command: readonly string[]): string[] {
  const head = [`A client of ACP v${visit.client}`, ...talk(visit.events)];
  if (visit.trouble !== undefined) return [...head, ...strayLine(visit), row('trouble', troubleText(visit.trouble))];
  const { reported, notReported } = reportingOf(visit, habitsOfCommand(command));
  return [
    ...head,
    row('spoken', spoken(visit)),
    ...agentLines(settledResult(visit)),
    row('background', reported),
    ...notReported.map((text) => row('not reported', text)),
    ...strayLine(visit),
  ];
}
