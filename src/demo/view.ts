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

/** What a person wants to know of a span; ids and constants are left out. */
const shown: ReadonlyMap<string, string> = new Map([
  ['acp.background.type', 'listed as'],
  ['acp.background.outcome', 'ended'],
  ['process.exit.code', 'exit code'],
  ['gen_ai.response.finish_reasons', 'stop reason'],
]);

/** The value of an OTLP attribute as text. */
function valueText(value: unknown): string {
  const list = arrayOf(at(value, 'arrayValue', 'values'));
  if (list !== undefined) return list.map(valueText).join(', ');
  return isObject(value) ? String(Object.values(value)[0]) : '';
}

const milliseconds = (span: unknown): number => (Number(at(span, 'endTimeUnixNano')) - Number(at(span, 'startTimeUnixNano'))) / 1e6;

const eventNames = (span: unknown): string => (arrayOf(at(span, 'events')) ?? []).map((event) => String(at(event, 'name'))).join(', ');

/** The spans of a trace file (OTLP JSON, one export a line) as lines, in the order of their start. */
export function spanLines(traceFile: string): readonly string[] {
  const spans = traceFile.split('\n').filter((line) => line !== '').flatMap((line) => (arrayOf(at(JSON.parse(line), 'resourceSpans')) ?? []))
    .flatMap((resource) => arrayOf(at(resource, 'scopeSpans')) ?? [])
    .flatMap((scope) => arrayOf(at(scope, 'spans')) ?? [])
    .sort((a, b) => Number(at(a, 'startTimeUnixNano')) - Number(at(b, 'startTimeUnixNano')));
  const parents = new Map(spans.map((span) => [String(at(span, 'spanId')), String(at(span, 'parentSpanId') ?? '')]));
  const depth = (id: string): number => (parents.has(id) ? 1 + depth(parents.get(id) ?? '') : 0);
  return spans.map((span) => {
    const attributes = (arrayOf(at(span, 'attributes')) ?? []).flatMap((attribute) => {
      const label = shown.get(String(at(attribute, 'key')));
      return label === undefined ? [] : `${label} ${valueText(at(attribute, 'value'))}`;
    });
    const events = eventNames(span);
    const name = `${'  '.repeat(depth(String(at(span, 'spanId'))) - 1)}${String(at(span, 'name'))}`;
    return `${name.padEnd(34)} ${milliseconds(span).toFixed(0).padStart(6)} ms  ${[...attributes, ...(events === '' ? [] : [`events: ${events}`])].join('; ')}`;
  });
}
