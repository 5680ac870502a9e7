/**
 * The floor of what node's HTTP sends: one buffer, framed once, written to each socket.
 *
 *   GET  /stream          joins the audience; a chunked answer that stays open
 *   PUT  /event           sends its body to the audience, once: one write a socket
 *   POST /saturate?N      sends its body N times, as fast as the sockets take it, then answers
 *
 * In the clear and, on a second port, over TLS. Started with the word `http2`, that port speaks
 * HTTP/2 (node's), and its streams alone are the audience: the buffer is written to each. Then
 *
 *   PUT  /answer          in the clear: {headers, body}, what any other GET is answered
 *
 * What it is not: a server. It checks nothing.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createSecureServer as createHttp2Server } from 'node:http2';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { Writable } from 'node:stream';
import { makeServingPair } from './serving-pair.ts';

interface Answer {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

const overHttp2 = process.argv[2] === 'http2';
const audience = new Set<Writable>();
const blocked = new Set<Writable>();
let answered: OutgoingHttpHeaders = {};
let answeredBody: Buffer = Buffer.alloc(0);
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

/** Over HTTP/2: joins, or is answered from memory. */
function serveStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  // A load that has what it wants closes its connections.
  stream.on('error', () => undefined);
  if (headers[':path'] !== '/stream') {
    stream.respond(answered);
    stream.end(answeredBody);
    return;
  }
  stream.respond({ 'content-type': 'application/json' });
  audience.add(stream);
  stream.on('close', () => audience.delete(stream));
}

function broadcast(chunk: Buffer): void {
  for (const sink of audience) {
    if (sink.write(chunk) || blocked.has(sink)) continue;
    blocked.add(sink);
    sink.once('drain', () => {
      blocked.delete(sink);
      if (blocked.size === 0) onUnblocked?.();
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
  if (blocked.size === 0) go();
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
  const body = await bodyOf(req);
  const chunk = overHttp2 ? body : framed(body);
  const answer = (): void => {
    res.writeHead(200, { 'Content-Length': 2 }).end('{}');
  };
  if (pathname === '/answer') {
    const { body: text, headers } = JSON.parse(body.toString()) as Answer;
    answered = headers;
    answeredBody = Buffer.from(text);
    return answer();
  }
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
const secure = await listen(
  overHttp2
    ? createHttp2Server({ cert, key }).on('stream', serveStream)
    : createSecureServer({ ...patient, cert, key }, listener),
);
process.stdout.write(`floor is ready: port=${port} secure=${secure}\n`);
process.on('SIGTERM', () => process.exit(0));
