/** A store that does not fit into memory is said at the start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../src/server/compose/log.ts';
import { memoryRoom, warnOfMemory } from '../../src/server/compose/store-memory.ts';
import type { MemoryRoom } from '../../src/server/compose/store-memory.ts';

const gib = 1024 ** 3;
const million = { records: 1_000_000, bytes: gib };

function warnings(room: MemoryRoom, servers = 1): readonly string[] {
  const said: string[] = [];
  const ignore = (): void => undefined;
  const log: Log = {
    ...{ error: ignore, info: ignore, debug: ignore },
    warn: (_, message) => void said.push(message),
  };
  warnOfMemory(log, million, room, servers);
  return said;
}

test('a million objects of 1 KB fit into a heap of 1 GiB on a machine of 2', () => {
  assert.deepEqual(warnings({ heapBytes: gib, systemBytes: 2 * gib }), []);
});

test("objects that are too many for the engine's heap are warned of", () => {
  assert.deepEqual(warnings({ heapBytes: gib / 5, systemBytes: 2 * gib }), [
    "the store's objects do not fit into the engine's heap",
  ]);
});

test('objects that are too large for the machine, or for that many servers, are warned of', () => {
  const said = ["the store's objects do not fit into the memory there is"];
  assert.deepEqual(warnings({ heapBytes: gib, systemBytes: gib }), said);
  assert.deepEqual(warnings({ heapBytes: gib, systemBytes: 2 * gib }, 2), said);
});

test('what there is of memory is known, with a limit or without one', () => {
  const { heapBytes, systemBytes } = memoryRoom();
  assert.ok(heapBytes > 0 && Number.isFinite(heapBytes));
  assert.ok(systemBytes > 0 && Number.isFinite(systemBytes));
});
