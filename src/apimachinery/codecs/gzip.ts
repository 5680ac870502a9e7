/**
 * Compressed responses (spec 1, section 4.3 rule 6), whole or in chunks.
 *
 * What it is not: for watches, which are never compressed (a frame must leave at once), nor for
 * request bodies: one that comes with a Content-Encoding is refused with 415, because a small
 * body could then stand for any amount of memory.
 *
 * The work is done off the main thread. Memory: one chunk and zlib's window per response.
 */
import { Readable, pipeline } from 'node:stream';
import { constants, createGzip, gunzip, gzip } from 'node:zlib';
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

/** What gzipBytes made, as it was: not for bytes that came from outside. */
export function gunzipBytes(packed: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gunzip(packed, (error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}

/** Compresses as the consumer takes: nothing is read ahead but what zlib holds. A consumer that
 * stops early releases the source. The source must not reuse the memory of its chunks. */
export async function* gzipChunks(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packer = createGzip(options);
  // The callback only takes note: an error of the source also ends the loop below, by throwing.
  pipeline(Readable.from(chunks, { highWaterMark: 1 }), packer, () => undefined);
  for await (const chunk of packer) yield chunk as Uint8Array;
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
