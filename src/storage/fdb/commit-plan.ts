/**
 * What one attempt of a commit reads, decides and writes, in the transaction that it is given.
 *
 * commit-attempt.ts finds out whether the attempt was applied.
 *
 * Conflict set: the owner of the slot, the last commit of its lane, each mutated key (of
 * companions, too), and the state word of each record that a condition names. Only the word: an
 * update that does not change it conflicts with nobody. The log and the newest mark are written
 * without being read.
 *
 * Revisions are not known before the commit. Within a plan the i-th applied mutation has the
 * provisional revision -(i + 1), which no stored record can have.
 *
 * Bounds: what checkCommitSize() allows (commits.ts).
 */
import { planMutations } from '../mutation-plan.ts';
import type { MutationPlan, PlannedRecord, PlannedWrite } from '../mutation-plan.ts';
import { revisionZero } from '../storage.ts';
import type {
  Companion,
  CompanionRules,
  Mutation,
  MutationOutcome,
  Revision,
  StoredRecord,
  StoreKey,
} from '../storage.ts';
import { STAMP_BYTES } from './binding.ts';
import type { FdbTransaction } from './binding.ts';
import { loadPayload } from './fdb-reads.ts';
import type { Subspace } from './fdb-reads.ts';
import {
  CHUNK_BYTES,
  COMMIT_MUTATIONS_MAX,
  INLINE_BYTES_MAX,
  RECORD_STAMP_AT,
  TIP_STAMP_AT,
  decodeRecord,
  encodeLogEntry,
  encodeRecord,
  placeOf,
  placeOfRecord,
  tipOf,
} from './layout.ts';
import type { Began, Payload, RevisionSpace } from './layout.ts';
import type { OwnChange, OwnCommit } from './own-commits.ts';

/** Who tries: written with the commit, so that its outcome can be read back. */
export interface AttemptId {
  /** Whose mark it leaves. */
  readonly slot: number;
  readonly lane: number;
  /** What its places and revisions have for a slot: that one, or LAST_SLOT. */
  readonly numberedSlot: number;
  /** Owner and number: unique among all attempts of all servers. */
  readonly bytes: Buffer;
}

export const ATTEMPT_ID_BYTES = 16;

interface PlanRecord extends PlannedRecord {
  readonly payload: Payload;
  /** Undefined for a record that only stands for its state. */
  readonly began: Began | undefined;
  /** The value of a new record that is too large to lie inline. */
  readonly pieces: Uint8Array | undefined;
  /** Of a new record, as in its mutation. */
  readonly decoded?: StoredRecord['decoded'];
  /** Of a stored record whose content a companion is about, where it does not lie inline. */
  readonly content?: Uint8Array | undefined;
}

export type CommitPlan = MutationPlan<PlanRecord>;
export type TouchedRecords = ReadonlyMap<StoreKey, PlanRecord>;

/** What the transaction found of slot and lane: it goes on only while both are as expected. */
export interface SlotState {
  readonly owner: Buffer | undefined;
  /** Attempt id and versionstamp of the last commit of this slot in this lane. */
  readonly last: Buffer | undefined;
}

export async function readSlot(
  { keys }: Subspace,
  transaction: FdbTransaction,
  slot: number,
  lane: number,
): Promise<SlotState> {
  const [owner, last] = await Promise.all([
    transaction.get(keys.ofSlot('s', slot), 'serializable'),
    transaction.get(keys.lastCommit(slot, lane), 'serializable'),
  ]);
  return { owner, last };
}

export interface UndecidedCommit {
  readonly touched: TouchedRecords;
  readonly mutations: readonly Mutation[];
  readonly attempt: AttemptId;
  readonly rules: CompanionRules | undefined;
}

