/** Where the bytes of many small things lie that are made in one turn: a buffer of its own for each
 * may hold a turn up while the engine marks its heap (blocks.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownMemory } from '../../src/stdx/blocks.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Change, Revision, StoreKey } from '../../src/storage/storage.ts';
import { chunkOfLog, InitialEvents } from '../../streams/chunks.ts';
import type { Events } from '../../streams/chunks.ts';
import { KeptSnapshots } from '../../streams/kept-snapshots.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import { LogPage } from '../../streams/log-pages.ts';
import { unknownSeq } from '../../streams/position.ts';
import { ResourceCache } from '../../streams/resource-cache.ts';
import { createEntryMaker } from '../../streams/resource-change.ts';
import { Routes } from '../../streams/routes.ts';
import type { EventEncoder } from '../../streams/streams.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { everything, pods } from './harness.ts';

const maker = createEntryMaker(
  ({ value }) => ({ uid: '', labels: {}, fields: {}, metadataAt: 0, object: value }),
  (object, _at, _revision, allocate = ownMemory) => {
    const bytes = allocate(object.length);
    bytes.set(object);
    return bytes;
  },
);

const objectBytes = 100;
const revision = (n: number): Revision => BigInt(n) as Revision;

/** `count` objects that are made, changed and deleted. */
function changesOf(count: number): readonly Change[] {
  const stored = (at: number, key: StoreKey) => ({
    key,
    revision: revision(at),
    state: 'live',
    value: Buffer.alloc(objectBytes, 48 + (at % 10)),
  });
  const parts = [0, 1, 2].flatMap((part) =>
    Array.from({ length: count }, (_, n): Change => {
      const key = `/pods/ns/${n}` as StoreKey;
      const at = part * count + n + 1;
      return {
        revision: revision(at),
        key,
        kind: part === 2 ? 'delete' : 'put',
        timeMs: 0,
        record: part === 2 ? undefined : stored(at, key),
        previous: part === 0 ? undefined : stored(at - count, key),
      };
    }),
  );
  return parts;
}

const line = (type: string, bytes: Uint8Array): Buffer =>
  Buffer.from(`${type} ${Buffer.from(bytes).toString()}\n`);

const whole: EventEncoder = {
  id: 'lines',
  event: (type, { bytes }) => line(type, bytes),
  bookmark: () => Buffer.alloc(0),
  error: () => Buffer.alloc(0),
};
const into: EventEncoder = {
  ...whole,
  eventInto(type, { bytes }, target, at) {
    const frame = line(type, bytes);
    if (at + frame.length > target.length) return 0;
    target.set(frame, at);
    return at + frame.length;
  },
};

function eventsTo(encoder: EventEncoder): Events {
  const cache = new ResourceCache(revision(0), maker, defaultStreamLimits);
  const routes = new Routes();
  const stream = { id: '/pods', resource: pods, cache, routes, isWaiting: false };
  return { stream, selection: { namespace: undefined, predicate: everything }, encoder };
}

function buffersOf(parts: readonly (Uint8Array | undefined)[]): number {
  return new Set(parts.map((part) => part?.buffer)).size;
}

