/**
 * The HttpExchange port: one HTTP request and its response, as the rest of the server sees it.
 * Only src/transport knows sockets; two adapters implement this (uws/, node/), and one contract
 * suite (test/contract/transport-contract.ts) runs on both.
 *
 * Invariants
 *  - The head (method, path, query, headers) is a copy: it stays readable after any await. Headers
 *    may be forgotten once stream() has been called.
 *  - Exactly one of send(), stream() and converse() is called per exchange; a second is a broken
 *    invariant.
 *  - A call after the client has gone does nothing; `closed` tells.
 *  - A chunk given to ResponseStream.write is copied or sent before the call returns, unless it is
 *    said to be shared; the caller may share it with any number of streams and never has it changed
 *    under it.
 */
import type { Requester } from '../stdx/requester.ts';
import type { Trace } from '../stdx/trace.ts';
import type { TransportLoad } from './load.ts';

export type Header = readonly [name: string, value: string];

export interface PeerCertificateChain {
  readonly chain: readonly Uint8Array[];
}

export interface HttpExchange extends Requester {
  /** Upper case. */
  readonly method: string;
  /** Raw, undecoded path; starts with a slash; no query. */
  readonly path: string;
  /** Raw query without the question mark; '' when there is none. */
  readonly query: string;
  readonly scheme: 'http' | 'https';
  /** Address of the peer as text, no port. Ask before the exchange closes; '' after that. */
  readonly remoteAddress: string;
  /** The peer's certificates in DER, leaf first. The handshake has proved that it holds the leaf's
   * key; no chain has been checked. The same object for every request of a connection. Undefined:
   * none, or plain HTTP. */
  readonly peerCertificate: PeerCertificateChain | undefined;
  /** The subprotocols that a client offers who asks to go on with WebSocket, and may, the best one
   * first. It need not be granted. Undefined: nobody asks. */
  readonly webSocketProtocols: readonly string[] | undefined;
  /** What the client could be given who asks to go on with another protocol: `bytes`, the
   * connection itself, whatever is spoken on it then; `messages`, WebSocket. Undefined: it does not
   * ask, or cannot be given it. */
  readonly upgrade: 'bytes' | 'messages' | undefined;
  /** The trace of the request, or the step of it that is being done; undefined: it is not traced.
   * Who decides and who begins steps sets it. */
  trace: Trace | undefined;
  /** Value of a request header (lower-case name); repeated ones joined with ', '. */
  header(name: string): string | undefined;
  /** All request headers, names in lower case, repeated ones apart, in the order they came. */
  headers(): readonly Header[];
  /** All values of a request header (lower-case name), apart, in the order they came. */
  headerValues(name: string): readonly string[];
  /** Whether a request header has a name (in lower case) that passes. */
  someHeader(test: (name: string) => boolean): boolean;
  /** Hides request headers whose name passes. */
  forgetHeaders(test: (name: string) => boolean): void;
  /** Collects the body. Call it at most once. It never throws because of what a client does. */
  readBody(limitBytes: number): Promise<BodyResult>;
  /** Adds a header to the answer, whatever the answer will be; call it before send() or stream().
   */
  setAnswerHeader(name: string, value: string): void;
  /** Sends a whole response. Content-Length is set; for HEAD the body is only measured. */
  send(status: number, headers: readonly Header[], body: Uint8Array | string): void;
  /** Starts a chunked response; its head reaches the client at once, before the first write.
   * For HEAD there is none, and a Content-Length among the headers says how long it would be.
   * `preamble` is a harmless first chunk (one space, for JSON) for adapters that cannot send a
   * head alone; an adapter that can does not send it.
   * `messages`: grants WebSocket to who asks for it; the status is 101 then, each write is one
   * message, and there is no preamble. */
  stream(
    status: number,
    headers: readonly Header[],
    preamble: Uint8Array,
    messages?: MessageFraming,
  ): ResponseStream;
  /** Instead of stream(), for `upgrade`: answers 101, and both sides say what they like from then
   * on. `framing`: in messages of WebSocket; undefined: in bytes, for which `headers` is all that
   * the head has. Undefined comes back where it could not be; the exchange is over then. */
  converse(
    headers: readonly Header[],
    framing: MessageFraming | undefined,
  ): Conversation | undefined;
  /** send(), stream() or converse() has been called. */
  readonly answered: boolean;
  /** The status that it was called with; 0 before. */
  readonly status: number;
  /** The client has gone or the response is complete. */
  readonly closed: boolean;
  /** Bytes of the response body that were handed over so far. */
  readonly sentBytes: number;
  /** Called once when the client goes before the response is complete. Called at once if it has. */
  onAbort(callback: () => void): void;
  offAbort(callback: () => void): void;
  /** Called once when `closed` becomes true, however that comes; at once if it is. One callback. */
  onClosed(callback: () => void): void;
}

