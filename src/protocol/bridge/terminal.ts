/**
 * The terminals of a v1 agent in v2 form. v1 tells them in `_meta` of tool call reports
 * (`terminal_info`, `terminal_output`, `terminal_output_delta`, `terminal_input`, `terminal_exit`); in v2 the agent owns
 * terminals, and each is announced by a `terminal_update` before anything references it.
 */
import { arrayOf, at, idOf, integerOf, isObject, objectOf, startOf, stringOf, textOf, typeName, type JsonObject, type UnreadText } from '../shape.js';
import type { V2Update } from '../v2.js';
import { toAbsolutePath } from './diff.js';
import type { Faults } from './fields.js';
import type { BridgeHabits } from './habits.js';
import type { KnownCall } from './tool-call.js';

/** A terminal as the client knows it. */
export interface KnownTerminal {
  readonly command?: string;
  /** The first line of its output so far, shortened. Absent: no output yet. */
  readonly firstLine?: string;
}

export interface TerminalContext {
  readonly cwd: string | undefined;
  readonly habits: BridgeHabits;
}

/** What one report says of one terminal. */
interface News {
  readonly announce: boolean;
  readonly command?: string | undefined;
  readonly cwd?: string | undefined;
  readonly output?: string | UnreadText | undefined;
  readonly exit?: JsonObject | undefined;
}

const FIRST_LINE_LENGTH = 64;
const nonZeroExit = /^Exit code (\d{1,10})$/;

/** The `_meta` keys that tell what a terminal shows. v2 has no place for what is typed into a command: it stands on lines of its own, as in the v2 of the agent that tells it. */
const outputKeys: ReadonlyMap<string, (data: string | UnreadText) => string | UnreadText> = new Map<string, (data: string | UnreadText) => string | UnreadText>([
  ['terminal_output', (data) => data],
  ['terminal_output_delta', (data) => data],
  ['terminal_input', (data) => `\n${String(data)}\n`],
]);

const base64 = (text: string | UnreadText): string | UnreadText => (typeof text === 'string' ? Buffer.from(text, 'utf8').toString('base64') : text.base64());

/** The terminals that the content of a tool call references. */
export function terminalsIn(content: unknown): string[] {
  const terminals: string[] = [];
  for (const item of arrayOf(content) ?? []) {
    const id = isObject(item) && item.type === 'terminal' ? idOf(item.terminalId) : undefined;
    if (id !== undefined) terminals.push(id);
  }
  return terminals;
}

/** The command that a call runs: its input says so, or its title, for agents whose title is the command. */
function commandOf(call: KnownCall, habits: BridgeHabits): string | undefined {
  const command = stringOf(at(call.fields.rawInput, 'command'));
  if (command !== undefined && command !== '') return command;
  const title = stringOf(call.fields.title);
  const isCommand = habits.titlePlaceholder !== undefined && call.fields.kind === 'execute' && title !== habits.titlePlaceholder;
  return isCommand && title !== '' ? title : undefined;
}

/** The exit status of a v1 `terminal_exit`. `firstLine` is that of the output before it. */
function toV2ExitStatus(exit: JsonObject, report: JsonObject, firstLine: string | undefined, habits: BridgeHabits): JsonObject {
  const code = integerOf(exit.exit_code);
  const signal = stringOf(exit.signal);
  const unsure = habits.exitCodeInOutput && code === 1 && report.status === 'failed';
  const ran = at(report, '_meta', 'claudeCode', 'nonExecutionKind') === undefined;
  const told = ran ? nonZeroExit.exec(firstLine ?? '')?.[1] : undefined;
  const exitCode = unsure ? (told === undefined ? undefined : Number(told)) : code;
  return { ...(exitCode === undefined ? {} : { exitCode }), ...(signal === undefined ? {} : { signal }) };
}

function outputUpdates(terminalId: string, known: KnownTerminal | undefined, news: News): { data: JsonObject; chunk: V2Update[] } {
  if (news.output === undefined) return { data: {}, chunk: [] };
  const data = base64(news.output);
  const replaces = news.exit !== undefined || known?.firstLine === undefined;
  return replaces ? { data: { output: { data } }, chunk: [] } : { data: {}, chunk: [{ sessionUpdate: 'terminal_output_chunk', terminalId, data }] };
}

