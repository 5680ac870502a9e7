/**
 * Chunks of HTTP/1.1 with their framing around them (RFC 9112, 7.1): the head with the length, the
 * bytes, the tail, in one buffer, so that a chunk is one write.
 *
 * One that is shared by many streams is framed once a turn: whoever has the same bytes to send gets
 * the same buffer, and sockets that are backed up hold it once.
 *
 * Bounds: at most `sharedMax` are remembered, until the turn is over.
 */
import type { Timers } from '../../stdx/clock.ts';

/** More than a turn has chunks that are alive at a time (streams/frame-ring.ts keeps as many). */
const sharedMax = 16;

export class FramedChunks {
  readonly #timers: Pick<Timers, 'nextTurn'>;
  readonly #shared = new Map<Uint8Array, Buffer>();
  /** The newest of them: most streams of a turn are sent one chunk. */
  #chunk: Uint8Array | undefined;
  #framed: Buffer | undefined;

  constructor(timers: Pick<Timers, 'nextTurn'>) {
    this.#timers = timers;
  }

  /** `shared`: nobody changes the bytes, and others may be sent them; else they are copied now. */
  of(chunk: Uint8Array, shared: boolean): Buffer {
    if (!shared) return framed(chunk);
    if (this.#chunk !== chunk || this.#framed === undefined) {
      this.#framed = this.#remembered(chunk);
      this.#chunk = chunk;
    }
    return this.#framed;
  }

  #remembered(chunk: Uint8Array): Buffer {
    const shared = this.#shared;
    const known = shared.get(chunk);
    if (known !== undefined) return known;
    if (shared.size === 0) this.#timers.nextTurn(() => this.#forget());
    else if (shared.size >= sharedMax) shared.delete(shared.keys().next().value as Uint8Array);
    const made = framed(chunk);
    shared.set(chunk, made);
    return made;
  }

  #forget(): void {
    this.#shared.clear();
    this.#chunk = undefined;
    this.#framed = undefined;
  }
}

function framed(chunk: Uint8Array): Buffer {
  const size = chunk.byteLength.toString(16);
  const bytes = Buffer.allocUnsafe(size.length + chunk.byteLength + 4);
  const start = bytes.write(`${size}\r\n`, 'latin1');
  bytes.set(chunk, start);
  bytes.write('\r\n', start + chunk.byteLength, 'latin1');
  return bytes;
}
