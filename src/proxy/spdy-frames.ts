/**
 * Frames of SPDY/3.1 as the client of a kubelet needs them: it opens streams, sends and gets their
 * bytes, and hears of their ends. Kubernetes speaks it on connections to containers.
 *
 *     control   1 | version 15 | type 16 | flags 8 | length 24 | payload
 *     data      0 | stream 31            | flags 8 | length 24 | bytes
 *
 * Headers travel in one zlib stream for each direction. Ours are stored in it, not packed, which is
 * zlib as any other. Those of the other side say nothing that is needed here, so they are skipped.
 *
 * Invariants: bytes of a stream come in order; data is handed on as it comes, in pieces of frames.
 * Bound: a control frame of more than `controlBytesMax` is an error.
 */
const spdyLimits = { controlBytesMax: 64 * 1024 } as const;

const types = { synStream: 1, reset: 3, ping: 6, goAway: 7 } as const;
const version = 3;
const fin = 1;
const headBytes = 8;

/** Deflate with a preset dictionary, which is named by its checksum (SPDY's own). */
const zlibHead = Buffer.from([0x78, 0x20, 0xe3, 0xc6, 0xa7, 0xc2]);

/** An empty block, by which readers know that what came before it is whole. */
const flushed = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Every stream of SPDY is a request; kubelets do not look at these. */
const requestHeaders = { ':method': 'POST', ':path': '/' } as const;

/** Of the client's direction of one connection. */
export interface FrameWriter {
  /** Streams of clients have odd numbers, each larger than those before. */
  open(stream: number, headers: Readonly<Record<string, string>>): Buffer;
  data(stream: number, bytes: Uint8Array, isLast: boolean): readonly Uint8Array[];
  /** The answer to one of the other side. */
  ping(id: number): Buffer;
}

export function createFrameWriter(): FrameWriter {
  let isFirst = true;
  const packed = (bytes: Buffer): Buffer => {
    const block = Buffer.alloc(5);
    block.writeUInt16LE(bytes.length, 1);
    block.writeUInt16LE(~bytes.length & 0xffff, 3);
    const head = isFirst ? zlibHead : Buffer.alloc(0);
    isFirst = false;
    return Buffer.concat([head, block, bytes, flushed]);
  };
  return {
    open(stream, headers) {
      // Associated stream, priority and slot are zero.
      const about = Buffer.alloc(10);
      about.writeUInt32BE(stream, 0);
      const block = headerBlock({ ...requestHeaders, ...headers });
      return control(types.synStream, Buffer.concat([about, packed(block)]));
    },
    data(stream, bytes, isLast) {
      const head = Buffer.alloc(headBytes);
      head.writeUInt32BE(stream, 0);
      head.writeUInt32BE(bytes.length, 4);
      head[4] = isLast ? fin : 0;
      return [head, bytes];
    },
    ping(id) {
      return control(types.ping, number32(id));
    },
  };
}

function control(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const texts = Object.entries(headers).flat();
  const parts = [number32(texts.length / 2)];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    parts.push(number32(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

/** What the other side says. */
export interface FrameEvents {
  data(stream: number, bytes: Uint8Array): void;
  /** It sends no more on it: by an end, or by a reset. */
  ended(stream: number): void;
  ping(id: number): void;
  /** It is about to close the connection. */
  goAway(): void;
  /** What comes is not SPDY, or too long. */
  broken(why: string): void;
}

/** Takes the bytes of the other side, in whatever pieces. */
export function createFrameReader(events: FrameEvents): (bytes: Buffer) => void {
  const head = Buffer.alloc(headBytes);
  let headLength = 0;
  let rest = 0;
  let controlBytes: Buffer[] | undefined;
  let isBroken = false;

  const begin = (): void => {
    rest = head.readUIntBE(5, 3);
    const isControl = ((head[0] as number) & 0x80) !== 0;
    controlBytes = isControl ? [] : undefined;
    if (isControl && rest > spdyLimits.controlBytesMax) {
      isBroken = true;
      events.broken('a control frame is too long');
    }
  };
  const finish = (): void => {
    headLength = 0;
    const flags = head[4] as number;
    if (controlBytes === undefined) {
      if ((flags & fin) !== 0) events.ended(head.readUInt32BE(0));
      return;
    }
    heard(head.readUInt16BE(2), flags, Buffer.concat(controlBytes), events);
  };
  return (bytes) => {
    let at = 0;
    while (!isBroken && (at < bytes.length || (headLength === headBytes && rest === 0))) {
      if (headLength < headBytes) {
        const taken = bytes.copy(head, headLength, at, at + headBytes - headLength);
        headLength += taken;
        at += taken;
        if (headLength === headBytes) begin();
        continue;
      }
      const piece = bytes.subarray(at, at + rest);
      at += piece.length;
      rest -= piece.length;
      if (controlBytes !== undefined) controlBytes.push(Buffer.from(piece));
      else if (piece.length > 0) events.data(head.readUInt32BE(0), piece);
      if (rest === 0) finish();
    }
  };
}

function heard(type: number, flags: number, payload: Buffer, events: FrameEvents): void {
  const first = payload.length >= 4 ? payload.readUInt32BE(0) & 0x7fff_ffff : 0;
  switch (type) {
    case types.reset:
      return events.ended(first);
    case types.ping:
      // Odd ones would be answers to ours; there are none.
      if (first % 2 === 0) events.ping(first);
      return;
    case types.goAway:
      return events.goAway();
    default:
      // Replies and headers may end a stream, too.
      if ((flags & fin) !== 0) events.ended(first);
  }
}
