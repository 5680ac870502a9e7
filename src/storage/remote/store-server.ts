/**
 * Serves one Storage to clients in other processes (store-client.ts), over channels.
 *
 * Every promise is the storage's own; this carries questions and answers.
 *
 *   client ═ channel ═▶ questions ─▶ storage          one at a time where the answer may be long
 *                       commits ───▶ commit-merge ──▶ storage.commit
 *          ◀═ pages ═── tail-feed ◀─────────────────── storage.tail, read once for all
 *
 * Invariants
 *  - revision() is asked of the storage after the question arrived: an answer is never older than
 *    its question, however long the client was stopped in between.
 *  - A client that takes nothing (stopped, or slow) holds up nobody else, and what waits for it is
 *    bounded: `tailWindow` (tail-server.ts); beyond, it is sent nothing until it has taken that.
 *  - A client that goes leaves nothing: its commits under way are finished, its tails end.
 */
import { createLimiter } from '../../stdx/limiter.ts';
import type { Limiter } from '../../stdx/limiter.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { StorageError } from '../storage.ts';
import type { Revision, Storage } from '../storage.ts';
import type { Channel } from './channel.ts';
import { createCommitMerge } from './commit-merge.ts';
import type { CommitMerge } from './commit-merge.ts';
import { createTailFeed } from './tail-feed.ts';
import type { TailFeed } from './tail-feed.ts';
import { serveTail } from './tail-server.ts';
import type { ServedTail } from './tail-server.ts';
import { createRecordQueues } from './record-queues.ts';
import type { RecordQueues } from './record-queues.ts';
import {
  changesCodec,
  decode,
  decodeMutations,
  encode,
  encodeAt,
  encodeError,
  frameHead,
  operations,
  parseFrame,
  recordCodec,
  scanCodec,
} from './wire.ts';
import type { ChangesRequest, Credit, Frame, ReadRequest, ScanRequest } from './wire.ts';

export interface StoreServer {
  /** Serves this client until its channel closes. */
  attach(channel: Channel): void;
  /** Tells the clients if the storage has failed: after work on it that is not theirs. */
  tellFailure(): void;
  readonly clientsCount: number;
  /** Commits made of the clients' commits. */
  readonly commitsTotal: number;
  /** Closes every channel and stops following the log. The storage stays open. */
  close(): Promise<void>;
}

interface Shared {
  readonly storage: Storage;
  readonly merge: CommitMerge;
  readonly feed: TailFeed;
  readonly turns: RecordQueues;
  tellFailure(): void;
}

/** `onFatal`: the log can no longer be followed; no client can go on, nor can a new one.
 * Rejects with StorageError. */
export async function createStoreServer(
  storage: Storage,
  timers: Timers,
  onFatal: (error: Error) => void,
): Promise<StoreServer> {
  const feed = createTailFeed(storage, await storage.revision(), onFatal);
  const turns = createRecordQueues(timers);
  const merge = createCommitMerge(storage, timers, turns);
  const clients = new Set<Client>();
  let reported: StorageError | undefined;
  const shared: Shared = {
    storage,
    merge,
    feed,
    turns,
    tellFailure() {
      const failure = storage.failure();
      if (failure === reported) return;
      reported = failure;
      for (const client of clients) client.tellFailure(failure);
    },
  };
  return {
    attach(channel) {
      const client = new Client(channel, shared);
      clients.add(client);
      channel.onClose(() => {
        clients.delete(client);
        client.gone();
      });
      if (reported !== undefined) client.tellFailure(reported);
    },
    tellFailure: () => shared.tellFailure(),
    get clientsCount() {
      return clients.size;
    },
    get commitsTotal() {
      return merge.commitsTotal;
    },
    async close() {
      for (const client of clients) client.close();
      await feed.stop();
    },
  };
}

class Client {
  readonly #channel: Channel;
  readonly #shared: Shared;
  readonly #tails = new Map<number, ServedTail>();
  /** Answers that may be long: one at a time, and only while the client takes them. */
  readonly #long: Limiter = createLimiter(1);

  constructor(channel: Channel, shared: Shared) {
    this.#channel = channel;
    this.#shared = shared;
    channel.onFrame((bytes) => this.#handle(parseFrame(bytes)));
  }

  tellFailure(failure: StorageError | undefined): void {
    const payload = failure === undefined ? encode(undefined) : encodeError(failure);
    this.#channel.send(frameHead(operations.failure, 0), payload);
  }

  gone(): void {
    for (const tail of this.#tails.values()) tail.stop();
    this.#tails.clear();
    this.#shared.turns.leave(this);
  }

  close(): void {
    this.#channel.close();
  }

  #handle({ operation, id, payload }: Frame): void {
    const { storage, merge, turns } = this.#shared;
    switch (operation) {
      case operations.read: {
        const { key, at } = decode(payload) as ReadRequest;
        const read = (): void =>
          this.#answerLong(id, async () => {
            return encodeAt(await storage.read(key, at), recordCodec.toRow);
          });
        const turn = at === undefined ? turns.whenFirst(this, key) : undefined;
        if (turn === undefined) read();
        else void turn.then(read);
        return;
      }
      case operations.scan: {
        const { at, ...range } = decode(payload) as ScanRequest;
        this.#answerLong(id, async () => encodeAt(await storage.scan(range, at), scanCodec.toRow));
        return;
      }
      case operations.changes: {
        const { after, ...options } = decode(payload) as ChangesRequest;
        this.#answerLong(id, async () =>
          encodeAt(await storage.changes(after, options), changesCodec.toRow),
        );
        return;
      }
      case operations.revision:
        this.#answer(id, async () => encode(await storage.revision()));
        return;
      case operations.compactRevision:
        this.#answer(id, async () => encode(await storage.compactRevision()));
        return;
      case operations.compact: {
        const before = decode(payload) as Revision;
        this.#answer(id, async () => encode(await storage.compact(before)));
        return;
      }
      case operations.commit: {
        const mutations = decodeMutations(payload);
        this.#answer(id, async () => encode(await merge.commit(this, mutations)));
        return;
      }
      case operations.tail:
        this.#startTail(id, decode(payload) as Revision);
        return;
      case operations.credit:
        this.#tails.get(id)?.credit(decode(payload) as Credit);
        return;
      case operations.endTail:
        this.#tails.get(id)?.stop();
        this.#tails.delete(id);
        return;
      default:
        // Not of this build: nothing that it sends can be trusted.
        this.#channel.close();
    }
  }

  #answerLong(id: number, answer: () => Promise<Uint8Array>): void {
    void this.#long(async () => {
      await this.#channel.whenDrained();
      await this.#send(id, answer);
    });
  }

  #answer(id: number, answer: () => Promise<Uint8Array>): void {
    void this.#send(id, answer);
  }

  async #send(id: number, answer: () => Promise<Uint8Array>): Promise<void> {
    try {
      this.#channel.send(frameHead(operations.answer, id), await answer());
    } catch (error) {
      this.#channel.send(frameHead(operations.error, id), encodeError(error));
      this.#shared.tellFailure();
    }
  }

  #startTail(id: number, after: Revision): void {
    const tail = serveTail(this.#shared.feed, after, {
      page: (payload) => this.#channel.send(frameHead(operations.page, id), payload),
      failed: (error) => {
        this.#tails.delete(id);
        this.#channel.send(frameHead(operations.error, id), encodeError(error));
      },
    });
    this.#tails.set(id, tail);
  }
}
