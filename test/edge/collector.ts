/** A local collector for tests: keeps what it is sent, or misbehaves as it is told. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Export {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Collector {
  readonly url: string;
  readonly exports: readonly Export[];
  /** Connections that were made so far. */
  connections(): number;
  close(): Promise<void>;
}

async function listening(server: Server, exports: readonly Export[]): Promise<Collector> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers every export with this status. */
export function collector(status = 200): Promise<Collector> {
  const exports: Export[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
      exports.push({ url: request.url, headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(status).end();
    });
  });
  return listening(server, exports);
}

/** Takes connections and never says a word. */
export const hangingCollector = (): Promise<Collector> => listening(createTcpServer(() => {}), []);

/** The address of a port that nobody listens on. */
export async function refusingAddress(): Promise<string> {
  const taken = await hangingCollector();
  await taken.close();
  return taken.url;
}
