/** A long trace: sessions of turns with tool calls and background items, of every state. Always the same. */
import { backgroundSpan, callSpan, spanLine, turnSpan, type SpanSpec } from './otlp-lines.js';

const tools = ['Bash', 'Read', 'Edit', 'Grep', 'WebFetch', 'Task'];
const ends = [
  { 'acp.background.outcome': 'completed', 'process.exit.code': 0 },
  { 'acp.background.outcome': 'failed', 'process.exit.code': 2 },
  { 'acp.background.outcome': 'cancelled' },
  { 'acp.background.outcome': 'unknown', 'acp.background.unfinished': true, 'acp.end_reason': 'session_closed' },
  { 'acp.background.outcome': 'unknown' },
] as const;

/** Numbers in 0..1 that look random (Lehmer's generator). */
function numbers(): () => number {
  let state = 42;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** The text of a trace file with this many turns, calls and items, in ten sessions. */
export function manyItems(count: number): string {
  const next = numbers();
  const lines: string[] = [];
  let made = 0;
  for (let session = 0; made < count; session = (session + 1) % 10) {
    const start = 20_000 * Math.floor(made / 10) + next() * 15_000;
    const name = `0199-session-${session}`;
    const trace = `trace${made}`;
    const children = Math.min(count - made - 1, 3 + Math.floor(next() * 12));
    const spans: SpanSpec[] = [];
    const turn = `t${made++}`;
    let at = start;
    for (let child = 0; child < children; child += 1) {
      const id = `c${made++}`;
      const length = 40 + next() ** 4 * 30_000;
      const failed = next() < 0.04;
      const attributes = { 'gen_ai.tool.name': tools[Math.floor(next() * tools.length)] ?? '', 'acp.tool_call.status': failed ? 'failed' : 'completed' };
      if (child > 0 && next() < 0.15) {
        const end = ends[next() < 0.6 ? 0 : Math.floor(next() * ends.length)] ?? ends[0];
        spans.push(backgroundSpan({ id, trace, parent: `c${made - 2}`, from: Math.round(at), to: Math.round(at + length * 20), error: end['acp.background.outcome'] === 'failed', attributes: end }, name));
      } else {
        spans.push(callSpan({ id, trace, parent: turn, from: Math.round(at), to: Math.round(at + length), error: failed, attributes }, name));
        at += length + next() * 900;
      }
    }
    spans.push(turnSpan({ id: turn, trace, from: Math.round(start), to: Math.round(at), attributes: { 'gen_ai.response.finish_reasons': [next() < 0.05 ? 'cancelled' : 'end_turn'] } }, name));
    lines.push(spanLine(...spans));
  }
  return lines.join('');
}
