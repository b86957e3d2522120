/**
 * The instruments of the metrics. `gen_ai.*` follows the OpenTelemetry GenAI conventions v0.1.0; `acp.*` is
 * ours. Knows no SDK.
 */

export interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

export const Metric = {
  turnDuration: { name: 'gen_ai.invoke_agent.duration', unit: 's', description: 'Duration of prompts, and of turns that the agent started itself' },
  callDuration: { name: 'gen_ai.execute_tool.duration', unit: 's', description: 'Duration of tool calls' },
  permissionDuration: { name: 'acp.permission.duration', unit: 's', description: 'How long permission requests waited for their answers' },
  itemDuration: { name: 'acp.background.duration', unit: 's', description: 'Duration of background items' },
  liveItems: { name: 'acp.background.live', unit: '{item}', description: 'Background items that are alive' },
  legacyMessages: { name: 'acp.legacy.messages', unit: '{message}', description: 'Messages of kinds from before ACP v2 and its background work' },
  staleCalls: { name: 'acp.stale_calls', unit: '{call}', description: 'Tool calls that were settled because their agent had left them, or ended by their agent after that' },
  messages: { name: 'acp.proxy.messages', unit: '{message}', description: 'Messages that passed as they came, or were changed or made by afterturn' },
  strayLines: { name: 'acp.proxy.stray_lines', unit: '{line}', description: "Lines of the agent's stdout that are no message" },
} as const satisfies Record<string, Instrument>;

export const MetricAttribute = {
  legacyKind: 'acp.legacy.kind',
  /** Beside which side it was seen: `client` or `agent`. */
  place: 'acp.place',
  /** `settled` or `corrected`. */
  staleState: 'acp.stale.state',
  /** `to_agent` or `to_client`. */
  direction: 'acp.direction',
  /** `forwarded` as it came, or `written` here: changed or made. */
  treatment: 'acp.proxy.treatment',
} as const;

/** Upper bounds of the buckets of durations, in seconds: from a quick call to a day. */
export const DURATION_BOUNDS: readonly number[] = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800, 3600, 7200, 21_600, 86_400];
