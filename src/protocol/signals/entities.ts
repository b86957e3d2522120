/**
 * Signals of the entities that ACP itself has: tool calls and terminals of both versions (v1 with the
 * `_meta.terminal_*` extension), and v2 state snapshots.
 */
import { arrayOf, at, defined, idOf, integerOf, isObject, objectOf, stringOf, typeName, type JsonObject } from '../shape.js';
import { malformed, told, type ExitFacts, type Reading, type Signal } from './types.js';

/** Whether the extension marks this tool call update's command as gone to the background. */
export const isBackgrounded = (update: JsonObject): boolean => at(update, '_meta', 'jetbrains', 'air', 'asyncTasks', 'backgrounded') === true;

const none: readonly never[] = [];

/** `null` clears the content in ACP v2; v1 does not send it. */
function terminalsOf(update: JsonObject): readonly string[] | undefined {
  if (update.content === null) return none;
  const content = arrayOf(update.content);
  if (content === undefined || !content.some((block) => at(block, 'type') === 'terminal')) return content && none;
  return content.filter(isObject).flatMap((block) => (block.type === 'terminal' ? (idOf(block.terminalId) ?? []) : []));
}

/** v1 tells terminals beside the call: `_meta.terminal_info`, `terminal_output(_delta)`, `terminal_exit`. */
function terminalSignals(meta: JsonObject | undefined): Signal[] {
  if (meta === undefined) return [];
  const signals: Signal[] = [];
  const info = objectOf(meta.terminal_info);
  const infoId = idOf(info?.terminal_id);
  if (infoId !== undefined) signals.push({ type: 'terminal', terminal: infoId, facts: defined({ cwd: stringOf(info?.cwd) }) });
  const output = objectOf(meta.terminal_output) ?? objectOf(meta.terminal_output_delta);
  const outputId = idOf(output?.terminal_id);
  if (outputId !== undefined) signals.push({ type: 'terminal', terminal: outputId, facts: { output: true } });
  const exit = objectOf(meta.terminal_exit);
  const exitId = idOf(exit?.terminal_id);
  if (exitId !== undefined) signals.push({ type: 'terminal', terminal: exitId, facts: { exit: defined({ exitCode: integerOf(exit?.exit_code), signal: stringOf(exit?.signal) }) } });
  return signals;
}

const readToolCall = (start: boolean) => (update: JsonObject): Reading => {
  const call = idOf(update.toolCallId);
  if (call === undefined) return malformed(`toolCallId is ${typeName(update.toolCallId)}, expected a non-empty string`);
  const meta = objectOf(update._meta);
  const claude = objectOf(meta?.claudeCode);
  const facts = defined({
    start: start || undefined,
    status: stringOf(update.status),
    title: stringOf(update.title),
    kind: stringOf(update.kind),
    name: stringOf(update.name) ?? stringOf(claude?.toolName),
    terminals: terminalsOf(update),
    backgrounded: (meta !== undefined && isBackgrounded(update)) || undefined,
    parentCall: idOf(claude?.parentToolUseId),
    exitCode: integerOf(at(update, 'rawOutput', 'exit_code')),
  });
  const signals = terminalSignals(meta);
  signals.push({ type: 'toolCall', call, facts });
  return { signals };
};

function exitOf(exitStatus: unknown): ExitFacts | undefined {
  const exit = objectOf(exitStatus);
  return exit && defined({ exitCode: integerOf(exit.exitCode), signal: stringOf(exit.signal) });
}

export const readCallStart = readToolCall(true);
export const readCallUpdate = readToolCall(false);

export function readTerminal(update: JsonObject): Reading {
  const terminal = idOf(update.terminalId);
  if (terminal === undefined) return malformed(`terminalId is ${typeName(update.terminalId)}, expected a non-empty string`);
  return told({
    type: 'terminal',
    terminal,
    facts: defined({ command: stringOf(update.command), cwd: stringOf(update.cwd), exit: exitOf(update.exitStatus), reopened: update.exitStatus === null || undefined, output: objectOf(update.output) !== undefined || undefined }),
  });
}

export function readTerminalChunk(update: JsonObject): Reading {
  const terminal = idOf(update.terminalId);
  return terminal === undefined ? malformed(`terminalId is ${typeName(update.terminalId)}, expected a non-empty string`) : told({ type: 'terminal', terminal, facts: { output: true } });
}

export function readStateUpdate(update: JsonObject): Reading {
  const state = stringOf(update.state);
  return state === undefined ? malformed(`state is ${typeName(update.state)}, expected string`) : told({ type: 'foreground', state, ...defined({ stopReason: stringOf(update.stopReason) }) });
}

