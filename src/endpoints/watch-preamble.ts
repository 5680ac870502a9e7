/**
 * What a watch sends with its head, before there is an event (spec 1, sections 4.3 and 6).
 *
 * An adapter that cannot send a head alone sends a preamble with it:
 *
 *     JSON       a space: harmless before a line
 *     Protobuf   00: a frame begins with its length in four bytes, big endian, and frames are far
 *                below 16 MiB, so the first byte of the first frame is known before there is one
 *     CBOR       d9 d9 f7: every frame begins with the self-described tag
 *
 * In the last two no byte is free, so the first frame goes out without what has been sent: the
 * body is the same, byte for byte, as if nothing had been sent early.
 *
 * The price: a watch that ends before any frame ends inside one. The clients of the reference take
 * that for the end of the stream. With bookmarks there is always a last frame.
 */
import { cborPrefix } from '../apimachinery/codecs/cbor.ts';
import type { BodyFormat } from '../apimachinery/negotiation.ts';
import type { ResponseStream } from '../transport/http-exchange.ts';
import type { WatchSink } from '../../streams/streams.ts';

export interface Preamble {
  readonly bytes: Uint8Array;
  /** The first frame begins with it. */
  readonly partOfFrame: boolean;
}

const space: Preamble = { bytes: Buffer.from(' '), partOfFrame: false };

export const framePreambles: Readonly<Record<BodyFormat, Preamble>> = {
  json: space,
  yaml: space,
  protobuf: { bytes: Uint8Array.of(0), partOfFrame: true },
  cbor: { bytes: cborPrefix, partOfFrame: true },
};

/** Takes whole frames, and leaves out what has been sent already. */
export function withoutPreamble(stream: ResponseStream, preamble: Uint8Array): WatchSink {
  if (stream.preambleSent !== true) return stream;
  let begun = false;
  return {
    write(chunk, shared) {
      if (begun) return stream.write(chunk, shared);
      begun = true;
      if (preamble.every((byte, at) => chunk[at] === byte)) {
        return stream.write(chunk.subarray(preamble.length));
      }
      // A frame of 16 MiB or more: its length cannot be sent any more. The client asks again.
      stream.abort();
      return true;
    },
    onDrain: (callback) => stream.onDrain(callback),
    end: () => stream.end(),
    get closed() {
      return stream.closed;
    },
  };
}
