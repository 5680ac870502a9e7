/**
 * HTTP/2 written frame by frame: what no client library sends, such as a thousand streams and their
 * resets in one segment. Heads are not compressed.
 */
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { frameOf, headBytes, prefaceText } from './http2-frame.ts';

const frames = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
const endStream = 1;
const endHeaders = 4;
const endStreamAndHeaders = 5;
const cancel = 8;
/** The status 400, by the static table. */
const malformedStatus = 0x80 | 12;
const emptyTable = 0x20;

/** GET over https, by the static table; path and host as literals that are not indexed. */
function headOf(path: string): Buffer {
  const literal = (name: number, value: string): readonly Buffer[] => [
    Buffer.from([name, value.length]),
    Buffer.from(value),
  ];
  return Buffer.concat([Buffer.from([0x82, 0x87]), ...literal(0x04, path), ...literal(0x01, 'a')]);
}

/** A request with a body in one frame. All are of one stream: for readers that look no further. */
export function requestFrames(path: string, body: Uint8Array): Buffer {
  const head = frameOf(frames.headers, endHeaders, 1, headOf(path));
  return Buffer.concat([head, frameOf(frames.data, 0, 1, body)]);
}

/** A body that is posted in so many frames of one byte, and does not end. */
export function bodyFrames(path: string, count: number): Buffer {
  const head = Buffer.concat([Buffer.from([0x83]), headOf(path).subarray(1)]);
  const bytes = Array.from({ length: count }, () => frameOf(frames.data, 0, 1, Buffer.from(' ')));
  return Buffer.concat([frameOf(frames.headers, endHeaders, 1, head), ...bytes]);
}

/** So many streams that ask for a path; each is reset at once, or left open. `cookies`: headers of
 * the least size beside those that are needed. */
export function streamFrames(path: string, count: number, reset: boolean, cookies = 0): Buffer {
  const crumb = Buffer.from([0x0f, 0x11, 0x03, ...Buffer.from('a=b')]);
  const head = Buffer.concat([headOf(path), ...Array.from({ length: cookies }, () => crumb)]);
  const code = Buffer.from([0, 0, 0, cancel]);
  return Buffer.concat(
    Array.from({ length: count }, (_, i) => {
      const stream = 2 * i + 1;
      const opening = frameOf(frames.headers, endStreamAndHeaders, stream, head);
      return reset
        ? Buffer.concat([opening, frameOf(frames.resetStream, 0, stream, code)])
        : opening;
    }),
  );
}

/** So many updates of the window of a connection, by a byte each. */
export function windowFrames(count: number): Buffer {
  const update = frameOf(frames.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]));
  return Buffer.concat(Array.from({ length: count }, () => update));
}

/** So many streams whose heads name one header of `bytes` again and again, a byte each time. */
export function repeatedHeaderFrames(bytes: number, times: number, count: number): Buffer {
  // A length of seven bits and its rest (RFC 7541, 5.1).
  const rest = bytes - 127;
  const length = Buffer.from([127, (rest & 127) | 128, rest >> 7]);
  const added = Buffer.concat([Buffer.from([0x40, 1, 0x78]), length, Buffer.alloc(bytes, 'v')]);
  const newestOfTable = 0x80 | 62;
  return Buffer.concat(
    Array.from({ length: count }, (_, i) => {
      const repeated = Buffer.alloc(times, newestOfTable);
      const head = Buffer.concat([headOf('/'), i === 0 ? added : repeated]);
      return frameOf(frames.headers, endStreamAndHeaders, 2 * i + 1, head);
    }),
  );
}

/** A request with one more header, as a literal that is not compressed. `split`: so many bytes of
 * its head in each frame. */
export function headerFrames(stream: number, name: string, value: string, split = 1_000): Buffer {
  const texts = [name, value].map((text) => {
    const bytes = Buffer.from(text, 'latin1');
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  const head = Buffer.concat([headOf('/'), Buffer.from([0]), ...texts]);
  const parts: Buffer[] = [];
  for (let at = 0; at < head.length; at += split) {
    const isLast = at + split >= head.length;
    const [type, end] = at === 0 ? [frames.headers, endStream] : [frames.continuation, 0];
    const flags = end | (isLast ? endHeaders : 0);
    parts.push(frameOf(type, flags, stream, head.subarray(at, at + split)));
  }
  return Buffer.concat(parts);
}

/** Each ends a session: a body of a stream that is none, a head that names what is in no table, a
 * ping of a wrong length. */
export function wrongFrames(): readonly Buffer[] {
  return [
    frameOf(frames.data, 0, 99, Buffer.from('x')),
    frameOf(frames.headers, endStreamAndHeaders, 99, Buffer.from([0x80])),
    frameOf(frames.ping, 0, 0, Buffer.alloc(7)),
  ];
}

export interface RawSession {
  readonly socket: TLSSocket;
  /** Heads of answers that have come. */
  readonly heads: number;
  /** Those of them that begin with the status 400. */
  readonly malformed: number;
  /** Why the server ends the session; undefined: it does not. */
  readonly goAwayCode: number | undefined;
}

/** Resolves when the server has said its settings. */
export function openRawHttp2(port: number): Promise<RawSession> {
  let heads = 0;
  let malformed = 0;
  let goAwayCode: number | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] };
  const socket = connect(options, () => {
    socket.write(Buffer.concat([Buffer.from(prefaceText), frameOf(frames.settings, 0, 0, rest)]));
  });
  socket.on('error', () => undefined);
  const session: RawSession = {
    socket,
    get heads() {
      return heads;
    },
    get malformed() {
      return malformed;
    },
    get goAwayCode() {
      return goAwayCode;
    },
  };
  return new Promise((resolve) => {
    socket.on('close', () => resolve(session));
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= headBytes && rest.length >= headBytes + rest.readUIntBE(0, 3)) {
        const end = headBytes + rest.readUIntBE(0, 3);
        const type = rest[3];
        if (type === frames.settings) resolve(session);
        if (type === frames.headers) heads += 1;
        // The first one may begin with the size of the table of headers.
        const first = rest[headBytes] === emptyTable ? headBytes + 1 : headBytes;
        if (type === frames.headers && rest[first] === malformedStatus) malformed += 1;
        if (type === frames.goAway) goAwayCode ??= rest.readUInt32BE(headBytes + 4);
        rest = rest.subarray(end);
      }
    });
  });
}
