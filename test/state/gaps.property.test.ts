/**
 * What an agent tells of its own lists, in random order, with every set of gaps filled: what the client
 * knows in the end is what the agent said, and each gap is filled whenever it opens. A run that fails
 * prints its seed; the same is played again with that seed in `AFTERTURN_SEED`.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GAPS, nextGapsTick, reduceGaps, unseenSession, type Gap, type GapsEffect, type GapsEvent, type NativeSession } from '../../src/state/index.js';

const seed = Number(process.env.AFTERTURN_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.AFTERTURN_RUNS ?? 3_000);
const WINDOW = 250;
const MONITORS = ['m1', 'm2'] as const;

type Update = Readonly<Record<string, unknown>>;
type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'state'; readonly word: 'idle' | 'running'; readonly stops: boolean; readonly terminals: readonly string[] | 'lost' }
  | { readonly do: 'arm' | 'acknowledge' | 'end'; readonly monitor: (typeof MONITORS)[number] }
  | { readonly do: 'other' | 'close' | 'refuse' };

const monitor = fc.constantFrom(...MONITORS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400 }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('state' as const), word: fc.constantFrom('idle' as const, 'running' as const), stops: fc.boolean(), terminals: fc.oneof({ weight: 9, arbitrary: fc.subarray(['t1', 't2']) }, { weight: 1, arbitrary: fc.constant('lost' as const) }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('arm' as const, 'acknowledge' as const, 'end' as const), monitor }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('other' as const, 'close' as const, 'refuse' as const) }) },
);
const fillings = fc.subarray([...GAPS]);

/** The client, and what the agent said. */
class World {
  #session: NativeSession = unseenSession;
  #now = 0;
  readonly #fills: ReadonlySet<Gap>;
  /** What the client knows. */
  state: string | undefined;
  list: ReadonlySet<string> | undefined;
  readonly statuses = new Map<string, string>();
  readonly others: string[] = [];
  #removedAt = -Infinity;
  /** What the agent said last. */
  said: { readonly word: string; readonly terminals: readonly string[] | 'lost' } | undefined;
  #closing = false;

  constructor(fills: readonly Gap[]) {
    this.#fills = new Set(fills);
  }

  #event(event: Omit<GapsEvent, 'at'>, atHand?: Update): void {
    const [next, effects] = reduceGaps(this.#session, { ...event, at: this.#now } as GapsEvent, { fills: this.#fills, window: WINDOW });
    this.#session = next;
    for (const effect of effects) this.#perform(effect, atHand);
  }

