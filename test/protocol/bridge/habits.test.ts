import { expect, test } from 'vitest';
import { bridgeHabitsOf } from '../../../src/protocol/bridge/habits.js';

test('claude-agent-acp hides exit codes and titles commands; others do not', () => {
  expect(bridgeHabitsOf('@agentclientprotocol/claude-agent-acp')).toEqual({ exitCodeInOutput: true, titlePlaceholder: 'Terminal' });
  expect(bridgeHabitsOf('codex-acp')).toEqual({ exitCodeInOutput: false, titlePlaceholder: undefined });
  expect(bridgeHabitsOf(undefined)).toEqual({ exitCodeInOutput: false, titlePlaceholder: undefined });
});
