/**
 * One object in memory: its actor while there is one, else what the next one is restored from.
 *
 *   active      its actor
 *   kept        what its last actor persisted
 *   successor   the record that the log has shown since, written by others: it counts
 *
 * Invariants: a successor is only there without an actor, and is newer than what `kept` says.
 */
import type { Actor } from 'xstate';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { Revision, StoredRecord, StoreKey } from '../src/storage/storage.ts';
import type { IdleMember } from './idle-list.ts';
import type { EffectPerformer, ObjectContext, ObjectEffect } from './object-context.ts';
import { knownObject, persistedState, unknownObject } from './object-logic.ts';
import type { ObjectLogic, ObjectSnapshot } from './object-logic.ts';
import { readLightly } from './object-snapshot.ts';
import type { RecordDecoders } from './object-snapshot.ts';

export interface ActiveObject {
  readonly actor: Actor<ObjectLogic>;
  /** The actor's own; it stays the same object. */
  readonly context: ObjectContext;
}

export class Resident implements IdleMember<Resident>, EffectPerformer {
  readonly key: ObjectKey;
  readonly name: StoreKey;
  readonly #perform: (resident: Resident, effect: ObjectEffect) => void;
  /** Undefined: passivated. */
  active: ActiveObject | undefined = undefined;
  kept: ObjectSnapshot;
  successor: StoredRecord | undefined = undefined;
  /** The sequence number of its latest actor, under the root. */
  sequence = 0;
  /** It was made for a create and has had no other command. */
  isNewborn: boolean;
  /** Its estimated memory, as the total counts it. */
  bytes = 0;
  idleSinceMs = 0;
  older: Resident | undefined = undefined;
  newer: Resident | undefined = undefined;
  idle = false;

  constructor(
    key: ObjectKey,
    name: StoreKey,
    isNewborn: boolean,
    perform: (resident: Resident, effect: ObjectEffect) => void,
  ) {
    this.key = key;
    this.name = name;
    this.#perform = perform;
    this.kept = unknownObject(key, name);
    this.isNewborn = isNewborn;
  }

  perform(effect: ObjectEffect): void {
    this.#perform(this, effect);
  }
}

/** Of the newest durable state known. Undefined: none is, or nothing is there. */
export function knownRevision({ active, kept, successor }: Resident): Revision | undefined {
  if (active !== undefined) return active.context.tip?.revision;
  return successor === undefined ? persistedState(kept)?.revision : successor.revision;
}

/** What its next actor goes on from. */
export function restoringSnapshot(resident: Resident, decoders: RecordDecoders): ObjectSnapshot {
  const { key, kept, name, successor } = resident;
  if (successor === undefined) return kept;
  resident.successor = undefined;
  try {
    return knownObject(key, name, readLightly(successor, decoders));
  } catch {
    // The actor asks the store, and says what is wrong with the record.
    return unknownObject(key, name);
  }
}
