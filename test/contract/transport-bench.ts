/** What the parts of the transport contract share: the shape of a property, and common handlers. */
import type {
  ExchangeHandler,
  HttpServer,
  TlsOptions,
  TransportLimits,
} from '../../src/transport/http-exchange.ts';
import type { RawConnection } from '../support/clients/raw-http.ts';

/** Where adapters differ for a reason outside this repository; the reason stands at the trait. */
export interface TransportTraits {
  /** A pipelined request may arrive while the one ahead is unanswered; else it ends the connection. */
  readonly queuesPipelined: boolean;
  /** Bytes that are not HTTP/1.1 are answered with 400; else the connection just ends. */
  readonly answersGarbage: boolean;
  /** connectionsMax counts connections; else exchanges in progress. */
  readonly countsConnections: boolean;
  /** Longer than any timer that the library has of its own, and than those of a second. */
  readonly longMs: number;
  /** Served and asked over TLS. */
  readonly tls?: TlsOptions;
}

export interface Bench {
  readonly traits: TransportTraits;
  readonly server: HttpServer;
  connect(): RawConnection;
}

export type Property = readonly [
  title: string,
  handler: (state: Notes) => ExchangeHandler,
  check: (bench: Bench, notes: Notes) => Promise<void>,
  limits?: Partial<TransportLimits>,
];

/** What a handler leaves for its test to look at. */
export type Notes = Record<string, unknown> & { log: string[] };

export const text = [['Content-Type', 'text/plain']] as const;
export const answer =
  (body: string | Uint8Array): (() => ExchangeHandler) =>
  () =>
  (exchange) =>
    exchange.send(200, text, body);

/** Reads the body under `limit` after `waitMs`; answers with it, or with what became of it. */
export const echo =
  (limit: number, waitMs = 0) =>
  (notes: Notes): ExchangeHandler =>
  (exchange) => {
    notes['begun'] = true;
    const run = async (): Promise<void> => {
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const body = await exchange.readBody(limit);
      notes.log.push(body.kind);
      if (body.kind === 'complete') exchange.send(200, text, body.bytes);
      else if (body.kind === 'too-large') exchange.send(413, text, 'too large');
    };
    void run();
  };

export function requestPieces(framing: 'length' | 'chunked', body: Buffer): Uint8Array[] {
  const start = 'POST / HTTP/1.1\r\nHost: t\r\n';
  if (framing === 'length') {
    return [Buffer.from(`${start}Content-Length: ${body.length}\r\n\r\n`), body];
  }
  const pieces: Uint8Array[] = [Buffer.from(`${start}Transfer-Encoding: chunked\r\n\r\n`)];
  for (let at = 0; at < body.length; at += 50_000) {
    const piece = body.subarray(at, at + 50_000);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from('0\r\n\r\n'));
  return pieces;
}

export function post(client: RawConnection, framing: 'length' | 'chunked', body: Buffer): void {
  client.expectResponse('POST');
  for (const piece of requestPieces(framing, body)) client.write(piece);
}
