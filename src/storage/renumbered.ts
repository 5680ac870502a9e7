/**
 * A mutation names others of its commit by their indexes (`after`, `follows`). In another commit
 * they have others.
 *
 * Invariant: nothing else of the mutation changes.
 */
import type { Mutation } from './storage.ts';

export function renumbered(mutation: Mutation, placeOf: (index: number) => number): Mutation {
  const { expect, follows } = mutation;
  if (expect.kind !== 'after' && follows === undefined) return mutation;
  return {
    ...mutation,
    expect: expect.kind === 'after' ? { kind: 'after', index: placeOf(expect.index) } : expect,
    follows: follows?.map(placeOf),
  };
}
