/**
 * What a client sends before its TLS handshake is over, counted before the library of TLS has it.
 *
 * That library verifies every signature of the chain of certificates that a client sends in one
 * piece, and node offers no bound: two to three milliseconds for each with a P-521 key. So until
 * the handshake is over the bytes are counted here, record by record, and one that is too long is
 * never passed on.
 *
 *     socket ─▶ counted ─▶ TLS                     during the handshake
 *     socket ─▶ TLS ─▶ read-turns.ts ─▶ HTTP/2     from then on
 *     socket ─▶ read-turns.ts ─▶ TLS ─▶ HTTP/1.1
 *
 * Where reads cannot be shown (shown-reads.ts), nothing is counted, and handshake-queue.ts alone
 * limits what a chain costs.
 *
 * Bound: `bytesMax` behind the hello.
 */
import type { Socket } from 'node:net';
import { systemTimers } from '../../stdx/clock.ts';
import { readInTurns, setReading } from './reading.ts';
import type { ConnectionReads, ReadTurns } from './read-turns.ts';
import { showSecured } from './shown-reads.ts';

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
}

/** `begin` makes node's socket of TLS over the raw one. */
export function boundFlight(
  raw: Socket,
  begin: () => void,
  bound: FlightBound,
  turns: ReadTurns,
): ClientFlight {
  const flight = { helloBytes: 0, refused: false };
  let isOver = false;
  /** Over HTTP/1.1, from the end of the handshake on. */
  let reads: ConnectionReads | undefined;
  let left = bound.bytesMax;
  const recordEnds = createRecordReader((bytes) => {
    if (bound.isAnswered()) left -= bytes;
    else flight.helloBytes += bytes;
    return left >= 0;
  });
  /** Before the server's answer one record: what is behind the hello may be certificates. Then all
   * that may pass: node drops what is answered to a part of what came together. */
  const passes = (bytes: Uint8Array, from: number): number => {
    const isHello = !bound.isAnswered();
    let end = from;
    while (end < bytes.length) {
      const next = recordEnds(bytes, end);
      if (next === undefined) break;
      end = next;
      if (isHello) break;
    }
    return end;
  };
  const refuse = (): void => {
    flight.refused = true;
    bound.onTooLong();
  };
  /** Behind the last record of the handshake: as much as the client has to say. In a turn of its
   * own, for node drops what is answered to a part of what came together. */
  const passLater = (rest: Uint8Array): void => {
    if (reads !== undefined) return reads.takeLater(rest);
    setReading(raw, false);
    systemTimers.nextTurn(() => {
      shown?.reads.pass(rest);
      if (!raw.destroyed) setReading(raw, true);
    });
  };
  const count = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      const end = left >= 0 ? passes(bytes, at) : at;
      if (end === at) return refuse();
      shown?.reads.pass(bytes.subarray(at, end));
      if (isOver) return end < bytes.length ? passLater(bytes.subarray(end)) : undefined;
      if (left < 0) return refuse();
      at = end;
    }
  };
  const shown = showSecured(raw, begin, (bytes) => {
    if (reads === undefined) count(bytes);
    else reads.take(bytes);
  });
  shown?.secured.once('secure', () => {
    isOver = true;
    if (shown.secured.alpnProtocol === 'h2') shown.reads.stop();
    else reads = readInTurns(raw, shown.secured, shown.reads, turns);
  });
  return flight;
}

const headBytes = 5;
/**
 * Where the record ends that goes on at a position, or the bytes do; undefined: it is too long.
 * What a record holds is encrypted, its length is not. `begins` is told of each length, before any
 * of it is passed on but its head.
 */
function createRecordReader(begins: (bytes: number) => boolean) {
  let ofHead = 0;
  let length = 0;
  let ofBody = 0;
  return (bytes: Uint8Array, from: number): number | undefined => {
    let at = from;
    for (; ofHead < headBytes && at < bytes.length; at += 1) {
      length = ((length << 8) | (bytes[at] as number)) & 0xffff;
      ofHead += 1;
      if (ofHead === headBytes && !begins(headBytes + length)) return undefined;
    }
    if (ofHead < headBytes) return at;
    const end = Math.min(bytes.length, at + length - ofBody);
    ofBody += end - at;
    if (ofBody === length) ofHead = ofBody = length = 0;
    return end;
  };
}
