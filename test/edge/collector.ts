/** A local collector for tests: keeps and decodes what it is sent, or misbehaves as it is told. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import * as grpc from '@grpc/grpc-js';
import { decodedRequest, type requests } from './otlp-messages.js';
import { metricsIn, recordsIn, spansIn, type DecodedMetric, type DecodedRecord, type DecodedSpan } from './otlp.js';

type Signal = keyof typeof requests;

export interface Export {
  /** The path over HTTP, the method over gRPC. */
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly signal: Signal;
  /** The request, in OTLP's JSON form. */
  readonly request: unknown;
}

export interface Collector {
  readonly url: string;
  readonly exports: readonly Export[];
  spans(): DecodedSpan[];
  records(): DecodedRecord[];
  /** What the newest export of metrics says. */
  metrics(): DecodedMetric[];
  /** Connections that were made so far. */
  connections(): number;
  close(): Promise<void>;
}

const decodedBy = (exports: readonly Export[]): Pick<Collector, 'exports' | 'spans' | 'records' | 'metrics'> => {
  const of = (signal: Signal): unknown[] => exports.filter((each) => each.signal === signal).map(({ request }) => request);
  return {
    exports,
    spans: () => of('traces').flatMap(spansIn),
    records: () => of('logs').flatMap(recordsIn),
    metrics: () => of('metrics').slice(-1).flatMap(metricsIn),
  };
};

async function listening(server: Server, exports: readonly Export[], port = 0): Promise<Collector> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...decodedBy(exports),
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const decoders: Readonly<Record<string, (signal: Signal, body: Buffer) => unknown>> = {
  'application/x-protobuf': decodedRequest,
  'application/json': (_signal, body) => JSON.parse(body.toString()),
};

function signalOf(path: string | undefined): Signal {
  const signal = /\/v1\/(traces|metrics|logs)$/.exec(path ?? '')?.[1];
  if (signal === undefined) throw new Error(`no signal has the path ${path}`);
  return signal as Signal;
}

/** Over HTTP: answers with this status, after `delay` milliseconds. `only`: the signals that it has a way in for. */
export function collector(status = 200, { delay = 0, only, port }: { delay?: number; only?: readonly Signal[]; port?: number } = {}): Promise<Collector> {
  const exports: Export[] = [];
  const answer: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
      const signal = signalOf(request.url);
      if (only?.includes(signal) === false) return void response.writeHead(404).end();
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(Buffer.concat(parts)) : Buffer.concat(parts);
      const decode = decoders[request.headers['content-type'] ?? ''];
      if (decode === undefined) throw new Error(`no decoder for ${request.headers['content-type']}`);
      exports.push({ url: request.url, headers: request.headers, body, signal, request: decode(signal, body) });
      setTimeout(() => response.writeHead(status).end(), delay);
    });
  };
  return listening(createServer(answer), exports, port);
}

const grpcServices = { traces: 'trace.v1.TraceService', metrics: 'metrics.v1.MetricsService', logs: 'logs.v1.LogsService' } as const;
const asIs = (bytes: Buffer): Buffer => bytes;

/** Over gRPC: takes every export, or answers with this status code. */
export async function grpcCollector(status?: grpc.status): Promise<Collector> {
  const exports: Export[] = [];
  const server = new grpc.Server();
  for (const signal of Object.keys(grpcServices) as Signal[]) {
    const path = `/opentelemetry.proto.collector.${grpcServices[signal]}/Export`;
    server.addService(
      { export: { path, requestStream: false, responseStream: false, requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs } },
      {
        export({ request, metadata }: { request: Buffer; metadata: grpc.Metadata }, answer: (error: object | null, value?: Buffer) => void) {
          if (status !== undefined) return answer({ code: status, details: 'as it was told' });
          exports.push({ url: path, headers: metadata.getMap() as IncomingHttpHeaders, body: request, signal, request: decodedRequest(signal, request) });
          answer(null, Buffer.alloc(0));
        },
      },
    );
  }
  const port = await new Promise<number>((resolve, reject) => server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))));
  return { url: `http://127.0.0.1:${port}`, ...decodedBy(exports), connections: () => 0, close: () => Promise.resolve(server.forceShutdown()) };
}

/** Takes connections and never says a word. */
export const hangingCollector = (): Promise<Collector> => listening(createTcpServer(() => {}), []);

/** The address of a port that nobody listens on. */
export async function refusingAddress(): Promise<string> {
  const taken = await hangingCollector();
  await taken.close();
  return taken.url;
}

/** Keeps collectors of a test for `closeKept`. */
export function keptCollectors(): { kept(made: Promise<Collector>): Promise<Collector>; closeKept(): Promise<void> } {
  const open: Collector[] = [];
  return {
    async kept(made) {
      const one = await made;
      open.push(one);
      return one;
    },
    async closeKept() {
      await Promise.all(open.splice(0).map((one) => one.close()));
    },
  };
}
