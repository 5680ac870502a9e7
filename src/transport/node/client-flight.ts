/**
 * What a client sends before its TLS handshake is over, counted before the library of TLS has it.
 *
 * That library verifies every signature of the chain of certificates that a client sends in one
 * piece, and node offers no bound: two to three milliseconds for each with a P-521 key. So until
 * the handshake is over the bytes come here first, record by record, and one that is too long is
 * never passed on. Afterwards the library reads its socket itself, and nothing stands between.
 *
 *     socket ─▶ parser of HTTP ─▶ counted ─▶ TLS         during the handshake
 *     socket ─▶ TLS                                      from then on
 *
 * Node's parser of HTTP is the one thing in node that can be put before the reader of a socket and
 * be taken away again. It hands over the bytes that it has read; that it also parses them does not
 * matter. Neither this nor passing bytes on to TLS is documented: where a version of Node lacks
 * them, nothing is counted, and handshake-queue.ts alone limits what a chain costs.
 *
 * Bounds: `bytesMax` behind the hello; `parsersKept` parsers beside those in use.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { systemTimers } from '../../stdx/clock.ts';

const parsersKept = 16;

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

interface Parser {
  initialize(type: number, resource: object): void;
  consume(handle: object): void;
  unconsume(): void;
  getCurrentBuffer(): Uint8Array;
  close(): void;
  /** By numbers that the class names. */
  [hook: number]: () => void;
}

interface ParserClass {
  readonly REQUEST: number;
  readonly kOnExecute: number;
  readonly prototype: Parser;
  new (): Parser;
}

/** Of node: the library of TLS below one of its sockets. */
interface Receiver {
  receive?(bytes: Uint8Array): void;
}

/** Of node: below a socket. */
interface RawHandle {
  readStart(): number;
  readStop(): number;
}

interface WithHandle<H> {
  readonly _handle?: H | null;
}

interface WithInit {
  _init?: (...args: unknown[]) => void;
}

const idleParsers: Parser[] = [];
let lastMade: TLSSocket | undefined;
let parserClass: ParserClass | null | undefined;

/** `begin` makes node's socket of TLS over the raw one. */
export function boundFlight(raw: Socket, begin: () => void, bound: FlightBound): ClientFlight {
  parserClass ??= prepare();
  lastMade = undefined;
  begin();
  const secured = lastMade as TLSSocket | undefined;
  lastMade = undefined;
  const { _handle: handle } = raw as WithHandle<RawHandle>;
  const flight = { helloBytes: 0, refused: false };
  if (parserClass === null || !handle || receiverOf(secured)?.receive === undefined) return flight;
  const parser = idleParsers.pop() ?? new parserClass();
  parser.initialize(parserClass.REQUEST, {});
  let taken = true;
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
    handle.readStop();
    systemTimers.nextTurn(() => {
      receiverOf(secured)?.receive?.(rest);
      if (!raw.destroyed) handle.readStart();
    });
  };
  parser[parserClass.kOnExecute] = () => {
    const bytes = parser.getCurrentBuffer();
    for (let at = 0; at < bytes.length;) {
      const end = left >= 0 ? passes(bytes, at) : at;
      if (end === at) return refuse();
      receiverOf(secured)?.receive?.(bytes.subarray(at, end));
      if (!taken) {
        if (end < bytes.length) passLater(bytes.slice(end));
        return;
      }
      if (left < 0) return refuse();
      at = end;
    }
  };
  parser.consume(handle);
  const giveBack = (): void => {
    if (!taken) return;
    taken = false;
    parser.unconsume();
    // It may be the caller.
    systemTimers.nextTurn(() => keep(parser));
  };
  secured?.once('secure', giveBack);
  raw.once('close', giveBack);
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

function receiverOf(socket: TLSSocket | undefined): Receiver | null | undefined {
  return (socket as WithHandle<Receiver> | undefined)?._handle;
}

function keep(parser: Parser): void {
  if (idleParsers.length < parsersKept) idleParsers.push(parser);
  else parser.close();
}

/** Null: this version of Node has nothing of the kind. */
function prepare(): ParserClass | null {
  try {
    const common = createRequire(import.meta.url)('_http_common') as { HTTPParser: ParserClass };
    const { HTTPParser } = common;
    const { consume, getCurrentBuffer, initialize, unconsume } = HTTPParser.prototype;
    const methods = [consume, getCurrentBuffer, initialize, unconsume];
    const hasAll = methods.every((method) => typeof method === 'function');
    return hasAll && seeSocketsMade() ? HTTPParser : null;
  } catch {
    return null;
  }
}

/** Node's listener shows the socket that it makes to nobody before the handshake is over. */
function seeSocketsMade(): boolean {
  const prototype = TLSSocket.prototype as unknown as WithInit;
  const { _init: init } = prototype;
  if (init === undefined) return false;
  prototype._init = function (this: TLSSocket, ...args: unknown[]) {
    init.apply(this, args);
    lastMade = this;
  };
  return true;
}
