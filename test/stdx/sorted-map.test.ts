import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { SortedMap } from '../../src/stdx/sorted-map.ts';
import type { SortedView } from '../../src/stdx/sorted-map.ts';

type Model = Map<string, number>;

function sortedKeys(model: Model): string[] {
  return [...model.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function same(view: SortedView<number>, model: Model): void {
  assert.equal(view.size, model.size);
  const keys = sortedKeys(model);
  assert.deepEqual(
    [...view.values()],
    keys.map((key) => model.get(key)),
  );
}

function sameRange(view: SortedView<number>, model: Model, from: string, below: string): void {
  const keys = sortedKeys(model);
  const inRange = keys.filter((key) => key >= from && key < below);
  assert.deepEqual(
    [...view.values(from, false, below)],
    inRange.map((key) => model.get(key)),
  );
  assert.deepEqual(
    [...view.values(from, true)],
    keys.filter((key) => key > from).map((key) => model.get(key)),
  );
  assert.equal(view.rank(from), keys.filter((key) => key < from).length);
  assert.equal(view.get(from), model.get(from));
}

describe('sorted map', () => {
  it('agrees with a plain map under random writes, and its views stay frozen', () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const prng = seededPrng(seed);
      const map = new SortedMap<number>();
      const model: Model = new Map();
      const views: { view: SortedView<number>; model: Model }[] = [];
      const keySpace = [30, 400, 5_000][seed % 3] as number;
      const key = (): string => `k${randomBelow(prng, keySpace)}`;
      for (let step = 0; step < 4_000; step += 1) {
        // Phases of growth and of decay, so that nodes split and merge.
        const grow = Math.floor(step / 1_000) % 2 === 0 ? 8 : 2;
        const at = key();
        if (randomBelow(prng, 10) < grow) {
          assert.equal(map.set(at, step), model.get(at));
          model.set(at, step);
        } else {
          assert.equal(map.delete(at), model.get(at));
          model.delete(at);
        }
        assert.equal(map.size, model.size);
        if (randomBelow(prng, 300) === 0) views.push({ view: map.view(), model: new Map(model) });
      }
      views.push({ view: map.view(), model });
      for (const kept of views) {
        same(kept.view, kept.model);
        for (let i = 0; i < 5; i += 1) sameRange(kept.view, kept.model, key(), key());
      }
    }
  });

  it('changes what is there, or nothing, in one search', () => {
    const map = new SortedMap<number>();
    for (let i = 0; i < 500; i += 1) map.set(`k${i}`, i);
    const view = map.view();
    assert.equal(
      map.change('k7', (before) => (before ?? 0) + 100),
      7,
    );
    assert.equal(
      map.change('new', (before) => (before === undefined ? 1 : 2)),
      undefined,
    );
    for (const key of ['k8', 'absent']) {
      assert.equal(
        map.change(key, () => undefined),
        undefined,
      );
      assert.throws(() =>
        map.change(key, () => {
          throw new Error('no value');
        }),
      );
    }
    assert.equal(map.size, 501);
    const values = ['k7', 'new', 'k8', 'absent'].map((key) => map.get(key));
    assert.deepEqual(values, [107, 1, 8, undefined]);
    assert.deepEqual([view.size, view.get('k7'), view.get('new')], [500, 7, undefined]);
  });

  it('is empty again after everything was deleted, in any order', () => {
    const map = new SortedMap<number>();
    for (let i = 0; i < 3_000; i += 1) map.set(`k${(i * 7_919) % 3_000}`, i);
    for (let i = 0; i < 3_000; i += 1) map.delete(`k${(i * 104_729) % 3_000}`);
    assert.equal(map.size, 0);
    assert.deepEqual([...map.view().values()], []);
    map.set('again', 1);
    assert.deepEqual([...map.view().values()], [1]);
  });

  it('gives the same view until the next write, and a fork does not touch its origin', () => {
    const map = new SortedMap<number>();
    for (let i = 0; i < 500; i += 1) map.set(`k${i}`, i);
    const view = map.view();
    assert.equal(map.view(), view);
    const fork = view.fork();
    for (let i = 0; i < 500; i += 2) fork.delete(`k${i}`);
    fork.set('new', -1);
    map.set('k1', -2);
    assert.equal(view.size, 500);
    assert.equal(view.get('k1'), 1);
    assert.equal(view.get('k2'), 2);
    assert.equal(fork.get('k1'), 1);
    assert.equal(fork.size, 251);
    assert.notEqual(map.view(), view);
  });

  it('an iteration goes on over its view while the map is written', () => {
    const map = new SortedMap<number>();
    for (let i = 0; i < 1_000; i += 1) map.set(`k${String(i).padStart(4, '0')}`, i);
    const seen: number[] = [];
    for (const value of map.view().values()) {
      seen.push(value);
      map.delete(`k${String(999 - value).padStart(4, '0')}`);
      map.set(`z${value}`, value);
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 1_000 }, (_, i) => i),
    );
  });
});
