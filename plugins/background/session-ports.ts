/** What one session of background work is given: what reports its work, and who it talks to. */
import type { Fact, UsedIds } from 'afterturn/state';
import type { Outlet } from './outlet.js';
import type { BackgroundSession } from './session.js';

export interface SessionSources {
  /** The async task extension reports tasks. */
  readonly asyncTasks: boolean;
  /** All background work of the session is reported, from the start. */
  readonly reported: boolean;
  /** The ids that its items had before it was closed. */
  readonly ids?: UsedIds | undefined;
}

export interface SessionPorts {
  readonly outlet: Outlet;
  /** The session whose subagent this one is, now. */
  parent(): BackgroundSession | undefined;
  session(id: string): BackgroundSession | undefined;
  readonly onFact: (fact: Fact) => void;
  readonly onExitCode: (session: string, task: string, code: number) => void;
}

/** An event before it is known where and when it happens. */
export type WithoutPlace<E> = E extends unknown ? Omit<E, 'at' | 'session' | 'ledger'> : never;
