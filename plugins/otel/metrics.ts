/**
 * Metrics from span operations and from what other parts of the proxy count. Attributes are words of
 * few values only: no id, no content. Work that was not finished has no duration.
 */
import type { Attributes, Counter, Histogram, Meter, Observable } from '@opentelemetry/api';
import type { Direction } from 'afterturn/plugin';
import { Attribute, DURATION_BOUNDS, Metric, MetricAttribute, Operation, PERMISSION_METHOD, providerOf, type Instrument, type SpanOp, type TraceAttributes } from 'afterturn/state';
import { BoundedMap } from '../bounded.js';

/** So many spans are measured at once. */
const MOST_OPEN = 100_000;

interface Measured {
  readonly start: number;
  /** All that was told of it; the last word counts. */
  readonly attributes: TraceAttributes[];
  /** What the item was counted with as alive. */
  live: Sum | undefined;
}

type Kind = 'turn' | 'call' | 'permission' | 'item';

/** What of a span's attributes its duration is told by. */
const dimensions: Readonly<Record<Kind, readonly string[]>> = {
  turn: [Attribute.operation, Attribute.startedBy, Attribute.errorType],
  call: [Attribute.operation, Attribute.toolName, Attribute.errorType],
  permission: [Attribute.permissionOutcome, Attribute.permissionOption, Attribute.errorType],
  item: [Attribute.backgroundType, Attribute.taskType, Attribute.outcome, Attribute.errorType],
};
const liveDimensions = [Attribute.backgroundType, Attribute.taskType];

function told(attributes: readonly TraceAttributes[], key: string): TraceAttributes[string] | undefined {
  for (let i = attributes.length - 1; i >= 0; i -= 1) {
    const value = attributes[i]?.[key];
    if (value !== undefined) return value;
  }
  return undefined;
}

function kindOf(attributes: readonly TraceAttributes[]): Kind {
  if (told(attributes, Attribute.backgroundType) !== undefined) return 'item';
  if (told(attributes, Attribute.rpcMethod) === PERMISSION_METHOD) return 'permission';
  return told(attributes, Attribute.operation) === Operation.executeTool ? 'call' : 'turn';
}

