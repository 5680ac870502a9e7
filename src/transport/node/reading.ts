/**
 * Starts and stops reading from a connection. Over TLS what was read may be held (read-turns.ts):
 * then to start again means to pass that on first.
 */
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ConnectionReads, ReadTurns } from './read-turns.ts';
import { showSession } from './shown-reads.ts';
import type { ShownReads } from './shown-reads.ts';

/** Of node: below a socket. */
interface Handle {
  readStart(): number;
  readStop(): number;
}

interface WithHandle {
  readonly _handle?: Handle | null;
}

const readsOf = new WeakMap<Handle, ConnectionReads>();

/** The most that one record of TLS holds: OpenSSL decrypts a record as a whole. */
const recordBytes = 16 * 1024;
/** A piece of HTTP/2. A header that is repeated takes one byte, so this may be as many headers. */
const framesBytes = 2 * 1024;

/** HTTP/1.1 over TLS, whose handshake is over: what comes is held before it is decrypted. */
export function readInTurns(
  raw: Socket,
  secured: TLSSocket,
  shown: ShownReads,
  turns: ReadTurns,
): ConnectionReads {
  const reads = turns({
    pieceEnd: (bytes, from) => Math.min(bytes.length, from + recordBytes),
    pass: shown.pass,
    read(reading) {
      if (!raw.destroyed) setHandle(raw, reading);
    },
    get gone() {
      return raw.destroyed;
    },
  });
  // A parser of HTTP that is given more while it pauses fails.
  secured.on('pause', () => reads.allow(false)).on('resume', () => reads.allow(true));
  const { _handle: handle } = secured as WithHandle;
  if (handle) readsOf.set(handle, reads);
  raw.once('close', reads.end);
  return reads;
}

/** A session of HTTP/2 that has just begun: what comes is held behind TLS, for a record holds
 * hundreds of heads, and has to be decrypted whole. */
export function readSessionInTurns(session: ServerHttp2Session, turns: ReadTurns): void {
  const shown = showSession(session, (bytes) => reads?.take(bytes));
  const { _handle: handle } = session.socket as WithHandle;
  const reads =
    shown &&
    turns({
      pieceEnd: createFrameReader(),
      pass: shown.pass,
      read(reading) {
        if (!session.destroyed) setHandle(session.socket, reading);
      },
      get gone() {
        return session.destroyed;
      },
    });
  if (reads === undefined) return;
  if (handle) readsOf.set(handle, reads);
  session.once('close', reads.end);
}

/** A socket, over TLS or raw. */
export function setReading(socket: Socket, reading: boolean): void {
  const { _handle: handle } = socket as WithHandle;
  const reads = handle ? readsOf.get(handle) : undefined;
  if (reads === undefined) setHandle(socket, reading);
  else reads.allow(reading);
}

function setHandle(socket: Socket, reading: boolean): void {
  const { _handle: handle } = socket as WithHandle;
  if (reading) handle?.readStart();
  else handle?.readStop();
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;
const frameHeadBytes = 9;
const dataType = 0;

/** Pieces of `framesBytes`, or all that has come of a frame of data: of a body nothing is worked
 * off but its bytes. */
function createFrameReader(): (bytes: Uint8Array, from: number) => number {
  let headAt = 0;
  let length = 0;
  let isData = false;
  /** Of the frame, behind its head. */
  let left = preface;
  return (bytes, from) => {
    const least = Math.min(bytes.length, from + framesBytes);
    let at = from;
    while (at < least) {
      if (left > 0) {
        const end = Math.min(isData ? bytes.length : least, at + left);
        left -= end - at;
        at = end;
        continue;
      }
      const byte = bytes[at] as number;
      at += 1;
      if (headAt < 3) length = (length << 8) | byte;
      else if (headAt === 3) isData = byte === dataType;
      headAt += 1;
      if (headAt < frameHeadBytes) continue;
      left = length;
      headAt = length = 0;
    }
    return at;
  };
}
