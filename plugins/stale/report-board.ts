/**
 * For which sessions the raw feed reports background work to us. It was asked for in the client's name,
 * so neither the client nor a plugin beside it sees that: a second plugin, beside the agent, reads what
 * was really asked, and notes the sessions whose set-up the agent accepted.
 */
import type { Call, Host, Plugin, Reply } from 'afterturn/plugin';
import { agentOf, asksForRaw, habitsOfAnswer, hasRawFeed, protocolVersionOf, rawRequestOf } from 'afterturn/protocol';
import { sessionOf } from './context.js';
import type { Reporting } from './index.js';
import { OpenRequests } from '../open-requests.js';

const MAKES_SESSION = ['session/new', 'session/fork'] as const;
const NAMES_SESSION = ['session/load', 'session/resume'] as const;
const MAX_SESSIONS = 1000;

/** What a session must ask for to be told when its background work ends. */
const END_OF_TASK = { type: 'system', subtype: 'task_updated' } as const;

export class ReportBoard implements Reporting {
  readonly #sessions = new Set<string>();
  #expected = false;

  expected(): boolean {
    return this.#expected;
  }

  reports(session: string): boolean {
    return this.#sessions.has(session);
  }

  /** The agent has a raw feed. Said at the answer to `initialize`. */
  expect(): void {
    this.#expected = true;
  }

  /** The session was set up, with or without the feed. */
  note(session: string, reports: boolean): void {
    this.#sessions.delete(session);
    if (reports) this.#sessions.add(session);
    for (const oldest of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
  }
}

/** Fills the board. Its place is beside the agent; it leaves where the agent has no raw feed. */
export function reportObserver(board: ReportBoard): Plugin {
  const open = new OpenRequests<{ readonly named: string | undefined; readonly reports: boolean }>();
  const onSetup = (names: boolean) => (call: Call): void =>
    open.add(call.id, { named: names ? sessionOf(call.params) : undefined, reports: asksForRaw(rawRequestOf(call.params), END_OF_TASK) });
  const onAnswer = (reply: Reply): void => {
    const setup = open.take(reply.to.id);
    const session = setup?.named ?? sessionOf(reply.result);
    if (setup !== undefined && session !== undefined && reply.error === undefined) board.note(session, setup.reports);
  };
  const each = <H>(methods: readonly string[], hook: H): Record<string, H> => Object.fromEntries(methods.map((method) => [method, hook]));

  return {
    name: 'stale-reports',
    toAgent: { calls: { ...each(MAKES_SESSION, onSetup(false)), ...each(NAMES_SESSION, onSetup(true)) } },
    toClient: {
      replies: {
        initialize: (reply: Reply, host: Host) => {
          if (reply.result === undefined) return;
          const hasFeed = protocolVersionOf(reply.result) === 1 && habitsOfAnswer(reply.result).claudeMeta && hasRawFeed(agentOf(reply.result).version);
          if (hasFeed) board.expect();
          else host.leave();
        },
        ...each([...MAKES_SESSION, ...NAMES_SESSION], onAnswer),
      },
    },
  };
}
