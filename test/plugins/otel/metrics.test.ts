import { afterEach, describe, expect, test } from 'vitest';
import { corpusNames, loadCorpus } from '../../tools/recording.js';
import { isOfKind, legacyKinds } from '../../../src/protocol/legacy.js';
import { legacyCounter } from '../../../plugins/otel/legacy-counter.js';
import { countsOf } from '../../../plugins/otel/counts.js';
import { wired } from '../../pipeline/harness.js';
import { metered } from './metered.js';
import { traced, type Traced } from './traced.js';

let meter = metered();
afterEach(async () => {
  await meter.close();
  meter = metered();
});

const AGENT = 'name=agent-x version=1.2.3';

/** A prompt whose call launches a shell, which lives. */
function launched(): Traced {
  const it = traced({ meter: meter.meter });
  it.opens();
  const id = it.client.requests('session/prompt', { sessionId: 's', prompt: [] });
  it.updates({ sessionUpdate: 'tool_call', toolCallId: 'c1', name: 'Bash', status: 'pending' });
  it.updates({ sessionUpdate: 'async_task_spawned', asyncTaskId: 't1', taskType: 'shell', canStop: true, toolCallId: 'c1' });
  it.clock.advance(500);
  it.updates({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
  it.clock.advance(500);
  it.agent.answers(id, { stopReason: 'end_turn' });
  return it;
}

describe('spans as metrics', () => {
  test('work that lives is counted by agent and type, and its turn and call are measured', async () => {
    launched();
    expect((await meter.lines()).filter((line) => !line.startsWith('acp.proxy'))).toEqual([
      `gen_ai.invoke_agent.duration {name=agent-x name=agent-x version=1.2.3 name=invoke_agent started_by=client} 1 in 1 s`,
      `gen_ai.execute_tool.duration {name=agent-x name=agent-x version=1.2.3 name=execute_tool name=Bash} 1 in 0.5 s`,
      `acp.background.live {name=agent-x ${AGENT} type=terminal task_type=shell} 1 {item}`,
    ]);
  });

  test('its end is measured, without what waits for corrections', async () => {
    const it = launched();
    it.clock.advance(4000);
    it.updates({ sessionUpdate: 'async_task_state_update', asyncTaskId: 't1', state: 'failed' });
    it.clock.advance(250);
    expect((await meter.lines()).filter((line) => line.startsWith('acp.background'))).toEqual([
      `acp.background.duration {name=agent-x ${AGENT} type=terminal task_type=shell outcome=failed type=failed} 1 in 5 s`,
      `acp.background.live {name=agent-x ${AGENT} type=terminal task_type=shell} 0 {item}`,
    ]);
  });

  test('what nobody finished has no duration, and lives no more', async () => {
    const it = launched();
    await it.agentExits();
    expect((await meter.lines()).filter((line) => line.startsWith('acp.background'))).toEqual([`acp.background.live {name=agent-x ${AGENT} type=terminal task_type=shell} 0 {item}`]);
  });

  test('housekeeping that is told late lives no more', async () => {
    const it = traced({ meter: meter.meter });
    it.opens({ extension: false });
    it.feeds({ subtype: 'background_tasks_changed', tasks: [{ task_id: 't', task_type: 'local_bash' }] });
    it.clock.advance(300);
    it.feeds({ subtype: 'task_started', task_id: 't', ambient: true });
    expect((await meter.lines()).filter((line) => line.startsWith('acp.background.live'))).toEqual([`acp.background.live {name=agent-x ${AGENT} type=terminal task_type=shell} 0 {item}`]);
  });
});

test('what others count', async () => {
  const counts = countsOf(meter.meter);
  counts.stale('settled');
  counts.stray();
  counts.legacy('client', 'v1_method');
  counts.forwarded('toAgent', 2);
  counts.forwarded('toAgent', 3);
  counts.written('toClient', 1);
  expect(await meter.lines()).toEqual([
    'acp.legacy.messages {place=client kind=v1_method} 1 {message}',
    'acp.stale_calls {state=settled} 1 {call}',
    'acp.proxy.stray_lines {} 1 {line}',
    'acp.proxy.messages {direction=to_agent treatment=forwarded} 5 {message}',
    'acp.proxy.messages {direction=to_client treatment=forwarded} 0 {message}',
    'acp.proxy.messages {direction=to_agent treatment=written} 0 {message}',
    'acp.proxy.messages {direction=to_client treatment=written} 1 {message}',
  ]);
});

describe('legacy messages', () => {
  test('are counted as `migrate` counts them, in every recording, and every byte passes', () => {
    const kinds = new Set<string>();
    for (const name of corpusNames()) {
      const counted = new Map<string, number>();
      const { client, agent, log } = wired([legacyCounter({ place: 'agent', seen: (word) => counted.set(word, (counted.get(word) ?? 0) + 1) })]);
      const records = loadCorpus(name);
      for (const { dir, msg } of records) (dir === 'c2a' ? client : agent).sends(msg);
      const expected = new Map(legacyKinds.flatMap((kind) => {
        const count = records.filter(({ dir, msg }) => isOfKind(kind, { from: dir === 'c2a' ? 'client' : 'agent', method: msg.method, params: msg.params })).length;
        return count === 0 ? [] : [[kind.word, count] as const];
      }));
      expect(Object.fromEntries(counted), name).toEqual(Object.fromEntries(expected));
      for (const kind of counted.keys()) kinds.add(kind);
      expect(client.receivedLines()).toEqual(records.filter(({ dir }) => dir === 'a2c').map(({ msg }) => JSON.stringify(msg)));
      expect(log).toEqual([]);
    }
    expect(kinds).toEqual(new Set(legacyKinds.map(({ word }) => word)));
  });

  test('no chunk is read for it', () => {
    const { toClient } = legacyCounter({ place: 'client', seen: () => {} });
    expect(Object.keys(toClient?.calls?.['session/update'] ?? {}).filter((kind) => kind.includes('chunk'))).toEqual([]);
  });
});
