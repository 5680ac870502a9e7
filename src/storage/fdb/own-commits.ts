/**
 * The recent commits of this server: its follower of the log takes them from here instead of
 * reading them back.
 *
 *   the log        ...│ others │ own │ others │ own │ others
 *   is read            ╰──────╯       ╰──────╯       ╰──────╯      also where nothing is between
 *
 * Invariants: a commit is here with all its changes or not at all. A revision always names the same
 * record, so what is here cannot be out of date. Everything else is read from the database.
 * Bounds: `ownCommitsLimits`; the oldest are dropped first.
 */
import type { Revision } from '../storage.ts';
import { payloadBytes } from './layout.ts';
import type { FdbRecord, LogEntryAt } from './layout.ts';

const ownCommitsLimits = { changesMax: 8192, bytesMax: 16 * 1024 * 1024 } as const;

export interface OwnChange extends LogEntryAt {
  /** With its value inline, whatever its size, and decoded if the mutation said how. Undefined for
   * a delete. */
  readonly record: FdbRecord | undefined;
}

export interface OwnCommit {
  /** Era and versionstamp: what the places of its changes, and of no others, begin with. */
  readonly tip: Buffer;
  /** All of them, in order. */
  readonly changes: readonly OwnChange[];
}

export interface OwnCommits {
  add(commit: OwnCommit): void;
  recordOf(revision: Revision): FdbRecord | undefined;
  /** Those at or behind `from` (a place or the start of one), up to a tip, in the order of the log:
   * the first `max`, or undefined when there are more. */
  between(from: Buffer, tip: Buffer, max: number): readonly OwnCommit[] | undefined;
}

export function createOwnCommits(
  limits: { readonly changesMax: number; readonly bytesMax: number } = ownCommitsLimits,
): OwnCommits {
  const records = new Map<Revision, FdbRecord | undefined>();
  /** By tip. They are told in nearly this order: two at a time are under way. */
  let commits: OwnCommit[] = [];
  let changesCount = 0;
  let bytes = 0;

  function count({ changes }: OwnCommit, by: 1 | -1): void {
    changesCount += by * changes.length;
    for (const { revision, record } of changes) {
      bytes += by * (record === undefined ? 0 : payloadBytes(record.payload));
      if (by === 1) records.set(revision, record);
      else records.delete(revision);
    }
  }

  return {
    add(commit) {
      const behind = commits.findLastIndex(({ tip }) => Buffer.compare(tip, commit.tip) < 0);
      commits.splice(behind + 1, 0, commit);
      count(commit, 1);
      let dropped = 0;
      while (changesCount > limits.changesMax || bytes > limits.bytesMax) {
        count(commits[dropped] as OwnCommit, -1);
        dropped += 1;
      }
      if (dropped > 0) commits = commits.slice(dropped);
    },
    recordOf: (revision) => records.get(revision),
    between(from, tip, max) {
      const first = commits.findLastIndex((each) => Buffer.compare(each.tip, from) < 0) + 1;
      const found: OwnCommit[] = [];
      for (const commit of commits.slice(first, first + max + 1)) {
        if (Buffer.compare(commit.tip, tip) > 0) break;
        found.push(commit);
      }
      return found.length > max ? undefined : found;
    },
  };
}
