/**
 * Many watches held by one process: raw sockets that count the marks in what they are sent.
 *
 * A delivery costs one read and two byte searches; nothing is parsed, copied or kept. All sockets
 * read into one buffer, which works because each is read and counted before the next.
 */
import net from 'node:net';
import tls from 'node:tls';
import { getRequest, MARK, SEQUENCE_DIGITS } from './objects.ts';

const READ_BUFFER_BYTES = 64 * 1024;
/** No delivery or no answer for as long: something was lost. */
const STALL_MS = 20_000;

export interface Watchers {
  /** Marks seen by all watchers together. */
  readonly deliveries: number;
  readonly bytes: number;
  /** Resolves when `deliveries` has reached `total`. Rejects when a watch ended or all stalled. */
  reached(total: number): Promise<void>;
  /** Called with each sequence number as it is read. A number cut by the end of a read is counted,
   * but not told. */
  onSequence: ((sequence: number) => void) | undefined;
  /** Marks seen by each watcher. */
  counts(): Uint32Array;
  close(): void;
}

export interface WatcherOptions {
  readonly port: number;
  /** Of all, or of each by its number. */
  readonly path: string | ((index: number) => string);
  readonly count: number;
  /** Over TLS; whose certificate the server has is not what is measured. */
  readonly secure?: boolean | undefined;
  readonly token?: string | undefined;
}

const DIGIT_ZERO = 0x30;
const CARRIAGE_RETURN = 0x0d;

/** One more byte than is ever read, for the sentinel that ends every search. */
const buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES + 1);
const window = buffer.subarray(0, READ_BUFFER_BYTES);

class WatcherGroup implements Watchers {
  deliveries = 0;
  bytes = 0;
  onSequence: ((sequence: number) => void) | undefined;
  readonly #sockets: net.Socket[] = [];
  readonly #counts: Uint32Array;
  #target = Infinity;
  #onTarget: (() => void) | undefined;
  #closed = false;
  #failure: Error | undefined;

  constructor(count: number) {
    this.#counts = new Uint32Array(count);
  }

  /** Resolves when the answer has begun. */
  open({ port, path: paths, secure = false, token }: WatcherOptions, index: number): Promise<void> {
    const path = typeof paths === 'string' ? paths : paths(index);
    return new Promise((resolve, reject) => {
      let begun = false;
      const callback = (nread: number): boolean => {
        if (!begun) {
          begun = true;
          socket.setTimeout(0);
          const status = buffer.toString('latin1', 0, 12);
          if (status === 'HTTP/1.1 200') resolve();
          else reject(new Error(`a watch was refused: ${buffer.toString('latin1', 0, nread)}`));
        } else if (endsWithLastChunk(nread)) {
          // Its connection may stay.
          this.#lost(`the server ended a watch of ${path}`);
        }
        this.#take(index, nread);
        return true;
      };
      const to = { host: '127.0.0.1', port, onread: { buffer: window, callback } };
      const socket = secure ? tls.connect({ ...to, rejectUnauthorized: false }) : net.connect(to);
      socket.on(secure ? 'secureConnect' : 'connect', () => {
        socket.write(getRequest(path, token));
      });
      socket.on('error', (error) => (this.#closed ? undefined : reject(error)));
      socket.on('close', () => {
        this.#lost(`the server closed the connection of a watch of ${path}`);
        if (!begun) reject(new Error(`a watch of ${path} has ended before its answer`));
      });
      socket.setTimeout(STALL_MS, () => {
        reject(new Error(`a watch of ${path} is not answered for ${STALL_MS / 1000} s`));
        socket.destroy();
      });
      this.#sockets.push(socket);
    });
  }

  #take(index: number, nread: number): void {
    this.bytes += nread;
    buffer[nread] = MARK;
    let found = 0;
    for (let at = buffer.indexOf(MARK); at < nread; at = buffer.indexOf(MARK, at + 1)) {
      found += 1;
      if (this.onSequence !== undefined) this.#tell(at, nread);
    }
    if (found === 0) return;
    this.#counts[index] = (this.#counts[index] as number) + found;
    this.deliveries += found;
    if (this.deliveries < this.#target) return;
    this.#target = Infinity;
    this.#onTarget?.();
  }

  #tell(at: number, nread: number): void {
    if (at + SEQUENCE_DIGITS >= nread) return;
    let sequence = 0;
    for (let i = at + 1; i <= at + SEQUENCE_DIGITS; i += 1) {
      sequence = sequence * 10 + (buffer[i] as number) - 0x30;
    }
    this.onSequence?.(sequence);
  }

  reached(total: number): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.deliveries >= total) return Promise.resolve();
    return new Promise((resolve, reject) => {
      let last = -1;
      const watchdog = setInterval(() => {
        if (this.deliveries === last) this.#lost(this.#stallText(total));
        last = this.deliveries;
      }, STALL_MS);
      this.#target = total;
      this.#onTarget = () => {
        clearInterval(watchdog);
        if (this.#failure === undefined) resolve();
        else reject(this.#failure);
      };
    });
  }

  #lost(why: string): void {
    if (this.#closed || this.#failure !== undefined) return;
    this.#failure = new Error(why);
    // Or they would keep the process, whoever takes the failure.
    this.close();
    this.#onTarget?.();
  }

  #stallText(total: number): string {
    const counts = [...this.#counts].sort((a, b) => a - b);
    const range = `watchers have ${counts[0]} to ${counts.at(-1)} each`;
    return `deliveries stopped at ${this.deliveries} of ${total}; ${range}`;
  }

  counts(): Uint32Array {
    return this.#counts;
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Of what was read last, behind the head. */
function endsWithLastChunk(nread: number): boolean {
  // At the end of each event this is a brace, and nothing else is looked at.
  if (buffer[nread - 4] !== CARRIAGE_RETURN) return false;
  return buffer[nread - 5] === DIGIT_ZERO && buffer[nread - 2] === CARRIAGE_RETURN;
}

/** How many connections are opened at a time: a listen queue is not endless. */
const OPENING_MAX = 100;

/** Resolves when every watch has been answered. */
export async function openWatchers(options: WatcherOptions): Promise<Watchers> {
  const group = new WatcherGroup(options.count);
  for (let first = 0; first < options.count; first += OPENING_MAX) {
    const size = Math.min(OPENING_MAX, options.count - first);
    const opening = Array.from({ length: size }, (_, i) => group.open(options, first + i));
    await Promise.all(opening).catch((error: unknown) => {
      group.close();
      throw error;
    });
  }
  return group;
}
