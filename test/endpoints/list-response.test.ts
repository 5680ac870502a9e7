/** Long lists as answers: in steps, as the socket takes them, and for nobody who has gone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { KeptEncodings } from '../../src/apimachinery/kept-encodings.ts';
import type { BodyFormat, Projection } from '../../src/apimachinery/negotiation.ts';
import { encodeObject, stampResourceVersion } from '../../src/apimachinery/object-encoding.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { listAnswer } from '../../src/endpoints/list-answer.ts';
import { sendAnswer } from '../../src/endpoints/send-answer.ts';
import type { Representation } from '../../src/endpoints/representation.ts';
import type { EndpointDeps, ResourceRequest } from '../../src/endpoints/request.ts';
import type { StoredObject } from '../../src/registry/registry.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { HttpExchange, ResponseStream } from '../../src/transport/http-exchange.ts';
import { fakeExchange } from '../support/doubles/fake-exchange.ts';

const identity = identityOf('kubernetes');
const built = buildScheme({ identity });
assert.ok(built.kind === 'ok');
const found = built.scheme.findKind('', 'v1', 'ConfigMap');
assert.ok(found !== undefined);
const kind = found;

const objectsCount = 2000;
const entries = Array.from({ length: objectsCount }, (_, i): StoredObject => {
  const name = `o${i}`;
  const annotations = { about: 'y'.repeat(100) };
  const metadata = { name, namespace: 'default', annotations };
  const data = { text: 'x'.repeat(600) };
  const { bytes, metadataAt } = encodeObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata,
    data,
  });
  const revision = BigInt(i + 1) as Revision;
  const stamped = stampResourceVersion(bytes, metadataAt, revision);
  return { namespace: 'default', name, revision, bytes: stamped };
});

/** A server's loop that is turned by hand, and a client that takes so many chunks at a time. */
class Run {
  looked = 0;
  closed = false;
  readonly chunks: Buffer[] = [];
  takes: number;
  done = false;
  /** What its seat is told. */
  readonly waits: boolean[] = [];
  #callbacks: (() => void)[] = [];
  #abort: (() => void) | undefined;
  #drain: (() => void) | undefined;
  #nowMs = 0;

