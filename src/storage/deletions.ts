/**
 * The mutations of a commit that a full store accepts: deletions, and updates of records that are
 * being deleted. They free space, or lead to it.
 *
 * Invariant: one that was to follow another of the same commit is kept only together with it.
 */
import type { Mutation } from './storage.ts';

/** Whether a record in this state is being deleted. */
export type IsBeingDeleted = (state: string) => boolean;

interface Kept {
  readonly mutation: Mutation;
  /** Its index in the commit before. */
  readonly from: number;
}

export function isDeletion({ operation }: Mutation, isEnding: IsBeingDeleted): boolean {
  return operation.kind === 'delete' || isEnding(operation.state);
}

/** Each with those that follow it, as commits of their own: together they may need more room than
 * is left, one by one they free it for each other. */
export function deletionsOf(
  mutations: readonly Mutation[],
  isEnding: IsBeingDeleted,
): readonly Kept[][] {
  const chains: Kept[][] = [];
  const places = new Map<number, { readonly chain: Kept[]; readonly index: number }>();
  for (const [from, mutation] of mutations.entries()) {
    if (!isDeletion(mutation, isEnding)) continue;
    const { expect } = mutation;
    const before = expect.kind === 'after' ? places.get(expect.index) : undefined;
    if (expect.kind === 'after' && before === undefined) continue;
    const chain = before?.chain ?? [];
    if (before === undefined) chains.push(chain);
    places.set(from, { chain, index: chain.length });
    const moved =
      before === undefined
        ? mutation
        : { ...mutation, expect: { kind: 'after', index: before.index } as const };
    chain.push({ mutation: moved, from });
  }
  return chains;
}
