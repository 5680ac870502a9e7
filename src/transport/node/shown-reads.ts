/**
 * What is read of a connection, shown before the library of TLS has it.
 *
 *     socket ─▶ parser of HTTP ─▶ shown here ─▶ TLS
 *
 * Node's parser of HTTP is the one thing in node that can be put before the reader of a socket and
 * be taken away again. It hands over the bytes that it has read, and
 * takes all of them for the body of an answer. That the client ends, it passes on itself. Neither
 * this nor passing bytes on is documented: where a version of Node lacks them, nothing is shown,
 * and the libraries read alone.
 *
 * Bound: a parser for each connection, and `parsersKept`.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { systemTimers } from '../../stdx/clock.ts';

const parsersKept = 16;

/** Each read is a copy, which may be kept. */
export interface ReadsTaker {
  take(bytes: Uint8Array): void;
}

interface Parser {
  initialize(type: number, resource: object): void;
  consume(handle: object): void;
  unconsume(): void;
  execute(bytes: Uint8Array): unknown;
  getCurrentBuffer(): Uint8Array;
  close(): void;
  /** By numbers that the class names. */
  [hook: number]: (this: Parser) => void;
  /** Of ours. */
  shown?: ShownReads | undefined;
}

interface ParserClass {
  readonly RESPONSE: number;
  readonly kOnExecute: number;
  readonly prototype: Parser;
  new (): Parser;
}

/** Of node: the library of TLS below one of its sockets. */
interface Receiver {
  receive?(bytes: Uint8Array): void;
}

/** Who would have read them, until it is closed. */
interface Reader {
  readonly _handle?: Receiver | null | undefined;
  readonly destroyed?: boolean;
}

interface WithInit {
  _init?: (...args: unknown[]) => void;
}

const idleParsers: Parser[] = [];
let lastMade: TLSSocket | undefined;
let parserClass: ParserClass | null | undefined;

/** What is read of one connection. An object without closures, for there is one as long as its
 * connection. */
export class ShownReads {
  readonly #reader: Reader;
  #parser: Parser | undefined;
  /** Who is shown them. */
  taker: ReadsTaker | undefined;

  constructor(handle: object, parser: Parser, reader: Reader) {
    this.#reader = reader;
    this.#parser = parser;
    parser.shown = this;
    parser.consume(handle);
  }

  /** Who would have read them takes none any more. */
  get isOver(): boolean {
    return this.#reader.destroyed === true;
  }

  /** Gives the bytes to the library that would have read them. */
  pass(bytes: Uint8Array): void {
    this.#reader._handle?.receive?.(bytes);
  }

  /** Shows no more: the library reads from its socket itself again. */
  stop(): void {
    const parser = this.#parser;
    if (parser === undefined) return;
    this.#parser = parser.shown = undefined;
    parser.unconsume();
    // It may be the caller.
    systemTimers.nextTurn(() => keep(parser));
  }
}

/** Before TLS. `begin` makes node's socket of TLS over the raw one; nobody else has seen it yet.
 * Undefined: nothing is shown. */
export function showSecured(
  raw: Socket,
  begin: () => void,
): { readonly secured: TLSSocket; readonly reads: ShownReads } | undefined {
  parserClass ??= prepare();
  lastMade = undefined;
  begin();
  const secured = lastMade as TLSSocket | undefined;
  lastMade = undefined;
  if (secured === undefined || receiverOf(secured)?.receive === undefined) return undefined;
  const reads = show(raw, secured);
  return reads && { secured, reads };
}

/** What an answer without a length begins with: to the parser whatever follows is its body, of
 * which it has nothing to say. */
const endlessAnswer = Buffer.from('HTTP/1.1 200 OK\r\n\r\n');
const resource = {};

function show(socket: Socket, reader: Reader): ShownReads | undefined {
  const handle = receiverOf(socket);
  if (!parserClass || !handle) return undefined;
  const parser = idleParsers.pop() ?? makeParser(parserClass);
  parser.initialize(parserClass.RESPONSE, resource);
  parser.execute(endlessAnswer);
  return new ShownReads(handle, parser, reader);
}

function makeParser(made: ParserClass): Parser {
  const parser = new made();
  parser[made.kOnExecute] = onExecute;
  return parser;
}

function onExecute(this: Parser): void {
  this.shown?.taker?.take(this.getCurrentBuffer());
}

function receiverOf(socket: Socket): Receiver | null | undefined {
  return (socket as Reader)._handle;
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
    const { consume, execute, getCurrentBuffer, initialize, unconsume } = HTTPParser.prototype;
    const methods = [consume, execute, getCurrentBuffer, initialize, unconsume];
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
