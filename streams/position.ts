/**
 * Where a watch is. Positions are shared: all watchers that were sent one chunk have the same.
 */
import type { Revision } from '../src/storage/storage.ts';

/** The seq of a watch whose position is only known as a revision, because the changes there are not
 * in memory. */
export const unknownSeq = -1;

/** How far a watch has got among the changes of its resource. */
export interface Position {
  /** `unknownSeq`, or that of a change. */
  readonly seq: number;
  readonly revision: Revision;
}
