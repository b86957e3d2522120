/**
 * Whether a client would learn of background work, and from which source ("When background is
 * reported"). Knows what was offered and answered, not how it is shown.
 */
import { agentOf, habitsOfAnswer, protocolVersionOf, reportsBy, type AgentHabits } from '../protocol/index.js';
import { negotiated, settledResult, type Visit } from './visit.js';

export interface Reporting {
  /** One sentence each, for a person. */
  readonly reported: string;
  readonly notReported: readonly string[];
}

const SCHEDULED = 'scheduled wakeups and cron jobs: they have no structured end';
const keptOpen: Readonly<Record<'asyncTasks' | 'rawFeed', string>> = {
  rawFeed: 'yes, by the raw feed of claude-agent-acp, which each session asks for. The calls that launch it stay open until it ends.',
  asyncTasks: 'yes, by the async task extension, declared in the client\'s name. The calls that launch it stay open until it ends.',
};

function toV1Client({ keptOpenBy }: Visit, habits: AgentHabits): Reporting {
  if (keptOpenBy === undefined) {
    const hint = habits.callsEndWithTurn ? '' : ' (--source async-tasks would ask for the extension.)';
    return { reported: `no: what the agent says passes as it came.${hint}`, notReported: ['the end of background work: calls that launch it end when the agent says so'] };
  }
  return { reported: keptOpen[keptOpenBy], notReported: habits.claudeMeta ? [SCHEDULED] : [] };
}

function byV2Agent(habits: AgentHabits, acknowledged: readonly string[]): string {
  if (habits.speaks === 'v2') return 'yes, by the agent itself: its states carry the `background` list.';
  if (acknowledged.includes('asyncTasks')) return 'yes, by the async task extension, which the agent acknowledged.';
  return 'only if the agent\'s states carry the `background` list. This one is not known to do so; until then the list is left out.';
}

function byV1Agent(habits: AgentHabits, acknowledged: readonly string[], rawFeed: boolean): string {
  if (acknowledged.includes('asyncTasks') && reportsBy(habits, acknowledged)) {
    return `yes, from the start, by the async task extension, which the agent acknowledged${rawFeed ? ', and the raw feed' : ''}.`;
  }
  if (acknowledged.includes('asyncTasks')) {
    const missing = habits.reportsWith.filter((capability) => !acknowledged.includes(capability));
    return `from its first sign on, by the async task extension: the agent did not acknowledge ${missing.join(', ')}, so an empty list would say too much.`;
  }
  if (rawFeed) return 'from its first sign on, by the raw feed, which each session asks for. The agent acknowledged no extension, so nothing can be stopped by its id.';
  return 'no: the agent acknowledged no extension, and no other source is known. The `background` list is left out, which is not an empty list.';
}

function toV2Client(visit: Visit, result: unknown, habits: AgentHabits): Reporting {
  const acknowledged = negotiated(visit);
  return {
    reported: protocolVersionOf(result) === 2 ? byV2Agent(habits, acknowledged) : byV1Agent(habits, acknowledged, visit.rawFeed),
    notReported: habits.claudeMeta ? [SCHEDULED] : [],
  };
}

/** What the client of this visit would learn. */
export function reportingOf(visit: Visit, ofCommand: AgentHabits): Reporting {
  const result = settledResult(visit);
  const habits = agentOf(result).name === undefined ? ofCommand : habitsOfAnswer(result);
  return visit.client === 1 ? toV1Client(visit, habits) : toV2Client(visit, result, habits);
}
