/**
 * The contents of messages as attributes, for those who ask for them: what the user asked, and what a
 * tool call was given and gave back. Bounded. `_meta` is never read, and left out at every depth.
 */
import { arrayOf, at, defined, isObject, stringOf, type JsonObject } from 'afterturn/protocol';
import { Attribute, boundedContent, type CallContent, type TraceAttributes } from 'afterturn/state';

/** How many places of a call are told. */
const MOST_LOCATIONS = 32;

const withoutMeta = (key: string, value: unknown): unknown => (key === '_meta' ? undefined : value);

/** The value as JSON; a text as it is. */
function jsonOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return boundedContent(typeof value === 'string' ? value : JSON.stringify(value, withoutMeta));
}

/** A block of a prompt as a part of a message, in the words of the GenAI conventions. */
function partOf(block: unknown): JsonObject {
  const type = stringOf(at(block, 'type')) ?? 'unknown';
  return type === 'text' ? { type, content: stringOf(at(block, 'text')) ?? '' } : defined({ type, uri: stringOf(at(block, 'uri')) ?? stringOf(at(block, 'resource', 'uri')) });
}

/** What the user asked. Of images, sounds and resources only the address is told. */
export function promptContent(params: unknown): TraceAttributes {
  const parts = (arrayOf(at(params, 'prompt')) ?? []).map(partOf);
  return parts.length === 0 ? {} : { [Attribute.inputMessages]: boundedContent(JSON.stringify([{ role: 'user', parts }])) };
}

/** Content that only points to a terminal says nothing. */
function resultOf(update: JsonObject): unknown {
  if (update.rawOutput !== undefined && update.rawOutput !== null) return update.rawOutput;
  const content = arrayOf(update.content)?.filter((block) => at(block, 'type') !== 'terminal') ?? [];
  return content.length === 0 ? undefined : content;
}

/** What an update of a tool call holds. */
export function callContent(update: JsonObject): CallContent {
  const { rawInput } = update;
  const paths = (arrayOf(update.locations) ?? []).flatMap((location) => stringOf(at(location, 'path')) ?? []).slice(0, MOST_LOCATIONS);
  const given = rawInput !== undefined && !(isObject(rawInput) && Object.keys(rawInput).length === 0) ? rawInput : undefined;
  const title = stringOf(update.title);
  const attributes = defined({
    [Attribute.toolArguments]: jsonOf(given),
    [Attribute.toolResult]: jsonOf(resultOf(update)),
    [Attribute.callTitle]: title === undefined ? undefined : boundedContent(title),
    [Attribute.callLocations]: paths.length === 0 ? undefined : paths.map(boundedContent),
  }) as TraceAttributes;
  return { attributes, ...defined({ command: commandOf(at(rawInput, 'command')) }) };
}

/** A command line, also where it is told as its words. */
function commandOf(command: unknown): string | undefined {
  const words = arrayOf(command);
  return words === undefined ? stringOf(command) : words.every((word) => typeof word === 'string') ? words.join(' ') : undefined;
}