/** Whose work it is, and these of its attributes. */
function dimensionsOf(agent: Attributes, attributes: readonly TraceAttributes[], keys: readonly string[]): Attributes {
  const picked: Attributes = { ...agent };
  for (const key of keys) {
    const value = told(attributes, key);
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}

const options = ({ unit, description }: Instrument): { unit: string; description: string } => ({ unit, description });

/** A sum, and what it is told with. */
interface Sum {
  value: number;
  readonly attributes: Attributes;
}

/** The words of an agent can be any: an instrument has so many sums, and one for all others (Metrics SDK, "Cardinality limits"). */
const MOST_SUMS = 1999;
const OVERFLOW: Attributes = { 'otel.metric.overflow': true };

/** Sums that are told when they are asked for: an instrument looks up its attributes each time that it is added to. */
class Sums {
  readonly #sums = new Map<string, Sum>();

  /** The sum with these attributes, which have always the same order. */
  sumOf(attributes: Attributes): Sum {
    const key = JSON.stringify(attributes);
    const known = this.#sums.get(key);
    if (known !== undefined) return known;
    if (this.#sums.size >= MOST_SUMS && attributes !== OVERFLOW) return this.sumOf(OVERFLOW);
    const sum = { value: 0, attributes };
    this.#sums.set(key, sum);
    return sum;
  }

  observedBy(instrument: Observable): void {
    instrument.addCallback((result) => {
      for (const { value, attributes } of this.#sums.values()) result.observe(value, attributes);
    });
  }
}

export class SpanMetrics {
  readonly #open = new BoundedMap<string, Measured>(MOST_OPEN);
  readonly #durations: Readonly<Record<Kind, Histogram>>;
  readonly #live = new Sums();
  #agent: Attributes = {};

  constructor(meter: Meter) {
    const histogram = (instrument: Instrument): Histogram =>
      meter.createHistogram(instrument.name, { ...options(instrument), advice: { explicitBucketBoundaries: [...DURATION_BOUNDS] } });
    this.#durations = {
      turn: histogram(Metric.turnDuration),
      call: histogram(Metric.callDuration),
      permission: histogram(Metric.permissionDuration),
      item: histogram(Metric.itemDuration),
    };
    this.#live.observedBy(meter.createObservableUpDownCounter(Metric.liveItems.name, options(Metric.liveItems)));
  }

  /** Whose work it is from now on. */
  agentIs(name: string | undefined, version: string | undefined): void {
    this.#agent = {
      ...(name === undefined ? {} : { [Attribute.provider]: providerOf(name), [Attribute.agentName]: name }),
      ...(version === undefined ? {} : { [Attribute.agentVersion]: version }),
    };
  }

  perform(op: SpanOp): void {
    if (op.do === 'start') {
      this.#open.set(op.key, { start: op.time, attributes: [op.attributes], live: undefined });
      return;
    }
    const open = this.#open.get(op.key);
    if (open === undefined) return;
    if (op.do === 'set') open.attributes.push(op.attributes);
    else if (op.do === 'announce') this.#lives(open);
    else if (op.do === 'end') this.#ended(op.key, open, op.time);
    else if (op.do === 'drop') this.#gone(op.key, open);
  }

  #lives(open: Measured): void {
    if (open.live !== undefined) return;
    open.live = this.#live.sumOf(dimensionsOf(this.#agent, open.attributes, liveDimensions));
    open.live.value += 1;
  }

  #ended(key: string, open: Measured, time: number): void {
    this.#gone(key, open);
    const { attributes, start } = open;
    if (told(attributes, Attribute.unfinished) === true || told(attributes, Attribute.backgroundUnfinished) === true) return;
    const kind = kindOf(attributes);
    this.#durations[kind].record(Math.max(0, time - start) / 1000, dimensionsOf(this.#agent, attributes, dimensions[kind]));
  }

  #gone(key: string, { live }: Measured): void {
    this.#open.delete(key);
    if (live !== undefined) live.value -= 1;
  }
}

/** What other parts of the proxy count. */
export interface Counts {
  legacy(place: 'client' | 'agent', word: string): void;
  readonly stale: (what: 'settled' | 'corrected') => void;
  forwarded(direction: Direction, lines: number): void;
  written(direction: Direction, messages: number): void;
  stray(): void;
}

const directionWords: Readonly<Record<Direction, string>> = { toAgent: 'to_agent', toClient: 'to_client' };
const treatments = ['forwarded', 'written'] as const;

/** Sums that every message adds to are kept here, and told when they are asked for. */
export function countsOf(meter: Meter): Counts {
  const legacy = new Sums();
  legacy.observedBy(meter.createObservableCounter(Metric.legacyMessages.name, options(Metric.legacyMessages)));
  const legacySums = { client: new Map<string, Sum>(), agent: new Map<string, Sum>() };
  const stale: Counter = meter.createCounter(Metric.staleCalls.name, options(Metric.staleCalls));
  const stray: Counter = meter.createCounter(Metric.strayLines.name, options(Metric.strayLines));
  const sums = { forwarded: { toAgent: 0, toClient: 0 }, written: { toAgent: 0, toClient: 0 } };
  meter.createObservableCounter(Metric.messages.name, options(Metric.messages)).addCallback((result) => {
    for (const treatment of treatments) {
      for (const direction of ['toAgent', 'toClient'] as const) {
        result.observe(sums[treatment][direction], { [MetricAttribute.direction]: directionWords[direction], [MetricAttribute.treatment]: treatment });
      }
    }
  });
  return {
    legacy(place, word) {
      let sum = legacySums[place].get(word);
      if (sum === undefined) legacySums[place].set(word, (sum = legacy.sumOf({ [MetricAttribute.place]: place, [MetricAttribute.legacyKind]: word })));
      sum.value += 1;
    },
    stale: (what) => stale.add(1, { [MetricAttribute.staleState]: what }),
    stray: () => stray.add(1),
    forwarded: (direction, lines) => void (sums.forwarded[direction] += lines),
    written: (direction, messages) => void (sums.written[direction] += messages),
  };
}