export type BodyResult =
  | { readonly kind: 'complete'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large'; readonly limitBytes: number }
  /** The bodies of all requests together are too large; the client may retry. */
  | { readonly kind: 'busy' }
  /** The client went away, or sent less than it promised, or took longer than the request time. */
  | { readonly kind: 'aborted' };

/** Of a response over WebSocket. */
export interface MessageFraming {
  /** The subprotocol that is chosen; undefined: none. */
  readonly protocol: string | undefined;
  /** Messages are text (UTF-8), else binary. */
  readonly isText: boolean;
}

export interface ResponseStream {
  /** Takes the whole chunk. False: the socket is backed up; wait for onDrain before the next.
   * `shared`: the same object goes to many streams in this turn, and its bytes never change; what
   * is made of it is then made once, and nothing of it is copied. */
  write(chunk: Uint8Array, shared?: boolean): boolean;
  /** The one callback for "writable again" after write() gave false; replaces an earlier one. */
  onDrain(callback: () => void): void;
  /** Ends the response cleanly (last chunk). Pending bytes are still delivered. */
  end(): void;
  /** Cuts the connection, for a response that cannot be completed. */
  abort(): void;
  readonly closed: boolean;
  /** The body begins with the preamble: the adapter had to send it. Absent: it does not. */
  readonly preambleSent?: boolean;
  /** Each write is settled in the next turn of the event loop, by reading once more what it has
   * touched: few of them in a turn cost less each. Absent: there is nothing to settle. */
  readonly settlesLater?: boolean;
}

/** A connection that both sides use as they like. */
export interface Conversation extends ResponseStream {
  /** What the client sends, from now on; call it once, in the turn in which it begins. */
  receive(receiver: Receiver): void;
  /** Asks the client to wait, or holds what it sends where it cannot be asked. */
  pause(): void;
  resume(): void;
}

export interface Receiver {
  /** Bytes, or a message. They may not be kept: the memory is the transport's. */
  data(bytes: Uint8Array, isText: boolean): void;
  /** It sends no more. */
  end(): void;
}

export const conversationLimits = {
  /** Of a message. Policy: its connection is closed (1009). */
  messageBytesMax: 1024 * 1024,
} as const;

export interface TransportLimits {
  /** Request line and headers together; above it 431. */
  readonly headBytesMax: number;
  /** Timeout of a connection without a request, or of a request that stops making progress. */
  readonly idleTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** Open connections; above it new ones are closed at once. */
  readonly connectionsMax: number;
  /** Bytes of all bodies that are being received; above it larger bodies are refused. */
  readonly bodyBytesMax: number;
  /** Bytes of answers that their readers have not taken, in total and on one connection. */
  readonly unreadBytesMax: number;
  readonly unreadBytesPerConnectionMax: number;
  /** Requests at a time on one connection of HTTP/2. */
  readonly http2StreamsMax: number;
  /** What a client may send behind its hello before its TLS handshake is over: its certificates,
   * and some hundred bytes; node adapter only. Above it the connection is cut. */
  readonly clientCertificateBytesMax: number;
}

export interface TlsOptions {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** Ask for client certificates signed by these; node adapter only. */
  readonly clientCaPem?: string | undefined;
  /** Default: 1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** A directory where the key may be in a file for a moment, because uWebSockets.js only takes
   * files. Default: the system's temporary directory. */
  readonly scratchDirectory?: string | undefined;
}

export interface ListenOptions {
  readonly address: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Other processes of the same tree listen on the port too. Default: false. */
  readonly sharedPort?: boolean | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly limits: TransportLimits;
  /** Shared by the ports of a process. Default: of this port alone. */
  readonly load?: TransportLoad | undefined;
  /** The share of HTTP/2 requests after which their connection takes no further ones. */
  readonly goawayChance?: number | undefined;
  /** Where clients that ask for WebSocket may be listened to; uws adapter only, whose patterns they
   * are (`:name` stands for a part of the path). */
  readonly conversationPaths?: readonly string[] | undefined;
  /** Descriptors are short: no connection is taken until this is told `false`. */
  readonly onDescriptorsShort?: ((short: boolean) => void) | undefined;
  /** A TLS handshake failed. */
  readonly onHandshakeError?: (() => void) | undefined;
  /** A client was cut that sent more than `clientCertificateBytesMax`. */
  readonly onCertificatesTooLong?: ((address: string) => void) | undefined;
  /** A connection was cut whose handshake was over, because what was to serve it has failed; node
   * adapter only. */
  readonly onUnserved?: ((error: unknown) => void) | undefined;
}

export interface HttpServer {
  /** Which adapter and binary serves: for the ready line. */
  readonly name: string;
  readonly port: number;
  /** For a TLS server: new connections, from now or a few turns later, are served with these; open
   * ones keep the old ones. @throws when they cannot be used; then nothing has changed. */
  changeTls(tls: TlsOptions): void;
  /** From now on an answer ends its connection; new connections are still taken. */
  startClosing(): void;
  /** Stops accepting connections; exchanges in flight go on. Idle connections are closed. */
  stopAccepting(): void;
  /** Cuts the remaining connections. Resolves when the port is free. `processEnds`: soon; then the
   * system may cut those without a request on them. */
  close(processEnds?: boolean): Promise<void>;
}

/** Must not throw; must answer or stream every exchange. */
export type ExchangeHandler = (exchange: HttpExchange) => void;

export type Listen = (options: ListenOptions, handler: ExchangeHandler) => Promise<HttpServer>;

export const defaultTransportLimits: TransportLimits = {
  headBytesMax: 16 * 1024,
  idleTimeoutMs: 120_000,
  requestTimeoutMs: 60_000,
  connectionsMax: 100_000,
  bodyBytesMax: 256 * 1024 * 1024,
  unreadBytesMax: 512 * 1024 * 1024,
  unreadBytesPerConnectionMax: 32 * 1024 * 1024,
  http2StreamsMax: 1_000,
  clientCertificateBytesMax: 4_608,
};
