/**
 * A Protobuf watch on a socket (spec 1, sections 4.3 and 6): how its head can be sent at once.
 *
 * An adapter that cannot send a head alone sends a preamble with it. In JSON that is a space; in
 * a sequence of frames no byte is free. But every frame begins with its length in four bytes, big
 * endian, and frames are far below 16 MiB: the first byte of the first frame is known to be zero
 * before there is a frame. That byte goes out with the head, and the first frame without it. The
 * body is the same, byte for byte, as if nothing had been sent early.
 *
 * The price: a watch that ends before any frame ends inside one. The clients of the reference take
 * that for the end of the stream. With bookmarks there is always a last frame.
 */
import type { ResponseStream } from '../transport/http-exchange.ts';
import type { WatchSink } from '../../streams/streams.ts';

export const protobufPreamble: Uint8Array = Uint8Array.of(0);

/** Takes whole frames, and leaves out what has been sent already. */
export function withoutPreamble(stream: ResponseStream): WatchSink {
  if (stream.preambleSent !== true) return stream;
  let begun = false;
  return {
    write(chunk) {
      if (begun) return stream.write(chunk);
      begun = true;
      if (chunk[0] === 0) return stream.write(chunk.subarray(1));
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
