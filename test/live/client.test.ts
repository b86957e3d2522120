import { describe, expect, test } from 'vitest';
import type { RecordedJson } from '../../src/check/index.js';
import { lived, newLive, type Live, type LiveEffect, type LiveEvent } from '../../src/live/index.js';

const settings = { version: 1, cwd: '/w', patience: 1000, client: { name: 'x', version: '1' } } as const;

/** A conversation: what is said, and what the client says to it. */
class Talk {
  live: Live;
  said: RecordedJson[] = [];
  waits: Extract<LiveEffect, { do: 'wait' }>[] = [];
  isDone = false;

  constructor(version: 1 | 2 = 1) {
    this.live = newLive({ ...settings, version });
    this.take({ type: 'begun' });
  }

  take(event: LiveEvent): void {
    const [next, effects] = lived(this.live, event);
    this.live = next;
    for (const effect of effects) {
      if (effect.do === 'say') this.said.push(effect.msg);
      else if (effect.do === 'wait') this.waits.push(effect);
      else this.isDone = true;
    }
  }

  hears(msg: RecordedJson): void {
    this.take({ type: 'heard', msg });
  }

  timeUp(): void {
    this.take({ type: 'timeUp', of: this.waits.at(-1)?.of ?? 0 });
  }

  /** Answers the last request. */
  answers(result: unknown): void {
    this.hears({ id: this.said.findLast(({ id }) => id !== undefined)?.id as number, result });
  }

  refuses(code = -32602): void {
    this.hears({ id: this.said.findLast(({ id }) => id !== undefined)?.id as number, error: { code, message: 'No' } });
  }

  get last(): string | undefined {
    return this.said.at(-1)?.method;
  }

  get outcomes(): string[] {
    return this.live.reports.map(({ name, outcome }) => `${name}: ${outcome}`);
  }
}

const opened = (version: 1 | 2, capabilities: object = {}): Talk => {
  const talk = new Talk(version);
  talk.answers({ protocolVersion: version, ...(version === 1 ? { agentCapabilities: capabilities } : { capabilities }) });
  talk.answers({ sessionId: 's' });
  talk.refuses(-32601);
  talk.refuses();
  return talk;
};
const update = (change: object): RecordedJson => ({ method: 'session/update', params: { sessionId: 's', update: change } });

describe('the script', () => {
  test('goes on with each answer, and asks only for what is offered', () => {
    const talk = opened(1, { sessionCapabilities: { close: {} } });
    expect(talk.last).toBe('session/prompt');
    talk.answers({ stopReason: 'end_turn' });
    expect(talk.last).toBe('session/cancel');
    talk.timeUp();
    talk.hears(update({ sessionUpdate: 'agent_message_chunk' }));
    expect(talk.last).toBe('session/cancel');
    talk.answers({ stopReason: 'cancelled' });
    expect(talk.last).toBe('session/close');
    talk.answers({});
    talk.timeUp();
    expect(talk.isDone).toBe(true);
    expect(talk.outcomes.filter((text) => text.endsWith('not offered')).map((text) => text.split(':')[0])).toEqual([
      'session/set_mode', 'session/set_config_option', 'session/list', 'session/resume', 'session/load', 'session/fork', 'session/close of the fork', 'session/delete',
    ]);
  });

  test('sets an option to the value that it has, in the form of the version', () => {
    const withOption = (version: 1 | 2, option: object): unknown => {
      const talk = new Talk(version);
      talk.answers({ protocolVersion: version });
      talk.answers({ sessionId: 's', configOptions: [option] });
      talk.refuses();
      talk.refuses();
      return talk.said.at(-1)?.params;
    };
    expect(withOption(1, { id: 'model', currentValue: 'a' })).toEqual({ sessionId: 's', configId: 'model', value: 'a' });
    expect(withOption(2, { configId: 'model', currentValue: 'a' })).toEqual({ sessionId: 's', configId: 'model', type: 'id', value: 'a' });
    expect(withOption(2, { configId: 'fast', currentValue: false })).toEqual({ sessionId: 's', configId: 'fast', type: 'boolean', value: false });
  });

  test('v2: waits for the end of the work, and stops what is listed and can be stopped', () => {
    const talk = opened(2);
    talk.answers({ messageId: 'u' });
    talk.hears(update({ sessionUpdate: 'terminal_update', terminalId: 't', capabilities: { cancel: {} } }));
    talk.hears(update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', capabilities: { cancel: {} } }));
    talk.hears(update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', capabilities: null }));
    expect(talk.last).toBe('session/prompt');
    talk.hears(update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', background: [{ type: 'terminal', terminalId: 't' }, { type: 'tool_call', toolCallId: 'c' }] }));
    expect(talk.said.at(-1)).toMatchObject({ method: 'terminal/cancel', params: { sessionId: 's', terminalId: 't' } });
  });

  test('v2: a prompt that is refused has no work to wait for', () => {
    const talk = opened(2);
    talk.refuses(-32603);
    expect(talk.last).toBe('session/cancel');
    talk.timeUp();
    talk.refuses(-32800);
    talk.hears(update({ sessionUpdate: 'session_info_update' }));
    expect(talk.last).toBe('session/list');
  });
});

describe('what does not come', () => {
  test('is not waited for for ever; what is not essential is gone past', () => {
    const talk = new Talk();
    talk.answers({ protocolVersion: 1 });
    talk.answers({ sessionId: 's' });
    talk.timeUp();
    expect(talk.outcomes.at(-1)).toBe('a method that nobody has: unanswered');
    expect(talk.last).toBe('session/prompt');
  });

  test.each([['initialize', 0], ['session/new', 1]])('%s is essential', (name, answers) => {
    const talk = new Talk();
    if (answers > 0) talk.answers({ protocolVersion: 1 });
    talk.timeUp();
    expect(talk.outcomes.at(-1)).toBe(`${name}: unanswered`);
    talk.timeUp();
    expect(talk.isDone).toBe(true);
  });

  test('a wait that is over does not count twice', () => {
    const talk = new Talk();
    const [first] = talk.waits;
    talk.answers({ protocolVersion: 1 });
    talk.take({ type: 'timeUp', of: first?.of ?? 0 });
    expect(talk.outcomes).toEqual(['initialize: answered']);
  });
});

test('another version than was asked for ends it', () => {
  const talk = new Talk(2);
  talk.answers({ protocolVersion: 1 });
  talk.timeUp();
  expect([talk.isDone, talk.said.length]).toEqual([true, 1]);
});

test('without a session only what needs none is tried', () => {
  const talk = new Talk();
  talk.answers({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { list: {} } } });
  talk.refuses(-32000);
  talk.refuses(-32601);
  talk.refuses();
  expect(talk.last).toBe('session/list');
  expect(talk.outcomes).toContain('session/prompt: not possible');
});

test('the agent is allowed nothing, whatever it asks', () => {
  const talk = opened(1);
  const ask = (options: readonly object[]) => talk.hears({ id: 'a', method: 'session/request_permission', params: { sessionId: 's', options } });
  ask([{ optionId: 'yes', kind: 'allow_always' }, { optionId: 'no', kind: 'reject_always' }]);
  expect(talk.said.at(-1)).toMatchObject({ id: 'a', result: { outcome: { outcome: 'selected', optionId: 'no' } } });
  ask([{ optionId: 'yes', kind: 'allow_always' }]);
  expect(talk.said.at(-1)).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } });
  talk.hears({ id: 'b', method: 'fs/read_text_file', params: { path: '/etc/passwd' } });
  expect(talk.said.at(-1)).toMatchObject({ id: 'b', error: { code: -32601 } });
});
