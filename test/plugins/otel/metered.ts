/** A meter whose sums and durations are read as lines: `name {attributes} value`. Times in seconds. */
import { AggregationTemporality, DataPointType, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader, type Histogram } from '@opentelemetry/sdk-metrics';

const short = (attributes: object): string => Object.entries(attributes).map(([key, value]) => `${key.replace(/^.*\./, '')}=${String(value)}`).join(' ');

export function metered() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    meter: provider.getMeter('test'),
    /** The attributes of all that was measured. */
    async attributes(): Promise<object[]> {
      exporter.reset();
      await provider.forceFlush();
      return exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics).flatMap(({ metrics }) => metrics).flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes));
    },
    /** All that was measured so far; a duration as its count and sum. */
    async lines(): Promise<string[]> {
      exporter.reset();
      await provider.forceFlush();
      return exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics).flatMap(({ metrics }) => metrics).flatMap((metric) =>
        metric.dataPoints.map(({ attributes, value }) => {
          const told = metric.dataPointType === DataPointType.HISTOGRAM ? `${(value as Histogram).count} in ${(value as Histogram).sum}` : String(value);
          return `${metric.descriptor.name} {${short(attributes)}} ${told} ${metric.descriptor.unit}`;
        }));
    },
    close: () => provider.shutdown(),
  };
}
