/** Two ends of a stream of bytes in one process, with the faults that two processes would have. */
import { Duplex } from 'node:stream';
import { createStreamChannel } from '../../../src/storage/remote/stream-channel.ts';
import type { Channel } from '../../../src/storage/remote/channel.ts';

/** One end; what is written to it comes out of its peer, in another turn of the event loop. */
class StreamEnd extends Duplex {
  peer: StreamEnd | undefined;
  /** Nothing arrives here, and whoever writes to it is backed up. */
  stopped = false;
  receivedBytes = 0;
  #held: (() => void)[] = [];

  override _read(): void {
    /* what comes is pushed as it comes */
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    setImmediate(() => this.peer?.arrive(chunk, done));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    setImmediate(() => this.peer?.destroy());
    done(error);
  }

  arrive(chunk: Buffer, done: () => void): void {
    if (this.stopped) {
      this.#held.push(() => this.arrive(chunk, done));
      return;
    }
    this.receivedBytes += chunk.byteLength;
    if (!this.destroyed) this.push(chunk);
    done();
  }

  go(): void {
    this.stopped = false;
    for (const held of this.#held.splice(0)) held();
  }
}

export interface ChannelPair {
  readonly client: Channel;
  readonly server: Channel;
  /** The client's process stands still: nothing reaches it, it reads nothing. */
  stopClient(): void;
  continueClient(): void;
  /** Bytes that reached the client. */
  clientReceivedBytes(): number;
  /** Bytes that the server has written and nobody has taken. */
  serverHeldBytes(): number;
  /** What a crash of either does. */
  cut(): void;
}

export function channelPair(): ChannelPair {
  const client = new StreamEnd();
  const server = new StreamEnd();
  client.peer = server;
  server.peer = client;
  return {
    client: createStreamChannel(client),
    server: createStreamChannel(server),
    stopClient: () => void (client.stopped = true),
    continueClient: () => client.go(),
    clientReceivedBytes: () => client.receivedBytes,
    serverHeldBytes: () => server.writableLength,
    cut: () => void client.destroy(),
  };
}
