/**
 * The contract of a request that is passed on to another server, and of what comes back.
 *
 * Elsewhere: whom a request is passed to (src/apis for pods, services and nodes), and how:
 * pass-request.ts, pass-upgrade.ts, remote-command.ts, port-tunnel.ts.
 */
import type http from 'node:http';
import type { Readable } from 'node:stream';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { Header, HttpExchange, MessageFraming } from '../transport/http-exchange.ts';

/** Instead of a Status: a text for people, with its headers. */
export interface PlainRefusal {
  readonly kind: 'document';
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string;
}

export type Refusal = StatusError | PlainRefusal;

export interface PassedRequest<R extends Refusal = StatusError> {
  /** Whom to ask; what for, where `target` does not say it. */
  readonly url: URL;
  /** Path and query as they are sent; what is not ASCII in them is encoded. */
  readonly target?: string | undefined;
  readonly method: string;
  /** All that are sent, but those of the connection and of the framing. */
  readonly headers: readonly Header[];
  /** Of agentInTurns(): it knows what TLS needs to know of the server. */
  readonly agent: http.Agent;
  /** Keeps no connection, for when one that was kept turns out to have ended. Absent: then the
   * request has failed. */
  readonly fresh?: http.Agent | undefined;
  /** Undefined: none. */
  readonly body: Uint8Array | undefined;
  /** Until the request has been sent; above it the server counts as out of reach. */
  readonly dialTimeoutMs: number;
  /** From then on until the head of the answer. Absent: for as long as the client waits. */
  readonly headTimeoutMs?: number | undefined;
  /** From the head of the answer to its end. Absent: for as long as the client takes it. */
  readonly bodyTimeoutMs?: number | undefined;
  /** What becomes of the head of the answer. Absent: it is passed on. */
  readonly changed?: ((head: AnswerHead) => AnswerHead | R) | undefined;
  /** What the client is told of a server that cannot be reached, or breaks off. */
  readonly unreachable: (why: string) => R;
  /** What he is told of one that has not answered in time. Absent: the same. */
  readonly late?: (() => R) | undefined;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: readonly Header[];
  /** As for HttpExchange.stream(). Absent: there is none. */
  readonly preamble?: Uint8Array | undefined;
  /** What becomes of the body. Absent: it is passed on. */
  readonly changed?: ((body: Readable) => Readable) | undefined;
  /** Each piece of the body is a message of WebSocket, which the client asks for. */
  readonly messages?: PieceMessages | undefined;
}

export interface PieceMessages {
  readonly framing: MessageFraming;
  encode(piece: Uint8Array): Uint8Array;
}

/** Settles when all is over. An error: nothing has been answered yet, and it is to be. */
export type Pass = (exchange: HttpExchange) => Promise<Refusal | undefined>;
