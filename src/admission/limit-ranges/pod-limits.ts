/**
 * Applies the LimitRanges of a namespace to a pod or a claim: default amounts for containers that
 * name none, and the errors if it breaks a limit.
 *
 * Invariants: the first range that is broken refuses the object, with all of its errors.
 * Bounds: a body may have ten thousand containers and a namespace thousands of limits, so the two
 * are not multiplied. The containers are walked once for their smallest and largest amounts
 * (extremes.ts); only a range that is broken is checked against each container, for up to
 * `problemsMax` errors.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import { addQuantities, compareQuantities } from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { setMember } from '../../stdx/lookup.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { stepping } from '../in-turns.ts';
import { atLeast, atMost, ratioAtMost, requestAtMost } from './constraints.ts';
import type { Amounts, Constraint } from './constraints.ts';
import { amountsOf, createExtremes, eachAmount } from './extremes.ts';
import type { LimitItem, NamespaceLimits, UsualAmounts } from './namespace-limits.ts';

/** Told of one write; and how many are looked at for those, which may all be the same. */
const problemsMax = 100;
const foundMax = 1000;

/** Amounts that are added to one pod: as many as a body may hold. */
const addedMax = 25_000;

/** Containers that the annotation names. */
const missingListedMax = 1000;

/** What was set. */
export interface Completed {
  readonly spec: JsonObject;
  /** For the annotation. */
  readonly text: string;
}

/** The pod's spec with usual amounts for its containers; `too many`: they would be more than a body
 * may hold; undefined: nothing is missing. */
export function* withUsualAmounts(
  spec: JsonObject,
  usual: UsualAmounts,
): Steps<Completed | 'too many' | undefined> {
  const amounts = usual.limits.size + usual.requests.size;
  const containers = objects(spec, 'containers').length + objects(spec, 'initContainers').length;
  if (amounts === 0) return undefined;
  if (containers * amounts > addedMax) return 'too many';
  const set: SetAmounts = { listed: [], count: 0 };
  const completed: Record<string, readonly JsonObject[]> = {};
  for (const [list, noun] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    if (spec[list] === undefined) continue;
    const all: JsonObject[] = [];
    yield* stepping(objects(spec, list), (container) => {
      all.push(withUsual(container, usual, noun, set));
    });
    completed[list] = all;
  }
  if (set.count === 0) return undefined;
  return { spec: { ...spec, ...completed }, text: setText(set) };
}

/** What the annotation tells of containers, and of how many there is something to tell. */
interface SetAmounts {
  readonly listed: string[];
  count: number;
}

function withUsual(
  container: JsonObject,
  usual: UsualAmounts,
  noun: string,
  set: SetAmounts,
): JsonObject {
  const resources = part(container, 'resources');
  let changed: JsonObject | undefined;
  for (const list of ['requests', 'limits'] as const) {
    const own = part(resources, list);
    const missing: string[] = [];
    const next: Record<string, JsonValue | undefined> = {};
    for (const [name, amount] of usual[list]) {
      if (Object.hasOwn(own, name)) continue;
      missing.push(name);
      setMember(next, name, amount);
    }
    if (missing.length === 0) continue;
    changed = { ...(changed ?? resources), [list]: { ...own, ...next } };
    set.count += 1;
    if (set.listed.length >= missingListedMax) continue;
    const what = `${list.slice(0, -1)} for ${noun} ${text(container, 'name')}`;
    set.listed.push(`${missing.sort().join(', ')} ${what}`);
  }
  return changed === undefined ? container : { ...container, resources: changed };
}

/** As the annotation says it. */
function setText({ count, listed: told }: SetAmounts): string {
  const more = count > told.length ? `; and ${count - told.length} more` : '';
  return `LimitRanger plugin set: ${told.join('; ')}${more}`;
}

