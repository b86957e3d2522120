/** What a v2 client of the demo sees, as lines for a person. Pure. */
import { arrayOf, at, isObject, stringOf, type JsonObject } from '../protocol/index.js';

const decode = (base64: unknown): string => Buffer.from(stringOf(base64) ?? '', 'base64').toString('utf8').trim();

const item = (entry: unknown): string => (at(entry, 'type') === 'terminal' ? `terminal ${String(at(entry, 'terminalId'))}` : `${String(at(entry, 'type'))} ${String(at(entry, 'toolCallId') ?? at(entry, 'sessionId'))}`);

function stateLine(update: JsonObject): string {
  const list = arrayOf(update.background);
  const background = list === undefined ? 'background not reported' : list.length === 0 ? 'background: nothing' : `background: ${list.map(item).join(', ')}`;
  return `state     ${String(update.state)}${update.stopReason === undefined ? '' : ` (${String(update.stopReason)})`}, ${background}`;
}

function terminalLine(update: JsonObject): string | undefined {
  const id = String(update.terminalId);
  if (isObject(update.exitStatus)) {
    const code = update.exitStatus.exitCode;
    return `terminal  ${id} exited${code === undefined ? '' : ` with code ${String(code)}`}`;
  }
  if (isObject(update.output)) return decode(update.output.data) === '' ? undefined : `output    ${id}: ${decode(update.output.data)}`;
  if (at(update.capabilities, 'cancel') !== undefined) return `terminal  ${id} runs \`${String(update.command)}\` and can be stopped`;
  return undefined;
}

const lines: ReadonlyMap<string, (update: JsonObject) => string | undefined> = new Map<string, (update: JsonObject) => string | undefined>([
  ['state_update', stateLine],
  ['terminal_update', terminalLine],
  ['terminal_output_chunk', (update) => (decode(update.data) === '' ? undefined : `output    ${String(update.terminalId)}: ${decode(update.data)}`)],
  ['tool_call_update', (update) => (update.status === undefined ? undefined : `tool call ${String(update.toolCallId)} ${String(update.status)}`)],
  ['agent_message_chunk', (update) => `agent     ${String(at(update, 'content', 'text'))}`],
]);

/** The line for one message of the agent's side, or `undefined` where a person need not see it. */
export function demoLine(message: JsonObject): string | undefined {
  const update = at(message, 'params', 'update');
  return isObject(update) ? lines.get(String(update.sessionUpdate))?.(update) : undefined;
}

const hidden = new Set(['gen_ai.tool.call.id', 'gen_ai.conversation.id', 'session.id', 'gen_ai.operation.name']);

/** The spans of a trace file (OTLP JSON, one export a line) as lines, background items first. */
export function spanLines(traceFile: string): readonly string[] {
  const spans = traceFile.split('\n').filter((line) => line !== '').flatMap((line) => (arrayOf(at(JSON.parse(line), 'resourceSpans')) ?? []))
    .flatMap((resource) => arrayOf(at(resource, 'scopeSpans')) ?? [])
    .flatMap((scope) => arrayOf(at(scope, 'spans')) ?? []);
  return spans.map((span) => {
    const ms = (Number(at(span, 'endTimeUnixNano')) - Number(at(span, 'startTimeUnixNano'))) / 1e6;
    const attributes = (arrayOf(at(span, 'attributes')) ?? []).filter((attribute) => !hidden.has(String(at(attribute, 'key'))))
      .map((attribute) => `${String(at(attribute, 'key'))}=${String(Object.values((at(attribute, 'value') ?? {}) as object)[0])}`);
    return `${String(at(span, 'name'))}  ${ms.toFixed(0)} ms  ${attributes.join(' ')}`;
  });
}
