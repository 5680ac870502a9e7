/**
 * Many watches held by one process: raw sockets that count the marks in what they are sent.
 *
 * A delivery costs one read and two byte searches; nothing is parsed, copied or kept. All sockets
 * read into one buffer, which works because each is read and counted before the next.
 */
import net from 'node:net';
import tls from 'node:tls';
import { DeliveryCount, openAll, STALL_MS } from './deliveries.ts';
import type { Watchers } from './deliveries.ts';
import { getRequest, MARK } from './objects.ts';

const READ_BUFFER_BYTES = 64 * 1024;

export interface WatcherOptions {
  readonly port: number;
  /** Of all, or of each by its number. */
  readonly path: string | ((index: number) => string);
  readonly count: number;
  /** Over TLS; whose certificate the server has is not what is measured. */
  readonly secure?: boolean | undefined;
  readonly token?: string | undefined;
  /** The format; JSON, where nothing is said. */
  readonly accept?: string | undefined;
}

const DIGIT_ZERO = 0x30;
const CARRIAGE_RETURN = 0x0d;

/** One more byte than is ever read, for the sentinel that ends every search. */
const buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES + 1);
const window = buffer.subarray(0, READ_BUFFER_BYTES);

class WatcherGroup extends DeliveryCount {
  readonly #sockets: net.Socket[] = [];
  #closed = false;

  /** Resolves when the answer has begun. */
  open(options: WatcherOptions, index: number): Promise<void> {
    const { accept, port, path: paths, secure = false, token } = options;
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
          this.lost(`the server ended a watch of ${path}`);
        }
        this.bytes += nread;
        buffer[nread] = MARK;
        this.take(index, buffer, 0, nread);
        return true;
      };
      const to = { host: '127.0.0.1', port, onread: { buffer: window, callback } };
      const socket = secure ? tls.connect({ ...to, rejectUnauthorized: false }) : net.connect(to);
      socket.on(secure ? 'secureConnect' : 'connect', () => {
        socket.write(getRequest(path, token, accept));
      });
      socket.on('error', (error) => (this.#closed ? undefined : reject(error)));
      socket.on('close', () => {
        this.lost(`the server closed the connection of a watch of ${path}`);
        if (!begun) reject(new Error(`a watch of ${path} has ended before its answer`));
      });
      socket.setTimeout(STALL_MS, () => {
        reject(new Error(`a watch of ${path} is not answered for ${STALL_MS / 1000} s`));
        socket.destroy();
      });
      this.#sockets.push(socket);
    });
  }

  protected override lost(why: string): void {
    if (!this.#closed) super.lost(why);
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

/** Resolves when every watch has been answered. */
export async function openWatchers(options: WatcherOptions): Promise<Watchers> {
  const group = new WatcherGroup(options.count);
  await openAll(group, options.count, (index) => group.open(options, index));
  return group;
}