/** Why a pod of this spec may not be there. */
export function* podProblem(
  spec: JsonObject,
  { ranges }: Pick<NamespaceLimits, 'ranges'>,
): Steps<string | undefined> {
  const containers = [...objects(spec, 'containers'), ...objects(spec, 'initContainers')];
  const extremes = createExtremes();
  yield* stepping(containers, (container) => extremes.take(container));
  const isForPods = ranges.some((range) => range.some(({ type }) => type === 'Pod'));
  const whole = isForPods ? [yield* totalsOf(spec)] : [];
  for (const range of ranges) {
    const problems = new Set<string>();
    for (const item of range) {
      if (item.type === 'Pod') addProblems(problems, item, whole);
      if (item.type !== 'Container' || !extremes.isBroken(item)) continue;
      let found = 0;
      yield* stepping(containers, (container) => {
        if (found < foundMax) found += addProblems(problems, item, [amountsOf(container)]);
      });
    }
    yield;
    if (problems.size > 0) return textOf(problems);
  }
  return undefined;
}

export function claimProblem(
  claim: ApiObject,
  { ranges }: Pick<NamespaceLimits, 'ranges'>,
): string | undefined {
  const { requests } = amountsOf(part(claim, 'spec'));
  const amounts = [{ requests, limits: new Map<string, Quantity>() }];
  for (const range of ranges) {
    const problems = new Set<string>();
    for (const item of range) {
      if (item.type !== 'PersistentVolumeClaim') continue;
      addProblems(problems, { ...item, ratio: [] }, amounts, requestAtMost);
    }
    if (problems.size > 0) return textOf(problems);
  }
  return undefined;
}

/** One problem is its text, several are a list of what is not the same. */
function textOf(problems: ReadonlySet<string>): string {
  const [first = '', ...more] = problems;
  return more.length === 0 ? first : `[${[...problems].slice(0, problemsMax).join(', ')}]`;
}

/** How many there were, with those that are the same. */
function addProblems(
  problems: Set<string>,
  { max, min, ratio, type }: LimitItem,
  all: readonly Amounts[],
  maximum: Constraint = atMost,
): number {
  let count = 0;
  for (const amounts of all) {
    for (const [bounds, constraint] of [
      [min, atLeast],
      [max, maximum],
      [ratio, ratioAtMost],
    ] as const) {
      for (const bound of bounds) {
        const problem = constraint(type, bound, amounts);
        if (problem === undefined) continue;
        count += 1;
        if (problems.size < problemsMax) problems.add(problem);
      }
    }
  }
  return count;
}

/** What the whole pod asks for at any one time: its containers and those that keep running beside
 * them, or one that initializes with those that have been started before it. */
function* totalsOf(spec: JsonObject): Steps<Amounts> {
  const requests = yield* totalOf(spec, 'requests');
  const limits = yield* totalOf(spec, 'limits');
  return { requests, limits };
}

function* totalOf(
  spec: JsonObject,
  list: 'requests' | 'limits',
): Steps<ReadonlyMap<string, Quantity>> {
  const running = new Map<string, Quantity>();
  const beside = new Map<string, Quantity>();
  const initializing = new Map<string, Quantity>();
  const own = (container: JsonObject): JsonObject => part(part(container, 'resources'), list);
  yield* stepping(objects(spec, 'containers'), (container) => add(running, own(container)));
  yield* stepping(objects(spec, 'initContainers'), (container) => {
    if (container['restartPolicy'] === 'Always') {
      add(running, own(container));
      add(beside, own(container));
      return;
    }
    eachAmount(own(container), (name, amount) => {
      const others = beside.get(name);
      raise(initializing, name, others === undefined ? amount : addQuantities(others, amount));
    });
  });
  for (const [name, amount] of initializing) raise(running, name, amount);
  return running;
}

function raise(to: Map<string, Quantity>, name: string, amount: Quantity): void {
  const known = to.get(name);
  if (known === undefined || compareQuantities(amount, known) > 0) to.set(name, amount);
}

function add(to: Map<string, Quantity>, amounts: JsonObject): void {
  eachAmount(amounts, (name, amount) => {
    const known = to.get(name);
    to.set(name, known === undefined ? amount : addQuantities(known, amount));
  });
}
