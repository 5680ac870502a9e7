/**
 * Compressed responses (spec 1, section 4.3 rule 6), whole or in chunks.
 *
 * Watches are never compressed: a frame must leave at once. A request body with a Content-Encoding
 * is refused with 415, because a small body could then stand for any amount of memory.
 *
 * The work is done off the main thread. Memory: one chunk and zlib's window per response.
 */
import { constants, createGunzip, createGzip, gzip } from 'node:zlib';
import { StatusError } from '../status-error.ts';
import { StatusReason } from '../status-table.ts';

/** Responses of this size or less are sent as they are: compressing costs more than it saves. */
export const gzipThresholdBytes = 128 * 1024;

const options = { level: constants.Z_BEST_SPEED };

/** Whether the client takes gzip by name; `gzip;q=0` refuses it. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  return acceptEncoding.split(',').some((clause) => {
    const [coding, ...parameters] = clause.split(';').map((part) => part.trim().toLowerCase());
    return coding === 'gzip' && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });
}

/** Headers of a compressed response. */
export const gzipHeaders: readonly (readonly [string, string])[] = [
  ['Content-Encoding', 'gzip'],
  ['Vary', 'Accept-Encoding'],
];

export function gzipBytes(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gzip(bytes, options, (error, packed) => {
      if (error === null) resolve(packed);
      else reject(error);
    });
  });
}

/** Of complete answers that wait to be compressed, or are being. Policy: further ones go out as
 * they are, because what waits for a thread is in memory whether its client is there or not. */
const answersBytesMax = 64 * 1024 * 1024;
let answersBytes = 0;

/** A complete answer; undefined while too many wait. */
export function gzipAnswer(bytes: Uint8Array): Promise<Uint8Array> | undefined {
  if (answersBytes + bytes.length > answersBytesMax) return undefined;
  answersBytes += bytes.length;
  return gzipBytes(bytes).finally(() => (answersBytes -= bytes.length));
}

/** Unpacked between two turns of others. */
const unpackedChunkBytes = 64 * 1024;

/** What is packed, as it was, part by part: the next one is made when the last was taken. Not for
 * bytes that came from outside. */
export function gunzipParts(packed: Uint8Array): AsyncIterable<Uint8Array> {
  const unpacker = createGunzip({ chunkSize: unpackedChunkBytes });
  unpacker.end(packed);
  return unpacker;
}

/** The same as one, of which the length is known: each part goes to its place as it comes. */
export async function gunzipWhole(packed: Uint8Array, length: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for await (const part of gunzipParts(packed)) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Where compressed chunks go: structurally a ResponseStream of the transport. */
export interface ChunkTarget {
  write(chunk: Uint8Array): boolean;
  onDrain(callback: () => void): void;
  end(): void;
  abort(): void;
  readonly closed: boolean;
}

export interface ChunkPacker {
  /** Once, before anything is written. */
  start(target: ChunkTarget): void;
  /** Copies the chunk. False: wait for onDrain before the next. */
  write(chunk: Uint8Array): boolean;
  onDrain(callback: () => void): void;
  /** `done` is called when the target has been given everything, and was ended. */
  end(done: () => void): void;
  /** Gives the memory back; nothing more is written. Idempotent. */
  release(): void;
}

/** Chunked answers that may be compressed at one time: each holds zlib's window and a chunk.
 * Policy: further ones go out as they are. */
const packersMax = 64;
let packersCount = 0;

/** Compresses for a target as it takes; undefined while too many do. */
export function gzipPacker(): ChunkPacker | undefined {
  if (packersCount >= packersMax) return undefined;
  packersCount += 1;
  const packer = createGzip(options);
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    packersCount -= 1;
    packer.destroy();
  };
  return {
    start(target) {
      packer.on('data', (chunk: Uint8Array) => {
        if (target.closed) return release();
        if (target.write(chunk)) return;
        packer.pause();
        target.onDrain(() => packer.resume());
      });
      packer.on('error', () => {
        release();
        target.abort();
      });
      packer.on('end', () => target.end());
    },
    write: (chunk) => packer.write(Uint8Array.prototype.slice.call(chunk)),
    onDrain: (callback) => void packer.once('drain', callback),
    end(done) {
      packer.on('end', () => {
        release();
        done();
      });
      packer.end();
    },
    release,
  };
}

/** Undefined when the body comes as it is; otherwise 415. */
export function checkContentEncoding(contentEncoding: string | undefined): StatusError | undefined {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return undefined;
  return new StatusError({
    reason: StatusReason.unsupportedMediaType,
    message: `request bodies with Content-Encoding ${coding} are not accepted; send it as it is`,
  });
}