/** Decides the mutations on what was found of what they touch. */
export function planCommit(
  space: Subspace,
  { attempt, mutations, rules, touched }: UndecidedCommit,
): CommitPlan {
  let count = 0;
  return planMutations<PlanRecord>(mutations, {
    read: (key) => touched.get(key),
    make(_key, revision, { decoded, state, value }) {
      const index = indexOf(attempt, revision);
      const inline = value.byteLength <= INLINE_BYTES_MAX;
      const payload: Payload = inline
        ? { kind: 'inline', bytes: viewOf(value) }
        : {
            kind: 'blob',
            id: Buffer.concat([attempt.bytes, Buffer.of(index)]),
            length: value.byteLength,
          };
      const { era } = space.revisions;
      const began = { kind: 'now', era, slot: attempt.numberedSlot, index } as const;
      return { revision, state, payload, began, pieces: inline ? undefined : value, decoded };
    },
    nextRevision: () => BigInt(-(count += 1)) as Revision,
    rules,
    stored: (key, { content, payload, pieces, state }) => {
      const value = pieces ?? content ?? (payload.kind === 'inline' ? payload.bytes : undefined);
      const damage = value === undefined ? 'pieces of its value are missing' : undefined;
      return { key, state, value: value ?? noBytes, damage };
    },
  });
}

const noBytes = new Uint8Array(0);

