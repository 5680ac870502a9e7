/**
 * A service in the test's process that the server calls (a webhook, an issuer, a sink of audit
 * events), on a free port of the loopback.
 */
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** Called when the body is whole. */
export type Respond = (body: string, request: IncomingMessage, response: ServerResponse) => void;

export interface RemoteService {
  readonly port: number;
  /** Without a path. */
  readonly url: string;
  /** Connections that were made so far. */
  connections(): number;
  /** Cuts all connections; the next ones are served. */
  hangUp(): void;
  close(): void;
}

/** `tls`: it is served over HTTPS with these options. */
export async function startRemoteService(
  respond: Respond,
  tls?: https.ServerOptions,
): Promise<RemoteService> {
  const sockets = new Set<Duplex>();
  let connections = 0;
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(Buffer.concat(chunks).toString(), request, response));
  };
  const server = tls === undefined ? http.createServer(serve) : https.createServer(tls, serve);
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on(tls === undefined ? 'connection' : 'secureConnection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    connections: () => connections,
    hangUp,
    close() {
      hangUp();
      server.close();
    },
  };
}
