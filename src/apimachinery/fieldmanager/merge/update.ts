/**
 * What a write that is not an apply does to ownership (spec 1, section 3.2): what it adds or
 * changes becomes the writer's alone, what it removes nobody's. It never fails because of
 * ownership.
 *
 * `takeOver` is the part that apply shares: there, taking from another manager is a conflict unless
 * it is forced.
 */
import type { Steps } from '../../../stdx/stepwise.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { difference, emptySet, intersection, isEmptySet, union } from '../fieldpath/field-set.ts';
import type { Comparison } from '../typed/compare.ts';
import { compareValuesOf, noChange } from '../typed/compare.ts';
import { reconcileFields } from '../typed/reconcile.ts';
import type { Managers, ManagersDraft, VersionedValue, VersionRules } from './managers.ts';
import { setOwned, withSet } from './managers.ts';

/** Fields per manager that the write would take from them. */
export type Conflicts = ReadonlyMap<string, FieldSet>;

export interface Takeover {
  readonly managers: ManagersDraft;
  /** At the version of the write. */
  readonly changes: Comparison;
  readonly conflicts: Conflicts;
}

/** What a writer makes of a value. */
export interface ValueChange {
  readonly live: VersionedValue;
  /** Of the same version. */
  readonly next: VersionedValue;
  readonly writer: string;
  /** What differs between them, if that is known. */
  readonly compared?: Comparison | undefined;
}

/** The writer's own claim is not touched. In steps: a large object may have many managers. */
export function* takeOver(
  rules: VersionRules,
  { compared, live, next, writer }: ValueChange,
  managers: Managers,
): Steps<Takeover> {
  const changes =
    compared === undefined ? compareAt(rules, live, next) : writableChanges(rules, next, compared);
  const changesAt = new Map([[next.version, writtenAndRemoved(changes)]]);
  const kept: ManagersDraft = new Map();
  const conflicts = new Map<string, FieldSet>();
  for (const [manager, owned] of managers) {
    if (manager === writer) {
      kept.set(manager, owned);
      continue;
    }
    let seen = changesAt.get(owned.version);
    if (seen === undefined) {
      const converted = yield* convertedChanges(rules, live, next, owned.version);
      // The manager wrote at a version that is gone: nobody can tell any more what it owns.
      if (converted === undefined) continue;
      changesAt.set(owned.version, (seen = writtenAndRemoved(converted)));
    }
    yield;
    const taken = intersection(owned.set, seen.written);
    if (!isEmptySet(taken)) conflicts.set(manager, taken);
    const left = difference(difference(owned.set, taken), seen.removed);
    setOwned(kept, manager, left === owned.set ? owned : withSet(owned, left));
  }
  return { managers: kept, changes, conflicts };
}

/** What a write has set, put together once for all managers of a version. */
function writtenAndRemoved({ modified, added, removed }: Comparison) {
  return { written: union(modified, added), removed };
}

function* convertedChanges(
  rules: VersionRules,
  live: VersionedValue,
  next: VersionedValue,
  version: string,
): Steps<Comparison | undefined> {
  const before = rules.convert(live, version);
  yield;
  const after = rules.convert(next, version);
  if (before === undefined || after === undefined) return undefined;
  yield;
  return compareAt(rules, before, after);
}

function compareAt(rules: VersionRules, live: VersionedValue, next: VersionedValue): Comparison {
  const { version } = next;
  const found = compareValuesOf(rules.typeAt(version), live.value, next.value);
  return found === undefined ? noChange : writableChanges(rules, next, found);
}

function writableChanges(
  rules: VersionRules,
  { version }: VersionedValue,
  found: Comparison,
): Comparison {
  return {
    added: rules.writable(found.added, version),
    modified: rules.writable(found.modified, version),
    removed: rules.writable(found.removed, version),
  };
}

/** Ownership after the write. The writer's entry is there exactly when it owns something. */
export function* updateManagers(
  rules: VersionRules,
  change: ValueChange,
  managers: Managers,
): Steps<ManagersDraft> {
  const { live, next, writer } = change;
  const current = reconcileManagers(rules, live, managers);
  yield;
  const taken = yield* takeOver(rules, change, current);
  yield;
  const { managers: kept, changes } = taken;
  const before = kept.get(writer)?.set ?? emptySet;
  const claimed = union(
    union(difference(before, changes.removed), changes.modified),
    changes.added,
  );
  // What changed is writable already; only what was owned before may not be any more.
  const set = isEmptySet(before) ? claimed : rules.writable(claimed, next.version);
  setOwned(kept, writer, { set, version: next.version, applied: false });
  return kept;
}

/** Ownership in the terms of today's types (spec 1, section 4.5, rule 7). */
export function reconcileManagers(
  rules: VersionRules,
  live: VersionedValue,
  managers: Managers,
): Managers {
  const reconciled: ManagersDraft = new Map();
  for (const [manager, owned] of managers) {
    if (owned.version !== live.version && !rules.has(owned.version)) continue;
    const set = reconcileFields(rules.typeAt(owned.version), owned.set);
    reconciled.set(manager, set === owned.set ? owned : withSet(owned, set));
  }
  return reconciled;
}
