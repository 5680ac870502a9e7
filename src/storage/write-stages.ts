/**
 * Measures the way of a write from its request to the sockets of its watchers, stage by stage.
 *
 *   head ─▶ received ─▶ decided ─▶ durable ─▶ seen ─▶ encoded ─▶ written
 *
 *   received   the body of the request is whole
 *   decided    the actor of the object has handed its mutation over to be committed
 *   durable    the commit has been answered, or the log has shown it, whichever came first
 *   seen       a page of the log with the change has come to the caches
 *   encoded    every group of watches that shows it has its frame
 *   written    the last watcher that was live in any of these groups has been handed the frame for
 *              its socket; those that catch up or wait for their sockets are not waited for
 *
 * Where a write's request is traced the stages are steps of its trace, too: Decide, Commit and
 * Deliver, which is the last two.
 *
 * Where a write is committed the first three are known, where the log is followed the others. Both
 * say so under the revision, and whoever comes second counts what is known by both.
 *
 * Only sums are kept.
 *
 * Invariants: a stage is counted once for a write, with the time since the stage before, which is
 * never negative; a write without a live watcher has no `encoded` and no `written`. What another
 * server committed, the server itself wrote or a companion is (without a request of its own) has
 * `encoded` and `written` alone. One look at the clock for a stage, or for a whole commit, page or
 * pass of delivery, none for a watcher.
 * Bound: `stagedWritesMax` writes are remembered; an older one is no longer counted as a whole.
 */
import type { Clock } from '../stdx/clock.ts';
import { Histogram } from '../stdx/histogram.ts';
import type { Trace } from '../stdx/trace.ts';
import type { Revision } from './storage.ts';

/** Of a request, monotonic: when its head came, and the last of its body. A command that has it is
 * all of its request; the stages of others are not measured. */
export interface WriteArrival {
  readonly startMs: number;
  readonly receivedMs: number;
}

export interface DecidedWrite extends WriteArrival {
  readonly decidedMs: number;
  /** That of its request. */
  readonly trace?: Trace | undefined;
}

export type WriteOperation = 'create' | 'update' | 'delete';

const stages = ['received', 'decided', 'durable', 'seen', 'encoded', 'written'] as const;
type Stage = (typeof stages)[number];

/** A change on its way through the caches. */
export interface StagedWrite {
  /** Of the changes of its resource. */
  readonly seq: number;
  /** Groups with live watchers that have not all been handed its frame. */
  groupsLeft: number;
}

export interface StageSeconds {
  readonly operation: WriteOperation;
  readonly stage: Stage;
  readonly seconds: Histogram;
}

export interface DeliverySeconds {
  readonly operation: WriteOperation;
  readonly seconds: Histogram;
}

/** Where writes are committed. */
export interface CommitStages {
  nowMs(): number;
  /** A commit was answered at `atMs`: this write of it has been applied. */
  durable(revision: Revision, write: DecidedWrite, atMs: number): void;
}

export interface WriteStages extends CommitStages {
  /** Seen in a page of the log that came at `atMs`. */
  seen(revision: Revision, operation: WriteOperation, seq: number, atMs: number): StagedWrite;
  /** All frames of it have been made; `groupsLeft` says for how many groups with live watchers. */
  encoded(write: StagedWrite): void;
  /** None of its groups is left, since `atMs`. */
  written(write: StagedWrite, atMs: number): void;
  /** Each stage, with the time since the one before. */
  stages(): readonly StageSeconds[];
  /** From `received` to `written`. */
  deliveries(): readonly DeliverySeconds[];
}

/** Policy: the oldest goes. Those in flight are as many as a few commits hold; what stays longer is
 * what others have committed, which nobody will say more about. */
const stagedWritesMax = 4_096;

