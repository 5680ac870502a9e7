/**
 * The floor of everything that sends: uWebSockets.js with nothing around it, in the clear and, on a
 * second port, over TLS.
 *
 *   GET  /stream          joins the audience; a chunked answer that stays open
 *   PUT  /event           sends its body to the audience, once: one cork and one write a socket
 *   POST /saturate?N      sends its body N times, as fast as the sockets take it, then answers
 *   POST /body            keeps its body; GET /copy answers with it, as the socket drains
 *   POST /answer          answers 201 with its own body: what a create costs without a server
 *
 * Asked by the bench (BroadcastsRequest) it sends events of its own to the audience, at a pace.
 *
 * What it is not: a server. It checks nothing and keeps one body.
 */
import { createSecureApp } from '../../src/transport/uws/secure-app.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';
import type { UwsApp, UwsRequest, UwsResponse } from '../../src/transport/uws/uws-binding.ts';
import { answerWith } from '../harness/inside.ts';
import { makeServingPair } from './serving-pair.ts';

export interface BroadcastsRequest {
  readonly count: number;
  readonly intervalMs: number;
  readonly eventBytes: number;
}

/** Milliseconds from the first write of each event to the last. */
export interface BroadcastsResult {
  readonly ms: readonly number[];
}

/** Fits the library's cork buffer with its framing: a chunk of a copy leaves in one system call
 * together with it, and is never dropped. */
const COPY_CHUNK_BYTES = 16 * 1024 - 64;

const audience = new Set<UwsResponse>();
/** Sockets that have not taken the last event yet. */
let blockedCount = 0;
let onUnblocked: (() => void) | undefined;
let kept: Uint8Array = new Uint8Array(0);
let event: Uint8Array = new Uint8Array(0);
let current: UwsResponse;
let accepted = true;
const nothing = (): void => {};
const writeEvent = (): void => {
  accepted = current.write(event);
};

function join(res: UwsResponse): void {
  let blocked = false;
  const unblock = (): void => {
    if (!blocked) return;
    blocked = false;
    blockedCount -= 1;
    if (blockedCount === 0) onUnblocked?.();
  };
  res.onAborted(() => {
    unblock();
    audience.delete(res);
    blockers.delete(res);
  });
  res.onWritable(() => {
    // Flushes what the library holds; with a handler set, nothing else does.
    res.cork(nothing);
    unblock();
    return true;
  });
  blockers.set(res, () => {
    if (blocked) return;
    blocked = true;
    blockedCount += 1;
  });
  res.writeStatus('200 OK').writeHeader('Content-Type', 'application/json');
  res.write(Buffer.from(' '));
  audience.add(res);
}

const blockers = new Map<UwsResponse, () => void>();

function broadcast(): void {
  for (const res of audience) {
    current = res;
    res.cork(writeEvent);
    if (!accepted) blockers.get(res)?.();
  }
}

async function broadcasts({
  count,
  eventBytes,
  intervalMs,
}: BroadcastsRequest): Promise<BroadcastsResult> {
  const ms: number[] = [];
  while (ms.length < count) {
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
    event = Buffer.alloc(eventBytes, 'x');
    const startMs = performance.now();
    broadcast();
    ms.push(performance.now() - startMs);
  }
  return { ms };
}

/** One event a turn; the next when every socket has taken the last. */
function saturate(times: number, done: () => void): void {
  let left = times;
  const turn = (): void => {
    broadcast();
    left -= 1;
    const go = left === 0 ? done : turn;
    if (blockedCount === 0) {
      setImmediate(go);
      return;
    }
    onUnblocked = () => {
      onUnblocked = undefined;
      setImmediate(go);
    };
  };
  turn();
}

function copy(res: UwsResponse): void {
  let at = 0;
  let gone = false;
  const bytes = kept;
  const piece = (): void => {
    accepted = res.write(bytes.subarray(at, at + COPY_CHUNK_BYTES));
    at += COPY_CHUNK_BYTES;
  };
  const fill = (): boolean => {
    if (gone) return true;
    accepted = true;
    while (at < bytes.byteLength && accepted) res.cork(piece);
    if (at >= bytes.byteLength && accepted) {
      gone = true;
      res.cork(() => res.end());
    }
    return true;
  };
  res.onAborted(() => {
    gone = true;
  });
  res.onWritable(fill);
  res.writeStatus('200 OK').writeHeader('Content-Type', 'application/json');
  fill();
}

function withBody(res: UwsResponse, use: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  res.onAborted(() => undefined);
  res.onData((chunk, last) => {
    // The library takes the memory back when this returns.
    chunks.push(Buffer.from(new Uint8Array(chunk)));
    if (last) use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  });
}

function reply(res: UwsResponse, status: string, body: string | Uint8Array): void {
  res.cork(() => {
    res.writeStatus(status).writeHeader('Content-Type', 'application/json').end(body);
  });
}

function handle(res: UwsResponse, req: UwsRequest): void {
  const times = Number(req.getQuery() ?? '');
  switch (req.getUrl()) {
    case '/stream':
      return join(res);
    case '/event':
      return withBody(res, (body) => {
        event = body;
        reply(res, '200 OK', '{}');
        // In its own turn: while a request is handled its socket has the one cork there is.
        setImmediate(broadcast);
      });
    case '/saturate':
      return withBody(res, (body) => {
        event = body;
        setImmediate(() => saturate(times, () => reply(res, '200 OK', '{}')));
      });
    case '/body':
      return withBody(res, (body) => {
        kept = body;
        reply(res, '200 OK', '{}');
      });
    case '/copy':
      return copy(res);
    default:
      return withBody(res, (body) => reply(res, '201 Created', body));
  }
}

answerWith((request) => broadcasts(request as BroadcastsRequest));

const load = await loadUws();
if (!load.ok) throw new Error(`there is no floor without uWebSockets.js: ${load.why}`);
const { uws } = load;
uws._cfg('silent');

function listen(app: UwsApp): number {
  let port = 0;
  // The library calls back before it returns.
  app.any('/*', handle).listen('127.0.0.1', 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
    if (socket === false) throw new Error('the floor cannot listen');
    port = uws.us_socket_local_port(socket);
  });
  return port;
}

const [scratchDirectory] = process.argv.slice(2);
const secure = createSecureApp(uws, { ...(await makeServingPair()), scratchDirectory });
process.stdout.write(`floor is ready: port=${listen(uws.App())} secure=${listen(secure)}\n`);
process.on('SIGTERM', () => process.exit(0));
