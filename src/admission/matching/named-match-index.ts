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
 * more than `changesMax` changes, every configuration is checked; learn() does it in steps, where
 * that is much: they are many, or one of those to be looked at has many parts.
 */
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { indexFor } from '../../stdx/sorted-list.ts';
import { finished, runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Matcher, RequestShape } from './matching.ts';

const shapesMax = 8192;
const changesMax = 512;
/** Configurations, or parts of one, that are looked at in one step of learn(), and when nobody has
 * learned. */
const lookedAtOnce = 100;
const lookedAtOnceMax = 200;

/** By name, in the order of their names. */
export interface NamedMatchIndex<T> {
  /** Often empty. `generation`: of the served kinds, which say what is equivalent. */
  candidates(shape: RequestShape, generation: number): readonly T[];
  readonly isEmpty: boolean;
  /** A new one, or another one of this name. */
  set(name: string, configuration: T): void;
  delete(name: string): void;
  /** How many candidates() would look at now, or parts of them. */
  unlooked(shape: RequestShape, generation: number): number;
  /** They are so many that learn() has to come first. */
  isNew(shape: RequestShape, generation: number): boolean;
  /** Looks at all of them, in steps. */
  learn(shape: RequestShape, generation: number): Steps<void>;
}

/** What a plugin asks of whatever keeps such an index. */
export interface MatchSource<T> extends Pick<NamedMatchIndex<T>, 'candidates' | 'isNew'> {
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
  index: Pick<NamedMatchIndex<unknown>, 'isNew' | 'learn'>,
  turns: Pick<Turns, 'run'>,
  shape: RequestShape,
  generation: number,
): Promise<void> | undefined {
  if (!index.isNew(shape, generation)) return undefined;
  return runToEnd(turns, index.learn(shape, generation));
}

/** What is known of a shape: names and what is kept of each, side by side. Never changed. */
/** Those parts of a configuration that may match, in steps: it may have thousands. */
export function* matchingParts<P extends { readonly matcher: Pick<Matcher, 'mayMatch'> }>(
  parts: readonly P[],
  shape: RequestShape,
): Steps<P[]> {
  const matching: P[] = [];
  for (const [at, part] of parts.entries()) {
    if (part.matcher.mayMatch(shape)) matching.push(part);
    if (at % lookedAtOnce === lookedAtOnce - 1) yield;
  }
  return matching;
}

interface Kept<T> {
  readonly names: readonly string[];
  readonly list: readonly T[];
  /** How many changes it has seen. */
  readonly seen: number;
}

interface Ports<T> {
  readonly matcherOf: (configuration: T) => Pick<Matcher, 'mayMatch'>;
  /** To what can match; undefined: nothing. */
  readonly narrowed: (configuration: T, shape: RequestShape) => Steps<T | undefined>;
  /** How many parts that looks at; absent: it counts as one. */
  readonly partsOf?: ((configuration: T) => number) | undefined;
}

export function namedMatchIndex<T>(
  matcherOf: Ports<T>['matcherOf'],
  narrowed: Ports<T>['narrowed'],
  partsOf?: Ports<T>['partsOf'],
): NamedMatchIndex<T> {
  return new Index({ matcherOf, narrowed, partsOf });
}

const none: readonly never[] = [];

class Index<T> implements NamedMatchIndex<T> {
  readonly #ports: Ports<T>;
  readonly #configurations = new Map<string, T>();
  readonly #sorted: string[] = [];
  readonly #known = new Map<string, Kept<T>>();
  /** Names, of which the last is the `seen`th. */
  #changes: string[] = [];
  #seen = 0;
  #generation = -1;
  /** Parts of all. */
  #parts = 0;

  constructor(ports: Ports<T>) {
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#configurations.size === 0;
  }

  set(name: string, configuration: T): void {
    if (!this.#configurations.has(name)) {
      this.#sorted.splice(indexFor(this.#sorted, name, itself), 0, name);
    }
    this.#parts -= this.#partsOf(name);
    this.#configurations.set(name, configuration);
    this.#parts += this.#partsOf(name);
    this.#note(name);
  }

