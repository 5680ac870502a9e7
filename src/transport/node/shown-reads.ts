/**
 * What is read of a connection, shown before its reader has it: before the library of TLS, or of
 * HTTP/2.
 *
 *     socket ─▶ parser of HTTP ─▶ shown here ─▶ TLS
 *     TLS ─▶ parser of HTTP ─▶ shown here ─▶ HTTP/2
 *
 * Node's parser of HTTP is the one thing in node that can be put before the reader of a socket and
 * be taken away again. It hands over the bytes that it has read; that it also parses them does not
 * matter. That the client ends, it passes on itself. Neither this nor passing bytes on is
 * documented: where a version of Node lacks them, nothing is shown, and the libraries read alone.
 *
 * Bound: a parser for each connection, and `parsersKept`.
 */
import { createRequire } from 'node:module';
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { systemTimers } from '../../stdx/clock.ts';

const parsersKept = 16;

export interface ShownReads {
  /** Gives the bytes to the library that would have read them. */
  pass(bytes: Uint8Array): void;
  /** Shows no more: the library reads from its socket itself again. */
  stop(): void;
}

/** Each read is a copy, which may be kept. */
type OnRead = (bytes: Uint8Array) => void;

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

/** Of node: the library of TLS below one of its sockets, and that of HTTP/2 below a session. */
interface Receiver {
  receive?(bytes: Uint8Array): void;
}

interface WithReceiver {
  readonly _handle?: Receiver | null;
}

interface WithInit {
  _init?: (...args: unknown[]) => void;
}

const idleParsers: Parser[] = [];
let lastMade: TLSSocket | undefined;
let parserClass: ParserClass | null | undefined;

/** Before TLS. `begin` makes node's socket of TLS over the raw one; nobody else has seen it yet.
 * Undefined: nothing is shown. */
export function showSecured(
  raw: Socket,
  begin: () => void,
  onRead: OnRead,
): { readonly secured: TLSSocket; readonly reads: ShownReads } | undefined {
  parserClass ??= prepare();
  lastMade = undefined;
  begin();
  const secured = lastMade as TLSSocket | undefined;
  lastMade = undefined;
  if (secured === undefined) return undefined;
  const reads = show(raw, () => receiverOf(secured), onRead);
  return reads && { secured, reads };
}

/** Before HTTP/2, whose session has just begun. Undefined: nothing is shown. */
export function showSession(session: ServerHttp2Session, onRead: OnRead): ShownReads | undefined {
  parserClass ??= prepare();
  const symbol = Object.getOwnPropertySymbols(session).find((each) => {
    return each.description === 'kHandle';
  });
  if (symbol === undefined) return undefined;
  const handles = session as unknown as Record<symbol, Receiver | undefined>;
  return show(session.socket, () => handles[symbol], onRead);
}

function show(
  socket: Socket,
  receiver: () => Receiver | null | undefined,
  onRead: OnRead,
): ShownReads | undefined {
  const handle = receiverOf(socket);
  if (!parserClass || !handle || receiver()?.receive === undefined) return undefined;
  const parser = idleParsers.pop() ?? new parserClass();
  parser.initialize(parserClass.REQUEST, {});
  parser[parserClass.kOnExecute] = () => onRead(parser.getCurrentBuffer());
  parser.consume(handle);
  let isShown = true;
  const stop = (): void => {
    if (!isShown) return;
    isShown = false;
    parser.unconsume();
    // It may be the caller.
    systemTimers.nextTurn(() => keep(parser));
  };
  socket.once('close', stop);
  return { pass: (bytes) => receiver()?.receive?.(bytes), stop };
}

function receiverOf(socket: Socket): Receiver | null | undefined {
  return (socket as WithReceiver)._handle;
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
