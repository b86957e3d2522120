/**
 * Metrics from span operations. Attributes are words of
 * few values only: no id, no content. Work that was not finished has no duration.
 */
import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import { Attribute, DURATION_BOUNDS, Metric, Operation, PERMISSION_METHOD, providerOf, type Instrument, type SpanOp, type TraceAttributes } from 'afterturn/state';
import { BoundedMap } from '../bounded.js';
import { described, Sums, type Sum } from './counts.js';

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

/** What the last words say. */
function together([first = {}, ...later]: readonly TraceAttributes[]): TraceAttributes {
  return later.length === 0 ? first : Object.assign({}, first, ...later) as TraceAttributes;
}

function kindOf(attributes: TraceAttributes): Kind {
  if (attributes[Attribute.backgroundType] !== undefined) return 'item';
  if (attributes[Attribute.rpcMethod] === PERMISSION_METHOD) return 'permission';
  return attributes[Attribute.operation] === Operation.executeTool ? 'call' : 'turn';
}

/** Whose work it is, and these of its attributes. */
function dimensionsOf(agent: Attributes, attributes: TraceAttributes, keys: readonly string[]): Attributes {
  const picked: Attributes = { ...agent };
  for (const key of keys) {
    const value = attributes[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}

export class SpanMetrics {
  readonly #open = new BoundedMap<string, Measured>(MOST_OPEN);
  readonly #durations: Readonly<Record<Kind, Histogram>>;
  readonly #live = new Sums();
  #agent: Attributes = {};

  constructor(meter: Meter) {
    const histogram = (instrument: Instrument): Histogram =>
      meter.createHistogram(instrument.name, { ...described(instrument), advice: { explicitBucketBoundaries: [...DURATION_BOUNDS] } });
    this.#durations = {
      turn: histogram(Metric.turnDuration),
      call: histogram(Metric.callDuration),
      permission: histogram(Metric.permissionDuration),
      item: histogram(Metric.itemDuration),
    };
    this.#live.observedBy(meter.createObservableUpDownCounter(Metric.liveItems.name, described(Metric.liveItems)));
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
    open.live = this.#live.sumOf(dimensionsOf(this.#agent, together(open.attributes), liveDimensions));
    open.live.value += 1;
  }

  #ended(key: string, open: Measured, time: number): void {
    this.#gone(key, open);
    const attributes = together(open.attributes);
    if (attributes[Attribute.unfinished] === true || attributes[Attribute.backgroundUnfinished] === true) return;
    const kind = kindOf(attributes);
    this.#durations[kind].record(Math.max(0, time - open.start) / 1000, dimensionsOf(this.#agent, attributes, dimensions[kind]));
  }

  #gone(key: string, { live }: Measured): void {
    this.#open.delete(key);
    if (live !== undefined) live.value -= 1;
  }
}
