/**
 * Server-side apply of an intent (spec 1, sections 3.2 and 4.5): merged into the live object, minus
 * what the same manager applied last time and nobody claims any more.
 */
import type { Steps } from '../../../stdx/stepwise.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { difference, intersection, isEmptySet, union, unionOf } from '../fieldpath/field-set.ts';
import type { JsonValue } from '../../unstructured.ts';
import { removeItems, removeItemsAndEmptied } from '../typed/items.ts';
import { mergeValues } from '../typed/merge.ts';
import { withNamedFields } from '../typed/named-fields.ts';
import { claimedFields, namedFields } from '../typed/to-field-set.ts';
import type {
  Managers,
  ManagersDraft,
  OwnedFields,
  VersionedValue,
  VersionRules,
} from './managers.ts';
import { setOwned } from './managers.ts';
import type { Conflicts } from './update.ts';
import { reconcileManagers, takeOver } from './update.ts';

export interface AppliedIntent {
  readonly kind: 'applied';
  readonly value: JsonValue;
  readonly managers: ManagersDraft;
}

export type Applied = AppliedIntent | { readonly kind: 'conflicts'; readonly conflicts: Conflicts };

export interface Intent extends VersionedValue {
  readonly manager: string;
  readonly force: boolean;
}

/** `live` has the version of the intent; the intent is valid in its type. */
export function* applyIntent(
  rules: VersionRules,
  live: VersionedValue,
  intent: Intent,
  managers: Managers,
): Steps<Applied> {
  const { version, manager, force } = intent;
  const type = rules.typeAt(version);
  const current = new Map(reconcileManagers(rules, live, managers));
  const last = current.get(manager);
  const set = rules.writable(claimedFields(type, intent.value), version);
  current.set(manager, { set, version, applied: true });
  yield;
  const merged = mergeValues(type, live.value, intent.value) ?? null;
  const value = yield* prune(rules, { value: merged, version }, current, last, {
    claimed: set,
    intent: intent.value,
  });
  yield;
  const change = { live, next: { value, version }, writer: manager };
  const taken = yield* takeOver(rules, change, current);
  if (taken.conflicts.size > 0 && !force) {
    return { kind: 'conflicts', conflicts: taken.conflicts };
  }
  setOwned(taken.managers, manager, { set, version, applied: true });
  return { kind: 'applied', value, managers: taken.managers };
}

interface Claim {
  readonly claimed: FieldSet;
  readonly intent: JsonValue;
}

/** Removes what the manager applied last, does not apply now, and nobody else owns. */
function* prune(
  rules: VersionRules,
  merged: VersionedValue,
  managers: Managers,
  last: OwnedFields | undefined,
  { claimed, intent }: Claim,
): Steps<JsonValue> {
  if (last === undefined || isEmptySet(last.set)) return merged.value;
  // The usual case: what was claimed last time is claimed again.
  if (last.version === merged.version && isEmptySet(difference(last.set, claimed))) {
    return merged.value;
  }
  const before = rules.convert(merged, last.version);
  if (before === undefined) return merged.value;
  yield;
  const type = rules.typeAt(last.version);
  const lastFields = withNamedFields(type, last.set);
  const bare = { ...before, value: removeItems(type, before.value, lastFields) };
  // Beside what is owned, empty lists of the intent stay: it says that they are there.
  const named = namedFields(rules.typeAt(merged.version), intent);
  const present = { set: named, version: merged.version, applied: true };
  const owned = yield* addBackOwned(rules, before, bare, [...managers.values(), present]);
  yield;
  const pruned = yield* addBackDangling(rules, before, owned, lastFields, intent);
  yield;
  return (rules.convert(pruned, merged.version) ?? merged).value;
}

/** What some manager, or the intent itself, still owns stays. */
function* addBackOwned(
  rules: VersionRules,
  merged: VersionedValue,
  pruned: VersionedValue,
  owners: readonly OwnedFields[],
): Steps<VersionedValue> {
  const setsAt = new Map<string, FieldSet[]>();
  for (const { set, version } of owners) {
    const sets = setsAt.get(version);
    if (sets === undefined) setsAt.set(version, [set]);
    else sets.push(set);
  }
  // The version at hand first: a conversion may need fields that were taken out.
  const versions = [merged.version, ...setsAt.keys()];
  let [whole, left] = [merged, pruned];
  for (const version of new Set(versions)) {
    const sets = setsAt.get(version);
    const owned = sets && (yield* unionOf(sets));
    if (sets !== undefined) yield;
    const wholeAt = owned === undefined ? undefined : rules.convert(whole, version);
    const leftAt = wholeAt === undefined ? undefined : rules.convert(left, version);
    if (owned === undefined || wholeAt === undefined || leftAt === undefined) continue;
    yield;
    const type = rules.typeAt(version);
    const named = withNamedFields(type, owned);
    yield;
    const keep = union(wholeFields(rules, leftAt), named);
    yield;
    const drop = difference(wholeFields(rules, wholeAt), keep);
    whole = wholeAt;
    yield;
    left = { value: removeItems(type, wholeAt.value, drop), version };
  }
  return left;
}

/** What the manager did not own last time stays, though it hung on something that went. */
function* addBackDangling(
  rules: VersionRules,
  merged: VersionedValue,
  pruned: VersionedValue,
  lastFields: FieldSet,
  intent: JsonValue,
): Steps<VersionedValue> {
  const left = rules.convert(pruned, merged.version);
  if (left === undefined) return merged;
  // A struct in which no more than an empty list is left claims nothing, and is there.
  const type = rules.typeAt(left.version);
  const there = withNamedFields(type, namedFields(type, left.value));
  yield;
  const gone = difference(wholeFields(rules, merged), there);
  yield;
  const drop = intersection(gone, lastFields);
  return {
    value: removeItemsAndEmptied(rules.typeAt(merged.version), merged.value, drop, intent),
    version: merged.version,
  };
}

function wholeFields(rules: VersionRules, { value, version }: VersionedValue): FieldSet {
  const type = rules.typeAt(version);
  return withNamedFields(type, claimedFields(type, value));
}
