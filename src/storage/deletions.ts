/**
 * The mutations of a commit that a full store accepts: deletions, and updates of records that are
 * being deleted. They free space, or lead to it.
 *
 * Invariant: one that was to follow another of the same commit is kept only together with it.
 */
import { renumbered } from './renumbered.ts';
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
    const { expect, follows = [] } = mutation;
    const before = expect.kind === 'after' ? [expect.index, ...follows] : follows;
    const first = before.length === 0 ? undefined : places.get(before[0] as number);
    const isKept = before.every((each) => places.get(each)?.chain === first?.chain);
    // What it is to follow is not tried, or in another commit than this one could be.
    if (before.length > 0 && (first === undefined || !isKept)) continue;
    const chain = first?.chain ?? [];
    if (first === undefined) chains.push(chain);
    places.set(from, { chain, index: chain.length });
    const placeOf = (index: number): number => places.get(index)?.index ?? 0;
    const moved = before.length === 0 ? mutation : renumbered(mutation, placeOf);
    chain.push({ mutation: moved, from });
  }
  return chains;
}