  constructor(format: BodyFormat, projection: Projection, takes = Infinity, gaps = false) {
    this.takes = takes;
    const turns = createTurns({
      clock: { monotonicMs: () => (this.#nowMs += 0.2) },
      timers: {
        after: () => assert.fail('no timer'),
        nextTurn: (callback) => {
          this.#callbacks.push(callback);
          return { cancel: () => undefined };
        },
      },
    });
    const deps = {
      identity,
      clock: { nowMs: () => 0 },
      prng: seededPrng(1),
      encodings: new KeptEncodings(64 * 1024 * 1024),
      features: { responseCompression: false },
      registry: { turns },
    };
    const request = { kind, warnings: [], exchange: this.#exchange(), resource: { namespace: '' } };
    const representation: Representation = {
      negotiated: { mediaType: 'x/y', format, projection, pretty: false },
      pretty: false,
      includeObject: 'Metadata',
      convert: undefined,
      showSteps: undefined,
      show: (bytes) => bytes,
      schema: kind.schema,
      printer: kind.table,
    };
    const list = {
      entries: { [Symbol.iterator]: () => this.#walk(gaps) },
      count: undefined,
      snapshot: undefined,
      extent: undefined,
      revision: 9n as Revision,
      continueAfter: undefined,
      remainingItemCount: undefined,
    };
    const asked = request as unknown as ResourceRequest;
    const endpoints = deps as unknown as EndpointDeps;
    const answer = listAnswer(endpoints, asked, representation, list);
    const seat = { waits: (isWaiting: boolean) => void this.waits.push(isWaiting) };
    const answered = { ...asked, beforeStream: undefined, seat };
    void sendAnswer(endpoints, answered, answer)?.then(() => {
      this.done = true;
    });
  }

  /** One turn of the event loop; false: nothing was waiting for one. */
  async turn(): Promise<boolean> {
    const due = this.#callbacks;
    this.#callbacks = [];
    for (const callback of due) callback();
    await Promise.resolve();
    return due.length > 0;
  }

  /** Until nothing is left to do. */
  async rest(): Promise<number> {
    let turns = 0;
    while (await this.turn()) turns += 1;
    return turns;
  }

  leave(): void {
    this.closed = true;
    this.#abort?.();
  }

  drain(takes: number): void {
    this.takes = takes;
    const callback = this.#drain;
    this.#drain = undefined;
    callback?.();
  }

  *#walk(gaps: boolean): Generator<StoredObject | undefined> {
    for (const entry of entries) {
      this.looked += 1;
      yield entry;
      if (gaps) yield undefined;
    }
  }

  #exchange(): HttpExchange {
    const run = this;
    const stream: ResponseStream = {
      write(chunk) {
        run.chunks.push(Buffer.from(chunk));
        run.takes -= 1;
        return run.takes > 0;
      },
      onDrain: (callback) => (this.#drain = callback),
      end: () => (this.closed = true),
      abort: () => assert.fail('nothing is cut'),
      get closed() {
        return run.closed;
      },
    };
    return Object.defineProperties(fakeExchange('GET', {}, ''), {
      closed: { get: () => this.closed },
      onAbort: { value: (callback: () => void) => (this.#abort = callback) },
      stream: { value: () => stream },
    });
  }
}

const none: Projection = { kind: 'none' };
const partial: Projection = { kind: 'partial', version: 'v1', list: true };
const table: Projection = { kind: 'table', version: 'v1' };
const rows: readonly [string, BodyFormat, Projection][] = [
  ['JSON', 'json', none],
  ['partial metadata', 'json', partial],
  ['Tables', 'json', table],
  ['YAML', 'yaml', none],
  ['CBOR', 'cbor', none],
  ['Protobuf', 'protobuf', none],
  ['partial metadata in Protobuf', 'protobuf', partial],
];

describe('a long list', () => {
  for (const [name, format, projection] of rows) {
    it(`in ${name} takes many turns, and is the same whenever the socket takes it`, async () => {
      const eager = new Run(format, projection);
      const turns = await eager.rest();
      assert.ok(eager.done);
      if (name !== 'JSON') assert.ok(turns > 5, `${turns} turns`);
      const slow = new Run(format, projection, 1, true);
      await slow.rest();
      for (let i = 0; i < 10_000 && !slow.done; i += 1) {
        slow.drain(1);
        await slow.rest();
      }
      assert.ok(slow.done);
      assert.deepEqual(Buffer.concat(slow.chunks), Buffer.concat(eager.chunks));
      assert.deepEqual(eager.waits, []);
      assert.ok(slow.waits.length > 2, 'it waits for its reader, and then does not');
      assert.ok(slow.waits.every((isWaiting, at) => isWaiting === (at % 2 === 0)));
    });

    it(`in ${name} is not worked on for a client that has gone, in whatever part`, async () => {
      const whole = new Run(format, projection);
      const turns = await whole.rest();
      for (let after = 0; after < turns; after += Math.max(1, turns >> 4)) {
        const run = new Run(format, projection);
        for (let i = 0; i < after; i += 1) await run.turn();
        const { looked } = run;
        run.leave();
        await run.rest();
        assert.ok(run.done, `after ${after} turns of ${turns}`);
        assert.equal(run.looked, looked);
      }
    });

    it(`in ${name} waits for a socket that takes nothing, without a turn`, async () => {
      const run = new Run(format, projection, 1);
      await run.rest();
      const { looked, chunks } = run;
      assert.equal(chunks.length, 1);
      assert.equal(await run.rest(), 0);
      run.leave();
      await run.rest();
      assert.ok(run.done);
      assert.equal(run.looked, looked);
    });
  }
});