  #perform(effect: GapsEffect, atHand: Update | undefined): void {
    if (effect.do === 'hold') return;
    const update = effect.do === 'keep' ? atHand : effect.update;
    if (update !== undefined) this.#gets(update, effect.do === 'keep');
  }

  #gets(update: Update, untouched: boolean): void {
    if (update.sessionUpdate === 'other') this.others.push('other');
    if (update.sessionUpdate === 'tool_call_update' && update.status !== undefined) this.statuses.set(String(update.toolCallId), String(update.status));
    if (update.sessionUpdate !== 'state_update') return;
    if (untouched && this.#fills.has('monitors')) expect([...this.#session.monitors.values()].some(({ phase }) => phase === 'live') && Array.isArray(update.background) && !JSON.stringify(update.background).includes('"m')).toBe(false);
    const list = Array.isArray(update.background) ? new Set(update.background.map((item: Update) => String(item.terminalId ?? item.toolCallId))) : undefined;
    const removes = list !== undefined && [...(this.list ?? [])].some((id) => !list.has(id));
    if (this.#fills.has('removals') && update.state === 'running' && this.state === 'idle' && list !== undefined) expect(this.#now - this.#removedAt).toBeGreaterThanOrEqual(WINDOW);
    // A state at the close, or one that ends a turn, waits for nothing.
    const isBare = update.state === 'idle' && this.state === 'idle' && update.stopReason === undefined && !this.#closing;
    const adds = list !== undefined && [...list].some((id) => !this.list?.has(id));
    this.#removedAt = removes && isBare && !adds && !this.#isOld ? this.#now : -Infinity;
    // What is listed has not ended.
    if (this.#fills.has('monitors')) for (const id of list ?? []) if (id.startsWith('m')) expect(['pending', 'in_progress']).toContain(this.statuses.get(id));
    this.state = String(update.state);
    this.list = list;
  }

  /** What is told now has waited, or waits no longer because of the client: a turn that comes is another matter. */
  #isOld = false;

  #late(event: Omit<GapsEvent, 'at'>): void {
    this.#isOld = true;
    this.#event(event);
    this.#isOld = false;
  }

  #passUntil(at: number): void {
    for (let due = nextGapsTick(this.#session); due !== undefined && due <= at; due = nextGapsTick(this.#session)) {
      this.#now = Math.max(this.#now, due);
      this.#late({ type: 'tick' } as Omit<GapsEvent, 'at'>);
    }
    this.#now = at;
  }

  readonly #rows: { readonly [K in Step['do']]: (step: Extract<Step, { readonly do: K }>) => void } = {
    wait: ({ ms }) => this.#passUntil(this.#now + ms),
    state: ({ word, stops, terminals }) => {
      const background = terminals === 'lost' ? {} : { background: terminals.map((terminalId) => ({ type: 'terminal', terminalId })) };
      const update = { sessionUpdate: 'state_update', state: word, ...(word === 'idle' && stops ? { stopReason: 'end_turn' } : {}), ...background };
      this.said = { word, terminals };
      this.#event({ type: 'update', update } as Omit<GapsEvent, 'at'>, update);
    },
    arm: ({ monitor: id }) => {
      this.#event({ type: 'fed', signals: [{ type: 'taskStarted', source: 'raw', task: `k${id}`, facts: { taskType: 'shell', toolCallId: id } }] } as unknown as Omit<GapsEvent, 'at'>);
      this.#tool({ toolCallId: id, name: 'Monitor', status: 'pending' });
    },
    acknowledge: ({ monitor: id }) => this.#tool({ toolCallId: id, name: 'Monitor', status: 'completed' }),
    end: ({ monitor: id }) => this.#event({ type: 'fed', signals: [{ type: 'taskEnded', source: 'raw', task: `k${id}`, outcome: 'completed', facts: {} }] } as unknown as Omit<GapsEvent, 'at'>),
    other: () => this.#event({ type: 'update', update: { sessionUpdate: 'other' } } as Omit<GapsEvent, 'at'>, { sessionUpdate: 'other' }),
    close: () => {
      this.#closing = true;
      this.#late({ type: 'closing' } as Omit<GapsEvent, 'at'>);
    },
    refuse: () => {
      if (this.#closing) this.#late({ type: 'closeFailed' } as Omit<GapsEvent, 'at'>);
      this.#closing = false;
    },
  };

  #tool(members: Update): void {
    const update = { sessionUpdate: 'tool_call_update', ...members };
    this.#event({ type: 'update', update } as Omit<GapsEvent, 'at'>, update);
  }

  play(each: Step): void {
    (this.#rows[each.do] as (step: Step) => void)(each);
  }

  /** Nothing comes any more. */
  rest(): void {
    this.play({ do: 'refuse' });
    this.#passUntil(this.#now + 10 * WINDOW);
  }

  /** Monitors that are listed. */
  live(): string[] {
    return [...this.#session.monitors.values()].filter(({ phase }) => phase === 'live').map(({ call }) => call);
  }
}

it(`nothing that the agent says of its work is lost: ${RUNS} sessions, seed ${seed}`, () => {
  fc.assert(fc.property(fillings, fc.array(step, { maxLength: 40 }), (fills, steps) => {
    const world = new World(fills);
    for (const each of steps) world.play(each);
    world.rest();
    const { said } = world;
    expect(world.others).toHaveLength(steps.filter((each) => each.do === 'other').length);
    if (said === undefined) return;
    const list = said.terminals === 'lost' ? undefined : new Set([...said.terminals, ...world.live()]);
    expect({ state: world.state, list: world.list }).toEqual({ state: said.word, list });
    if (!fills.includes('monitors')) expect(world.live()).toEqual([]);
  }), { seed, numRuns: RUNS });
}, 60_000);
