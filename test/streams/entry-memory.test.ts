/** Blocks that the entries of a resource lie in: what they may hold beside its state. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownMemory } from '../../src/stdx/blocks.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import type { Revision, StoreKey } from '../../src/storage/storage.ts';
import { entryMemoryLimits } from '../../streams/entry-memory.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import { ResourceCache } from '../../streams/resource-cache.ts';
import { createEntryMaker } from '../../streams/resource-change.ts';
import type { ResourceSnapshot } from '../../streams/streams.ts';

const maker = createEntryMaker(
  ({ value }) => ({ uid: '', labels: {}, fields: {}, metadataAt: 0, object: value }),
  (object, _at, _revision, allocate = ownMemory) => {
    const bytes = allocate(object.length);
    bytes.set(object);
    return bytes;
  },
);

const limits = { ...defaultStreamLimits, historyChangesMax: 100 };

/** A cache, and what it should show. */
function cacheAndModel() {
  const cache = new ResourceCache(0n as Revision, maker, limits);
  const model = new Map<string, string>();
  let at = 0;
  const change = (name: string, text: string | undefined): void => {
    at += 1;
    const key = `/pods/ns/${name}` as StoreKey;
    const revision = BigInt(at) as Revision;
    const value = Buffer.from(text ?? '');
    const record = text === undefined ? undefined : { key, revision, state: 'live', value };
    const kind = text === undefined ? 'delete' : 'put';
    cache.apply({ revision, key, kind, timeMs: 0, record, previous: undefined });
    if (text === undefined) model.delete(name);
    else model.set(name, text);
  };
  const snapshot = (): ResourceSnapshot => cache.snapshot(BigInt(at) as Revision);
  return { cache, model, change, snapshot };
}

function shown(snapshot: ResourceSnapshot): Map<string, string> {
  const seen = new Map<string, string>();
  const cursor = snapshot.entries('ns');
  for (let entry = cursor.take(); entry !== undefined; entry = cursor.take()) {
    seen.set(entry.name, Buffer.from(entry.bytes).toString());
  }
  return seen;
}

/** Bytes that the state holds, with what lies beside it in the same memory. */
function heldBytes(snapshot: ResourceSnapshot): number {
  const memory = new Set<ArrayBufferLike>();
  const cursor = snapshot.entries('ns');
  for (let entry = cursor.take(); entry !== undefined; entry = cursor.take()) {
    memory.add(entry.bytes.buffer);
  }
  return [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

const textOf = (at: number, length: number): string => String(at).padEnd(length, '.');

describe('memory of the entries of a resource', () => {
  it('I37: is at most twice the state and a block, and never written over', () => {
    for (const seed of [1, 2, 3, 4]) {
      const random = seededPrng(seed);
      const upTo = (count: number): number => random.uint32() % count;
      const { cache, change, model, snapshot } = cacheAndModel();
      const earlier: { readonly of: ResourceSnapshot; readonly was: Map<string, string> }[] = [];
      for (let at = 0; at < 12_000; at += 1) {
        const isHot = upTo(3) > 0;
        const name = isHot ? `hot${upTo(4)}` : `n${upTo(900)}`;
        const length = upTo(40) === 0 ? upTo(40_000) : 20 + upTo(1_200);
        change(name, upTo(5) === 0 ? undefined : textOf(at, length));
        if (at % 1_500 !== 0) continue;
        const of = snapshot();
        assert.deepEqual(shown(of), model);
        const bytes = [...model.values()].reduce((sum, text) => sum + text.length + 8, 0);
        assert.ok(heldBytes(of) <= 2 * bytes + 2 * entryMemoryLimits.blockBytesMax);
        earlier.push({ of, was: new Map(model) });
      }
      for (const { of, was } of earlier) assert.deepEqual(shown(of), was);
      for (let seq = cache.history.floorSeq + 1; seq <= cache.seq; seq += 1) {
        const { entry, type } = cache.history.at(seq);
        const next = Array.from({ length: cache.seq - seq }, (_, more) =>
          cache.history.at(seq + 1 + more),
        ).some((each) => each.entry.name === entry.name);
        if (type === 'DELETED' || next) continue;
        assert.equal(Buffer.from(entry.bytes).toString(), model.get(entry.name));
      }
    }
  });

  it('I37: objects that stay do not keep the blocks in which another one changed', () => {
    const { change, cache, model, snapshot } = cacheAndModel();
    for (let at = 0; at < 20_000; at += 1) {
      change('hot', textOf(at, 1_000));
      if (at % 100 === 0) change(`stays${at}`, textOf(at, 1_000));
    }
    assert.deepEqual(shown(snapshot()), model);
    const { blockBytesMax } = entryMemoryLimits;
    assert.ok(heldBytes(snapshot()) <= 2 * cache.bytes + blockBytesMax);
    // 201 objects in blocks of 64 KiB that are at least half full.
    assert.ok(heldBytes(snapshot()) / blockBytesMax <= 8);
  });

  it('I37: what is moved counts as what earlier snapshots keep', () => {
    const { change, cache } = cacheAndModel();
    let replaced = 0;
    for (let at = 0; at < 2_000; at += 1) change(`n${at}`, textOf(at, 1_000));
    for (let at = 0; at < 2_000; at += 1) {
      if (at % 3 === 0) continue;
      change(`n${at}`, undefined);
      replaced += 1_000;
    }
    const moved = cache.supersededBytes - replaced;
    // A block is half superseded when its rest is moved.
    assert.ok(moved > 400_000 && moved <= replaced);
  });

  it('I37: few bytes have memory of their own, and no block is larger than an eighth of all', () => {
    const { change, snapshot } = cacheAndModel();
    for (let at = 0; at < 30; at += 1) change(`n${at}`, textOf(at, 1_000));
    assert.equal(heldBytes(snapshot()), 30_000);
    for (let at = 30; at < 100; at += 1) change(`n${at}`, textOf(at, 1_000));
    assert.ok(heldBytes(snapshot()) <= 100_000 * (9 / 8));
  });
});
