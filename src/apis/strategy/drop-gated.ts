/**
 * Takes out of what is written the fields of features that are off (gated-fields.ts), unless the
 * stored object already uses the feature: who has such a field keeps it, and may change it.
 *
 *     next ──scan──▶ the rows that it has ──scan current──▶ those not in use ──▶ taken out
 *            none: `next` itself
 *
 * Whoever wrote them is told nothing: the fields are known. He goes on owning them, for he said
 * them (registry/field-ownership.ts).
 *
 * Invariants: pure; an object without such fields is returned as it is. That costs one look at each
 * item of the lists that could hold one. Members of another type than the path says hold nothing.
 */
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember, without } from '../../apimachinery/unstructured.ts';
import type { KindStrategy, SubresourceRules } from '../../registry/strategy.ts';
import { assert } from '../../stdx/assert.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { GatedFields } from '../gated-fields.ts';

/** One name of a path. */
interface Step {
  readonly name: string;
  readonly inEach: boolean;
  readonly goesWhenEmpty: boolean;
}

/** All paths of a kind at once, so that each list is gone through once. */
interface Branch extends Omit<Step, 'inEach'> {
  /** A path leads through its items; another may end at the list. */
  inEach: boolean;
  /** The bits of the rows whose path ends here. */
  rows: number;
  readonly below: Branch[];
}

/** More rows than a bit set holds. */
const rowsMax = 31;

interface Row {
  readonly fields: readonly (readonly Step[])[];
  readonly drop: GatedFields['drop'];
  /** The part of the object that `drop` is given. */
  readonly base: readonly Step[];
}

/** From the object to write and the current one, if there is one, to the object without them. */
export type DropGated = (next: ApiObject, current?: ApiObject) => ApiObject;

/** Undefined: the kind has no such fields. */
export function dropGated(
  gated: readonly GatedFields[],
  isFeatureOn: (gate: string) => boolean,
): DropGated | undefined {
  const given = gated.filter(({ gate }) => !isFeatureOn(gate));
  if (given.length === 0) return undefined;
  assert(given.length <= rowsMax, 'the rows of a kind fit in a bit set');
  const written: Branch[] = [];
  const used: Branch[] = [];
  const rows = given.map(({ drop, fields, usedBy = fields, within }, index): Row => {
    const start = within === undefined ? [] : stepsOf(within);
    const paths = fields.map((path) => [...start, ...stepsOf(path)]);
    for (const path of paths) grow(written, path, 1 << index);
    for (const path of usedBy) grow(used, [...start, ...stepsOf(path)], 1 << index);
    return { fields: paths, drop, base: start };
  });
  return (next, current) => {
    const found = rowsIn(next, written);
    if (found === 0) return next;
    const dropped = current === undefined ? found : found & ~rowsIn(current, used);
    let made: JsonObject = next;
    for (let index = 0; index < rows.length; index += 1) {
      if ((dropped & (1 << index)) !== 0) made = withoutRow(made, rows[index] as Row);
    }
    return made as ApiObject;
  };
}

function stepsOf(path: string): readonly Step[] {
  return path.split('.').map((step) => {
    const [, name = '', mark = ''] = /^(\w+)(\[\]|\?)?$/.exec(step) ?? [];
    assert(name !== '', 'a path has names');
    return { name, inEach: mark === '[]', goesWhenEmpty: mark === '?' };
  });
}

function grow(branches: Branch[], [step, ...rest]: readonly Step[], row: number): void {
  if (step === undefined) return;
  let branch = branches.find(({ name }) => name === step.name);
  if (branch === undefined) branches.push((branch = { ...step, rows: 0, below: [] }));
  branch.inEach ||= step.inEach;
  if (rest.length === 0) branch.rows |= row;
  else grow(branch.below, rest, row);
}

/** Which rows have a field here. Empty lists are none, as in what is stored. */
function rowsIn(object: JsonObject, branches: readonly Branch[]): number {
  let found = 0;
  // By index: every write of a pod comes here, and an iterator takes as long as the look.
  for (let at = 0; at < branches.length; at += 1) {
    const branch = branches[at] as Branch;
    const value = object[branch.name];
    if (value !== undefined && value !== null) found |= rowsOf(value, branch);
  }
  return found;
}

function rowsOf(value: JsonValue, { below, inEach, rows }: Branch): number {
  if (!Array.isArray(value)) {
    if (below.length === 0 || inEach || typeof value !== 'object') return rows;
    return rows | rowsIn(value as JsonObject, below);
  }
  const list = value as readonly JsonValue[];
  let found = list.length === 0 ? 0 : rows;
  if (!inEach) return found;
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at];
    if (isJsonObject(item)) found |= rowsIn(item, below);
  }
  return found;
}

function withoutRow(object: JsonObject, { base, drop, fields }: Row): JsonObject {
  if (drop !== undefined) return changedAt(object, base, 0, drop);
  return fields.reduce((made, path) => withoutField(made, path), object);
}

function withoutField(object: JsonObject, path: readonly Step[]): JsonObject {
  const { name } = path.at(-1) as Step;
  return changedAt(object, path.slice(0, -1), 0, (holder) =>
    holder[name] === undefined ? holder : without(holder, name),
  );
}

/** The object with what `change` makes of each object that the path leads to. */
function changedAt(
  object: JsonObject,
  path: readonly Step[],
  at: number,
  change: (object: JsonObject) => JsonObject,
): JsonObject {
  const step = path[at];
  if (step === undefined) return change(object);
  const { goesWhenEmpty, inEach, name } = step;
  const value = object[name];
  if (inEach) {
    if (!Array.isArray(value)) return object;
    const list = value as readonly JsonValue[];
    return withMember(
      object,
      name,
      list.map((item) => (isJsonObject(item) ? changedAt(item, path, at + 1, change) : item)),
    );
  }
  if (!isJsonObject(value)) return object;
  const made = changedAt(value, path, at + 1, change);
  if (made === value) return object;
  return goesWhenEmpty && Object.keys(made).length === 0
    ? without(object, name)
    : withMember(object, name, made);
}

type Prepared = Pick<
  KindStrategy,
  'prepareForCreate' | 'prepareForUpdate' | 'prepareForStatusUpdate' | 'subresources'
>;

/** What a kind makes of a write, after the fields are taken out. */
export function withoutGated(own: Prepared, drop: DropGated): Prepared {
  const rules = Object.entries(own.subresources).map(([name, each]): [string, SubresourceRules] => [
    name,
    { ...each, prepare: (next, current, now) => each.prepare(drop(next, current), current, now) },
  ]);
  return {
    prepareForCreate: (object, user) => own.prepareForCreate(drop(object), user),
    prepareForUpdate: (next, current, nowMs) =>
      own.prepareForUpdate(drop(next, current), current, nowMs),
    prepareForStatusUpdate: (next, current, nowMs) =>
      own.prepareForStatusUpdate(drop(next, current), current, nowMs),
    subresources: lookup(Object.fromEntries(rules)),
  };
}
