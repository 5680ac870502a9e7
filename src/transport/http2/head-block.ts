/**
 * The head of a request, or its trailers, as they come in frames: HEADERS and what follows it
 * (RFC 9113, 6.2 and 6.10).
 *
 * Bounds: `blockBytesMax` for each byte that a head may have, in `partsMax` frames. Policy: the
 * connection ends, for what has not been decoded is missing in the table of headers.
 */
import { GatheredBytes } from '../../stdx/gathered-bytes.ts';
import { HeadDecoder } from './hpack/decoder.ts';
import type { Head } from './hpack/decoder.ts';
import type { Frame } from './frame-parser.ts';
import { errorCodes, flags, readUint31 } from './protocol.ts';
import type { ErrorCode } from './protocol.ts';

/** A head that is somewhat too large is answered with words. */
const blockBytesMax = 2;
const partsMax = 64;
const priorityBytes = 5;

export type BlockEnd =
  | { readonly kind: 'goes on' }
  | { readonly kind: 'broken'; readonly code: ErrorCode }
  | {
      readonly kind: 'head';
      readonly stream: number;
      readonly head: Head;
      readonly endsStream: boolean;
      readonly dependsOnItself: boolean;
    };

const goesOn: BlockEnd = { kind: 'goes on' };

export class HeadBlock {
  readonly #decoder: HeadDecoder;
  readonly #bytesMax: number;
  /** The parts that have come of one that goes on. */
  #gathered: GatheredBytes | undefined;
  #parts = 0;
  #stream = 0;
  #endsStream = false;
  #dependsOnItself = false;
  /** Nothing but the rest of it may come. */
  isOpen = false;

  constructor(headBytesMax: number) {
    this.#decoder = new HeadDecoder(headBytesMax);
    this.#bytesMax = blockBytesMax * headBytesMax;
  }

  begin({ flags: flagBits, payload, stream }: Frame): BlockEnd {
    const isPadded = (flagBits & flags.padded) !== 0;
    const isPrioritized = (flagBits & flags.priority) !== 0;
    let from = isPadded ? 1 : 0;
    const to = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
    this.#dependsOnItself = false;
    if (isPrioritized) {
      if (payload.length < from + priorityBytes) return broken(errorCodes.frameSizeError);
      this.#dependsOnItself = readUint31(payload, from) === stream;
      from += priorityBytes;
    }
    if (to < from) return broken(errorCodes.protocolError);
    this.#stream = stream;
    this.#endsStream = (flagBits & flags.endStream) !== 0;
    return this.#add(payload.subarray(from, to), (flagBits & flags.endHeaders) !== 0);
  }

  goOn({ flags: flagBits, payload, stream }: Frame): BlockEnd {
    if (!this.isOpen || stream !== this.#stream) return broken(errorCodes.protocolError);
    return this.#add(payload, (flagBits & flags.endHeaders) !== 0);
  }

  #add(part: Uint8Array, isLast: boolean): BlockEnd {
    this.#parts += 1;
    const bytes = (this.#gathered?.size ?? 0) + part.length;
    if (bytes > this.#bytesMax || this.#parts > partsMax) {
      return broken(errorCodes.enhanceYourCalm);
    }
    this.isOpen = !isLast;
    // A part is kept until the next read: it may not keep all that was read with it.
    if (!isLast) this.#gathered ??= new GatheredBytes();
    this.#gathered?.add(part);
    if (!isLast) return goesOn;
    const block = this.#gathered?.whole() ?? part;
    this.#gathered = undefined;
    this.#parts = 0;
    const head = this.#decoder.decode(block);
    if (head === undefined) return broken(errorCodes.compressionError);
    return {
      kind: 'head',
      stream: this.#stream,
      head,
      endsStream: this.#endsStream,
      dependsOnItself: this.#dependsOnItself,
    };
  }
}

function broken(code: ErrorCode): BlockEnd {
  return { kind: 'broken', code };
}
