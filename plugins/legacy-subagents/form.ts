/** What a way of telling a client of ACP v1 of subagents has to answer. */
import type { JsonObject } from 'afterturn/protocol';
import type { RunNews, SubagentRuns } from 'afterturn/state';

/** An update of a session, as the client is told it. */
export interface ToldUpdate {
  readonly session: string;
  readonly update: JsonObject & { readonly sessionUpdate: string };
}

export interface TellsSubagents {
  /** What news of a subagent is to the client. */
  news(news: RunNews, runs: SubagentRuns): readonly ToldUpdate[];
  /** The agent's own update in its place; `undefined`: it goes no further. The same session and update: it goes on as it came. */
  update(session: string, update: JsonObject, runs: SubagentRuns): { readonly session: string; readonly update: JsonObject } | undefined;
  /** The session in which the client is asked what this one asks, and what it is asked about. */
  asked(session: string, params: JsonObject, runs: SubagentRuns): JsonObject;
  /** The session that the client means. */
  meant(session: string): string;
}

/** The Subagents RFD's own updates, which a client of v1 without it is told in another way. */
export const isOfSubagents = (update: JsonObject): boolean =>
  update.sessionUpdate === 'subagent_update' || update.sessionUpdate === 'session_message' || update.sessionUpdate === 'session_message_chunk';
