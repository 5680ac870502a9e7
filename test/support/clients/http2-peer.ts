/**
 * A client of HTTP/2 that decides about each frame itself: over TLS, or at a session whose socket
 * is none. Heads are not compressed, and nothing is answered unasked.
 */
import { connect as connectRaw } from 'node:net';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { Flushes } from '../../../src/transport/http2/frame-writer.ts';
import type { Head } from '../../../src/transport/http2/hpack/decoder.ts';
import { HeadDecoder } from '../../../src/transport/http2/hpack/decoder.ts';
import { Http2Session } from '../../../src/transport/http2/session.ts';
import type { Http2Stream } from '../../../src/transport/http2/stream.ts';
import { frameOf, headBytes, prefaceText } from './http2-frame.ts';

export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;
export const endStream = 1;
export const ack = 1;
export const endHeaders = 4;
export const padded = 8;

const nothing = Buffer.alloc(0);

export interface PeerFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export const windowOf = (stream: number, more: number): Buffer =>
  frameOf(types.window, 0, stream, numberOf(more));

export const resetOf = (stream: number, code = 8): Buffer =>
  frameOf(types.reset, 0, stream, numberOf(code));

export const dataOf = (stream: number, payload: Uint8Array, flags = 0): Buffer =>
  frameOf(types.data, flags, stream, payload);

export const goawayOf = (code: number): Buffer =>
  frameOf(types.goaway, 0, 0, Buffer.concat([numberOf(0), numberOf(code)]));

export function settingsOf(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const parts = settings.map(([id, value]) =>
    Buffer.concat([Buffer.from([0, id]), numberOf(value)]),
  );
  return frameOf(types.settings, 0, 0, Buffer.concat(parts));
}

const startOf = (settings: readonly (readonly [number, number])[] = []): Buffer =>
  Buffer.concat([Buffer.from(prefaceText), settingsOf(settings)]);

type Fields = readonly (readonly [name: string, value: string])[];

/** Literals without an index, of any length below two thousand. */
export function blockOf(fields: Fields): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value, 'latin1');
    const rest = bytes.length - 127;
    const long = rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7];
    return Buffer.concat([Buffer.from(rest < 0 ? [bytes.length] : long), bytes]);
  };
  const literals = fields.map(([name, value]) => [Buffer.from([0]), text(name), text(value)]);
  return Buffer.concat(literals.flat());
}

export function requestFields(method: string, path = '/', more: Fields = []): Fields {
  const pseudo = [[':method', method] as const, [':scheme', 'https'] as const];
  return [...pseudo, [':path', path], [':authority', 'a'], ...more];
}

export function headersOf(stream: number, fields: Fields, ends: boolean): Buffer {
  const flags = endHeaders | (ends ? endStream : 0);
  return frameOf(types.headers, flags, stream, blockOf(fields));
}

export const getOf = (stream: number, path = '/'): Buffer =>
  headersOf(stream, requestFields('GET', path), true);

export const postOf = (stream: number, path = '/', more: Fields = []): Buffer =>
  headersOf(stream, requestFields('POST', path, more), false);

/** What the server says. */
class PeerReader {
  readonly frames: PeerFrame[] = [];
  #rest: Buffer = nothing;

  take(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (all.length - at >= headBytes) {
      const end = at + headBytes + all.readUIntBE(at, 3);
      if (end > all.length) break;
      const payload = all.subarray(at + headBytes, end);
      const stream = all.readUInt32BE(at + 5);
      this.frames.push({ type: all[at + 3] ?? 0, flags: all[at + 4] ?? 0, stream, payload });
      at = end;
    }
    this.#rest = all.subarray(at);
  }

  of(stream: number, type?: number): readonly PeerFrame[] {
    return this.frames.filter((each) => {
      return each.stream === stream && (type === undefined || each.type === type);
    });
  }

  body(stream: number): Buffer {
    return Buffer.concat(this.of(stream, types.data).map(({ payload }) => payload));
  }

  ended(stream: number): boolean {
    return this.of(stream).some(
      ({ flags, type }) => (type === types.data || type === types.headers) && flags & endStream,
    );
  }

  resetCode(stream: number): number | undefined {
    return this.of(stream, types.reset)[0]?.payload.readUInt32BE(0);
  }

  get goawayCode(): number | undefined {
    return this.of(0, types.goaway)[0]?.payload.readUInt32BE(4);
  }

  /** What the windows that it gives amount to. */
  given(stream: number): number {
    const updates = this.of(stream, types.window);
    return updates.reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
  }

