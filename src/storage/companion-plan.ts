/**
 * Companions of a mutation, planned: what they write, or which of them refuses it.
 *
 *   claim ─┐                                    ┌─ put, delete       at once, in the order given
 *   mark ──┼─▶ stage (all of them) ─▶ settle ───┤
 *   amend ─┘      └▶ the first refusal          └─ amended records   written at the end of the
 *                                                                    commit, or before anybody else
 *                                                                    writes the record
 *
 * Elsewhere: the plan of a commit (mutation-plan.ts), which calls this for each mutation that has
 * companions.
 *
 * Invariants: staging changes nothing that a later mutation could see; a record that is amended
 * many times in one commit is decoded once and written once, unless it is written in between.
 * Bounds: `companionsMax` a mutation; as many begun amendments as records amended in a commit.
 */
import { assert, unreachable } from '../stdx/assert.ts';
import { messageOf } from '../stdx/message-of.ts';
import type {
  Companion,
  CompanionFailure,
  CompanionRules,
  StoredRecord,
  StoreKey,
} from './storage.ts';

/** What is planned of a commit so far, as companions see and change it. */
export interface PlannedRecords<R> {
  readonly rules: CompanionRules | undefined;
  /** Now, but for amendments that are not written yet. */
  now(key: StoreKey): R | undefined;
  /** Content and state of a record. */
  stored(key: StoreKey, record: R): Parameters<CompanionRules['decode']>[0];
  put(key: StoreKey, state: string, value: Uint8Array): void;
  remove(key: StoreKey): void;
}

export interface CompanionPlan {
  /** The first failure; undefined: all are planned. `onAccepted` runs before anything is. */
  settle(companions: readonly Companion[], onAccepted: () => void): CompanionFailure | undefined;
  /** Writes what was amended of this record: before somebody looks at it to write it. */
  flush(key: StoreKey): void;
  flushAll(): void;
}

interface Amending {
  readonly state: string;
  readonly current: unknown;
}

interface Staged {
  readonly companion: Companion;
  /** Of an amendment that changes something. */
  readonly amending: Amending | undefined;
  /** It writes nothing. */
  readonly idle: boolean;
}

const nothingToDo = (companion: Companion): Staged => ({
  companion,
  amending: undefined,
  idle: true,
});

export function createCompanionPlan<R>(records: PlannedRecords<R>): CompanionPlan {
  const begun = new Map<StoreKey, Amending>();

  function flush(key: StoreKey): void {
    const amending = begun.get(key);
    if (amending === undefined) return;
    begun.delete(key);
    const { current, state } = amending;
    records.put(key, state, rulesOf(records).encode(current, { key, state }));
  }

  function stageSafely(companion: Companion): Staged | CompanionFailure {
    const { key, kind } = companion;
    try {
      if (kind === 'amend') return stageAmend(records, begun.get(key), companion);
      if (kind !== 'mark') flush(key);
      return stageWrite(records, companion);
    } catch (error) {
      // Nobody can tell whose it is: it is left alone.
      if (kind === 'release') return nothingToDo(companion);
      return failure(key, 'unreadable', messageOf(error));
    }
  }

  function write({ amending, companion, idle }: Staged): void {
    if (idle) return;
    const { key } = companion;
    if (amending !== undefined) {
      begun.set(key, amending);
      return;
    }
    flush(key);
    if (companion.kind === 'claim' || companion.kind === 'mark') {
      records.put(key, companion.state, companion.value);
    } else records.remove(key);
  }

  return {
    settle(companions, onAccepted) {
      const staged: Staged[] = [];
      for (const companion of companions) {
        const found = stageSafely(companion);
        if ('code' in found) return found;
        staged.push(found);
      }
      onAccepted();
      for (const each of staged) write(each);
      return undefined;
    },
    flush,
    flushAll() {
      for (const key of [...begun.keys()]) flush(key);
    },
  };
}

type OfKind<K extends Companion['kind']> = Extract<Companion, { readonly kind: K }>;

/** `begun`: what earlier mutations of the commit have made of the record. */
function stageAmend<R>(
  records: PlannedRecords<R>,
  begun: Amending | undefined,
  companion: OfKind<'amend'>,
): Staged | CompanionFailure {
  const { instruction, key } = companion;
  const rules = rulesOf(records);
  let amending = begun;
  if (amending === undefined) {
    const record = records.now(key);
    if (record === undefined) return nothingToDo(companion);
    const stored = records.stored(key, record);
    amending = { state: stored.state, current: rules.decode(stored) };
  }
  const { current, state } = amending;
  const amended = rules.amend(current, instruction);
  switch (amended.kind) {
    case 'amended':
      return { companion, amending: { state, current: amended.next }, idle: false };
    case 'unchanged':
      return nothingToDo(companion);
    case 'refused':
      return failure(key, amended.code, amended.message);
    default:
      return unreachable(amended);
  }
}

function stageWrite<R>(
  records: PlannedRecords<R>,
  companion: OfKind<'claim' | 'mark' | 'release'>,
): Staged | CompanionFailure {
  const { key, kind } = companion;
  const writes: Staged = { companion, amending: undefined, idle: false };
  if (kind === 'mark') return writes;
  const record = records.now(key);
  const isOwn = record !== undefined && ownerOf(records, key, record) === companion.owner;
  if (kind === 'release') return isOwn ? writes : nothingToDo(companion);
  return record === undefined || isOwn ? writes : failure(key, 'taken', 'it is taken');
}

function ownerOf<R>(records: PlannedRecords<R>, key: StoreKey, record: R): string | undefined {
  const rules = rulesOf(records);
  return rules.ownerOf(rules.decode(records.stored(key, record)));
}

/** Why these companions would fail on these records; undefined: they would not. */
export function companionFailure(
  companions: readonly Companion[],
  records: ReadonlyMap<StoreKey, StoredRecord>,
  rules: CompanionRules,
): CompanionFailure | undefined {
  const plan = createCompanionPlan<StoredRecord>({
    rules,
    now: (key) => records.get(key),
    stored: (_key, record) => record,
    put: () => undefined,
    remove: () => undefined,
  });
  return plan.settle(companions, () => undefined);
}

function failure(key: StoreKey, code: string, message: string): CompanionFailure {
  return { kind: 'companion-failed', key, code, message };
}

function rulesOf<R>({ rules }: PlannedRecords<R>): CompanionRules {
  assert(rules !== undefined, 'a store of mutations with companions has rules');
  return rules;
}
