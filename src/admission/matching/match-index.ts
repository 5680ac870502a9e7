/**
 * An index of the configurations that can match a request, by its operation, resource, version,
 * subresource and scope.
 *
 * Invariants: the result for a shape keeps the order of the configurations. A known shape costs one
 * look-up, however many configurations there are. The index is made anew when configurations
 * change, and cleared when the served kinds change.
 * Bound: `shapesMax` shapes are remembered; then all are forgotten.
 */
import type { Matcher, RequestShape } from './matching.ts';

export const shapesMax = 8192;

export interface MatchIndex<T> {
  /** Often empty. `generation`: of the served kinds, which say what is equivalent. */
  candidates(shape: RequestShape, generation: number): readonly T[];
}

/** `narrowed`: as much of a configuration as is of use for the shape; undefined: nothing. */
export function createMatchIndex<T>(
  configurations: readonly T[],
  matcherOf: (configuration: T) => Pick<Matcher, 'mayMatch'>,
  narrowed: (configuration: T, shape: RequestShape) => T | undefined = (all) => all,
): MatchIndex<T> {
  const known = new Map<string, readonly T[]>();
  let seen = -1;
  return {
    candidates(shape, generation) {
      if (configurations.length === 0) return none;
      if (generation !== seen || known.size >= shapesMax) {
        known.clear();
        seen = generation;
      }
      const key = keyOf(shape);
      const before = known.get(key);
      if (before !== undefined) return before;
      const found: T[] = [];
      for (const each of configurations) {
        const kept = matcherOf(each).mayMatch(shape) ? narrowed(each, shape) : undefined;
        if (kept !== undefined) found.push(kept);
      }
      known.set(key, found);
      return found;
    },
  };
}

const none: readonly never[] = [];

export function keyOf(shape: RequestShape): string {
  const { group, namespaced, operation, resource, subresource, version } = shape;
  const scope = namespaced ? 'n' : 'c';
  return `${operation} ${group}/${version}/${resource}/${subresource} ${scope}`;
}
