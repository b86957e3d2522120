/**
 * What an event of a session costs is the same with one live item and with ten thousand, but for the
 * lists that are sent. Counted in operations on maps and in entries that are looked at, not in time.
 */
import { describe, expect, it } from 'vitest';
import { arrayOf, asyncTaskWords, rawTaskWords, readRawFeed, readUpdate, type JsonObject } from 'afterturn/protocol';
import { emptyLedger, emptyLists, emptySession, nextKeepOpenTick, nextStaleTick, nextTick, nothingKeptOpen, reduceKeepOpen, reduceLedger, reduceLists, reduceStale, unwatchedSession, type Fact, type KeepOpenEvent, type KeepOpenOptions, type StaleEvent, type StaleOptions, type Ledger, type LedgerEvent, type ListsEvent, type SessionLists } from 'afterturn/state';
import { agents } from './world.js';

/** Runs `work` and counts what it does with maps, and how much of them it looks through. */
function operationsOf(work: () => void): number {
  let count = 0;
  const prototype = Map.prototype as unknown as Record<string | symbol, (this: Map<unknown, unknown>, ...args: unknown[]) => unknown>;
  const steps: readonly (string | symbol)[] = ['keys', 'values', 'entries', Symbol.iterator];
  const originals = (['get', 'set', 'has', 'delete', ...steps] as const).map((method) => [method, prototype[method]] as const);
  function* counted(iterator: Iterable<unknown>): Generator<unknown, void> {
    for (const one of iterator) {
      count++;
      yield one;
    }
  }
  for (const [method, original] of originals) {
    prototype[method] = function (...args) {
      const result = original?.apply(this, args);
      if (steps.includes(method)) return counted(result as Iterable<unknown>);
      count++;
      return result;
    };
  }
  try {
    work();
  } finally {
    for (const [method, original] of originals) if (original !== undefined) prototype[method] = original;
  }
  return count;
}

const S = 's';
type Signal = LedgerEvent['signal'];

/** A session with `count` commands in the background, all of them listed. */
class Busy {
  ledger: Ledger = emptyLedger();
  lists: SessionLists = emptyLists(true);
  /** How many items the lists named that were sent. */
  named = 0;

  constructor(count: number) {
    this.says('state_update', { state: 'running' });
    const facts = Array.from({ length: count }, (_, index) => this.launch(`c${index}`)).flat();
    this.reduce({ type: 'facts', facts });
    expect(this.lists.entries.size).toBe(count);
  }

