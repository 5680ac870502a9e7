/**
 * What is put together of many parts, compressed, without compressing it: each part is packed once,
 * by itself, and what they come to is one gzip of all of them (RFC 1951, RFC 1952).
 *
 *     head | part | part | part | … | an empty last block | checksum and length of all
 *
 * Invariants: each part ends at a byte and none is the last block, so any row of them is a stream;
 * readers see one member of gzip. The checksum of all is reckoned from those of the parts.
 * Memory: a part holds its packed bytes and no others.
 */
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { inSteps } from '../../stdx/in-steps.ts';
import { joined } from '../../stdx/joined-bytes.ts';
import type { Steps } from '../../stdx/stepwise.ts';

export interface PackedPart {
  readonly packed: Uint8Array;
  /** As it is: its length and its CRC-32. */
  readonly bytes: number;
  readonly checksum: number;
}

const options = { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_FULL_FLUSH };

/** Packed at once: a thread would take longer to be told of it. What comes out is put together in
 * node's pool, for a buffer more may cost some milliseconds (blocks.ts). */
const atOnceMax = 32 * 1024;
const atOnce = { ...options, chunkSize: 4_000 };

export async function packPart(bytes: Uint8Array): Promise<PackedPart> {
  const packed =
    bytes.byteLength <= atOnceMax ? deflateRawSync(bytes, atOnce) : await deflated(bytes);
  return { packed: withoutSlack(packed), bytes: bytes.byteLength, checksum: crc32(bytes) };
}

function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    deflateRaw(bytes, options, (error, packed) => {
      if (error === null) resolve(packed);
      else reject(error);
    });
  });
}

/** The library gives what is short as a view of a buffer of 16 KiB. */
export function withoutSlack(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === bytes.buffer.byteLength) return bytes;
  return Uint8Array.prototype.slice.call(bytes);
}

/** Of a gzip: compressed, of no name and no time. */
const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const lastBlock = Buffer.from([0x03, 0x00]);

export function* joinedGzip(parts: readonly PackedPart[]): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [head];
  let checksum = 0;
  let bytes = 0;
  yield* inSteps(parts, (part) => {
    pieces.push(part.packed);
    checksum = checksumOfBoth(checksum, part);
    bytes += part.bytes;
    return undefined;
  });
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(checksum, 0);
  tail.writeUInt32LE(bytes % 2 ** 32, 4);
  pieces.push(lastBlock, tail);
  return yield* joined(pieces);
}

/** The polynomial of CRC-32; the highest bit stands for 1, the lowest for x³¹. */
const polynomial = 0xedb88320;

/** The CRC-32 of a text with a part behind it: the first one moves up by the length of the part,
 * which is a multiplication by a power of x. */
function checksumOfBoth(before: number, { bytes, checksum }: PackedPart): number {
  let moved = before;
  for (let [rest, at] = [bytes, 0]; rest > 0; [rest, at] = [Math.floor(rest / 2), at + 1]) {
    if (rest % 2 === 1) moved = product(moved, powerAt(at));
  }
  return (moved ^ checksum) >>> 0;
}

/** x to the 8th, 16th, 32nd and so on: what moves a checksum by 1, 2, 4 bytes. */
const powers: number[] = [0x00800000];

function powerAt(at: number): number {
  for (let known = powers.length; known <= at; known += 1) {
    const last = powers[known - 1] as number;
    powers.push(product(last, last));
  }
  return powers[at] as number;
}

/** Of two polynomials, modulo that of the checksum. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return sum >>> 0;
}
