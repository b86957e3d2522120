/**
 * What other parts of the proxy count, as metrics. At work from the first message on, so it needs
 * neither spans nor the SDK.
 */
import type { Attributes, Counter, Meter, Observable } from '@opentelemetry/api';
import type { Direction, Plugin } from 'afterturn/plugin';
import { Metric, MetricAttribute, type Instrument } from 'afterturn/state';
import { legacyCounter } from './legacy-counter.js';

export const described = ({ unit, description }: Instrument): { unit: string; description: string } => ({ unit, description });

/** A sum, and what it is told with. */
export interface Sum {
  value: number;
  readonly attributes: Attributes;
}

/** The words of an agent can be any: an instrument has so many sums, and one for all others (Metrics SDK, "Cardinality limits"). */
const MOST_SUMS = 1999;
const OVERFLOW: Attributes = { 'otel.metric.overflow': true };

/** Sums that are told when they are asked for: an instrument looks up its attributes each time that it is added to. */
export class Sums {
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
  legacy.observedBy(meter.createObservableCounter(Metric.legacyMessages.name, described(Metric.legacyMessages)));
  const legacySums = { client: new Map<string, Sum>(), agent: new Map<string, Sum>() };
  const stale: Counter = meter.createCounter(Metric.staleCalls.name, described(Metric.staleCalls));
  const stray: Counter = meter.createCounter(Metric.strayLines.name, described(Metric.strayLines));
  const sums = { forwarded: { toAgent: 0, toClient: 0 }, written: { toAgent: 0, toClient: 0 } };
  meter.createObservableCounter(Metric.messages.name, described(Metric.messages)).addCallback((result) => {
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

/** What counts beside the plugin, where there is a meter. */
export interface Counting {
  /** For the client's end of the list, and for the agent's. */
  readonly atClient: Plugin;
  readonly atAgent: Plugin;
  readonly counts: Counts;
}

export function countingBeside(meter: Meter): Counting {
  const counts = countsOf(meter);
  const counter = (place: 'client' | 'agent'): Plugin => legacyCounter({ place, seen: (word) => counts.legacy(place, word) });
  return { atClient: counter('client'), atAgent: counter('agent'), counts };
}
