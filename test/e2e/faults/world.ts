/** What happens in one random run of the command: traffic, pieces, pauses, faults and the end. Data only. */
import fc from 'fast-check';
import { troubles, type Trouble } from './troubles.js';

export interface Piece {
  /** Milliseconds before it. */
  readonly wait: number;
  readonly bytes: Buffer;
}

export type AgentEnd =
  | { readonly kind: 'inputEnd'; readonly code: number }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'deaf'; readonly code: number }
  | { readonly kind: 'kill'; readonly signal: NodeJS.Signals };

export type ClientEnd =
  | { readonly kind: 'endsInput' }
  | { readonly kind: 'signals'; readonly signal: NodeJS.Signals; readonly after: number }
  | { readonly kind: 'vanishes'; readonly after: number };

export interface World {
  readonly fromAgent: readonly Piece[];
  readonly fromClient: readonly Piece[];
  readonly agentEnd: AgentEnd;
  readonly clientEnd: ClientEnd;
  /** The client does not read for so long after its first byte. Milliseconds. */
  readonly stall: number;
  readonly stray: 'divert' | 'forward';
  readonly plugin: string | undefined;
  readonly trouble: Trouble;
}

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
/** Few ids, so that they collide within a direction and across. */
const id = fc.constantFrom(0, 1, 2, '1', '', 'a', null, 1.5);
const session = fc.constantFrom('s1', 's2', 'nobody');
const call = fc.constantFrom('c1', 'c2', 'c3');

const updates = fc.oneof(
  { weight: 6, arbitrary: fc.record({ sessionUpdate: fc.constantFrom('agent_message_chunk', 'agent_thought_chunk'), content: fc.record({ type: fc.constant('text'), text }) }) },
  { weight: 3, arbitrary: fc.record({ sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'), toolCallId: call, title: text, status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed') }) },
  { weight: 1, arbitrary: fc.record({ sessionUpdate: fc.constantFrom('plan', 'usage_update', '_own'), entries: fc.array(text, { maxLength: 3 }) }) },
);

const agentMessage = fc.oneof(
  { weight: 8, arbitrary: fc.record({ sessionId: session, update: updates }).map((params) => ({ jsonrpc: '2.0', method: 'session/update', params })) },
  { weight: 1, arbitrary: fc.record({ id, params: fc.record({ sessionId: session, toolCall: fc.record({ toolCallId: call }) }) }).map((rest) => ({ jsonrpc: '2.0', method: 'session/request_permission', ...rest })) },
  { weight: 2, arbitrary: fc.record({ id, result: fc.record({ stopReason: fc.constantFrom('end_turn', 'cancelled') }) }).map((rest) => ({ jsonrpc: '2.0', ...rest })) },
  { weight: 1, arbitrary: fc.record({ id, error: fc.record({ code: fc.integer(), message: text }) }).map((rest) => ({ jsonrpc: '2.0', ...rest })) },
  { weight: 1, arbitrary: text.map((params) => ({ jsonrpc: '2.0', method: '_own/thing', params: { params } })) },
);

const clientMessage = fc.oneof(
  { weight: 1, arbitrary: id.map((given) => ({ jsonrpc: '2.0', id: given, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } })) },
  { weight: 3, arbitrary: fc.record({ id, method: fc.constantFrom('session/new', 'session/prompt', 'session/load', 'session/close'), params: fc.record({ sessionId: session, prompt: fc.array(text, { maxLength: 2 }) }) }).map((rest) => ({ jsonrpc: '2.0', ...rest })) },
  { weight: 1, arbitrary: session.map((sessionId) => ({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } })) },
  { weight: 2, arbitrary: fc.record({ id, result: fc.constant({ outcome: { outcome: 'cancelled' } }) }).map((rest) => ({ jsonrpc: '2.0', ...rest })) },
);

