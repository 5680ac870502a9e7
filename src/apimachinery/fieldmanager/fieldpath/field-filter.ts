/**
 * Filters of field sets: what a writer may own (spec 1, section 4.5).
 *
 *     including   only what a pattern matches, where a step of the pattern may be any element
 *
 * Invariant: a pattern also keeps the members on the way to what it matches.
 */
import type { FieldSet, FieldSetDraft } from './field-set.ts';
import { emptySet, isEmptySet, isMember, memberMark } from './field-set.ts';

export type FieldFilter = (set: FieldSet) => FieldSet;

/** Any element, as a step of a pattern. */
export const anyElement = '*';

/** A tree of steps: path elements or anyElement. 'all' takes everything from here on. */
export type FieldPattern = 'all' | ReadonlyMap<string, FieldPattern>;

/** The pattern of one path and all that lies below it. */
export function patternOf(path: readonly string[]): FieldPattern {
  return path.reduceRight<FieldPattern>((below, step) => new Map([[step, below]]), 'all');
}

/** Matches what either matches. */
export function mergePatterns(left: FieldPattern, right: FieldPattern): FieldPattern {
  if (left === 'all' || right === 'all') return 'all';
  const merged = new Map(left);
  for (const [step, below] of right) {
    const other = merged.get(step);
    merged.set(step, other === undefined ? below : mergePatterns(other, below));
  }
  return merged;
}

export function including(pattern: FieldPattern): FieldFilter {
  return (set) => select(set, pattern, false) ?? emptySet;
}

/** anyElement, where it is there, takes precedence over the others of its level. */
function select(set: FieldSet, pattern: FieldPattern, member: boolean): FieldSet | undefined {
  if (pattern === 'all') return set;
  const out: FieldSetDraft = {};
  if (member) out[memberMark] = emptySet;
  let isEmpty = true;
  for (const key of Object.keys(set)) {
    const below = key === memberMark ? undefined : (pattern.get(anyElement) ?? pattern.get(key));
    if (below === undefined) continue;
    const node = set[key] as FieldSet;
    const selected = selectNode(node, below);
    if (selected === undefined) continue;
    isEmpty = false;
    out[key] = selected;
  }
  if (!isEmpty) return out;
  return member ? emptySet : undefined;
}

function selectNode(node: FieldSet, pattern: FieldPattern): FieldSet | undefined {
  if (isEmptySet(node)) return node;
  return select(node, pattern, isMember(node));
}