function viewOf(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** The number that stands for a mutation in places and revisions: in its lane's share of them. */
function indexOf({ lane }: AttemptId, provisional: Revision): number {
  return lane * COMMIT_MUTATIONS_MAX + Number(-provisional) - 1;
}

/** Records that mutations are about, and stand-ins for those that only their conditions name. */
export async function readTouched(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  mutations: readonly Mutation[],
): Promise<TouchedRecords> {
  const accompanied = new Set(mutations.flatMap(({ companions = [] }) => keysOf(companions)));
  const mutated = new Set([...mutations.map(({ key }) => key), ...accompanied]);
  const tested = new Set(mutations.flatMap(({ conditions }) => conditions.map(({ key }) => key)));
  const found = new Map<StoreKey, PlanRecord>();
  await Promise.all([
    ...[...mutated].map(async (key) => {
      const bytes = await transaction.get(keys.current(key), 'serializable');
      if (bytes === undefined) return;
      const { revision, state, payload } = decodeRecord(revisions, key, bytes, undefined);
      const began = { kind: 'place', place: placeOfRecord(bytes) } as const;
      const content =
        payload.kind === 'inline' || !accompanied.has(key)
          ? undefined
          : await loadPayload(keys, transaction, payload);
      found.set(key, { revision, state, payload, began, pieces: undefined, content });
    }),
    ...[...tested]
      .filter((key) => !mutated.has(key))
      .map(async (key) => {
        const state = await transaction.get(keys.state(key), 'serializable');
        if (state !== undefined) found.set(key, standIn(state.toString()));
      }),
  ]);
  return found;
}

function keysOf(companions: readonly Companion[]): readonly StoreKey[] {
  return companions.map(({ key }) => key);
}

function standIn(state: string): PlanRecord {
  const payload = { kind: 'inline', bytes: Buffer.alloc(0) } as const;
  return { revision: revisionZero, state, payload, began: undefined, pieces: undefined };
}

/** Writes the plan, and the marks that say so. */
export function writeCommit(
  space: Subspace,
  transaction: FdbTransaction,
  plan: CommitPlan,
  attempt: AttemptId,
  timeMs: number,
): void {
  const { keys } = space;
  const { era } = space.revisions;
  for (const write of plan.writes) {
    const { key, revision, record, previous } = write;
    const index = indexOf(attempt, revision);
    const kind = record === undefined ? 'delete' : 'put';
    const log = keys.stampedLog(era, attempt.numberedSlot, index);
    transaction.setVersionstampedKey(log.key, log.stampAt, encodeLogEntry(kind, timeMs, key));
    if (record !== undefined) writePieces(space, transaction, record);
    if (previous?.began !== undefined) {
      const old = keys.stampedOld(key, era, attempt.numberedSlot, index);
      const bytes = encodeRecord(previous, previous.began, 'o');
      transaction.setVersionstampedKey(old.key, old.stampAt, bytes);
    }
    // A key written several times in one commit is stored as it ends.
    if (plan.finally.get(key) === record) writeCurrent(space, transaction, write, plan);
  }
  transaction.setVersionstampedValue(keys.tip, tipOf(era), TIP_STAMP_AT);
  const last = Buffer.concat([attempt.bytes, Buffer.alloc(STAMP_BYTES)]);
  const mark = keys.lastCommit(attempt.slot, attempt.lane);
  transaction.setVersionstampedValue(mark, last, ATTEMPT_ID_BYTES);
}

function writeCurrent(
  { keys }: Subspace,
  transaction: FdbTransaction,
  { key, record }: PlannedWrite<PlanRecord>,
  { writes }: CommitPlan,
): void {
  if (record?.began === undefined) {
    transaction.clear(keys.current(key));
    transaction.clear(keys.state(key));
    return;
  }
  const bytes = encodeRecord(record, record.began, 'c');
  transaction.setVersionstampedValue(keys.current(key), bytes, RECORD_STAMP_AT);
  const before = writes.find((write) => write.key === key)?.previous;
  if (before?.state !== record.state) {
    transaction.set(keys.state(key), Buffer.from(record.state));
  }
}

function writePieces(
  { keys }: Subspace,
  transaction: FdbTransaction,
  { payload, pieces }: PlanRecord,
): void {
  if (pieces === undefined || payload.kind !== 'blob') return;
  for (let at = 0, chunk = 0; at < pieces.byteLength; at += CHUNK_BYTES, chunk += 1) {
    transaction.set(
      keys.blob(payload.id, chunk),
      Buffer.from(pieces.subarray(at, at + CHUNK_BYTES)),
    );
  }
}

/** The outcomes of a plan that was committed with this versionstamp. */
export function outcomesOf(
  revisions: RevisionSpace,
  plan: CommitPlan,
  attempt: AttemptId,
  stamp: Buffer,
): readonly MutationOutcome[] {
  const real = realRevisions(revisions, attempt, stamp);
  return plan.outcomes.map((outcome) => {
    if (outcome.kind === 'applied') return { kind: 'applied', revision: real(outcome.revision) };
    if (outcome.kind !== 'conflict' || outcome.found === undefined) return outcome;
    return { kind: 'conflict', found: real(outcome.found) };
  });
}

/** What a plan that was committed with this versionstamp did, as followers are to see it. */
export function ownCommitOf(
  revisions: RevisionSpace,
  plan: CommitPlan,
  attempt: AttemptId,
  stamp: Buffer,
  timeMs: number,
): OwnCommit {
  const real = realRevisions(revisions, attempt, stamp);
  const { era } = revisions;
  const changes = plan.writes.map((write): OwnChange => {
    const { key } = write;
    const revision = real(write.revision);
    const place = placeOf(era, stamp, attempt.numberedSlot, indexOf(attempt, write.revision));
    if (write.record === undefined) {
      return { kind: 'delete', revision, place, timeMs, key, record: undefined };
    }
    const { decoded, pieces, state } = write.record;
    const payload: Payload =
      pieces === undefined ? write.record.payload : { kind: 'inline', bytes: viewOf(pieces) };
    const record = { key, revision, state, payload, decoded };
    return { kind: 'put', revision, place, timeMs, key, record };
  });
  return { tip: tipOf(era, stamp), changes };
}

function realRevisions(
  revisions: RevisionSpace,
  attempt: AttemptId,
  stamp: Buffer,
): (revision: Revision) => Revision {
  const version = stamp.readBigUInt64BE();
  return (revision) =>
    revision < 0n
      ? revisions.of(version, attempt.numberedSlot, indexOf(attempt, revision))
      : revision;
}
