/**
 * Requests of node's listeners that never become an exchange: what is answered to them.
 *
 *     a head or a body that cannot be read, is too large or too slow     400, 431, 408, closed
 *     a method that node's parser does not know, CONNECT                 405, closed
 *     an expectation that is none                                        417, closed
 *
 * Invariant: a request is answered once: what cannot be read of the body of one that has its answer
 * only ends the connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Departures } from '../departures.ts';
import { isExpectation } from '../header-rules.ts';
import type { TransportLimits } from '../http-exchange.ts';
import {
  expectationFailed,
  headTooLarge,
  malformed,
  rawRefusal,
  refusalBody,
  refusalType,
  tooSlow,
  unknownMethod,
} from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import type { HttpServerOfNode } from './servers.ts';

/** Closes the connection, too. */
export function refuse(res: ServerResponse, refusal: Refusal): void {
  res.setHeader('Content-Type', refusalType);
  res.setHeader('Connection', 'close');
  res.statusCode = refusal.status;
  res.end(refusalBody(refusal));
}

/** What the parser of HTTP/1 says of a head, or of a body, that it cannot read. */
interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

/** Node looks at all connections at once for those that are too slow: they end in turns. */
export function answerUnserved(
  server: HttpServerOfNode,
  limits: TransportLimits,
  departures: Departures,
): void {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (req: IncomingMessage, res: ServerResponse) => last.set(req.socket, res));
  const end = (error: ParseError, socket: Duplex): void => {
    const response = last.get(socket);
    // On its way, or of the very request that goes on wrong.
    const begun = response?.headersSent === true && !isBehind(response);
    if (socket.writable && !begun && error.code !== 'ECONNRESET') {
      socket.write(rawRefusal(refusalOf(error, limits)));
    }
    socket.destroy();
  };
  server.on('clientError', (error: ParseError, socket: Duplex) => {
    if (error.code !== tooSlowCode) return end(error, socket);
    departures.add({ depart: () => end(error, socket) });
  });
  // Node would answer with a bare 417.
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    if (!isExpectation(req.headers.expect ?? '')) return refuse(res, expectationFailed);
    server.emit('request', req, res);
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    socket.end(rawRefusal(unknownMethod));
  });
}

/** What comes now is another request. */
function isBehind({ req, writableFinished }: ServerResponse): boolean {
  return writableFinished && req.complete;
}

const tooSlowCode = 'ERR_HTTP_REQUEST_TIMEOUT';
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/;

function refusalOf({ code, rawPacket, message }: ParseError, limits: TransportLimits): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headTooLarge(limits.headBytesMax);
    case tooSlowCode:
      return tooSlow;
    case 'HPE_INVALID_METHOD': {
      const text = Buffer.from(rawPacket ?? []).toString('latin1');
      return requestLine.test(text) ? unknownMethod : malformed('the request is not HTTP');
    }
    default:
      return malformed(message);
  }
}
