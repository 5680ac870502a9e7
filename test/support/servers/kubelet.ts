/**
 * What this server takes for the kubelet of a node: logs as the test says, and connections that
 * speak SPDY, read by a library that nobody here wrote.
 *
 * Streams of commands: what comes on stdin goes to stdout, and its end ends the command, or a
 * Status that the test gives. Ports: whatever comes goes back.
 */
import https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { WebSocketServer } from 'ws';
import { tlsServerOptions } from '../data/tls-pair.ts';

/** Of spdy-transport, which has no types. */
interface SpdyStream extends Duplex {
  readonly headers: Readonly<Record<string, string>>;
  respond(status: number, headers: object): void;
}
interface SpdyConnection {
  start(version: number): void;
  on(event: 'stream', listener: (stream: SpdyStream) => void): void;
  on(event: 'error', listener: () => void): void;
}
interface SpdyTransport {
  readonly connection: {
    create(socket: Duplex, options: { protocol: 'spdy'; isServer: true }): SpdyConnection;
  };
}
const spdy = createRequire(import.meta.url)('spdy-transport') as SpdyTransport;

const webSockets = new WebSocketServer({ noServer: true });

export interface Kubelet {
  readonly port: number;
  /** Requests so far: method and target. */
  readonly asked: string[];
  /** Headers of the last one. */
  readonly headers: () => IncomingMessage['headers'];
  /** Subject of the client's certificate in the last one. */
  readonly subject: () => object | undefined;
  /** Resolves when the connection of the last request is over. */
  readonly over: () => Promise<void>;
  close(): void;
}

export interface KubeletTraits {
  /** Answers what is no upgrade. */
  log?(request: IncomingMessage, response: ServerResponse): void;
  /** What is said on the error stream when a command ends; '' : that all went well. */
  readonly status?: string;
  /** What a command writes to stderr at its beginning. */
  readonly stderr?: string;
  /** Nothing of a port is read before. */
  readonly reads?: Promise<void>;
  /** Upgrades are refused with it. */
  readonly refusal?: string;
}

export async function startKubelet(traits: KubeletTraits): Promise<Kubelet> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  let last: IncomingMessage | undefined;
  let over: Promise<void> = Promise.resolve();
  const note = (request: IncomingMessage): void => {
    asked.push(`${request.method} ${request.url}`);
    last = request;
    over = new Promise((resolve) => request.socket.once('close', () => resolve()));
  };
  const server = https.createServer(
    { ...tlsServerOptions, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      note(request);
      if (traits.log === undefined) response.writeHead(404).end('no such thing');
      else traits.log(request, response);
    },
  );
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.on('upgrade', (request, socket) => {
    note(request);
    socket.on('error', () => undefined);
    if (traits.refusal === undefined) upgraded(request, socket, traits);
    else {
      const { refusal } = traits;
      socket.end(
        `HTTP/1.1 500 Internal Server Error\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`,
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    headers: () => last?.headers ?? {},
    subject: () => (last?.socket as TLSSocket | undefined)?.getPeerCertificate().subject,
    over: () => over,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function upgraded(request: IncomingMessage, socket: Duplex, traits: KubeletTraits): void {
  if (request.headers.upgrade === 'websocket') {
    // In the older form of ports: whoever speaks it is at home with WebSocket. It says no more.
    webSockets.handleUpgrade(request, socket, Buffer.alloc(0), () => undefined);
    return;
  }
  const version = String(request.headers['x-stream-protocol-version']);
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
      `X-Stream-Protocol-Version: ${version}\r\n\r\n`,
  );
  if (request.url?.startsWith('/portForward/') === true) {
    void (traits.reads ?? Promise.resolve()).then(() => socket.pipe(socket));
    return;
  }
  serveCommand(socket, traits);
}

function serveCommand(socket: Duplex, { status = '', stderr }: KubeletTraits): void {
  const connection = spdy.connection.create(socket, { protocol: 'spdy', isServer: true });
  const streams = new Map<string, SpdyStream>();
  connection.on('error', () => undefined);
  connection.on('stream', (stream) => {
    stream.respond(200, {});
    stream.on('error', () => undefined);
    const type = stream.headers['streamtype'] ?? '';
    streams.set(type, stream);
    if (type === 'stderr' && stderr !== undefined) stream.write(stderr);
    if (type === 'resize') stream.on('data', (size) => streams.get('stdout')?.write(size));
    if (type !== 'stdin') return;
    stream.on('data', (bytes) => streams.get('stdout')?.write(bytes));
    stream.on('end', () => {
      for (const name of ['stdout', 'stderr']) streams.get(name)?.end();
      streams.get('error')?.end(status);
    });
  });
  connection.start(3.1);
}
