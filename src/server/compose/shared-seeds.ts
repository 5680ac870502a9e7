/**
 * The seed of a key service that the servers over one store write with, as a record of its own:
 *
 *     internal.sluice/seeds//NAME      NAME: a digest of the service's name
 *
 * Nothing depends on it: every record has its seed with it. It is encrypted by the service and by
 * nobody else.
 *
 * Bound: one for each name that a service ever had.
 */
import { createHash } from 'node:crypto';
import { internalGroup } from '../../admission/companions/allocation-records.ts';
import { text } from '../../apimachinery/members.ts';
import { decodeObject, encodeObject } from '../../apimachinery/object-encoding.ts';
import type { SharedSeed } from '../../encryption/key-service/current-seed.ts';
import { objectKey, storeKey } from '../../storage/keys.ts';
import { decodeRecord, encodeRecord } from '../../storage/record-codec.ts';
import type { Precondition, Storage, StoredRecord } from '../../storage/storage.ts';

const seeds = { group: internalGroup, resource: 'seeds' };
const state = 'live';

export function sharedSeed(
  storage: Pick<Storage, 'read' | 'commit'>,
  serviceName: string,
): SharedSeed {
  const name = createHash('sha256').update(serviceName).digest('hex');
  const key = storeKey(objectKey(seeds, '', name));
  let expect: Precondition = { kind: 'absent' };
  return {
    async read() {
      try {
        const read = await storage.read(key);
        const stored = read.kind === 'ok' ? read.value : undefined;
        expect = stored ? { kind: 'revision', revision: stored.revision } : { kind: 'absent' };
        return stored && sealedIn(stored);
      } catch {
        return undefined;
      }
    },
    async leave(sealed) {
      const object = {
        apiVersion: `${internalGroup}/v1`,
        kind: 'Seed',
        metadata: { name, uid: name },
        sealed: sealed.toString('base64'),
      };
      const { bytes, metadataAt } = encodeObject(object);
      const record = { uid: name, labels: {}, fields: {}, metadataAt, object: bytes };
      const value = encodeRecord(record, { key, state });
      const operation = { kind: 'put', state, value } as const;
      try {
        const [outcome] = await storage.commit([{ key, expect, conditions: [], operation }]);
        return outcome?.kind === 'applied';
      } catch {
        return true;
      }
    },
  };
}

/** Undefined: it cannot be read. */
function sealedIn(stored: StoredRecord): Buffer | undefined {
  try {
    return Buffer.from(text(decodeObject(decodeRecord(stored).object), 'sealed'), 'base64');
  } catch {
    return undefined;
  }
}
