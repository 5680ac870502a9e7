/**
 * Starts and stops reading from a connection. Over TLS what was read may be held (read-turns.ts):
 * then to start again means to pass that on first.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ConnectionReads, ReadConnection, ReadTurns } from './read-turns.ts';
import type { ShownReads } from './shown-reads.ts';
import { createFrameReader, framesBytes } from './frames.ts';
import { recordLength } from './tls-records.ts';
import type { TlsRecords } from './tls-records.ts';

/** Of node: below a socket. */
interface Handle {
  readStart(): number;
  readStop(): number;
}

interface WithHandle {
  readonly _handle?: Handle | null;
}

const readsOf = new WeakMap<Handle, ConnectionReads>();
/** Of HTTP/2, by the handle of TLS. */
const belowSession = new WeakMap<Handle, ConnectionReads>();
const connectionOf = new WeakMap<Socket, Connection>();

/** What comes over TLS. An object without closures, for there is one as long as its
 * connection. */
class Connection implements ReadConnection {
  readonly #raw: Socket;
  readonly #shown: ShownReads;
  /** What comes is held before it is decrypted. */
  readonly #records: TlsRecords;
  readonly #endOf: typeof recordEnd;
  reads: ConnectionReads | undefined;

  constructor(raw: Socket, shown: ShownReads, records: TlsRecords, endOf: typeof recordEnd) {
    this.#raw = raw;
    this.#shown = shown;
    this.#records = records;
    this.#endOf = endOf;
  }

  pieceEnd(bytes: Uint8Array, from: number): number {
    return this.#endOf(this.#records, bytes, from);
  }

  pass(bytes: Uint8Array): void {
    this.#shown.pass(bytes);
  }

  read(reading: boolean): void {
    setHandle(this.#raw, reading);
  }

  get gone(): boolean {
    return this.#raw.destroyed;
  }

  end(): void {
    this.reads?.end();
    this.#shown.stop();
  }
}

/** A piece of HTTP/1.1: its parser fails when it is given another record while it pauses. */
function recordEnd(records: TlsRecords, bytes: Uint8Array, from: number): number {
  return records.endOf(bytes, from) ?? bytes.length;
}

/** A piece of HTTP/2: a record, and those behind it that are whole and small. Many clients send
 * each frame in a record of its own. Together they hold no more than a piece of HTTP/2 may. */
export function recordsEnd(records: TlsRecords, bytes: Uint8Array, from: number): number {
  let end = from;
  do {
    end = recordEnd(records, bytes, end);
  } while (end + recordLength(bytes, end) <= Math.min(bytes.length, from + framesBytes));
  return end;
}

/** TLS whose handshake is over: what comes is held before it is decrypted. A key update is a record
 * of 27 bytes, and takes some microseconds that nobody is told of. */
export function readInTurns(
  raw: Socket,
  secured: TLSSocket,
  shown: ShownReads,
  records: TlsRecords,
  turns: ReadTurns,
): ConnectionReads {
  const endOf = secured.alpnProtocol === 'h2' ? recordsEnd : recordEnd;
  const reads = joinTurns(new Connection(raw, shown, records, endOf), raw, shown, turns);
  const { _handle: handle } = secured as WithHandle;
  if (endOf === recordEnd) showPauses(secured, reads);
  else if (handle) belowSession.set(handle, reads);
  return reads;
}

function joinTurns(
  connection: Connection,
  raw: Socket,
  shown: ShownReads,
  turns: ReadTurns,
): ConnectionReads {
  const reads = turns(connection);
  connection.reads = shown.taker = reads;
  connectionOf.set(raw, connection);
  raw.on('close', endReads);
  return reads;
}

/** HTTP/1.1 pauses its socket, and who pauses it is heard here. */
function showPauses(socket: Socket, reads: ConnectionReads): void {
  socket.on('pause', pauseReads).on('resume', resumeReads);
  const { _handle: handle } = socket as WithHandle;
  if (handle) readsOf.set(handle, reads);
}

/** One function each for all sockets. */
function pauseReads(this: Socket): void {
  setReading(this, false);
}

/** Node pauses again in its own listener what was resumed too early. */
function resumeReads(this: Socket): void {
  if (!this.isPaused()) setReading(this, true);
}

function endReads(this: Socket): void {
  connectionOf.get(this)?.end();
}

/** What takes in what comes of HTTP/2. */
export interface ReadSession {
  take(bytes: Uint8Array): void;
  readonly isOver: boolean;
}

export interface SessionReads {
  readonly reads: ConnectionReads;
  /** The session is over: that its client has ended is heard of by reading on, also where it was
   * held up for the session. */
  readToEnd(): void;
}

/** A session of HTTP/2 that begins: what comes is held once more behind TLS, for a record holds
 * hundreds of heads, and has to be decrypted whole. */
export function readSession(
  session: ReadSession,
  socket: TLSSocket,
  turns: ReadTurns,
): SessionReads {
  const { _handle: handle } = socket as WithHandle;
  const below = handle ? belowSession.get(handle) : undefined;
  const read = (reading: boolean): void => {
    if (below) below.allow(reading);
    else setHandle(socket, reading);
  };
  const reads = turns({
    pieceEnd: createFrameReader(),
    pass: (bytes) => session.take(bytes),
    read(reading) {
      if (!session.isOver) read(reading);
    },
    // Each record of TLS is a read here, which may be a frame of 13 bytes.
    rests: () => false,
    get gone() {
      return session.isOver;
    },
  });
  return { reads, readToEnd: () => read(true) };
}

/** A socket, over TLS or raw. */
export function setReading(socket: Socket, reading: boolean): void {
  const reads = readsOn(socket);
  if (reads === undefined) setHandle(socket, reading);
  else reads.allow(reading);
}

/** For who stops thousands in one turn, and therefore looks this up once. Undefined: nothing is
 * held, and there is only its handle (setHandle). */
export function readsOn(socket: Socket): ConnectionReads | undefined {
  const { _handle: handle } = socket as WithHandle;
  return handle ? readsOf.get(handle) : undefined;
}

/** Of a socket that is destroyed nothing is read any more. It is not asked when reading stops: the
 * answer takes longer than to stop. */
export function setHandle(socket: Socket, reading: boolean): void {
  const { _handle: handle } = socket as WithHandle;
  if (!reading) handle?.readStop();
  else if (!socket.destroyed) handle?.readStart();
}
