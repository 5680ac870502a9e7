/**
 * Deciding a commit: which of its mutations apply, given the records as they are now.
 *
 * The adapter calls this where nothing else can write between the reads made here and the writes it
 * makes of the plan.
 *
 * Invariants: mutations are decided in the given order, each seeing what those before it did; a
 * refused one leaves no trace; revisions are given in order to applied mutations and to what their
 * companions write (companion-plan.ts), and to nothing else.
 */
import { unreachable } from '../stdx/assert.ts';
import { createCompanionPlan } from './companion-plan.ts';
import type { CompanionPlan } from './companion-plan.ts';
import type {
  Change,
  CompanionRules,
  Condition,
  Mutation,
  MutationOperation,
  MutationOutcome,
  Precondition,
  PutOperation,
  Revision,
  StoredRecord,
  StoreKey,
} from './storage.ts';

/** What the plan needs of a record; adapters add how they keep it. */
export interface PlannedRecord {
  readonly revision: Revision;
  readonly state: string;
}

/** One applied mutation, in order. */
export interface PlannedWrite<R extends PlannedRecord> {
  readonly key: StoreKey;
  readonly revision: Revision;
  /** The record it makes; undefined for a delete. */
  readonly record: R | undefined;
  /** The record it supersedes. */
  readonly previous: R | undefined;
}

export interface MutationPlan<R extends PlannedRecord> {
  readonly outcomes: readonly MutationOutcome[];
  readonly writes: readonly PlannedWrite<R>[];
  /** What each touched key holds afterwards. */
  readonly finally: ReadonlyMap<StoreKey, R | undefined>;
}

type Stored = Parameters<CompanionRules['decode']>[0];

export interface PlanSource<R extends PlannedRecord> {
  /** The record as it is before the commit. */
  read(key: StoreKey): R | undefined;
  /** Makes the record of an applied put. */
  make(key: StoreKey, revision: Revision, put: PutOperation): R;
  /** The revision of the next applied mutation. */
  nextRevision(): Revision;
  /** Of mutations with companions; undefined: there are none. */
  readonly rules?: CompanionRules | undefined;
  /** The content of a record, for the rules. */
  stored(key: StoreKey, record: R): Stored;
  /** The state of a record before the commit, where it is known without its content. Absent: it is
   * read. */
  stateOf?(key: StoreKey): string | undefined;
}

export function planMutations<R extends PlannedRecord>(
  mutations: readonly Mutation[],
  source: PlanSource<R>,
): MutationPlan<R> {
  const outcomes: MutationOutcome[] = [];
  const writes: PlannedWrite<R>[] = [];
  const overlay = new Map<StoreKey, R | undefined>();
  /** Empty where no mutation is built on another one of the commit. */
  const lastApplied = new Map<StoreKey, number>();
  const isChained = mutations.some(({ expect }) => expect.kind === 'after');
  const now = (key: StoreKey): R | undefined =>
    overlay.has(key) ? overlay.get(key) : source.read(key);
  const stateNow = statesAt(source, overlay);
  const write = (
    key: StoreKey,
    operation: MutationOperation,
    previous: R | undefined,
  ): Revision => {
    const revision = source.nextRevision();
    const record = operation.kind === 'put' ? source.make(key, revision, operation) : undefined;
    overlay.set(key, record);
    writes.push({ key, revision, record, previous });
    return revision;
  };
  const apply = (index: number, { key, operation }: Mutation, previous: R | undefined): void => {
    const revision = write(key, operation, previous);
    if (isChained) lastApplied.set(key, index);
    outcomes.push({ kind: 'applied', revision });
  };
  // Made for the first mutation that has companions.
  let companionPlan: CompanionPlan | undefined;
  const companionsOf = (): CompanionPlan =>
    (companionPlan ??= createCompanionPlan<R>({
      rules: source.rules,
      now,
      stored: (key, record) => source.stored(key, record),
      put(key, state, value) {
        lastApplied.delete(key);
        write(key, { kind: 'put', state, value }, now(key));
      },
      remove(key) {
        lastApplied.delete(key);
        write(key, removal, now(key));
      },
    }));

  for (const [index, mutation] of mutations.entries()) {
    const { companions, follows, key, expect, operation } = mutation;
    companionPlan?.flush(key);
    const previous = now(key);
    const refused =
      refuseFollower(follows, outcomes) ??
      refuseExpectation(expect, operation.kind, previous, lastApplied.get(key)) ??
      refuseConditions(mutation.conditions, stateNow);
    if (refused !== undefined) {
      outcomes.push(refused);
      continue;
    }
    if (companions === undefined || companions.length === 0) {
      apply(index, mutation, previous);
      continue;
    }
    // Companions write other keys than this one.
    const own = (): void => apply(index, mutation, previous);
    const failure = companionsOf().settle(companions, own);
    if (failure !== undefined) outcomes.push(failure);
  }
  companionPlan?.flushAll();
  return { outcomes, writes, finally: overlay };
}

const removal: MutationOperation = { kind: 'delete' };
const predecessorFailed = { kind: 'predecessor-failed' } as const;

function refuseFollower(
  follows: readonly number[] | undefined,
  outcomes: readonly MutationOutcome[],
): MutationOutcome | undefined {
  const isRefused = follows?.some((index) => outcomes[index]?.kind !== 'applied') === true;
  return isRefused ? predecessorFailed : undefined;
}

/** States that conditions ask for. The mutations of a commit often share a condition (their
 * namespace): it is read once. */
function statesAt<R extends PlannedRecord>(
  source: PlanSource<R>,
  overlay: ReadonlyMap<StoreKey, R | undefined>,
): (key: StoreKey) => string | undefined {
  const conditioned = new Map<StoreKey, string | undefined>();
  return (key) => {
    if (overlay.has(key)) return overlay.get(key)?.state;
    if (!conditioned.has(key)) {
      const state = source.stateOf === undefined ? source.read(key)?.state : source.stateOf(key);
      conditioned.set(key, state);
    }
    return conditioned.get(key);
  };
}

function refuseExpectation(
  expect: Precondition,
  operation: 'put' | 'delete',
  previous: PlannedRecord | undefined,
  lastApplied: number | undefined,
): MutationOutcome | undefined {
  const holds = expectationHolds(expect, previous, lastApplied);
  // Deleting what is not there would make a change that says nothing: it is a conflict.
  if (holds && !(operation === 'delete' && previous === undefined)) return undefined;
  return { kind: 'conflict', found: previous?.revision };
}

function expectationHolds(
  expect: Precondition,
  previous: PlannedRecord | undefined,
  lastApplied: number | undefined,
): boolean {
  switch (expect.kind) {
    case 'absent':
      return previous === undefined;
    case 'revision':
      return previous?.revision === expect.revision;
    case 'after':
      return lastApplied === expect.index;
    default:
      return unreachable(expect);
  }
}

function refuseConditions(
  conditions: readonly Condition[],
  stateNow: (key: StoreKey) => string | undefined,
): MutationOutcome | undefined {
  for (const condition of conditions) {
    const found = stateNow(condition.key);
    if (found !== condition.state) return { kind: 'condition-failed', condition, found };
  }
  return undefined;
}

/** The log entries of a plan, for followers. */
export function changesOf<R extends PlannedRecord & StoredRecord>(
  writes: readonly PlannedWrite<R>[],
  timeMs: number,
): (Change & { readonly record: R | undefined })[] {
  return writes.map(({ key, revision, record }) => ({
    revision,
    key,
    kind: record === undefined ? 'delete' : 'put',
    timeMs,
    record,
    previous: undefined,
  }));
}
