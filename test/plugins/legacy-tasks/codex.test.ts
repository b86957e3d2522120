/** codex-acp speaks the extension itself in v2: its tasks and subagents reach a client of v1 under their v1 names. */
import { expect, it } from 'vitest';
import { corpusNames, loadCorpus } from '../../tools/recording.js';
import { playedToLegacy } from './legacy-client.js';
import { taskFactsOf } from './task-facts.js';
import type { Message } from '../../pipeline/harness.js';

const kindsOf = (messages: readonly Message[]): string[] => messages.map(({ params }) => String(params?.update?.sessionUpdate)).filter((kind) => /async_task|subagent/.test(kind));
const ofAgent = (name: string): Message[] => loadCorpus(name).filter(({ dir }) => dir === 'a2c').map(({ msg }) => msg as Message);
const v1Name = (kind: string, { params }: Message): string =>
  kind !== '_subagent_update' ? kind.replace(/^_/, '') : params.update.state === undefined ? 'subagent_spawned' : 'subagent_state_update';

it.each(corpusNames().filter((name) => /^codex\/.*\.v2air$/.test(name)))('%s', (name) => {
  const { toClient, clientSide } = playedToLegacy(name, { command: ['codex-acp'], declared: ['asyncTasks', 'nativeSubagentSessions'] });
  const expected = ofAgent(name).filter((message) => kindsOf([message]).length > 0).map((message) => v1Name(kindsOf([message])[0] ?? '', message));
  expect(kindsOf(toClient)).toEqual(expected);
  const stops = loadCorpus(name).filter(({ dir, msg }) => dir === 'c2a' && ['_session/async_task/stop', 'terminal/cancel', 'tool_call/cancel'].includes(msg.method ?? '')).length;
  expect([...taskFactsOf(clientSide).keys()].filter((path) => path.startsWith('stops/'))).toHaveLength(stops);
});