  delete(name: string): void {
    this.#parts -= this.#partsOf(name);
    if (!this.#configurations.delete(name)) return;
    this.#sorted.splice(indexFor(this.#sorted, name, itself), 1);
    this.#note(name);
  }

  candidates(shape: RequestShape, generation: number): readonly T[] {
    if (this.isEmpty) return none;
    this.#renew(generation);
    const key = keyOf(shape);
    const before = this.#known.get(key);
    if (before?.seen === this.#seen) return before.list;
    const now = this.#isNear(before) ? this.#mended(before, shape) : this.#made(shape);
    this.#known.set(key, now);
    return now.list;
  }

  unlooked(shape: RequestShape, generation: number): number {
    if (this.isEmpty) return 0;
    const before = generation === this.#generation ? this.#known.get(keyOf(shape)) : undefined;
    if (before?.seen === this.#seen) return 0;
    if (!this.#isNear(before)) return this.#parts;
    let parts = 0;
    for (const name of this.#changedSince(before)) parts += this.#partsOf(name);
    return parts;
  }

  isNew(shape: RequestShape, generation: number): boolean {
    return this.unlooked(shape, generation) > lookedAtOnceMax;
  }

  *learn(shape: RequestShape, generation: number): Steps<void> {
    const seen = this.#seen;
    const all = [...this.#sorted];
    const made = { names: [] as string[], list: [] as T[], seen };
    for (const [at, name] of all.entries()) {
      yield* this.#look(made, name, shape);
      if (at % lookedAtOnce === lookedAtOnce - 1) yield;
    }
    this.#renew(generation);
    this.#known.set(keyOf(shape), made);
  }

  /** 0: it is not there. */
  #partsOf(name: string): number {
    const configuration = this.#configurations.get(name);
    if (configuration === undefined) return 0;
    return Math.max(1, this.#ports.partsOf?.(configuration) ?? 1);
  }

  #changedSince({ seen }: Kept<T>): ReadonlySet<string> {
    return new Set(this.#changes.slice(seen - this.#seen));
  }

  #note(name: string): void {
    if (this.#changes.length === changesMax) this.#changes = [];
    this.#changes.push(name);
    this.#seen += 1;
  }

  #renew(generation: number): void {
    if (generation === this.#generation && this.#known.size < shapesMax) return;
    this.#known.clear();
    this.#generation = generation;
  }

  /** What has changed since is known. */
  #isNear(before: Kept<T> | undefined): before is Kept<T> {
    return before !== undefined && this.#seen - before.seen <= this.#changes.length;
  }

  *#keptOf(name: string, shape: RequestShape): Steps<T | undefined> {
    const { matcherOf, narrowed } = this.#ports;
    const each = this.#configurations.get(name);
    if (each === undefined || !matcherOf(each).mayMatch(shape)) return undefined;
    return yield* narrowed(each, shape);
  }

  *#look(
    { list, names }: { names: string[]; list: T[] },
    name: string,
    shape: RequestShape,
  ): Steps<void> {
    const kept = yield* this.#keptOf(name, shape);
    if (kept === undefined) return;
    names.push(name);
    list.push(kept);
  }

  #made(shape: RequestShape): Kept<T> {
    const made = { names: [] as string[], list: [] as T[], seen: this.#seen };
    for (const name of this.#sorted) finished(this.#look(made, name, shape));
    return made;
  }

  #mended(before: Kept<T>, shape: RequestShape): Kept<T> {
    const names = [...before.names];
    const list = [...before.list];
    for (const name of this.#changedSince(before)) {
      const kept = finished(this.#keptOf(name, shape));
      const at = indexFor(names, name, itself);
      const isThere = names[at] === name ? 1 : 0;
      if (kept === undefined) {
        names.splice(at, isThere);
        list.splice(at, isThere);
      } else {
        names.splice(at, isThere, name);
        list.splice(at, isThere, kept);
      }
    }
    return { names, list, seen: this.#seen };
  }
}

function itself(name: string): string {
  return name;
}

function keyOf(shape: RequestShape): string {
  const { group, namespaced, operation, resource, subresource, version } = shape;
  const scope = namespaced ? 'n' : 'c';
  return `${operation} ${group}/${version}/${resource}/${subresource} ${scope}`;
}
