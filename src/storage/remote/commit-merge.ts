/**
 * Merges the commits of several writers: commits that arrive while one is in flight go together
 * into the next one, so all writers share its flush.
 *
 *   writer 1: [a b]      ┐
 *   writer 2: [c]        ├─▶ one storage.commit([a b c d e]) ─▶ outcomes cut apart again
 *   writer 1: [d e]      ┘        the indexes in them moved by what stands before
 *
 * Elsewhere: the committer of a server (../committer.ts), which gathers single mutations.
 *
 * A writer that keeps losing races on a record gets a turn on it (record-queues.ts).
 *
 * Invariants: at most one commit is in flight; commits are applied in the order they came; each
 * gets its own outcomes, or the error of the commit it rode in.
 * Bounds: `mergeLimits` for what rides together (one always goes); what waits is one commit for
 * each committer of a worker.
 */
import type { Timers } from '../../stdx/clock.ts';
import { renumbered } from '../renumbered.ts';
import { checkMutations, valueBytesOf, writesOf } from '../mutation-limits.ts';
import type { Mutation, MutationOutcome, Storage } from '../storage.ts';
import type { RecordQueues, QueuedWriter } from './record-queues.ts';

const mergeLimits = {
  /** Mutations and their companions in one commit. */
  writesMax: 2048,
  /** Value bytes in one commit. */
  bytesMax: 16 * 1024 * 1024,
} as const;

export interface CommitMerge {
  /** As Storage.commit; settles in order. */
  commit(writer: QueuedWriter, mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]>;
  readonly commitsTotal: number;
}

interface Waiting {
  readonly writer: QueuedWriter;
  readonly mutations: readonly Mutation[];
  readonly bytes: number;
  /** With those of companions. */
  readonly writes: number;
  readonly resolve: (outcomes: readonly MutationOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

export function createCommitMerge(
  storage: Pick<Storage, 'commit'>,
  timers: Pick<Timers, 'nextTurn'>,
  turns: Pick<RecordQueues, 'admit' | 'settled'>,
): CommitMerge {
  const queue: Waiting[] = [];
  let running = false;
  let commitsTotal = 0;

  function take(): readonly Waiting[] {
    let count = 0;
    let writes = 0;
    let bytes = 0;
    for (const waiting of queue) {
      writes += waiting.writes;
      bytes += waiting.bytes;
      const over = writes > mergeLimits.writesMax || bytes > mergeLimits.bytesMax;
      if (count > 0 && over) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const riders = take();
      commitsTotal += 1;
      try {
        const outcomes = await storage.commit(mergedOf(riders, turns));
        let at = 0;
        for (const { writer, mutations, resolve } of riders) {
          const own = outcomes.slice(at, at + mutations.length);
          at += mutations.length;
          for (const [index, outcome] of own.entries()) {
            turns.settled(writer, mutations[index] as Mutation, outcome);
          }
          resolve(own);
        }
      } catch (error) {
        for (const { reject } of riders) reject(error);
      }
    }
    running = false;
  }

  return {
    async commit(writer, mutations) {
      // One that is too large must not take its company with it.
      checkMutations(mutations);
      const bytes = mutations.reduce((sum, each) => sum + valueBytesOf(each), 0);
      const writes = mutations.reduce((sum, each) => sum + writesOf(each), 0);
      return new Promise((resolve, reject) => {
        queue.push({ writer, mutations, bytes, writes, resolve, reject });
        if (running) return;
        running = true;
        // Whatever other writers sent in this turn rides along.
        timers.nextTurn(() => void run());
      });
    },
    get commitsTotal() {
      return commitsTotal;
    },
  };
}

function mergedOf(
  riders: readonly Waiting[],
  turns: Pick<RecordQueues, 'admit'>,
): readonly Mutation[] {
  const merged: Mutation[] = [];
  for (const { writer, mutations } of riders) {
    const first = merged.length;
    for (const sent of mutations) {
      merged.push(renumbered(turns.admit(writer, sent), (index) => index + first));
    }
  }
  return merged;
}
