/**
 * Lists that become tasks of the private extension and lists again: what a client of ACP v2 knows at
 * the end of a native recording, but for a closed list of losses.
 */
import { expect, it } from 'vitest';
import { background } from '../../../plugins/background/index.js';
import { LegacyClient } from '../../../plugins/legacy-client.js';
import { legacyTasks } from '../../../plugins/legacy-tasks/index.js';
import { replace, type Host, type Plugin } from '../../../src/plugin.js';
import { wired, type Message } from '../../pipeline/harness.js';
import { compareFacts } from '../../tools/compare-facts.js';
import { factsOf } from '../../tools/facts.js';
import { loadRecording, recordingNames, type RecordedMessage } from '../../tools/recording.js';

const withoutKeys = (value: Message, ...keys: readonly string[]): Message => Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
const patched = (change: (update: Message) => Message) => ({ params }: Message) => replace({ params: { ...params, update: change(params.update) } });

/** An agent of the extension says nothing of lists and cancels. */
const withoutLists: Plugin = {
  name: 'without-lists',
  toClient: {
    calls: {
      'session/update': {
        state_update: patched((update) => withoutKeys(update, 'background')),
        terminal_update: patched((update) => withoutKeys(update, 'capabilities')),
        tool_call_update: patched((update) => withoutKeys(update, 'capabilities')),
      },
    },
  },
};

function roundTripped(records: readonly RecordedMessage[]): RecordedMessage[] {
  const client = new LegacyClient();
  const clientCapabilities = { _meta: { jetbrains: { air: { version: 1, capabilities: ['asyncTasks', 'nativeSubagentSessions'] } } } };
  const observe = client.observer.toAgent?.calls?.initialize as (call: Message, host: Host) => void;
  observe({ params: { protocolVersion: 1, clientCapabilities } }, { leave() {} } as unknown as Host);
  const wires = wired([background({ followUpWindow: 250 }), withoutLists, legacyTasks({ source: 'auto', client }).plugin], { agentCommand: ['claude-agent-acp'] });
  const clientSide: RecordedMessage[] = [];
  const ids = new Map<string, unknown>();
  const reached = (): Message[] => {
    for (const msg of wires.client.received()) clientSide.push({ t: wires.clock.now(), dir: 'a2c', msg });
    return wires.agent.received();
  };
  for (const { t, dir, msg } of records as readonly { t: number; dir: string; msg: Message }[]) {
    wires.clock.advance(Math.max(0, t - wires.clock.now()));
    reached();
    if (dir === 'c2a') {
      clientSide.push({ t, dir, msg });
      wires.client.sends(msg);
      const asked = reached().find((one) => one.method !== undefined && one.id !== undefined);
      if (msg.id !== undefined && msg.method !== undefined && asked !== undefined) ids.set(JSON.stringify(msg.id), asked.id);
    } else wires.agent.sends(msg.method === undefined ? { ...msg, id: ids.get(JSON.stringify(msg.id)) ?? msg.id } : msg);
    reached();
  }
  wires.clock.advance(1000);
  reached();
  expect(wires.log).toEqual([]);
  return clientSide;
}

/** What is lost beside what the native agent and the lists of `background` differ in anyway (`compare-facts`). */
const losses: readonly { readonly loss: string; readonly explains: (path: string, native: unknown, ours: unknown) => boolean }[] = [
  {
    loss: 'when work was listed: a task whose call was not acknowledged, or a subagent, counts as foreground until the foreground work ends',
    explains: (path, native, ours) => path.endsWith('/listedIn') && Array.isArray(native) && Array.isArray(ours) && native.length === ours.length && ours.every((state) => state === 'idle'),
  },
];

const lost = new Set<string>();

it.each(recordingNames('v2').filter((name) => !name.includes('/')))('%s', (name) => {
  const records = loadRecording(name);
  const differences = compareFacts(factsOf(records), factsOf(roundTripped(records))).filter(({ reason }) => reason === undefined);
  const unexplained = differences.filter(({ path, native, ours }) => {
    const found = losses.find(({ explains }) => explains(path, native, ours));
    if (found !== undefined) lost.add(found.loss);
    return found === undefined;
  });
  expect(unexplained.map(({ path, native, ours }) => `${path}: ${JSON.stringify(native)} became ${JSON.stringify(ours)}`)).toEqual([]);
});

it('loses nothing but what is listed, all of which is lost', () => {
  expect([...lost]).toEqual(losses.map(({ loss }) => loss));
});
