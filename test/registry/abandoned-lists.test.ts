/** Lists whose client goes away while they are read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listObjects } from '../../src/registry/read.ts';
import type { ListQuery } from '../../src/registry/read.ts';
import type { RegistryDeps, ResourceTarget } from '../../src/registry/registry.ts';
import type { Step } from '../../src/stdx/turns.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';

const objectsCount = 10_000;

/** A store of many objects, of which none is selected, and turns that are taken by hand. */
function world() {
  const counts = { looked: 0 };
  const waiting: (() => void)[] = [];
  const entry = { namespace: 'default', name: 'o', revision: 1n, bytes: new Uint8Array(0) };
  function* entries() {
    for (let at = 0; at < objectsCount; at += 1) yield entry;
  }
  const snapshot = {
    revision: 1n as Revision,
    unreadable: new Map<string, string>(),
    count: () => objectsCount,
    countAfter: () => objectsCount,
    entries: () => {
      const walk = entries();
      return Object.assign(walk, { take: () => walk.next().value ?? undefined });
    },
  };
  const turns = {
    run(step: Step): void {
      if (step(() => true)) waiting.push(() => turns.run(step));
    },
    pause: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
  const streams = {
    snapshot: () => snapshot,
    isWaiting: () => false,
    waitUntilCurrent: () => Promise.resolve(),
  };
  const deps = { turns, streams } as unknown as RegistryDeps;
  const predicate = {
    id: 'none',
    pins: new Map<string, string>(),
    labelPins: new Map<string, string>(),
    matches: () => {
      counts.looked += 1;
      return false;
    },
  };
  const turn = async (): Promise<void> => {
    for (const next of waiting.splice(0)) next();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { counts, deps, predicate, turn };
}

const storage = { group: '', resource: 'configmaps' };
const target = { kind: { storage, namespaced: true }, namespace: 'default' } as ResourceTarget;

describe('a list whose client has gone', () => {
  const selectShown = () => Promise.reject(new Error('nothing is selected'));
  for (const [title, more] of [
    ['of a limit', { limit: 10, selectShown: undefined }],
    ['that is selected by what is shown', { limit: 0, selectShown }],
  ] as const) {
    it(`${title} is read no further`, async () => {
      const { counts, deps, predicate, turn } = world();
      const query = {
        consistency: { kind: 'most-recent' },
        continueToken: undefined,
        predicate,
        ...more,
      } as unknown as ListQuery;
      const reader = departingRequester();
      const listed = listObjects(deps, target, query, reader);
      await turn();
      await turn();
      const before = counts.looked;
      assert.ok(before > 0 && before < objectsCount / 2, String(before));
      reader.go();
      await turn();
      await turn();
      const result = await listed;
      assert.equal(result.kind, 'refused');
      assert.ok(counts.looked <= before + 256, `${before}, then ${counts.looked}`);
    });
  }
});
