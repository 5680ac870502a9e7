/**
 * What a client sends before its TLS handshake is over, counted before the library of TLS has it.
 *
 * That library verifies every signature of the chain of certificates that a client sends in one
 * piece, and node offers no bound: two to three milliseconds for each with a P-521 key. So until
 * the handshake is over the bytes are counted here, record by record, and one that is too long is
 * never passed on.
 *
 *     socket ─▶ counted ─▶ TLS                     during the handshake
 *     socket ─▶ read-turns.ts ─▶ TLS ─▶ HTTP/1.1   from then on
 *     socket ─▶ read-turns.ts ─▶ TLS ─▶ read-turns.ts ─▶ HTTP/2
 *
 * Where reads cannot be shown (shown-reads.ts), nothing is counted, and handshake-queue.ts alone
 * limits what a chain costs.
 *
 * Bounds: `bytesMax` behind the hello; `helloRecordsMax` before the answer to it.
 */
import type { Socket } from 'node:net';
import { systemTimers } from '../../stdx/clock.ts';
import { readInTurns, setReading } from './reading.ts';
import type { ConnectionReads, ReadTurns } from './read-turns.ts';
import { showSecured } from './shown-reads.ts';
import type { ReadsTaker, ShownReads } from './shown-reads.ts';
import { TlsRecords } from './tls-records.ts';

export const flightLimits = {
  /** The hello comes in one record, from some clients in pieces of a few bytes. Each is passed on
   * alone, and may hold nothing. Policy: a client that sends more of them is cut. */
  helloRecordsMax: 1_024,
} as const;

export interface FlightBound {
  readonly bytesMax: number;
  /** Certificates have been looked at only behind the server's answer: the hello does not count. */
  isAnswered(): boolean;
  /** The flight has become longer; nothing of it is passed on any more. */
  onTooLong(): void;
}

export interface ClientFlight {
  /** What came before the server's answer. */
  readonly helloBytes: number;
  /** It was too long: nothing has been verified. */
  readonly refused: boolean;
  /** Its client has gone before the handshake was over. */
  gone(): void;
}

/** `begin` makes node's socket of TLS over the raw one. */
export function boundFlight(
  raw: Socket,
  begin: () => void,
  bound: FlightBound,
  turns: ReadTurns,
): ClientFlight {
  const flight = new Flight(raw, bound, turns);
  flight.begin(begin);
  return flight;
}

/** Nothing refers to it when the handshake is over. */
class Flight implements ClientFlight, ReadsTaker {
  readonly #raw: Socket;
  readonly #bound: FlightBound;
  readonly #turns: ReadTurns;
  readonly #records = new TlsRecords();
  #shown: ShownReads | undefined;
  #isOver = false;
  /** From the end of the handshake on. */
  #reads: ConnectionReads | undefined;
  #leftBytes: number;
  #helloRecords = 0;
  helloBytes = 0;
  refused = false;

  constructor(raw: Socket, bound: FlightBound, turns: ReadTurns) {
    this.#raw = raw;
    this.#bound = bound;
    this.#turns = turns;
    this.#leftBytes = bound.bytesMax;
    this.#records.begins = (bytes) => {
      if (bound.isAnswered()) this.#leftBytes -= bytes;
      else {
        this.helloBytes += bytes;
        this.#helloRecords += 1;
      }
      return this.#leftBytes >= 0;
    };
  }

  begin(begin: () => void): void {
    const made = showSecured(this.#raw, begin);
    if (made === undefined) return;
    const { secured, reads } = made;
    this.#shown = reads;
    reads.taker = this;
    // Before the listener of node, which begins the session of HTTP/2: that looks for what reads
    // below it.
    secured.prependOnceListener('secure', () => {
      this.#isOver = true;
      this.#records.begins = undefined;
      this.#reads = readInTurns(this.#raw, secured, reads, this.#records, this.#turns);
    });
  }

  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      // It has failed on what was passed on: the rest is for nobody.
      if (this.#shown?.isOver === true) return;
      if (this.#helloRecords > flightLimits.helloRecordsMax) return this.#cut();
      const end = this.#leftBytes >= 0 ? this.#passes(bytes, at) : at;
      if (end === at) return this.#refuse();
      this.#shown?.pass(bytes.subarray(at, end));
      if (this.#isOver)
        return end < bytes.length ? this.#passLater(bytes.subarray(end)) : undefined;
      if (this.#leftBytes < 0) return this.#refuse();
      at = end;
    }
  }

  gone(): void {
    this.#shown?.stop();
  }

  /** Before the server's answer one record: what is behind the hello may be certificates. Then all
   * that may pass: node drops what is answered to a part of what came together. */
  #passes(bytes: Uint8Array, from: number): number {
    const isHello = !this.#bound.isAnswered();
    let end = from;
    while (end < bytes.length) {
      const next = this.#records.endOf(bytes, end);
      if (next === undefined) break;
      end = next;
      if (isHello) break;
    }
    return end;
  }

  #cut(): void {
    this.refused = true;
    this.#raw.destroy();
  }

  #refuse(): void {
    this.refused = true;
    this.#bound.onTooLong();
  }

  /** Behind the last record of the handshake: as much as the client has to say. In a turn of its
   * own, for node drops what is answered to a part of what came together. */
  #passLater(rest: Uint8Array): void {
    if (this.#reads !== undefined) return this.#reads.takeLater(rest);
    const raw = this.#raw;
    setReading(raw, false);
    systemTimers.nextTurn(() => {
      this.#shown?.pass(rest);
      if (!raw.destroyed) setReading(raw, true);
    });
  }
}
