/**
 * The built-in plugins, in their order: from the client's side to the agent's side. Knows no
 * option names and reads no environment; what was chosen comes in as `Settings`.
 */
import type { Plugin } from 'afterturn/plugin';
import type { AgentProtocol, Choice } from 'afterturn/protocol';
import { GAPS, type Gap } from 'afterturn/state';
import { background } from './background/index.js';
import { bridgeDown } from './bridge-down/index.js';
import { bridge } from './bridge/index.js';
import { gaps } from './gaps/index.js';
import { hiddenExtension } from './hidden-extension.js';
import { keepOpen } from './keep-open/index.js';
import { late, type LateSettings } from './late.js';
import { LegacyClient } from './legacy-client.js';
import { legacySubagents } from './legacy-subagents/index.js';
import { legacyTasks, type LegacyTasks } from './legacy-tasks/index.js';
import { ListedBoard } from './listed-work.js';
import { backgroundNeeds, bridgeDownNeeds, bridgeNeeds, gapsNeeds, keepOpenNeeds, legacySubagentsNeeds, legacyTasksNeeds, staleNeeds, subagentFormNeeds } from './needs.js';
import { subagentForm } from './subagent-form.js';
import { sources, sourceForV1 } from './sources.js';
import { stale, type Reporting } from './stale/index.js';
import { ReportBoard, reportObserver } from './stale/report-board.js';

/** What the built-in plugins are told, validated. */
export interface Settings {
  /** The version to speak to the agent. */
  readonly agentProtocol: AgentProtocol;
  /** Is told what the agent is offered, and why. */
  readonly onChoice?: (choice: Choice) => void;
  /** Where the news about background work comes from. */
  readonly source: 'auto' | 'async-tasks' | 'claude-raw' | 'none';
  /** The gaps that are filled in what an agent reports itself. Default: all. */
  readonly fills?: readonly Gap[];
  /** Spans are made of what passes, so that the raw feed is of use wherever there is one. Default false. */
  readonly traces?: boolean;
  /** Milliseconds that a removal waits for a turn that the agent starts itself. */
  readonly followUpWindow: number;
  /** Where tool calls that the agent left unfinished are settled. */
  readonly stale: 'off' | 'auto' | 'always';
  /** Milliseconds that nothing may have spoken for such a call before it is settled. */
  readonly staleAfter: number;
  /** The agent's command line. */
  readonly agentCommand: readonly string[];
  /** Is told of each tool call that is settled as stale, and of each whose agent had another word later. */
  readonly onStale?: ((what: 'settled' | 'corrected') => void) | undefined;
  /** Is told the exit code that the last line of a background command's output file names. */
  readonly onExitCode?: (session: string, task: string, code: number) => void;
}

/** The built-in plugins for these settings, in order. `standIn`: what stands in the list for one that few sessions need; by default it is made when it is needed. */
export function builtInPlugins(settings: Settings, standIn: (settings: LateSettings) => Plugin = late): Plugin[] {
  const { agentProtocol, followUpWindow, source, onChoice = () => {} } = settings;
  const fills = settings.fills ?? GAPS;
  const { atClient, atAgent, asksForRawFeed } = sources({ ...settings, nativeFeed: settings.traces === true || fills.includes('monitors') });
  const client = new LegacyClient();
  const reporting = new ReportBoard();
  const listed = new ListedBoard();
  const watches = settings.stale !== 'off';
  let tasks: LegacyTasks | undefined;
  const makesTasks = (): boolean => tasks?.makesTasks() === true;
  const reported: Reporting = { expected: () => reporting.expected() || makesTasks(), reports: (session) => reporting.reports(session) || tasks?.reports(session) === true };
  const kept = { source: sourceForV1(settings), makesTasks };
  return [
    client.observer,
    atClient,
    hiddenExtension({ source, agentProtocol, makesTasks }),
    ...(watches ? [standIn({ name: 'stale', needs: staleNeeds({ mode: settings.stale, expected: () => reported.expected() }), make: () => stale({ mode: settings.stale, grace: settings.staleAfter, reporting: reported, onStale: settings.onStale }) })] : []),
    standIn({ name: 'keep-open', needs: keepOpenNeeds(kept), make: () => keepOpen({ ...kept, followUpWindow }) }),
    standIn({ name: 'background', needs: backgroundNeeds, make: () => background({ followUpWindow, asksForRawFeed, listed, onExitCode: settings.onExitCode }) }),
    standIn({ name: 'subagent-form', needs: subagentFormNeeds, make: () => subagentForm() }),
    standIn({ name: 'bridge', needs: bridgeNeeds({ agentProtocol, onChoice }), onHookError: 'refuse', make: () => bridge({ agentProtocol, onChoice, listed }) }),
    standIn({ name: 'bridge-down', needs: bridgeDownNeeds({ agentProtocol }), onHookError: 'refuse', make: () => bridgeDown({ agentProtocol }) }),
    standIn({ name: 'legacy-subagents', needs: legacySubagentsNeeds(client), make: () => legacySubagents({ client }) }),
    standIn({ name: 'legacy-tasks', needs: legacyTasksNeeds({ source, client }), make: () => (tasks = legacyTasks({ source, client })).plugin }),
    standIn({ name: 'gaps', needs: gapsNeeds(fills.length > 0), make: () => gaps({ fills, followUpWindow }) }),
    atAgent,
    ...(watches ? [reportObserver(reporting)] : []),
  ];
}