/** Narrow where the objective is judged: a median is drawn in a straight line within its bucket. */
const bounds: readonly number[] = [
  0.000_1, 0.000_25, 0.000_5, 0.000_75, 0.001, 0.001_25, 0.001_5, 0.002, 0.002_5, 0.003, 0.004,
  0.005, 0.007_5, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

interface Times {
  readonly operation: WriteOperation;
  readonly byStage: Readonly<Record<Stage, Histogram>>;
  readonly delivery: Histogram;
}

/** By their revisions as numbers: a table of bigints is several times as slow. Revisions so large
 * that two of them are one number would mix two times of a histogram, and nothing else. */
type StagedWrites = Map<number, Staged>;

interface Staged {
  readonly key: number;
  seq: number;
  groupsLeft: number;
  /** Undefined: not seen yet. */
  times: Times | undefined;
  /** Undefined: nothing is known of its commit here, yet or for good. */
  decided: DecidedWrite | undefined;
  durableMs: number;
  seenMs: number;
  encodedMs: number;
  /** NaN: it is not there yet. */
  writtenMs: number;
  /** Nobody live shows it, or all have it. */
  isOver: boolean;
}

export function createWriteStages({ monotonicMs }: Pick<Clock, 'monotonicMs'>): WriteStages {
  const operations: readonly Times[] = [timesOf('create'), timesOf('update'), timesOf('delete')];
  const [creates, updates, deletes] = operations as [Times, Times, Times];
  const byOperation = { create: creates, update: updates, delete: deletes };
  const staged: StagedWrites = new Map();

  /** Both who committed it and who follows the log have said what they know. */
  function joined(write: Staged, revision: Revision, decided: DecidedWrite, times: Times): void {
    observeCommit(write, revision, decided, times);
    if (!write.isOver) return;
    if (!Number.isNaN(write.writtenMs)) observeDelivery(write, decided, times);
    staged.delete(write.key);
  }

  function over(write: Staged): void {
    write.isOver = true;
    if (write.decided !== undefined) staged.delete(write.key);
  }

  return {
    nowMs: () => monotonicMs(),
    durable(revision, decided, atMs) {
      const write = remembered(staged, revision);
      write.decided = decided;
      write.durableMs = atMs;
      if (write.times !== undefined) joined(write, revision, decided, write.times);
    },
    seen(revision, operation, seq, atMs) {
      const write = remembered(staged, revision);
      const times = byOperation[operation];
      write.times = times;
      write.seq = seq;
      write.seenMs = atMs;
      if (write.decided !== undefined) joined(write, revision, write.decided, times);
      return write;
    },
    encoded(change) {
      const write = change as Staged;
      if (write.groupsLeft === 0) return over(write);
      write.encodedMs = monotonicMs();
      if (write.times !== undefined) {
        observe(write.times.byStage.encoded, write.encodedMs - write.seenMs);
      }
    },
    written(change, atMs) {
      const write = change as Staged;
      const { decided, times } = write;
      write.writtenMs = atMs;
      over(write);
      if (times === undefined) return;
      observe(times.byStage.written, atMs - write.encodedMs);
      if (decided !== undefined) observeDelivery(write, decided, times);
    },
    stages: () =>
      operations.flatMap(({ byStage, operation }) =>
        stages.map((stage) => ({ operation, stage, seconds: byStage[stage] })),
      ),
    deliveries: () =>
      operations.map(({ delivery, operation }) => ({ operation, seconds: delivery })),
  };
}

function observeCommit(
  { durableMs: answeredMs, seenMs }: Staged,
  revision: Revision,
  { decidedMs, receivedMs, startMs, trace }: DecidedWrite,
  { byStage }: Times,
): void {
  const durableMs = Math.min(answeredMs, seenMs);
  observe(byStage.received, receivedMs - startMs);
  observe(byStage.decided, decidedMs - receivedMs);
  observe(byStage.durable, durableMs - decidedMs);
  observe(byStage.seen, seenMs - durableMs);
  if (trace === undefined) return;
  trace.add('Decide', receivedMs, decidedMs);
  trace.add('Commit', decidedMs, durableMs, { 'resource-version': String(revision) });
}

function observeDelivery(
  { seenMs, writtenMs }: Staged,
  { receivedMs, trace }: DecidedWrite,
  { delivery }: Times,
): void {
  observe(delivery, writtenMs - receivedMs);
  trace?.add('Deliver', seenMs, writtenMs);
}

function remembered(staged: StagedWrites, revision: Revision): Staged {
  const key = Number(revision);
  const known = staged.get(key);
  if (known !== undefined) return known;
  if (staged.size >= stagedWritesMax) {
    for (const oldest of staged.keys()) {
      staged.delete(oldest);
      break;
    }
  }
  const write = newStaged(key);
  staged.set(key, write);
  return write;
}

function timesOf(operation: WriteOperation): Times {
  const byStage = {
    received: new Histogram(bounds),
    decided: new Histogram(bounds),
    durable: new Histogram(bounds),
    seen: new Histogram(bounds),
    encoded: new Histogram(bounds),
    written: new Histogram(bounds),
  };
  return { operation, byStage, delivery: new Histogram(bounds) };
}

function newStaged(key: number): Staged {
  return {
    key,
    seq: 0,
    groupsLeft: 0,
    times: undefined,
    decided: undefined,
    durableMs: 0,
    seenMs: 0,
    encodedMs: 0,
    writtenMs: NaN,
    isOver: false,
  };
}

function observe(seconds: Histogram, ms: number): void {
  seconds.observe(ms / 1000);
}
