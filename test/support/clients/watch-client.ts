/**
 * Watches as a careful client follows them: a stream of events that can be slowed, stalled and cut,
 * and a replica that replays events and refuses whatever a watch must never do.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { HttpConnection, ResponseParser } from './http-connection.ts';

export interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: StoredObject & { readonly code?: number; readonly message?: string };
}

export interface WatchStreamOptions {
  /** Each line of the stream, without parsing it. */
  readonly onLine?: ((line: Buffer) => void) | undefined;
  /** Each event, parsed. */
  readonly onEvent?: ((event: WatchEvent) => void) | undefined;
  /** Neither: lines are only counted. */
  readonly bytesPerSecond?: number | undefined;
  /** Never read anything until resume(). */
  readonly stalled?: boolean | undefined;
  /** An open, idle connection to use instead of a new one. */
  readonly socket?: Socket | undefined;
}

export type StreamEnd = 'clean' | 'cut';

/** One watch request on a connection of its own. */
export class WatchStream {
  readonly ended: Promise<StreamEnd>;
  /** The answer's status, once its head is there; 0 when it never came. */
  readonly started: Promise<number>;
  linesCount = 0;
  receivedBytes = 0;
  readonly #socket: Socket;
  readonly #options: WatchStreamOptions;
  #rest: Buffer[] = [];
  #isClean = false;
  #failure: Error | undefined;

  constructor(port: number, target: string, options: WatchStreamOptions = {}) {
    this.#options = options;
    const socket = options.socket ?? connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    let start!: (status: number) => void;
    this.started = new Promise((resolve) => (start = resolve));
    const parser = new ResponseParser({
      head: (status) => start(status),
      body: (bytes) => this.#take(bytes),
      end: () => {
        this.#isClean = true;
        socket.destroy();
      },
    });
    socket.write(`GET ${target} HTTP/1.1\r\nHost: test\r\n\r\n`);
    socket.on('error', () => undefined);
    if (options.stalled === true) socket.pause();
    socket.on('data', (bytes) => {
      this.receivedBytes += bytes.length;
      try {
        parser.feed(bytes);
      } catch (error) {
        this.#failure = error as Error;
        socket.destroy();
      }
      this.#pace(bytes.length);
    });
    if (options.stalled === true) socket.pause();
    this.ended = new Promise((resolve, reject) => {
      socket.on('close', () => {
        start(0);
        if (this.#failure === undefined) resolve(this.#isClean ? 'clean' : 'cut');
        else reject(this.#failure);
      });
    });
    this.ended.catch(() => undefined);
  }

  /** Drops the connection, as a network would. */
  cut(): void {
    this.#socket.destroy();
  }

  stall(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #pace(bytes: number): void {
    const rate = this.#options.bytesPerSecond;
    if (rate === undefined) return;
    this.#socket.pause();
    setTimeout(() => this.#socket.resume(), (bytes / rate) * 1000);
  }

  #take(bytes: Buffer): void {
    const { onLine, onEvent } = this.#options;
    const wanted = onLine !== undefined || onEvent !== undefined;
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(10, from);
      if (at < 0) break;
      this.linesCount += 1;
      if (wanted) this.#line(bytes.subarray(from, at));
      from = at + 1;
    }
    if (wanted && from < bytes.length) this.#rest.push(bytes.subarray(from));
  }

  #line(end: Buffer): void {
    const line = this.#rest.length === 0 ? end : Buffer.concat([...this.#rest, end]);
    this.#rest = [];
    if (this.#socket.destroyed) return;
    this.#options.onLine?.(line);
    this.#options.onEvent?.(JSON.parse(line.toString()) as WatchEvent);
  }
}

/**
 * The state a client builds from events, with the promises of a watch asserted on the way: order
 * without repeat, no change of what is not there, no addition of what is.
 */
export class Replica {
  readonly objects = new Map<string, StoredObject>();
  /** Revision of every change seen after the initial state, oldest first. */
  readonly seen: bigint[] = [];
  /** What a resumption is asked from. */
  revision = 0n;
  /** The initial state is complete. */
  synced = false;
  /** A clean 410 came: the client must list again. */
  expired = false;

  /** Forgets everything, for a start from nothing. */
  reset(): void {
    this.objects.clear();
    this.seen.length = 0;
    this.revision = 0n;
    this.synced = false;
    this.expired = false;
  }

  load(list: ObjectList): void {
    this.reset();
    for (const object of list.items) this.objects.set(object.metadata.name, object);
    this.revision = BigInt(list.metadata.resourceVersion);
    this.synced = true;
  }

  apply(event: WatchEvent): void {
    const { type, object } = event;
    if (type === 'ERROR') {
      assert.equal(object.code, 410, `the only error of a watch is 410: ${object.message}`);
      this.expired = true;
      return;
    }
    const revision = BigInt(object.metadata.resourceVersion);
    const { name } = object.metadata;
    if (type === 'BOOKMARK') {
      assert.ok(revision >= this.revision, `bookmark ${revision} after ${this.revision}`);
      this.revision = revision;
      const marks = Object.keys(object.metadata.annotations ?? {});
      if (marks.some((mark) => mark.endsWith('/initial-events-end'))) this.synced = true;
      return;
    }
    if (!this.synced) {
      assert.equal(type, 'ADDED', 'the initial state is made of additions');
      assert.ok(!this.objects.has(name), `${name} is in the initial state twice`);
      this.objects.set(name, object);
      return;
    }
    assert.ok(revision > this.revision, `${type} ${name} at ${revision} after ${this.revision}`);
    this.revision = revision;
    this.seen.push(revision);
    assert.equal(this.objects.has(name), type !== 'ADDED', `${type} ${name} at ${revision}`);
    if (type === 'DELETED') this.objects.delete(name);
    else this.objects.set(name, object);
  }

  /** Asserts that the replica is what a list says. */
  assertEquals(list: ObjectList, title: string): void {
    assert.equal(this.objects.size, list.items.length, `${title}: number of objects`);
    for (const object of list.items) {
      const own = this.objects.get(object.metadata.name);
      assert.deepEqual(plain(own), plain(object), `${title}: ${object.metadata.name}`);
    }
  }
}

/** Items of a list have no kind of their own; events do. */
function plain(object: StoredObject | undefined): unknown {
  return object === undefined ? undefined : { metadata: object.metadata, data: object.data };
}

export interface ObjectList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly StoredObject[];
}

export async function listOf(port: number, target: string): Promise<ObjectList> {
  const connection = new HttpConnection(port);
  const { status, value } = await connection.json<ObjectList>('GET', target);
  connection.close();
  assert.equal(status, 200, `a list of ${target}`);
  return value;
}

/** Looks again every few milliseconds; fails loudly after `timeoutMs`. */
export async function eventually(
  title: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 120_000,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 10) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`did not come true: ${title}`);
}
