/**
 * A store with many objects, written to its directory without a server: a million creates would
 * take longer than what is measured afterwards.
 *
 * What it is not: what a server would have checked. The objects are those of objects.ts with the
 * metadata that a server gives them, in the records that it writes; a server that starts over the
 * directory makes the namespace.
 */
import { identityOf } from '../../src/apimachinery/identity.ts';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { systemClock } from '../../src/stdx/clock.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import type { Mutation } from '../../src/storage/storage.ts';
import { configMap, objectName } from './objects.ts';

const MUTATIONS_PER_COMMIT = 2_000;
const madeAt = '2026-01-01T00:00:00Z';

/** Makes `<prefix>-00000000` and so on, config maps of about `bytes` bytes in `default`. */
export async function fillStore(
  directory: string,
  prefix: string,
  count: number,
  bytes: number,
): Promise<void> {
  const { name: identity } = identityOf('svc');
  const storage = await openLmdbStorage({ path: directory, identity, clock: systemClock });
  try {
    for (let from = 0; from < count; from += MUTATIONS_PER_COMMIT) {
      const size = Math.min(MUTATIONS_PER_COMMIT, count - from);
      const mutations = Array.from({ length: size }, (_, i) => creation(prefix, from + i, bytes));
      const outcomes = await storage.commit(mutations);
      if (outcomes.some(({ kind }) => kind !== 'applied')) throw new Error('the store is not new');
    }
    // The log is not what is measured: a server that runs for long has compacted it.
    await storage.compact(await storage.revision());
  } finally {
    await storage.close();
  }
}

function creation(prefix: string, index: number, bytes: number): Mutation {
  const name = objectName(prefix, index);
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const written = JSON.parse(configMap(name, index, bytes)) as ApiObject;
  const metadata = {
    name,
    namespace: 'default',
    uid,
    creationTimestamp: madeAt,
    managedFields: [
      {
        manager: 'bench',
        operation: 'Update',
        apiVersion: 'v1',
        time: madeAt,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:p': {} } },
      },
    ],
  };
  const encoded = encodeObject({ ...written, metadata });
  const key = storeKey({ group: '', resource: 'configmaps', namespace: 'default', name });
  const record = {
    uid,
    labels: {},
    fields: {},
    metadataAt: encoded.metadataAt,
    object: encoded.bytes,
  };
  const value = encodeRecord(record, { key, state: 'live' });
  return {
    key,
    expect: { kind: 'absent' },
    conditions: [],
    operation: { kind: 'put', state: 'live', value },
  };
}
