/**
 * The parts of one configuration (the bindings of a policy): they come and go one by one, and may
 * be a hundred thousand.
 *
 * Invariants: parts keep the order of their names. A change costs no look at the others; who says
 * what matched before pays for those that have changed since. What has been given never changes.
 */
import { indexFor } from '../../stdx/sorted-list.ts';
import { SortedMap } from '../../stdx/sorted-map.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { LatestChanges } from './latest-changes.ts';
import type { Matcher, RequestShape } from './matching.ts';

export interface MatchedPart {
  readonly matcher: Pick<Matcher, 'mayMatch'>;
}

export interface NamedPart extends MatchedPart {
  readonly name: string;
}

/** What can match a shape of requests. */
export interface MatchedParts<P extends NamedPart> {
  readonly parts: readonly P[];
  readonly of: ChangingParts<P>;
  /** How many changes it has seen. */
  readonly seen: number;
}

/** Parts that are looked at in one step. */
const lookedAtOnce = 100;

/** Those that may match, in steps: there may be thousands. */
export function* matchingParts<P extends MatchedPart>(
  parts: Iterable<P>,
  shape: RequestShape,
): Steps<P[]> {
  const matching: P[] = [];
  let looked = 0;
  for (const part of parts) {
    if (part.matcher.mayMatch(shape)) matching.push(part);
    looked += 1;
    if (looked % lookedAtOnce === 0) yield;
  }
  return matching;
}

export class ChangingParts<P extends NamedPart> {
  readonly #parts = new SortedMap<P>();
  readonly #changes = new LatestChanges();

  get size(): number {
    return this.#parts.size;
  }

  set(part: P): void {
    this.#parts.set(part.name, part);
    this.#changes.note(part.name);
  }

  delete(name: string): void {
    if (this.#parts.delete(name) !== undefined) this.#changes.note(name);
  }

  /** How many matching() would look at. */
  unlooked(before: MatchedParts<P> | undefined): number {
    return this.#changedSince(before)?.size ?? this.size;
  }

  /** `before`: what it was for this shape. */
  *matching(shape: RequestShape, before: MatchedParts<P> | undefined): Steps<MatchedParts<P>> {
    const seen = this.#changes.count;
    const changed = this.#changedSince(before);
    const parts =
      before === undefined || changed === undefined
        ? yield* matchingParts(this.#parts.view().values(), shape)
        : this.#mended(before.parts, changed, shape);
    return { parts, of: this, seen };
  }

  #changedSince(before: MatchedParts<P> | undefined): ReadonlySet<string> | undefined {
    return before?.of === this ? this.#changes.since(before.seen) : undefined;
  }

  #mended(before: readonly P[], changed: ReadonlySet<string>, shape: RequestShape): readonly P[] {
    if (changed.size === 0) return before;
    const parts = [...before];
    for (const name of changed) {
      const part = this.#parts.get(name);
      const at = indexFor(parts, name, nameOf);
      const isThere = parts[at]?.name === name ? 1 : 0;
      if (part?.matcher.mayMatch(shape) === true) parts.splice(at, isThere, part);
      else parts.splice(at, isThere);
    }
    return parts;
  }
}

function nameOf({ name }: NamedPart): string {
  return name;
}
