/**
 * What waits on the bridge down to v1 (a last status, an output as text, a cancellation) when something
 * else comes first: it is told, once, of what the client knows.
 */
import { expect, test } from 'vitest';
import type { Message } from '../../pipeline/harness.js';
import { call, connected, modeOption, state, terminalClient, type ConnectedDown } from './connected.js';

const output = (text: string): Message => ({ sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: Buffer.from(text).toString('base64') });

/** A call that is over and whose terminal goes on, and has printed: both wait. */
function leavesOpen({ updates, told }: ConnectedDown): void {
  updates(call('c', { title: 'Run', kind: 'execute', content: [{ type: 'terminal', terminalId: 't' }] }));
  told();
  updates(call('c', { status: 'completed' }), output('last words\n'));
}

const idOfLast = (wires: ConnectedDown): number => wires.asked().at(-1)[2];

test.each<[string, (wires: ConnectedDown) => void | Promise<void>]>([
  ['the agent exits', async ({ agentExits }) => agentExits(1)],
  ['the session is closed', (wires) => {
    wires.client.requests('session/close', { sessionId: 's' });
    wires.agent.answers(idOfLast(wires), {});
  }],
  ['the history is asked for', (wires) => {
    wires.client.requests('session/load', { sessionId: 's', cwd: '/p', mcpServers: [] });
    wires.agent.answers(idOfLast(wires), {});
  }],
])('what waits is told when %s, and nothing of it later', async (_, happens) => {
  const wires = connected();
  leavesOpen(wires);
  await happens(wires);
  expect(wires.told().filter(({ sessionUpdate }) => sessionUpdate !== undefined)).toEqual([
    call('c', { content: [{ type: 'content', content: { type: 'text', text: '```console\nlast words\n```' } }] }),
    call('c', { status: 'completed' }),
  ]);
  wires.updates(state('running'));
  wires.clock.advance(1000);
  expect(wires.told()).toEqual([]);
});

test('output that a call shows is told whole, however much comes at once, and is not told again', () => {
  const wires = connected(terminalClient);
  const text = `${'a'.repeat(50_000)}${'b'.repeat(50_000)}`;
  leavesOpen(wires);
  wires.told();
  wires.updates(output(text), { sessionUpdate: 'terminal_update', terminalId: 't', output: { data: Buffer.from(`last words\n${text}.`).toString('base64') } });
  expect(wires.told().map(({ _meta }) => _meta.terminal_output.data)).toEqual([text, '.']);
});

test('a prompt that is taken back, and taken in all the same, is cancelled as work', () => {
  const wires = connected();
  const prompt = wires.client.requests('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'go' }] });
  const sent = idOfLast(wires);
  wires.client.notifies('$/cancel_request', { requestId: prompt });
  wires.agent.answers(sent, { messageId: 'm' });
  expect(wires.asked()).toEqual([['$/cancel_request', { requestId: sent }], ['session/cancel', { sessionId: 's' }]]);
  wires.updates(state('running'), state('idle', { stopReason: 'cancelled' }));
  expect(wires.told()).toMatchObject([{ id: prompt, result: { stopReason: 'cancelled' } }]);
});

test('the mode that a client has set is known: the way back is told, and so is what else the agent changed', () => {
  const wires = connected({}, { configOptions: [modeOption()] });
  const effort = { configId: 'effort', name: 'Effort', type: 'select', currentValue: 'low', options: [{ value: 'low', name: 'Low' }] };
  const back = (): void => {
    wires.updates({ sessionUpdate: 'config_option_update', configOptions: [modeOption()] });
    expect(wires.told().filter(({ id }) => id === undefined)).toMatchObject([{ sessionUpdate: 'current_mode_update', currentModeId: 'ask' }, { sessionUpdate: 'config_option_update' }]);
  };
  wires.client.requests('session/set_mode', { sessionId: 's', modeId: 'code' });
  wires.agent.answers(idOfLast(wires), { configOptions: [modeOption('code'), effort] });
  expect(wires.told()).toMatchObject([{ sessionUpdate: 'config_option_update', configOptions: [{ id: 'mode', currentValue: 'code' }, { id: 'effort' }] }, { result: {} }]);
  back();
  wires.client.requests('session/set_config_option', { sessionId: 's', configId: 'mode', value: 'code' });
  wires.agent.answers(idOfLast(wires), { configOptions: [modeOption('code')] });
  back();
});

test('a call that stood for a question ends with it, also where the history is told anew meanwhile', () => {
  const wires = connected();
  const ask = (): Message => {
    wires.agent.requests('session/request_permission', { sessionId: 's', title: 'Go on?', subject: { type: '_plan' }, options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }] });
    return wires.told().at(-1);
  };
  const load = (): void => void wires.client.requests('session/load', { sessionId: 's', cwd: '/p', mcpServers: [] });
  const answer = ({ id }: Message): void => wires.client.answers(id, { outcome: { outcome: 'selected', optionId: 'y' } });
  const asked = ask();
  const { toolCallId } = asked.params.toolCall;
  load();
  wires.agent.answers(idOfLast(wires), {});
  expect(wires.told()).toMatchObject([{ sessionUpdate: 'tool_call', toolCallId, status: 'pending' }, { result: {} }]);
  answer(asked);
  expect(wires.told()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' }]);
  expect(wires.asked()).toEqual([[{ outcome: { outcome: 'selected', optionId: 'y' } }]]);
  const another = ask();
  load();
  answer(another);
  expect(wires.told()).toMatchObject([{ sessionUpdate: 'tool_call', toolCallId: another.params.toolCall.toolCallId, status: 'completed' }]);
});
