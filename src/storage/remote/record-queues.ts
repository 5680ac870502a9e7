/**
 * Turns on contended records: a writer that keeps losing races gets the record for a moment.
 *
 * Without it, a writer that knows what it wrote last wins every time against one that has to read
 * first: the loser's read and its commit are two questions, between which the winner has written
 * again. Each loser would give up after `lostRacesMax` (actors/limits.ts) and answer 409.
 *
 *   line of a record    [ holder | next | next ]    joined after `lossesMax` losses in a row, or
 *                          │        └─ its read of the record waits for its turn
 *                          └─ only its mutations are let through; the others' are conflicts
 *
 * A turn ends with the holder's next write, when the holder goes, or after `turnMs`: a holder that
 * decided not to write, or stands still, holds up the others for no longer.
 *
 * Not a lock: no promise rests on it; the preconditions decide, as ever.
 *
 * Bounds: `recordQueueLimits`; beyond `recordsMax` the record of the oldest losses is forgotten.
 */
import type { TimerHandle, Timers } from '../../stdx/clock.ts';
import { revisionZero } from '../storage.ts';
import type { Mutation, MutationOutcome, StoreKey } from '../storage.ts';

export const recordQueueLimits = {
  /** Losses in a row on one record before a writer stands in line. */
  lossesMax: 2,
  /** A read, a decision and a commit take a millisecond or two; a busy writer some more. */
  turnMs: 25,
  /** Records with losses. */
  recordsMax: 4096,
} as const;

/** One of the writers; compared by identity. */
export type QueuedWriter = object;

export interface RecordQueues {
  /** The mutation to try: itself, or one that is a conflict because it is another's turn. */
  admit(writer: QueuedWriter, mutation: Mutation): Mutation;
  /** What became of a mutation that this writer sent. */
  settled(writer: QueuedWriter, mutation: Mutation, outcome: MutationOutcome): void;
  /** Undefined when the writer may read the record at once; else resolves when it is its turn. */
  whenFirst(writer: QueuedWriter, key: StoreKey): Promise<void> | undefined;
  /** Forgets the writer. */
  leave(writer: QueuedWriter): void;
}

interface Line {
  readonly losses: Map<QueuedWriter, number>;
  /** In order; the first one holds the turn. */
  readonly takers: QueuedWriter[];
  readonly waiting: Map<QueuedWriter, () => void>;
  timer: TimerHandle | undefined;
}

/** No record has been written at 0. */
const impossible: Mutation['expect'] = { kind: 'revision', revision: revisionZero };

export function createRecordQueues(timers: Pick<Timers, 'after'>): RecordQueues {
  const lines = createLines(timers);
  return {
    admit(writer, mutation) {
      const holder = lines.find(mutation.key)?.takers[0];
      const isOthers = holder !== undefined && holder !== writer;
      if (!isOthers || mutation.expect.kind !== 'revision') return mutation;
      return { ...mutation, expect: impossible };
    },
    settled(writer, { key, expect }, outcome) {
      if (expect.kind !== 'revision') return;
      if (outcome.kind === 'applied') {
        const line = lines.find(key);
        if (line !== undefined) lines.quit(line, key, writer);
        return;
      }
      if (outcome.kind !== 'conflict') return;
      const line = lines.of(key);
      const losses = (line.losses.get(writer) ?? 0) + 1;
      line.losses.set(writer, losses);
      // Where others stand in line, nobody goes to and fro meanwhile.
      if (losses >= recordQueueLimits.lossesMax || line.takers.length > 0)
        lines.join(line, key, writer);
    },
    whenFirst(writer, key) {
      const line = lines.find(key);
      if (line === undefined) return undefined;
      const at = line.takers.indexOf(writer);
      if (at <= 0 || line.waiting.has(writer)) return undefined;
      return new Promise((resolve) => line.waiting.set(writer, resolve));
    },
    leave: (writer) => lines.quitAll(writer),
  };
}

/** Who stands where, and whose turn begins when another's ends. */
function createLines(timers: Pick<Timers, 'after'>) {
  const lines = new Map<StoreKey, Line>();

  /** The turn of whoever is first now. */
  function begin(line: Line, key: StoreKey): void {
    line.timer?.cancel();
    line.timer = undefined;
    const [holder] = line.takers;
    if (holder === undefined) {
      if (line.losses.size === 0) lines.delete(key);
      return;
    }
    line.timer = timers.after(recordQueueLimits.turnMs, () => quit(line, key, holder));
    const go = line.waiting.get(holder);
    line.waiting.delete(holder);
    go?.();
  }

  function quit(line: Line, key: StoreKey, writer: QueuedWriter): void {
    line.losses.delete(writer);
    line.waiting.get(writer)?.();
    line.waiting.delete(writer);
    const at = line.takers.indexOf(writer);
    if (at >= 0) line.takers.splice(at, 1);
    if (at === 0 || line.takers.length === 0) begin(line, key);
  }

  return {
    find: (key: StoreKey): Line | undefined => lines.get(key),
    of(key: StoreKey): Line {
      const found = lines.get(key);
      if (found !== undefined) return found;
      const line: Line = { losses: new Map(), takers: [], waiting: new Map(), timer: undefined };
      lines.set(key, line);
      if (lines.size > recordQueueLimits.recordsMax) forgetOldest(lines);
      return line;
    },
    join(line: Line, key: StoreKey, writer: QueuedWriter): void {
      if (line.takers.includes(writer)) return;
      line.takers.push(writer);
      if (line.takers.length === 1) begin(line, key);
    },
    quit,
    quitAll(writer: QueuedWriter): void {
      for (const [key, line] of [...lines]) quit(line, key, writer);
    },
  };
}

/** Of those where nobody stands in line. */
function forgetOldest(lines: Map<StoreKey, Line>): void {
  for (const [key, { takers }] of lines) {
    if (takers.length > 0) continue;
    lines.delete(key);
    return;
  }
}
