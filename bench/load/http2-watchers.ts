/** Many watches as streams of few connections, or of one each: marks are counted by stream. */
import { DeliveryCount, openAll } from './deliveries.ts';
import type { Watchers } from './deliveries.ts';
import { http2Buffer, Http2Client } from './http2-client.ts';
import type { Http2Target } from './http2-client.ts';

export interface Http2WatcherOptions extends Http2Target {
  /** Of all watches: a multiple of `streams`. */
  readonly count: number;
  /** On each connection. */
  readonly streams: number;
}

class StreamGroup extends DeliveryCount {
  readonly #clients: Http2Client[] = [];
  readonly #options: Http2WatcherOptions;

  constructor(options: Http2WatcherOptions) {
    super(options.count);
    this.#options = options;
  }

  /** Resolves when all answers of this connection have begun. */
  open(connection: number): Promise<void> {
    const { path, streams } = this.#options;
    const first = connection * streams;
    return new Promise((resolve, reject) => {
      let begun = 0;
      const client = new Http2Client(this.#options, {
        begun: () => {
          begun += 1;
          if (begun < streams) return;
          client.wait();
          resolve();
        },
        data: (stream, from, to) => this.take(first + stream, http2Buffer, from, to),
        ended: () => this.lost(`the server ended a watch of ${path}`),
        read: (bytes) => (this.bytes += bytes),
        lost: (why) => {
          this.lost(`a watch of ${path}: ${why}`);
          reject(new Error(why));
        },
      });
      this.#clients.push(client);
      client.connected().then(() => client.ask(streams), reject);
    });
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

/** Resolves when every watch has been answered. */
export async function openHttp2Watchers(options: Http2WatcherOptions): Promise<Watchers> {
  const group = new StreamGroup(options);
  await openAll(group, options.count / options.streams, (index) => group.open(index));
  return group;
}
