/** The exporters of OTLP over gRPC. A part of its own, because gRPC is larger than everything else together. */
export { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-grpc';
export { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