  /** What the ledger learns of a command that goes to the background. */
  launch(id: string): readonly Fact[] {
    const updates: readonly JsonObject[] = [
      { sessionUpdate: 'terminal_update', terminalId: id, command: './run.sh' },
      { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress', content: [{ type: 'terminal', terminalId: id }] },
      { sessionUpdate: '_async_task_spawned', asyncTaskId: id, taskType: 'shell', canStop: true, toolCallId: id },
      { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' },
    ];
    return updates.flatMap((update) => this.hears(readUpdate(update).signals));
  }

  hears(signals: readonly Signal[]): readonly Fact[] {
    return signals.flatMap((signal) => {
      const [ledger, facts] = reduceLedger(this.ledger, { session: S, at: 0, signal });
      this.ledger = ledger;
      return facts;
    });
  }

  says(sessionUpdate: string, members: JsonObject): void {
    const update = { sessionUpdate, ...members };
    this.reduce({ type: 'update', update, facts: this.hears(readUpdate(update).signals) });
  }

  reduce(event: object): void {
    const [lists, effects] = reduceLists(this.lists, { session: S, at: 0, ledger: this.ledger.get(S) ?? emptySession, ...event } as ListsEvent, agents.claude);
    this.lists = lists;
    this.named += effects.reduce((sum, effect) => sum + (effect.do === 'send' ? (arrayOf(effect.update.background)?.length ?? 0) : 0), 0);
    nextTick(lists);
  }
}

/** What happens in a session: each with what it is done to. */
const events: Readonly<Record<string, (busy: Busy, id: string) => void>> = {
  'an update of a call': (busy, id) => busy.says('tool_call_update', { toolCallId: id, title: 'x', content: [{ type: 'terminal', terminalId: id }] }),
  'output': (busy, id) => busy.says('terminal_output_chunk', { terminalId: id, data: 'eA==' }),
  'text': (busy) => busy.says('agent_message_chunk', { messageId: 'm', content: { type: 'text', text: 'x' } }),
  'progress': (busy, id) => busy.says('_async_task_progress', { asyncTaskId: id, description: 'x' }),
  'a call that begins and ends': (busy) => {
    busy.says('terminal_update', { terminalId: 'f', command: 'ls' });
    busy.says('tool_call_update', { toolCallId: 'f', status: 'in_progress', content: [{ type: 'terminal', terminalId: 'f' }] });
    busy.says('terminal_update', { terminalId: 'f', exitStatus: { exitCode: 0 } });
    busy.says('tool_call_update', { toolCallId: 'f', status: 'failed' });
  },
  'a turn that ends and begins': (busy) => {
    busy.says('state_update', { state: 'idle', stopReason: 'end_turn' });
    busy.says('state_update', { state: 'running' });
  },
};

describe('costs the same with 10,000 live items as with 10', () => {
  const sessions = [new Busy(10), new Busy(10_000)] as const;

  it.each(Object.entries(events))('%s', (_, happens) => {
    const [few, many] = sessions.map((busy) => {
      const id = `c${busy.lists.entries.size >> 1}`;
      // What is looked up by a word for the first time is put in order once.
      happens(busy, id);
      busy.named = 0;
      return operationsOf(() => happens(busy, id)) - busy.named;
    }) as [number, number];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThanOrEqual(2 * few + 50);
  });

  it('also when they begin and end', () => {
    const cost = (count: number): number => {
      const begins = operationsOf(() => void new Busy(count));
      const busy = new Busy(count);
      const ends = operationsOf(() => {
        const facts = Array.from({ length: count }, (_, index) => busy.hears(readUpdate({ sessionUpdate: '_async_task_state_update', asyncTaskId: `c${index}`, state: 'stopped' }).signals)).flat();
        busy.reduce({ type: 'facts', facts });
      });
      return (begins + ends) / count;
    };
    expect(cost(10_000)).toBeLessThan(1.5 * cost(1000));
  }, 60_000);
});

/** A session of ACP v1 with `count` unfinished calls, of a turn that is over and of one that goes on; a hundredth shows a terminal, as many are at work. */
class Watched {
  session = unwatchedSession;
  readonly #options: StaleOptions = { version: 1, grace: 2000, settles: true, queuesPrompts: false, historyAfterLoad: false };

  constructor(count: number) {
    this.happens({ type: 'promptSent', prompt: '1' });
    for (let i = 0; i < count; i++) this.word(`c${i}`, 'in_progress', i % 100 === 0 ? [`t${i}`] : []);
    for (let i = 0; i < count; i += 2) this.happens({ type: 'taskLive', task: `task ${i}`, starts: true, call: `c${i}` });
    this.happens({ type: 'promptEnded', prompt: '1', end: 'ended' });
    this.happens({ type: 'promptSent', prompt: '2' });
    expect(this.session.calls.size).toBe(count);
    expect(this.session.clocks.size).toBe(count / 2);
  }

  happens(event: StaleEvent extends infer E ? (E extends StaleEvent ? Omit<E, 'at'> : never) : never): void {
    [this.session] = reduceStale(this.session, { ...event, at: 0 }, this.#options);
  }

  word(id: string, status: string, terminals: readonly string[]): void {
    this.happens({ type: 'call', call: id, creates: true, starts: false, status, terminals });
  }
}

const watchedEvents: Readonly<Record<string, (watched: Watched) => void>> = {
  'a word that tells nothing new': (watched) => watched.word('c2', 'in_progress', []),
  'a word about a call that nothing speaks for': (watched) => watched.word('c3', 'in_progress', []),
  'a call that begins, shows a terminal and ends': (watched) => {
    watched.word('f', 'pending', []);
    watched.word('f', 'in_progress', ['tf']);
    watched.word('f', 'completed', []);
  },
  'a question and its answer': (watched) => {
    watched.happens({ type: 'asked', question: 'q', call: 'c4', creates: true, status: 'pending' });
    watched.happens({ type: 'answered', question: 'q', refused: false });
  },
  'work that begins and ends': (watched) => {
    watched.happens({ type: 'taskLive', task: 'f', starts: true, call: 'c5' });
    watched.happens({ type: 'taskEnded', task: 'f', completed: true });
  },
  'a terminal that begins and ends': (watched) => {
    watched.happens({ type: 'terminalLive', terminal: 't0' });
    watched.happens({ type: 'terminalEnded', terminal: 't0' });
  },
  'a turn that begins and ends': (watched) => {
    watched.happens({ type: 'promptSent', prompt: '3' });
    watched.happens({ type: 'promptEnded', prompt: '3', end: 'ended' });
  },
};

describe('is watched at the same cost with 10,000 unfinished calls as with 100', () => {
  const sessions = [new Watched(100), new Watched(10_000)] as const;

  it.each(Object.entries(watchedEvents))('%s', (_, happens) => {
    const [few, many] = sessions.map((watched) => {
      // What is looked up by a word for the first time is put in order once.
      happens(watched);
      return operationsOf(() => happens(watched));
    }) as [number, number];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThanOrEqual(few + 5);
  });

  it('also when the next time is asked for while no clock runs', () => {
    expect(operationsOf(() => nextStaleTick(unwatchedSession, { version: 1, grace: 2000, settles: true, queuesPrompts: false, historyAfterLoad: false }))).toBe(0);
  });
});

/** A session of ACP v1 with `count` commands in the background, each call kept open, told by the raw feed or by the extension. */
class Kept {
  state = nothingKeptOpen;
  readonly #options: KeepOpenOptions;

  constructor(count: number, asyncTasks: boolean) {
    this.#options = { asyncTasks, correctsStops: true, window: 250 };
    for (let i = 0; i < count; i++) this.launch(`c${i}`);
    expect(this.state.calls.where((call) => (call.shown === undefined ? 'open' : undefined), 'open')).toHaveLength(count);
  }

  happens(event: object): void {
    [this.state] = reduceKeepOpen(this.state, { ...event, at: 0 } as KeepOpenEvent, this.#options);
    nextKeepOpenTick(this.state);
  }

  says(update: JsonObject): void {
    this.happens({ type: 'update', update });
  }

  feeds(subtype: string, message: JsonObject): void {
    const params = { message: { type: 'system', subtype, ...message } };
    this.happens({ type: 'told', signals: readRawFeed(params).signals, words: rawTaskWords(params) });
  }

  tasks(sessionUpdate: string, members: JsonObject): void {
    const update = { sessionUpdate, ...members };
    this.happens({ type: 'told', signals: readUpdate(update).signals, words: asyncTaskWords(update) });
  }

  launch(id: string): void {
    this.says({ sessionUpdate: 'tool_call', toolCallId: id, status: 'pending', content: [], _meta: { claudeCode: { toolName: 'Bash' } } });
    if (this.#options.asyncTasks) this.tasks('async_task_spawned', { asyncTaskId: `t${id}`, taskType: 'shell', toolCallId: id });
    else this.feeds('task_started', { task_id: `t${id}`, tool_use_id: id, description: 'make', is_backgrounded: true, task_type: 'local_bash' });
    this.says({ sessionUpdate: 'tool_call_update', toolCallId: id, _meta: { claudeCode: { toolName: 'Bash', toolResponse: { backgroundTaskId: `t${id}` } } } });
    this.says({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' });
  }

  ends(id: string): void {
    if (this.#options.asyncTasks) this.tasks('async_task_state_update', { asyncTaskId: `t${id}`, state: 'completed' });
    else this.feeds('task_notification', { task_id: `t${id}`, tool_use_id: id, status: 'completed', summary: 'x' });
  }
}

const keptEvents: Readonly<Record<string, (kept: Kept) => void>> = {
  'a word about a call that is kept open': (kept) => kept.says({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', title: 'x' }),
  'a call that launches nothing': (kept) => {
    kept.says({ sessionUpdate: 'tool_call', toolCallId: 'f', status: 'pending', _meta: { claudeCode: { toolName: 'Bash' } } });
    kept.says({ sessionUpdate: 'tool_call_update', toolCallId: 'f', status: 'completed' });
  },
  'work that begins and ends': (kept) => {
    kept.launch('w');
    kept.ends('w');
  },
};

describe.each([['the raw feed', false], ['the extension', true]])('keeps calls open at the same cost with 4000 of them as with 40, by %s', (_, asyncTasks) => {
  const sessions = [new Kept(40, asyncTasks), new Kept(4000, asyncTasks)] as const;

  it.each(Object.entries(keptEvents))('%s', (_name, happens) => {
    const [few, many] = sessions.map((kept) => {
      // What is looked up by a word for the first time is put in order once.
      happens(kept);
      return operationsOf(() => happens(kept));
    }) as [number, number];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThanOrEqual(1.2 * few + 10);
  });
});
