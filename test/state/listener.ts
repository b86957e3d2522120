/** A ledger that listens, for tests that read as a conversation. */
import { readRawFeed, readUpdate, type JsonObject } from 'afterturn/protocol';
import { emptyLedger, reduceLedger, type CallState, type Fact, type Item, type Ledger, type LedgerEvent, type LedgerOptions, type TerminalState } from 'afterturn/state';

/** Each call says something and gives the facts that it told, in short form. */
export class Listener {
  ledger: Ledger = emptyLedger();
  at = 0;
  facts: Fact[] = [];

  constructor(private readonly options: LedgerOptions = {}) {}

  hears(signal: LedgerEvent['signal'], session = 's'): string[] {
    const [ledger, facts] = reduceLedger(this.ledger, { session, at: this.at, signal }, this.options);
    this.ledger = ledger;
    this.facts = [...facts];
    return facts.map(inShort);
  }

  private hearsAll(signals: readonly LedgerEvent['signal'][], session?: string): string[] {
    const told: Fact[] = [];
    for (const signal of signals) {
      this.hears(signal, session);
      told.push(...this.facts);
    }
    this.facts = told;
    return told.map(inShort);
  }

  update(sessionUpdate: string, members: JsonObject, session?: string): string[] {
    return this.hearsAll(readUpdate({ sessionUpdate, ...members }).signals, session);
  }

  spawned(asyncTaskId: string, members: JsonObject = {}): string[] {
    return this.update('_async_task_spawned', { asyncTaskId, taskType: 'shell', canStop: true, ...members });
  }

  progress(asyncTaskId: string, members: JsonObject): string[] {
    return this.update('_async_task_progress', { asyncTaskId, ...members });
  }

  ended(asyncTaskId: string, state: string, members: JsonObject = {}): string[] {
    return this.update('_async_task_state_update', { asyncTaskId, state, ...members });
  }

  call(toolCallId: string, status?: string, members: JsonObject = {}): string[] {
    return this.update('tool_call_update', { toolCallId, ...(status === undefined ? {} : { status }), ...members });
  }

  raw(subtype: string, members: JsonObject): string[] {
    return this.hearsAll(readRawFeed({ message: { type: 'system', subtype, ...members } }).signals);
  }

  state(state: string): string[] {
    return this.update('state_update', { state });
  }

  item(task: string): Item | undefined {
    return this.ledger.get('s')?.items.get(task);
  }

  seenCall(id: string): CallState | undefined {
    return this.ledger.get('s')?.calls.get(id);
  }

  seenTerminal(id: string): TerminalState | undefined {
    return this.ledger.get('s')?.terminals.get(id);
  }
}

function inShort(fact: Fact): string {
  const { task, life, outcome } = fact.item;
  const name = life === 1 ? task : `${task}#${life}`;
  switch (fact.type) {
    case 'itemStarted': return `started ${name}`;
    case 'itemDetached': return `detached ${name} by ${fact.by}`;
    case 'itemChanged': return `changed ${name}`;
    case 'itemEnded': return `ended ${name} ${outcome}${fact.tentative ? '?' : ''}`;
    case 'itemCorrected': return `corrected ${name} ${fact.before.outcome} to ${outcome}`;
    case 'itemRefined': return `refined ${name} ${outcome}`;
  }
}

/** The extension's mark of a command that goes to the background. */
export const mark = { _meta: { jetbrains: { air: { asyncTasks: { backgrounded: true } } } } };

/** In a turn. */
export const running = (options: LedgerOptions = {}): Listener => {
  const agent = new Listener(options);
  agent.state('running');
  return agent;
};
