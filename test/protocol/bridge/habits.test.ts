import { expect, test } from 'vitest';
import { bridgeHabitsOf } from '../../../src/protocol/bridge/habits.js';

const none = { exitCodeInOutput: false, titlePlaceholder: undefined, ownTurns: 'content', promptsOverlap: false, asksInOwnWords: false };

test.each<[string | undefined, Record<string, unknown>]>([
  ['@agentclientprotocol/claude-agent-acp', { exitCodeInOutput: true, titlePlaceholder: 'Terminal', ownTurns: 'told' }],
  ['codex-acp', { ownTurns: 'none' }],
  ['gemini-cli', { ownTurns: 'none', promptsOverlap: true }],
  ['OpenCode', { asksInOwnWords: true }],
  ['some-agent', {}],
  [undefined, {}],
])('%s', (name, habits) => {
  expect(bridgeHabitsOf(name)).toMatchObject({ ...none, ...habits });
});