  /** Each head is read once, in the order in which they came. */
  heads(): readonly (readonly [stream: number, head: Head | undefined])[] {
    const heads = this.frames.filter(({ type }) => type === types.headers);
    const decoder = new HeadDecoder(64 * 1024);
    return heads.map(({ payload, stream }) => [stream, decoder.decode(payload)] as const);
  }

  /** Of the answer of a stream: all heads of it. */
  fieldsOf(stream: number): readonly string[] {
    return this.heads().flatMap(([of, head]) => (of === stream ? (head?.texts ?? []) : []));
  }
}

export interface Peer extends PeerReader {
  readonly socket: TLSSocket;
  readonly isClosed: boolean;
  send(...frames: readonly Uint8Array[]): void;
  /** The connection, without a word. */
  reset(): void;
  until(condition: () => unknown): Promise<void>;
}

class TlsPeer extends PeerReader implements Peer {
  readonly socket: TLSSocket;
  isClosed = false;
  readonly #raw: Socket;

  constructor(socket: TLSSocket, raw: Socket) {
    super();
    this.#raw = raw;
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.on('error', () => undefined).on('close', () => (this.isClosed = true));
  }

  send(...frames: readonly Uint8Array[]): void {
    if (!this.isClosed) this.socket.write(Buffer.concat(frames));
  }

  reset(): void {
    this.#raw.resetAndDestroy();
  }

  /** For ever, if need be: the tests' own limit ends it. */
  async until(condition: () => unknown): Promise<void> {
    while (!condition()) await sleep(2);
  }
}

/** Resolves when the server has said its settings. */
export async function connectPeer(
  port: number,
  settings: readonly (readonly [number, number])[] = [],
): Promise<Peer> {
  const raw = connectRaw({ port, host: '127.0.0.1' });
  raw.on('error', () => undefined);
  const secure = connect({ socket: raw, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  const peer = new TlsPeer(secure, raw);
  peer.send(startOf(settings));
  await peer.until(() => peer.of(0, types.settings).length > 0 || peer.isClosed);
  return peer;
}

/** A socket that keeps what it is given, until it is told to take it. */
class HeldSocket extends Duplex {
  readonly reader = new PeerReader();
  /** Each is one call. */
  readonly writes: number[] = [];
  takes = true;
  #held: (() => void) | undefined;
  #failHeld: ((error: Error) => void) | undefined;

  constructor() {
    super({ readableHighWaterMark: 0 });
    this.on('error', () => undefined);
  }

  override _read(): void {
    // What the client says is given to the session.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    const take = (): void => {
      this.writes.push(chunk.length);
      // A copy: the memory is used again.
      this.reader.take(Buffer.from(chunk));
      done();
    };
    if (this.takes) take();
    else [this.#held, this.#failHeld] = [take, done];
  }

  /** What waits has not reached the client. */
  failHeld(error: Error): void {
    this.#held = undefined;
    this.#failHeld?.(error);
  }

  /** All that waits, and what comes. */
  takeAll(): void {
    this.takes = true;
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }
}

/** Where nobody asks how much is unread. */
export const uncounted = { hold: () => undefined, release: () => undefined };

/** A session at a socket that is none. Its streams are as they began. */
export function heldSession(
  settings: readonly (readonly [number, number])[] = [],
  flushes = new Flushes(uncounted),
  first: Uint8Array = startOf(settings),
) {
  const socket = new HeldSocket();
  const streams: Http2Stream[] = [];
  const told = { ends: 0 };
  const events = {
    onStream: (stream: Http2Stream) => void streams.push(stream),
    onTrailers: () => undefined,
    onEnd: () => void (told.ends += 1),
  };
  const options = { streamsMax: 1_000, headBytesMax: 16 * 1024 };
  const session = new Http2Session(socket, options, events, flushes);
  session.take(first);
  return { session, socket, streams, told, reader: socket.reader };
}

/** What a stream is told, for who looks at nothing else. */
export function receiverOf(stream: Http2Stream) {
  const seen = { body: [] as Uint8Array[], isWhole: false, ends: [] as boolean[], drains: 0 };
  stream.receive({
    data: (bytes) => void seen.body.push(bytes),
    bodyEnded: () => void (seen.isWhole = true),
    sent: () => undefined,
    drained: () => void (seen.drains += 1),
    ended: (isComplete) => void seen.ends.push(isComplete),
  });
  return seen;
}

/** What microtasks and the socket have to do is done behind it. */
export const settled = (): Promise<void> => sleep(1);
