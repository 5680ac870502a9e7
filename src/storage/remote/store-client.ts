/**
 * The storage contract over a channel to a store server in another process.
 *
 * Nothing is cached: every call is a question to the server, but the tail, whose pages the server
 * sends as they come.
 *
 * Invariants
 *  - Commits keep the order in which they were made.
 *  - When the channel closes, commits under way fail with `unknown` (the server may have applied
 *    them), everything else with `closed`; failure() says so from then on.
 * Bounds: questions in flight are as many as callers wait; pages that came and were not taken are
 * bounded by the server's window (tail-server.ts).
 */
import { assert } from '../../stdx/assert.ts';
import { checkMutations } from '../mutation-limits.ts';
import { StorageError } from '../storage.ts';
import type { ChangePage, MutationOutcome, Revision, Storage } from '../storage.ts';
import type { Channel } from './channel.ts';
import { createTailInbox } from './tail-inbox.ts';
import type { TailInbox } from './tail-inbox.ts';
import {
  changesCodec,
  decode,
  decodeAt,
  decodeError,
  encode,
  encodeMutations,
  frameHead,
  operations,
  parseFrame,
  recordCodec,
  scanCodec,
} from './wire.ts';
import type { ChangesRequest, Frame, Operation, ReadRequest, ScanRequest } from './wire.ts';

export interface RemoteStorageOptions {
  readonly channel: Channel;
  /** Of the store behind the server: for the ready line, logs and health. */
  readonly name: string;
}

interface Question {
  readonly operation: Operation;
  resolve(payload: Uint8Array): void;
  reject(error: StorageError): void;
}

const idsMax = 0xffff_ffff;

export function createRemoteStorage(options: RemoteStorageOptions): Storage {
  return new StoreClient(options);
}

class StoreClient implements Storage {
  readonly name: string;
  readonly #channel: Channel;
  readonly #questions = new Map<number, Question>();
  readonly #tails = new Map<number, TailInbox>();
  #lastId = 0;
  #failure: StorageError | undefined;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor({ channel, name }: RemoteStorageOptions) {
    this.name = name;
    this.#channel = channel;
    channel.onFrame((bytes) => this.#handle(parseFrame(bytes)));
    channel.onClose(() => this.#lost());
  }

  async read(key: ReadRequest['key'], at?: Revision): ReturnType<Storage['read']> {
    const request: ReadRequest = { key, at };
    return decodeAt(await this.#ask(operations.read, encode(request)), recordCodec.fromRow);
  }

  async scan(range: Parameters<Storage['scan']>[0], at?: Revision): ReturnType<Storage['scan']> {
    const { prefix, after, limit } = range;
    const request: ScanRequest = { prefix, after, limit, at };
    return decodeAt(await this.#ask(operations.scan, encode(request)), scanCodec.fromRow);
  }

  async commit(mutations: Parameters<Storage['commit']>[0]): ReturnType<Storage['commit']> {
    if (this.#closing === undefined) checkMutations(mutations);
    const outcomes = await this.#ask(operations.commit, encodeMutations(mutations));
    return decode(outcomes) as MutationOutcome[];
  }

  async changes(
    after: Revision,
    { limit, previous }: Parameters<Storage['changes']>[1],
  ): ReturnType<Storage['changes']> {
    const request: ChangesRequest = { after, limit, previous };
    return decodeAt(await this.#ask(operations.changes, encode(request)), changesCodec.fromRow);
  }

  async *tail(after: Revision, signal: AbortSignal): AsyncGenerator<ChangePage> {
    if (signal.aborted) return;
    this.#refuseClosed();
    const id = this.#newId();
    const inbox = createTailInbox(signal, (taken) =>
      this.#channel.send(frameHead(operations.credit, id), encode(taken)),
    );
    this.#tails.set(id, inbox);
    this.#channel.send(frameHead(operations.tail, id), encode(after));
    try {
      for (;;) {
        const page = await inbox.next();
        if (page === undefined) return;
        yield page;
      }
    } finally {
      this.#tails.delete(id);
      this.#channel.send(frameHead(operations.endTail, id));
    }
  }

  async revision(): Promise<Revision> {
    return decode(await this.#ask(operations.revision)) as Revision;
  }

  async compactRevision(): Promise<Revision> {
    return decode(await this.#ask(operations.compactRevision)) as Revision;
  }

  async compact(before: Revision): Promise<void> {
    await this.#ask(operations.compact, encode(before));
  }

  failure(): StorageError | undefined {
    return this.#failure;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = new StorageError('closed', 'the store is closed');
    for (const tail of this.#tails.values()) tail.fail(closed);
    if (this.#questions.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#channel.close();
  }

  #newId(): number {
    do {
      this.#lastId = this.#lastId === idsMax ? 1 : this.#lastId + 1;
    } while (this.#questions.has(this.#lastId) || this.#tails.has(this.#lastId));
    return this.#lastId;
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new StorageError('closed', 'the store is closed');
    if (this.#failure?.code === 'closed') throw this.#failure;
  }

  #ask(operation: Operation, payload?: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#refuseClosed();
      const id = this.#newId();
      this.#questions.set(id, { operation, resolve, reject });
      const head = frameHead(operation, id);
      if (payload === undefined) this.#channel.send(head);
      else this.#channel.send(head, payload);
    });
  }

  #handle({ operation, id, payload }: Frame): void {
    switch (operation) {
      case operations.answer:
        this.#settle(id, (question) => question.resolve(payload));
        return;
      case operations.error: {
        const error = decodeError(payload);
        if (this.#tails.has(id)) this.#tails.get(id)?.fail(error);
        else this.#settle(id, (question) => question.reject(error));
        return;
      }
      case operations.page:
        // A tail that was ended may still have pages under way.
        this.#tails.get(id)?.push(payload);
        return;
      case operations.failure:
        this.#failure = decode(payload) === undefined ? undefined : decodeError(payload);
        return;
      default:
        assert(false, `a store server sent operation ${operation}`);
    }
  }

  #settle(id: number, settle: (question: Question) => void): void {
    const question = this.#questions.get(id);
    assert(question !== undefined, 'an answer has its question');
    this.#questions.delete(id);
    settle(question);
    if (this.#questions.size === 0) this.#onIdle?.();
  }

  #lost(): void {
    this.#failure = new StorageError('closed', 'the process that holds the store has gone');
    const unknown = new StorageError('unknown', 'the store went away during the commit');
    for (const [id, { operation }] of this.#questions) {
      const error = operation === operations.commit ? unknown : this.#failure;
      this.#settle(id, (question) => question.reject(error));
    }
    for (const tail of this.#tails.values()) tail.fail(this.#failure);
  }
}
