/** A start whose objects do not fit into the heap ends early, and one whose objects do fit never. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heapBytesWanted } from '../../src/server/compose/heap-watch.ts';
import type { HeapProgress } from '../../src/server/compose/heap-watch.ts';

const mib = 1024 ** 2;

/** At 300 bytes for each record, above 30 MiB. */
function at(loaded: number, limitMib: number, records = 1_000_000): HeapProgress {
  const startBytes = 30 * mib;
  const liveBytes = startBytes + loaded * 300;
  return { startBytes, liveBytes, loaded, records, limitBytes: limitMib * mib };
}

describe('the heap that a start takes', () => {
  it('is too much when a part of the records says so, long before it is full', () => {
    const wanted = heapBytesWanted(at(150_000, 200)) ?? 0;
    assert.ok(wanted > 300 * mib && wanted < 330 * mib, String(wanted));
  });

  it('is nothing to foretell of a few records, nor near the limit', () => {
    assert.equal(heapBytesWanted(at(50_000, 200)), undefined);
    for (let loaded = 0; loaded <= 1_000_000; loaded += 10_000) {
      assert.equal(heapBytesWanted(at(loaded, 340)), undefined, String(loaded));
    }
  });

  it('is too much when it is full', () => {
    assert.ok(heapBytesWanted(at(20_000, 36)) !== undefined);
    assert.ok(heapBytesWanted(at(999_000, 320)) !== undefined);
  });
});
