/** Agents of ACP v2 that tell of their background work in two ways at once: each item has one span. */
import { expect, test } from 'vitest';
import { builtInPlugins } from '../../../plugins/index.js';
import { codexRecording } from '../../tools/codex.js';
import { loadRecording, type RecordedMessage } from '../../tools/recording.js';
import { traced } from './traced.js';

/** The items of a recording that is played at its times, as lines. */
async function itemsOf(recording: readonly RecordedMessage[], agent: string): Promise<readonly string[]> {
  const before = builtInPlugins({ agentProtocol: 'v2', source: 'auto', traces: true, followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: [agent] });
  const on = traced({ before });
  for (const { t, dir, msg } of recording) {
    on.clock.advance(Math.max(0, t - on.clock.now()));
    (dir === 'c2a' ? on.client : on.agent).sends(msg);
  }
  on.clock.advance(10_000);
  await on.agentExits();
  return on.tree().map((line) => line.trim()).filter((line) => line.startsWith('background '));
}

test.each<[string, readonly string[]]>([
  ['b_background_exit0', ['background shell 1820..5885 [completed] [code 0]']],
  ['d_monitor', ['background monitor 1502..7545 [completed]']],
  ['e_background_agent', ['background subagent 1857..4270 [completed] [progress]']],
  ['h2_close_with_workflow', ['background workflow 1472..3349 [cancelled] [progress]', 'background monitor 1648..3350 [unknown] [unfinished: session_closed]']],
  ['j_workflow', ['background workflow 1546..3373 [completed] [progress]']],
])('claude-agent-acp, by its lists and the raw feed: %s', async (name, items) => {
  expect(await itemsOf(loadRecording(`${name}.v2raw`), 'claude-agent-acp')).toEqual(items);
});

test.each<[string, readonly string[]]>([
  ['b', ['background shell 2907..6000 [completed] [code 0]']],
  // Its output and its exit are lost at the next prompt, and told by its call.
  ['d', ['background shell 2999..6064 [completed] [code 0]']],
  ['f', ['background shell 2617..5144 [cancelled] [cancel_requested]']],
  // Its call has failed before.
  ['n-bg', ['background shell 2489..5566 [completed] [code 0]']],
  // In a subagent.
  ['v-native', ['background shell 3636..5155 [cancelled] [cancel_requested]']],
])('codex-acp in v2: %s', async (name, items) => {
  expect(await itemsOf(codexRecording(`${name}.v2air`), 'codex-acp')).toEqual(items);
});