/** The same message may be spelled in many ways; each has to survive. */
const line = (message: fc.Arbitrary<object>): fc.Arbitrary<string> =>
  fc.tuple(message, fc.constantFrom('', ' ', '  '), fc.constantFrom('\n', '\n', '\n', '\r\n'), fc.constantFrom(0, 0, 0, 0, 5_000, 70_000)).map(([value, space, ending, padding]) => {
    const json = JSON.stringify(padding === 0 ? value : { ...value, _meta: { padding: '*'.repeat(padding) } });
    return `${space}${json}${ending}`;
  });
const strayLine = fc.oneof(fc.constantFrom('loading...\n', '{broken\n', '\u001b[31mred\u001b[0m\n', '"text"\n', '\n'), fc.string({ maxLength: 30 }).map((noise) => `~${noise.replaceAll(/[\r\n]/g, '')}\n`));

/** Cuts bytes at these places (as parts of the whole), each piece after its wait. */
function pieces(bytes: Buffer, cuts: readonly (readonly [number, number])[]): Piece[] {
  const places = [...new Set(cuts.map(([part]) => Math.floor(part * bytes.length)))].sort((a, b) => a - b);
  const edges = [0, ...places.filter((place) => place > 0 && place < bytes.length), bytes.length];
  return edges.slice(1).map((edge, index) => ({ wait: cuts[index]?.[1] ?? 0, bytes: bytes.subarray(edges[index], edge) })).filter(({ bytes: part }) => part.length > 0);
}

/** Many pieces, or all at once. */
const cuts = fc.oneof(fc.constant([]), fc.array(fc.tuple(fc.noBias(fc.integer({ min: 0, max: 9999 })).map((part) => part / 10_000), fc.constantFrom(0, 0, 0, 1, 3)), { maxLength: 12, size: 'max' }));
const traffic = (lines: fc.Arbitrary<string>): fc.Arbitrary<Piece[]> =>
  fc.tuple(fc.array(lines, { maxLength: 30, size: 'max' }), cuts, fc.constantFrom(false, false, false, true)).map(([all, places, isCut]) => {
    const whole = Buffer.from(all.join(''));
    return pieces(isCut ? whole.subarray(0, Math.max(0, whole.length - 3)) : whole, places);
  });

const faultsOfPlugins = fc.tuple(fc.constantFrom('throws', 'rejects', 'late', 'hangs', 'rubbish', 'doubles'), fc.integer({ min: 1, max: 10 })).map((pair) => pair.join(' '));

export const worlds: fc.Arbitrary<World> = fc.record({
  fromAgent: traffic(fc.oneof({ weight: 8, arbitrary: line(agentMessage) }, { weight: 1, arbitrary: strayLine })),
  fromClient: traffic(line(clientMessage)),
  agentEnd: fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('inputEnd' as const), code: fc.constantFrom(0, 3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('exit' as const, 'deaf' as const), code: fc.constantFrom(0, 1, 7) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), signal: fc.constantFrom('SIGKILL' as const, 'SIGTERM' as const, 'SIGABRT' as const) }) },
  ),
  clientEnd: fc.oneof(
    { weight: 5, arbitrary: fc.constant({ kind: 'endsInput' as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('signals' as const), signal: fc.constantFrom('SIGTERM' as const, 'SIGINT' as const, 'SIGHUP' as const), after: fc.integer({ min: 0, max: 120 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('vanishes' as const), after: fc.integer({ min: 0, max: 120 }) }) },
  ),
  stall: fc.constantFrom(0, 0, 0, 30),
  stray: fc.constantFrom('divert' as const, 'forward' as const),
  plugin: fc.option(faultsOfPlugins, { nil: undefined, freq: 3 }),
  trouble: fc.constantFrom(...Array.from({ length: 8 }, () => 'none' as const), ...troubles),
});

/** The world of a seed; the same one each time. */
export const worldOf = (seed: number): World => {
  const [world] = fc.sample(worlds, { seed, numRuns: 1 });
  if (world === undefined) throw new Error('no world was made');
  return world;
};