function firstLineAfter(known: KnownTerminal | undefined, news: News): string | undefined {
  if (news.output === undefined || (known?.firstLine !== undefined && news.exit === undefined)) return known?.firstLine;
  return startOf(news.output, FIRST_LINE_LENGTH).split('\n', 1)[0];
}

function toV2Terminal(terminalId: string, earlier: KnownTerminal | undefined, news: News, report: JsonObject, habits: BridgeHabits): { terminal: KnownTerminal; updates: V2Update[] } {
  const known = news.announce ? undefined : earlier;
  const command = news.command !== known?.command ? news.command : undefined;
  const firstLine = firstLineAfter(known, news);
  const { data, chunk } = outputUpdates(terminalId, known, news);
  const exit = news.exit === undefined ? {} : { exitStatus: toV2ExitStatus(news.exit, report, firstLine, habits) };
  const reset = news.announce && earlier ? { command: null, output: null, exitStatus: null } : {};
  const fields = { ...reset, ...(command === undefined ? {} : { command }), ...(news.cwd === undefined ? {} : { cwd: news.cwd }), ...data, ...exit };
  const said = news.announce || known === undefined || Object.keys(fields).length > 0;
  return {
    terminal: { command: command ?? known?.command, firstLine },
    updates: [...(said ? [{ sessionUpdate: 'terminal_update', terminalId, ...fields }] : []), ...chunk],
  };
}

/** The terminal that a `_meta` key of the report names, if it names one rightly. */
function idIn(meta: JsonObject, key: string, faults: Faults): string | undefined {
  if (meta[key] === undefined || meta[key] === null) return undefined;
  const id = idOf(at(meta[key], 'terminal_id'));
  if (id === undefined) faults.push(`_meta.${key}.terminal_id: expected a non-empty string, got ${typeName(at(meta[key], 'terminal_id'))}`);
  return id;
}

/** What the report says, by terminal, in the order of their first mention. */
function newsOf(report: JsonObject, call: KnownCall, context: TerminalContext, faults: Faults): Map<string, News> {
  const meta = objectOf(report._meta);
  const news = new Map<string, News>();
  const add = (id: string | undefined, facts: Partial<News>) => {
    if (id !== undefined) news.set(id, { announce: false, ...news.get(id), ...facts });
  };
  if (meta?.terminal_info !== undefined) add(idIn(meta, 'terminal_info', faults), { announce: true, cwd: toAbsolutePath(at(meta.terminal_info, 'cwd'), context.cwd) });
  for (const id of terminalsIn(report.content)) add(id, {});
  const own = terminalsIn(call.fields.content);
  const command = own.length === 1 ? commandOf(call, context.habits) : undefined;
  if (command !== undefined) add(own[0], { command });
  if (meta === undefined) return news;
  for (const [key, shown] of outputKeys) {
    const told = meta[key];
    if (told === undefined) continue;
    const id = idIn(meta, key, faults);
    const data = textOf(at(told, 'data'));
    if (id !== undefined && data === undefined) faults.push(`_meta.${key}.data: expected a string, got ${typeName(at(told, 'data'))}`);
    if (data !== undefined) add(id, { output: shown(data) });
  }
  if (meta.terminal_exit !== undefined) add(idIn(meta, 'terminal_exit', faults), { exit: objectOf(meta.terminal_exit) });
  return news;
}

/**
 * The terminal updates of one v1 report, which go before its tool call update. `call` is the call
 * after the report. Output is appended, but what comes with an exit is the whole output.
 */
export function toV2Terminals(
  report: JsonObject, call: KnownCall, known: ReadonlyMap<string, KnownTerminal>, context: TerminalContext, faults: Faults,
): { terminals: ReadonlyMap<string, KnownTerminal>; updates: V2Update[] } {
  const terminals = new Map<string, KnownTerminal>();
  const updates: V2Update[] = [];
  for (const [id, news] of newsOf(report, call, context, faults)) {
    const result = toV2Terminal(id, known.get(id), news, report, context.habits);
    terminals.set(id, result.terminal);
    updates.push(...result.updates);
  }
  return { terminals, updates };
}
