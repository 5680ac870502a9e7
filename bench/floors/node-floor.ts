/**
 * The floor of what node's HTTP sends: one buffer, framed once, written to each socket.
 *
 *   GET  /stream          joins the audience; a chunked answer that stays open
 *   PUT  /event           sends its body to the audience, once: one write a socket
 *   POST /saturate?N      sends its body N times, as fast as the sockets take it, then answers
 *
 * In the clear and, on a second port, over TLS.
 *
 * What it is not: a server. It checks nothing.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { makeServingPair } from './serving-pair.ts';

const audience = new Set<Socket>();
let blockedCount = 0;
let onUnblocked: (() => void) | undefined;

function framed(body: Buffer): Buffer {
  const head = Buffer.from(`${body.length.toString(16)}\r\n`);
  return Buffer.concat([head, body, Buffer.from('\r\n')]);
}

function join(res: ServerResponse): void {
  const { socket } = res;
  if (socket === null) return;
  res.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  res.flushHeaders();
  audience.add(socket);
  socket.on('close', () => audience.delete(socket));
}

function broadcast(chunk: Buffer): void {
  for (const socket of audience) {
    if (socket.write(chunk) || socket.listenerCount('drain') > 1) continue;
    blockedCount += 1;
    socket.once('drain', () => {
      blockedCount -= 1;
      if (blockedCount === 0) onUnblocked?.();
    });
  }
}

/** One event a turn; the next when every socket has taken the last. */
function saturate(chunk: Buffer, times: number, done: () => void): void {
  broadcast(chunk);
  const go = (): void => {
    onUnblocked = undefined;
    setImmediate(times === 1 ? done : () => saturate(chunk, times - 1, done));
  };
  if (blockedCount === 0) go();
  else onUnblocked = go;
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(req.url ?? '/', 'http://floor');
  if (pathname === '/stream') return join(res);
  const chunk = framed(await bodyOf(req));
  const answer = (): void => {
    res.writeHead(200, { 'Content-Length': 2 }).end('{}');
  };
  if (pathname === '/saturate') return saturate(chunk, Number(search.slice(1)), answer);
  answer();
  setImmediate(broadcast, chunk);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const listener: RequestListener = (req, res) => void handle(req, res);
const { certificatePem: cert, keyPem: key } = await makeServingPair();
// Connections of the load are quiet for longer than node would let them be.
const patient = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };
const port = await listen(createServer(patient, listener));
const secure = await listen(createSecureServer({ ...patient, cert, key }, listener));
process.stdout.write(`floor is ready: port=${port} secure=${secure}\n`);
process.on('SIGTERM', () => process.exit(0));
