/** What is moved without being read is told as if it had been read. */
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { background } from '../../../plugins/background/index.js';
import { bridge } from '../../../plugins/bridge/index.js';
import { Frame } from '../../../src/wire/frame.js';
import { wired, type Message } from '../../pipeline/harness.js';
import { fullAgent } from './connected.js';

const { withTexts } = Frame.prototype;
afterEach(() => {
  Frame.prototype.withTexts = withTexts;
});

/** What a v2 client gets of these updates of a v1 agent, and of a permission request for each call. */
function toldOf(updates: readonly Message[], reads: boolean): string[] {
  Frame.prototype.withTexts = reads
    ? function params(this: Frame) {
        return this.params;
      }
    : withTexts;
  const { client, agent } = wired([background({ followUpWindow: 100 }), bridge({ agentProtocol: 'v1' })]);
  client.sends({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: 2, capabilities: {} } });
  agent.answers(agent.received()[0].id, fullAgent);
  client.sends({ jsonrpc: '2.0', id: 'n', method: 'session/new', params: { cwd: '/w', mcpServers: [] } });
  agent.answers(agent.received()[0].id, { sessionId: 's' });
  for (const update of updates) {
    agent.notifies('session/update', { sessionId: 's', update });
    if (update.toolCallId !== undefined) agent.requests('session/request_permission', { sessionId: 's', toolCall: { toolCallId: update.toolCallId }, options: [] });
  }
  return client.received().map((message: Message) => JSON.stringify(message));
}

const long = fc.tuple(fc.constantFrom('a', 'line\n', '\u001b[32m✔\u001b[39m\r\n', 'é"\\', '\u0000', '\ud800'), fc.nat(3), fc.nat(40)).map(([filling, more, tail]) => filling.repeat(600 + 300 * more) + 'z'.repeat(tail));
const text = fc.oneof(fc.constantFrom('', 'word ', 'two\nlines'), long);
const id = fc.constantFrom('c1', 'c2');
const content = fc.oneof(
  text.map((value) => ({ type: 'content', content: { type: 'text', text: value } })),
  fc.tuple(text, text).map(([oldText, newText]) => ({ type: 'diff', path: '/f', oldText, newText })),
  id.map((terminalId) => ({ type: 'terminal', terminalId })),
  text.map((value) => ({ type: 'content', content: { type: 'resource', resource: { uri: 'file:///x', text: value } } })),
);
const meta = fc.oneof(
  fc.constant({}),
  fc.tuple(fc.constantFrom('terminal_output', 'terminal_output_delta', 'terminal_input'), id, text).map(([key, terminal_id, data]) => ({ [key]: { terminal_id, data } })),
  id.map((terminal_id) => ({ terminal_info: { terminal_id } })),
  text.map((stdout) => ({ claudeCode: { toolName: 'Bash', toolResponse: { stdout } } })),
);
const call = fc
  .record({ sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'), toolCallId: id, status: fc.constantFrom('pending', 'in_progress', 'completed'), title: text, content: fc.array(content, { maxLength: 3 }), rawOutput: text, _meta: meta }, { requiredKeys: ['sessionUpdate', 'toolCallId'] });
const message = fc.tuple(fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'), text, fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined })).map(([sessionUpdate, value, messageId]) => ({ sessionUpdate, content: { type: 'text', text: value }, messageId }));

test('whatever is long, the client is told the same, in the same order of members', () => {
  let ids = 0;
  const withoutIds = (lines: readonly string[]): string[] => {
    const known = new Map<string, number>();
    return lines.map((line) => line.replace(/"messageId":"(?!m[12]")([^"]+)"/g, (_, key: string) => `"messageId":${known.get(key) ?? (known.set(key, ids++), known.get(key))}`));
  };
  fc.assert(fc.property(fc.array(fc.oneof(call, message), { minLength: 1, maxLength: 6 }), (updates) => {
    ids = 0;
    const read = withoutIds(toldOf(updates, true));
    ids = 0;
    expect(withoutIds(toldOf(updates, false))).toEqual(read);
  }), { numRuns: 150 });
});
