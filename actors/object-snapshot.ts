/**
 * What an actor knows of its object at one moment, durable or not yet.
 *
 * Invariants: `image` is there exactly when life is not `absent`. `revision` is known once the
 * mutation that made the snapshot is durable; until then `ticket` names that mutation, and the next
 * mutation on the key expects it. Nothing but the settling of that ticket changes a snapshot.
 */
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import type { CommitTicket, Submission } from '../src/storage/commit-ticket.ts';
import type { ObjectRecord, RecordTimer } from '../src/storage/record.ts';
import { StorageError } from '../src/storage/storage.ts';
import type { Revision, StoredRecord } from '../src/storage/storage.ts';
import { objectStates } from './actors.ts';
import type { Life } from './object-machine.ts';

export interface ObjectImage {
  readonly object: ApiObject;
  readonly bytes: Uint8Array;
  readonly metadataAt: number;
  readonly timer?: RecordTimer | undefined;
}

export interface ObjectSnapshot {
  readonly life: Life;
  readonly image: ObjectImage | undefined;
  revision: Revision | undefined;
  ticket: CommitTicket | undefined;
}

export interface RecordDecoders {
  readonly decodeRecord: (stored: StoredRecord) => ObjectRecord;
  readonly decodeObject: (bytes: Uint8Array) => ApiObject;
}

export function absentSnapshot(): ObjectSnapshot {
  return { life: 'absent', image: undefined, revision: undefined, ticket: undefined };
}

/** @throws StorageError `corrupt` when the record cannot be understood. */
export function snapshotOf(
  stored: StoredRecord | undefined,
  decoders: RecordDecoders,
): ObjectSnapshot {
  if (stored === undefined) return absentSnapshot();
  const { state, revision } = stored;
  if (state !== objectStates.live && state !== objectStates.finalizing) {
    throw new StorageError('corrupt', `record ${stored.key} has an unknown state: ${state}`);
  }
  try {
    const record = decoders.decodeRecord(stored);
    const object = decoders.decodeObject(record.object);
    const { metadataAt, timer } = record;
    const image = { object, bytes: record.object, metadataAt, timer };
    return { life: state, image, revision, ticket: undefined };
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError('corrupt', `record ${stored.key} cannot be read`, { cause: error });
  }
}

/** What a mutation decided on `basis` expects of the store. */
export function expectationOf(basis: ObjectSnapshot): Submission['expect'] {
  if (basis.ticket !== undefined) return basis.ticket;
  if (basis.revision === undefined) return { kind: 'absent' };
  return { kind: 'revision', revision: basis.revision };
}
