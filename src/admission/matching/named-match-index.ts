/**
 * An index of the configurations that can match a request, by its operation, resource, version,
 * subresource and scope. They are added, replaced and removed one by one.
 *
 *     a change  ─▶ recorded
 *     a look-up ─▶ the known result for the shape, updated by the changes recorded since
 *
 * Invariants: the result for a shape keeps the order of the names, and equals what a look at every
 * configuration would find. A known shape costs one look-up, however many configurations there are;
 * it is the same list until something changes. A change costs one check for each shape, when that
 * shape is next looked up. When the served kinds change, all is forgotten.
 * Bounds: `shapesMax` shapes are remembered; then all are forgotten. For an unknown shape, or after
 * more changes than are remembered (latest-changes.ts), every configuration is checked, otherwise
 * those that have changed; learn() does it in steps, where that is much: they are many, or one of
 * them has many parts that have to be looked at.
 */
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { indexFor } from '../../stdx/sorted-list.ts';
import { finished, runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { LatestChanges } from './latest-changes.ts';
import type { Matcher, RequestShape } from './matching.ts';

const shapesMax = 8192;
/** Configurations that are looked at in one step of learn(), and when nobody has learned. */
const lookedAtOnce = 100;
const lookedAtOnceMax = 200;

/** By name, in the order of their names. `K`: what is kept of a configuration for a shape. */
export interface NamedMatchIndex<C, K = C> {
  /** Often empty. `generation`: of the served kinds, which say what is equivalent. */
  candidates(shape: RequestShape, generation: number): readonly K[];
  readonly isEmpty: boolean;
  /** A new one, or another one of this name, or one whose parts have changed. */
  set(name: string, configuration: C): void;
  delete(name: string): void;
  /** How many candidates() would look at now, or parts of them. */
  unlooked(shape: RequestShape, generation: number): number;
  /** They are so many that learn() has to come first. */
  isNew(shape: RequestShape, generation: number): boolean;
  /** Looks at those, in steps. */
  learn(shape: RequestShape, generation: number): Steps<void>;
}

/** What a plugin asks of whatever keeps such an index. */
export interface MatchSource<K> extends Pick<NamedMatchIndex<unknown, K>, 'candidates' | 'isNew'> {
  /** Resolves when the candidates have been found, where that takes turns. */
  known(shape: RequestShape, generation: number): Promise<void> | undefined;
}

/** Whether there are candidates, or may be. */
export function mayConcern(
  source: MatchSource<unknown>,
  shape: RequestShape,
  generation: number,
): boolean {
  // Who they are is found out in turns, when it is asked.
  return source.isNew(shape, generation) || source.candidates(shape, generation).length > 0;
}

/** Found in turns, where they are many. */
export function candidatesOf<T>(
  source: MatchSource<T>,
  shape: RequestShape,
  generation: number,
): Awaitable<readonly T[]> {
  return after(source.known(shape, generation), () => source.candidates(shape, generation));
}

/** MatchSource.known() of whoever keeps this index. */
export function learnedInTurns(
  index: Pick<NamedMatchIndex<never>, 'isNew' | 'learn'>,
  turns: Pick<Turns, 'run'>,
  shape: RequestShape,
  generation: number,
): Promise<void> | undefined {
  if (!index.isNew(shape, generation)) return undefined;
  return runToEnd(turns, index.learn(shape, generation));
}

/** What is known of a shape: names and what is kept of each, side by side. Never changed. */
interface Kept<K> {
  readonly names: readonly string[];
  readonly list: readonly K[];
  /** Of those. */
  readonly candidates: readonly K[];
  /** How many changes it has seen. */
  readonly seen: number;
}

interface Look<K> {
  readonly shape: RequestShape;
  /** What was kept for this shape at the last look. */
  readonly before: K | undefined;
}

interface Ports<C, K> {
  readonly matcherOf: (configuration: C) => Pick<Matcher, 'mayMatch'>;
  /** To what can match. `before`: to what it was, for this shape, when it was last looked at. */
  readonly narrowed: (configuration: C, shape: RequestShape, before: K | undefined) => Steps<K>;
  /** Whether what is left can match at all; absent: it can. */
  readonly isCandidate?: (kept: K) => boolean;
  /** How many parts narrowed() looks at, at this look or at one for a shape that is new;
   * absent: it counts as one. */
  readonly partsOf?: (configuration: C, look?: Look<K>) => number;
}

export function namedMatchIndex<C, K = C>(ports: Ports<C, K>): NamedMatchIndex<C, K> {
  return new Index(ports);
}

const none: readonly never[] = [];

interface Configured<C> {
  readonly configuration: C;
  /** How many parts of it there are for who knows none. */
  readonly parts: number;
}

class Index<C, K> implements NamedMatchIndex<C, K> {
  readonly #ports: Ports<C, K>;
  readonly #configured = new Map<string, Configured<C>>();
  readonly #sorted: string[] = [];
  readonly #known = new Map<string, Kept<K>>();
  readonly #changes = new LatestChanges();
  #generation = -1;
  /** Parts of all. */
  #parts = 0;

  constructor(ports: Ports<C, K>) {
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#configured.size === 0;
  }

  set(name: string, configuration: C): void {
    const before = this.#configured.get(name);
    if (before === undefined) this.#sorted.splice(indexFor(this.#sorted, name, itself), 0, name);
    const parts = this.#partsOf(configuration);
    this.#configured.set(name, { configuration, parts });
    this.#parts += parts - (before?.parts ?? 0);
    this.#changes.note(name);
  }

  delete(name: string): void {
    const before = this.#configured.get(name);
    if (before === undefined) return;
    this.#configured.delete(name);
    this.#parts -= before.parts;
    this.#sorted.splice(indexFor(this.#sorted, name, itself), 1);
    this.#changes.note(name);
  }

  candidates(shape: RequestShape, generation: number): readonly K[] {
    if (this.isEmpty) return none;
    this.#renew(generation);
    const before = this.#known.get(keyOf(shape));
    if (before?.seen === this.#changes.count) return before.candidates;
    const now = finished(this.#look(before, shape));
    this.#known.set(keyOf(shape), now);
    return now.candidates;
  }

  unlooked(shape: RequestShape, generation: number): number {
    if (this.isEmpty) return 0;
    const before = this.#knownOf(shape, generation);
    if (before?.seen === this.#changes.count) return 0;
    const changed = this.#changedSince(before);
    if (before === undefined || changed === undefined) return this.#parts;
    let parts = 0;
    for (const name of changed) {
      const configured = this.#configured.get(name);
      if (configured === undefined) continue;
      parts += this.#partsOf(configured.configuration, { shape, before: keptOf(before, name) });
    }
    return parts;
  }

  isNew(shape: RequestShape, generation: number): boolean {
    return this.unlooked(shape, generation) > lookedAtOnceMax;
  }

  *learn(shape: RequestShape, generation: number): Steps<void> {
    const learned = yield* this.#look(this.#knownOf(shape, generation), shape);
    this.#renew(generation);
    this.#known.set(keyOf(shape), learned);
  }

  #partsOf(configuration: C, look?: Look<K>): number {
    return Math.max(1, this.#ports.partsOf?.(configuration, look) ?? 1);
  }

  #knownOf(shape: RequestShape, generation: number): Kept<K> | undefined {
    return generation === this.#generation ? this.#known.get(keyOf(shape)) : undefined;
  }

  #changedSince(before: Kept<K> | undefined): ReadonlySet<string> | undefined {
    return before === undefined ? undefined : this.#changes.since(before.seen);
  }

  #renew(generation: number): void {
    if (generation === this.#generation && this.#known.size < shapesMax) return;
    this.#known.clear();
    this.#generation = generation;
  }

  /** At those that have changed since; at all, where nobody knows which those are. */
  *#look(before: Kept<K> | undefined, shape: RequestShape): Steps<Kept<K>> {
    const seen = this.#changes.count;
    const changed = this.#changedSince(before);
    const { list, names } =
      before === undefined || changed === undefined
        ? yield* this.#made(shape)
        : yield* this.#mended(before, changed, shape);
    const { isCandidate } = this.#ports;
    const candidates = isCandidate === undefined ? list : list.filter(isCandidate);
    return { names, list, candidates, seen };
  }

  *#made(shape: RequestShape): Steps<Pick<Kept<K>, 'names' | 'list'>> {
    const names: string[] = [];
    const list: K[] = [];
    for (const [at, name] of [...this.#sorted].entries()) {
      const kept = yield* this.#keep(name, shape, undefined);
      if (kept !== undefined) {
        names.push(name);
        list.push(kept);
      }
      if (at % lookedAtOnce === lookedAtOnce - 1) yield;
    }
    return { names, list };
  }

  *#mended(
    before: Kept<K>,
    changed: ReadonlySet<string>,
    shape: RequestShape,
  ): Steps<Pick<Kept<K>, 'names' | 'list'>> {
    const names = [...before.names];
    const list = [...before.list];
    let looked = 0;
    for (const name of changed) {
      const at = indexFor(names, name, itself);
      const isThere = names[at] === name ? 1 : 0;
      const kept = yield* this.#keep(name, shape, isThere === 1 ? list[at] : undefined);
      names.splice(at, isThere, ...(kept === undefined ? [] : [name]));
      list.splice(at, isThere, ...(kept === undefined ? [] : [kept]));
      looked += 1;
      if (looked % lookedAtOnce === 0) yield;
    }
    return { names, list };
  }

  *#keep(name: string, shape: RequestShape, before: K | undefined): Steps<K | undefined> {
    const configured = this.#configured.get(name);
    if (configured === undefined) return undefined;
    const { matcherOf, narrowed } = this.#ports;
    const { configuration } = configured;
    if (!matcherOf(configuration).mayMatch(shape)) return undefined;
    return yield* narrowed(configuration, shape, before);
  }
}

function keptOf<K>({ list, names }: Kept<K>, name: string): K | undefined {
  const at = indexFor(names, name, itself);
  return names[at] === name ? list[at] : undefined;
}

function itself(name: string): string {
  return name;
}

function keyOf(shape: RequestShape): string {
  const { group, namespaced, operation, resource, subresource, version } = shape;
  const scope = namespaced ? 'n' : 'c';
  return `${operation} ${group}/${version}/${resource}/${subresource} ${scope}`;
}
