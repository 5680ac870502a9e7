/**
 * The state of an object as its actor knows it, durable or not yet, and the form in which the store
 * keeps it: a word for its state, and the envelope of the object.
 *
 *   ObjectState ──persistedOf()──▶ PersistedObject ◀──readPersisted()── record
 *        ▲                              │
 *        └────────stateOf()─────────────┘
 *
 * Invariants: `image` is there exactly when it is `live` or `finalizing`. `revision` is known once
 * the mutation that made the state is durable; until then `madeBy` names that mutation, and the
 * next mutation on the key expects it. A state only changes when that mutation is settled.
 */
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import type { PendingCommit, Submission } from '../src/storage/pending-commit.ts';
import type { ObjectRecord, RecordTimer } from '../src/storage/record.ts';
import { StorageError } from '../src/storage/storage.ts';
import type { Revision, StoredRecord } from '../src/storage/storage.ts';
import { assert } from '../src/stdx/assert.ts';
import type { Steps } from '../src/stdx/stepwise.ts';
import { objectStates } from './actors.ts';
import { objectBytesOfTurn } from './limits.ts';
import type { LifeState } from './object-machine.ts';

export interface ObjectImage {
  readonly object: ApiObject;
  readonly bytes: Uint8Array;
  readonly metadataAt: number;
  readonly timer: RecordTimer | undefined;
  /** Of a kind that users define: the form under which it was written (ObjectRecord). */
  readonly shape?: string | undefined;
  /** Which key its record was encrypted with (ObjectRecord). */
  readonly encryptedBy?: string | undefined;
}

/** An image that is kept for long and seldom asked for: of the object only its bytes stay, and they
 * are decoded when it is wanted. Objects that live long and then go are what a collector is slowest
 * with. */
export class EncodedImage implements ObjectImage {
  readonly bytes: Uint8Array;
  readonly metadataAt: number;
  readonly timer: RecordTimer | undefined;
  readonly shape: string | undefined;
  readonly encryptedBy: string | undefined;
  readonly #decoders: ObjectDecoders;
  #object: ApiObject | undefined = undefined;

  constructor(image: Omit<ObjectImage, 'object'>, decoders: ObjectDecoders) {
    this.bytes = image.bytes;
    this.metadataAt = image.metadataAt;
    this.timer = image.timer;
    this.shape = image.shape;
    this.encryptedBy = image.encryptedBy;
    this.#decoders = decoders;
  }

  get object(): ApiObject {
    this.#object ??= this.#decoders.decodeObject(this.bytes);
    return this.#object;
  }

  /** Decodes a large object in parts, before it is asked for. */
  *decoding(): Steps<void> {
    const { decodeObjectSteps } = this.#decoders;
    if (this.#object !== undefined || decodeObjectSteps === undefined) return;
    const object = yield* decodeObjectSteps(this.bytes);
    this.#object ??= object;
  }
}

/** A mutation that is being committed; its submitter records the outcome here. */
export interface PendingMutation {
  pending: PendingCommit | undefined;
}

export interface ObjectState {
  /** Written to only when a next life begins. */
  life: LifeState;
  readonly image: ObjectImage | undefined;
  revision: Revision | undefined;
  madeBy: PendingMutation | undefined;
}

/** As it is in the store: what an actor is restored from. */
export type PersistedObject =
  | { readonly life: 'absent' }
  | {
      readonly life: 'live' | 'finalizing';
      readonly image: ObjectImage;
      readonly revision: Revision;
    };

export interface ObjectDecoders {
  readonly decodeObject: (bytes: Uint8Array) => ApiObject;
  /** The same in parts. Absent: in one. */
  readonly decodeObjectSteps?: ((bytes: Uint8Array) => Steps<ApiObject>) | undefined;
}

export interface RecordDecoders extends ObjectDecoders {
  readonly decodeRecord: (stored: StoredRecord) => ObjectRecord;
}

const absentObject: PersistedObject = { life: 'absent' };

/** @throws StorageError `corrupt` when the record cannot be understood. */
export function readPersisted(
  stored: StoredRecord | undefined,
  decoders: RecordDecoders,
): PersistedObject {
  return readWith(stored, decoders, (object) => ({
    ...object,
    object: decoders.decodeObject(object.bytes),
  }));
}

/** The same, but a large object is decoded when it is asked for: by whoever has turns for it. */
export function readLightly(
  stored: StoredRecord | undefined,
  decoders: RecordDecoders,
): PersistedObject {
  return readWith(stored, decoders, (object) =>
    object.bytes.byteLength > objectBytesOfTurn
      ? new EncodedImage(object, decoders)
      : { ...object, object: decoders.decodeObject(object.bytes) },
  );
}

function readWith(
  stored: StoredRecord | undefined,
  decoders: RecordDecoders,
  imageOf: (encoded: Omit<ObjectImage, 'object'>) => ObjectImage,
): PersistedObject {
  if (stored === undefined) return absentObject;
  const { state, revision } = stored;
  if (state !== objectStates.live && state !== objectStates.finalizing) {
    throw new StorageError('corrupt', `record ${stored.key} has an unknown state: ${state}`);
  }
  try {
    const record = decoders.decodeRecord(stored);
    const { encryptedBy, metadataAt, object: bytes, shape, timer } = record;
    const image = imageOf({ bytes, metadataAt, timer, shape, encryptedBy });
    return { life: state, image, revision };
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError('corrupt', `record ${stored.key} cannot be read`, { cause: error });
  }
}

export function stateOf(persisted: PersistedObject): ObjectState {
  if (persisted.life === 'absent') return absentState('absent');
  const { life, image, revision } = persisted;
  return { life, image, revision, madeBy: undefined };
}

/** What the store has of it; undefined: it is not durable yet. */
export function persistedOf(state: ObjectState): PersistedObject | undefined {
  if (state.madeBy !== undefined) return undefined;
  const { image, life, revision } = state;
  if (image === undefined) return absentObject;
  assert(life === 'live' || life === 'finalizing', 'what has an image is there');
  assert(revision !== undefined, 'what is durable has a revision');
  return { life, image, revision };
}

/** No object: none yet (`absent`), or none any more (`removed`). */
export function absentState(life: 'absent' | 'removed'): ObjectState {
  return { life, image: undefined, revision: undefined, madeBy: undefined };
}

/** What a mutation decided on `basis` expects of the store. */
export function preconditionFor({ madeBy, revision }: ObjectState): Submission['expect'] {
  if (madeBy !== undefined) {
    assert(madeBy.pending !== undefined, 'mutations are submitted in the order of their decisions');
    return madeBy.pending;
  }
  if (revision === undefined) return { kind: 'absent' };
  return { kind: 'revision', revision };
}