describe('memory of what is made together', () => {
  it('states of a page of the log share theirs', () => {
    const changes = changesOf(50);
    const page = new LogPage(revision(0), revision(150), changes, maker);
    const decoded = changes.map((_, at) => page.at(at));
    assert.equal(buffersOf(decoded.map((change) => change?.entry.bytes)), 1);
    assert.equal(buffersOf(decoded.slice(50).map((change) => change?.previous?.bytes)), 1);
    const small = new LogPage(revision(0), revision(1), changes.slice(0, 1), maker);
    assert.ok((small.at(0)?.entry.bytes.buffer.byteLength ?? Infinity) <= 2 * objectBytes);
  });

  it('last states of what is deleted share theirs, when there were some', () => {
    const cache = new ResourceCache(revision(0), maker, defaultStreamLimits);
    const applied = changesOf(1_000).map((change) => cache.apply(change));
    const seen = applied.filter((change) => change !== 'unseen');
    const last = seen.slice(-500).map((change) => change?.entry.bytes);
    // 50 KB in blocks of 4 or 8 KiB.
    assert.ok(buffersOf(last) <= 15);
  });

  it('what a snapshot of the past alone has shares its', async () => {
    const { clock, timers } = manualTime();
    const storage = createMemoryStorage({ clock });
    const operation = { kind: 'put', state: 'live', value: Buffer.alloc(objectBytes) } as const;
    for (let n = 0; n < 50; n += 1) {
      const key = `/pods/ns/${n}` as StoreKey;
      await storage.commit([{ key, expect: { kind: 'absent' }, conditions: [], operation }]);
    }
    const kept = new KeptSnapshots({ storage, maker, clock, timers, limits: defaultStreamLimits });
    const { stream } = eventsTo(whole);
    // It knows of none of them, and its history does not reach back.
    const cache = new ResourceCache(revision(60), maker, defaultStreamLimits);
    for (const change of changesOf(60).slice(60, 61)) {
      cache.apply({ ...change, revision: revision(61) });
    }
    const read = await kept.at({ ...stream, cache }, revision(50), revision(61));
    assert.ok(read.kind === 'ok');
    const cursor = read.snapshot.entries('ns');
    const entries = Array.from({ length: 50 }, () => cursor.take());
    assert.equal(cursor.take(), undefined);
    assert.equal(buffersOf(entries.map((entry) => entry?.bytes)), 1);
    kept.stop();
  });

  for (const [title, encoder, room, own] of [
    ['are written where there is room for all of them', into, 20_000, false],
    ['that no longer fit there come behind', into, 500, true],
    ['of an encoder that cannot do that are joined', whole, 20_000, true],
  ] as const) {
    it(`frames of a page of the log ${title}`, () => {
      const changes = changesOf(20);
      const page = new LogPage(revision(0), revision(60), changes, maker);
      const scratch = new Uint8Array(room);
      const from = { seq: unknownSeq, revision: revision(0) };
      const chunk = chunkOfLog(eventsTo(encoder), from, page, defaultStreamLimits, scratch);
      const wanted = changes.map((_, at) => {
        const change = page.at(at);
        assert.ok(change !== undefined);
        return line(change.type, change.entry.bytes).toString();
      });
      assert.equal(Buffer.from(chunk.bytes ?? []).toString(), wanted.join(''));
      assert.deepEqual([chunk.framesCount, chunk.revision], [60, 60n]);
      assert.equal(chunk.bytes?.buffer !== scratch.buffer, own);
    });
  }

  for (const [title, encoder, pumpMadeBytes, ofState, ofLog] of [
    ['rows, which are made alone, are fewer', whole, 50_000, 128, 128],
    ['rows of long objects are fewer still', whole, 1_000, 10, 10],
    ['objects that are copied are as many as fit', into, 1_000, 512, 600],
  ] as const) {
    it(`chunks of initial events and of a page of the log: ${title}`, () => {
      const events = eventsTo(encoder);
      const { stream } = events;
      const limits = { ...defaultStreamLimits, pumpMadeBytes };
      const made = changesOf(600).slice(0, 600);
      for (const change of made) stream.cache.apply(change);
      const scratch = new Uint8Array(200_000);
      const snapshot = stream.cache.snapshot(revision(600));
      const initial = new InitialEvents(events, snapshot, 600, limits, scratch);
      const page = new LogPage(revision(0), revision(600), made, maker);
      const from = { seq: unknownSeq, revision: revision(0) };
      const logged = chunkOfLog(events, from, page, limits, scratch);
      assert.equal(logged.framesCount, ofLog);
      const counts: number[] = [];
      while (!initial.isDone) counts.push(initial.next().framesCount);
      assert.equal(Math.max(...counts), ofState);
      assert.equal(
        counts.reduce((sum, count) => sum + count),
        600,
      );
    });
  }
});
