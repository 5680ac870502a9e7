/**
 * What the limit ranges of a namespace make of a pod or a claim: usual amounts for containers that
 * say nothing, and why it may not be written.
 *
 * Invariants: the first range that is not kept refuses, with all that it has to say.
 * Bounds: a body may hold ten thousand containers and a namespace thousands of limits, so no limit
 * is held against each container: they are walked once, what they have least and most of is
 * remembered, and only the range that is not kept goes through them, for `problemsMax` problems.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import { addQuantities, compareQuantities } from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { atLeast, atMost, ratioAtMost, requestAtMost } from './constraints.ts';
import type { Amounts, Constraint } from './constraints.ts';
import { amountsOf, extremesOf, isBroken } from './extremes.ts';
import type { LimitItem, NamespaceLimits, UsualAmounts } from './namespace-limits.ts';

/** Told of one write; and how many are looked at for those, which may all be the same. */
const problemsMax = 100;
const foundMax = 1000;

/** Amounts that are added to one pod: as many as a body may hold. */
const addedMax = 25_000;

/** Containers that the annotation names. */
const toldMax = 1000;

/** Names and amounts that were set, for the annotation; undefined: nothing was missing. */
export interface Completed {
  readonly spec: JsonObject;
  readonly set: readonly string[];
}

/** The pod's spec with usual amounts for its containers; `too many`: they would be more than a body
 * may hold. */
export function withUsualAmounts(
  spec: JsonObject,
  usual: UsualAmounts,
): Completed | 'too many' | undefined {
  const amounts = usual.limits.size + usual.requests.size;
  if (amounts === 0) return undefined;
  const containers = objects(spec, 'containers').length + objects(spec, 'initContainers').length;
  if (containers * amounts > addedMax) return 'too many';
  const set: string[] = [];
  const completed: Record<string, readonly JsonObject[]> = {};
  for (const [list, noun] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    if (spec[list] === undefined) continue;
    completed[list] = objects(spec, list).map((container) =>
      withUsual(container, usual, `${noun} ${text(container, 'name')}`, set),
    );
  }
  return set.length === 0 ? undefined : { spec: { ...spec, ...completed }, set };
}

function withUsual(
  container: JsonObject,
  usual: UsualAmounts,
  what: string,
  set: string[],
): JsonObject {
  const resources = part(container, 'resources');
  let changed: JsonObject | undefined;
  for (const list of ['requests', 'limits'] as const) {
    const own = part(resources, list);
    const missing = [...usual[list].keys()].filter((name) => !Object.hasOwn(own, name)).sort();
    if (missing.length === 0) continue;
    const added = Object.fromEntries(missing.map((name) => [name, usual[list].get(name)]));
    changed = { ...(changed ?? resources), [list]: { ...own, ...added } };
    set.push(`${missing.join(', ')} ${list.slice(0, -1)} for ${what}`);
  }
  return changed === undefined ? container : { ...container, resources: changed };
}

/** Why a pod of this spec may not be there. */
export function podProblem(
  spec: JsonObject,
  { ranges }: Pick<NamespaceLimits, 'ranges'>,
): string | undefined {
  const containers = [...objects(spec, 'containers'), ...objects(spec, 'initContainers')];
  const each = containers.map(amountsOf);
  const extremes = extremesOf(each);
  const whole = ranges.some((range) => range.some(({ type }) => type === 'Pod'))
    ? [totalsOf(spec)]
    : [];
  return firstProblem(ranges, (item) => {
    if (item.type === 'Pod') return problemsOf(item, whole);
    if (item.type !== 'Container' || !isBroken(item, extremes, each.length)) return [];
    return problemsOf(item, each);
  });
}

export function claimProblem(
  claim: ApiObject,
  { ranges }: Pick<NamespaceLimits, 'ranges'>,
): string | undefined {
  const requested = amountsOf(part(claim, 'spec'));
  const amounts = [{ requests: requested.requests, limits: new Map<string, Quantity>() }];
  return firstProblem(ranges, (item) =>
    item.type === 'PersistentVolumeClaim'
      ? problemsOf({ ...item, ratio: [] }, amounts, requestAtMost)
      : [],
  );
}

/** One problem is its text, several are a list of what is not the same. */
function firstProblem(
  ranges: NamespaceLimits['ranges'],
  find: (item: LimitItem) => readonly string[],
): string | undefined {
  for (const range of ranges) {
    const found = new Set<string>();
    for (const item of range) for (const problem of find(item)) found.add(problem);
    const problems = [...found].slice(0, problemsMax);
    if (problems.length > 0) return problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  }
  return undefined;
}

function problemsOf(
  { max, min, ratio, type }: LimitItem,
  all: readonly Amounts[],
  maximum: Constraint = atMost,
): readonly string[] {
  const problems: string[] = [];
  for (const amounts of all) {
    for (const [bounds, constraint] of [
      [min, atLeast],
      [max, maximum],
      [ratio, ratioAtMost],
    ] as const) {
      for (const bound of bounds) {
        const problem = constraint(type, bound, amounts);
        if (problem !== undefined) problems.push(problem);
      }
    }
    if (problems.length >= foundMax) break;
  }
  return problems;
}

/** What the whole pod asks for at any one time: its containers and those that keep running beside
 * them, or one that initializes with those that have been started before it. */
function totalsOf(spec: JsonObject): Amounts {
  return { requests: totalOf(spec, 'requests'), limits: totalOf(spec, 'limits') };
}

function totalOf(spec: JsonObject, list: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const running = new Map<string, Quantity>();
  const beside = new Map<string, Quantity>();
  const initializing = new Map<string, Quantity>();
  for (const container of objects(spec, 'containers')) add(running, amountsOf(container)[list]);
  for (const container of objects(spec, 'initContainers')) {
    const own = amountsOf(container)[list];
    if (container['restartPolicy'] === 'Always') {
      add(running, own);
      add(beside, own);
      continue;
    }
    for (const [name, amount] of own) {
      const others = beside.get(name);
      raise(initializing, name, others === undefined ? amount : addQuantities(others, amount));
    }
  }
  for (const [name, amount] of initializing) raise(running, name, amount);
  return running;
}

function raise(to: Map<string, Quantity>, name: string, amount: Quantity): void {
  const known = to.get(name);
  if (known === undefined || compareQuantities(amount, known) > 0) to.set(name, amount);
}

function add(to: Map<string, Quantity>, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    to.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
}

/** What limit ranges set, as the annotation says it. */
export function setText(set: readonly string[]): string {
  const told = set.slice(0, toldMax).join('; ');
  const more = set.length > toldMax ? `; and ${set.length - toldMax} more` : '';
  return `LimitRanger plugin set: ${told}${more}`;
}

