/**
 * The limits of everything in streams/ that can grow, and what happens at each.
 *
 * Counts are per server unless said otherwise; the number of resources is fixed by the catalogue.
 */
export interface StreamLimits {
  /** Changes kept per resource. Policy: the oldest are dropped; watchers that still need them read
   * the log. */
  readonly historyChangesMax: number;
  /** Bytes of objects that the kept changes of one resource refer to. Policy: as above. */
  readonly historyBytesMax: number;
  /** Frames kept per watch group for watchers that are not up to date: `frameBytesBase`, and
   * `frameBytesPerLagging` more for each of them, up to `frameBytesMax`: many that lag a little
   * share what was encoded, one that stalls for good holds next to nothing. Policy: the oldest go;
   * a watcher that still needed them catches up from the history. At least the newest one stays. */
  readonly framesMax: number;
  readonly frameBytesBase: number;
  readonly frameBytesPerLagging: number;
  readonly frameBytesMax: number;
  /** Frames of all groups together. Policy: above it a group keeps `frameBytesMin` of its own. */
  readonly frameBytesTotalMax: number;
  readonly frameBytesMin: number;

  /** Larger entries may be shown in parts (I36). Policy: their frames are made when they are ready,
   * and what comes behind them in the same watch or scope waits. */
  readonly largeEntryBytes: number;

  /** One write of live events. Policy: the rest goes in the next turn. One event may be larger. */
  readonly liveChunkBytes: number;
  /** One write of initial events or of events of the log. Policy: as above. */
  readonly pumpChunkBytes: number;
  /** One write of missed events that are in memory. Policy: as above. Smaller, because thousands
   * may miss the same: what their sockets do not take at once is held for each. */
  readonly missedChunkBytes: number;
  /** Entries or changes looked at for one such write. Policy: a smaller write, or none. */
  readonly pumpExaminedMax: number;
  /** Frames in one such write that are made alone, as rows are, and bytes of their objects. Policy:
   * a smaller write. */
  readonly pumpMadeMax: number;
  readonly pumpMadeBytes: number;
  /** Writes, bytes and time of live events in one turn of the event loop. Policy: the rest goes in
   * the next. */
  readonly turnWritesMax: number;
  readonly turnBytesMax: number;
  readonly turnWritesMs: number;
  /** Of these writes, those to sinks that settle them in the next turn (`settlesLater`). Policy: as
   * above, but the turn goes on for as long as others have had the event loop before it: the
   * shorter of the last two times between turns. */
  readonly turnUnsettledMax: number;
  /** A pass that made `restWritesMin` writes or more of `restEventsMin` events each was crowded:
   * the next over the same group begins `restMs` behind its end (0: at once). Policy: what comes
   * meanwhile shares its writes; above `freshBytesMax` it begins at once. */
  readonly restMs: number;
  readonly restEventsMin: number;
  readonly restWritesMin: number;
  /** Bytes of initial events and catching up in one turn, all watchers together; an entry that is
   * looked at counts as `examinedCostBytes`. Policy: go on next turn, in turn. */
  readonly turnPumpBytesMax: number;
  /** The same in time, of which live events may have taken all but a quarter: what an event costs
   * to encode is the encoder's. Policy: as above. */
  readonly turnPumpMs: number;
  readonly examinedCostBytes: number;
  /** Applying changes and making the frames of their groups, in one turn; a single frame may take
   * longer. Policy: go on next turn. */
  readonly turnApplyMs: number;
  /** Bytes a group with live watchers may be ahead of them before no group of its scope is handed a
   * change. Policy: that pauses until they have been written out, at most `holdTurnsMax` turns. */
  readonly freshBytesMax: number;
  readonly holdTurnsMax: number;
  /** Changes that are applied and not with all groups of a scope yet, counted for each scope, and
   * the bytes of their objects and of the lists of groups that they go to. Policy: the scope that
   * has the most of them leaves them out, and its watches catch up from the history or the log. */
  readonly outstandingMax: number;
  readonly outstandingBytesMax: number;
  /** More changes of one scope than this are left out all the same, where that is cheaper: where a
   * change goes to so many groups or more, of so many watches each or fewer. Who catches up gets
   * many events in one write, and shares few of them. */
  readonly leaveOutChangesMin: number;
  readonly leaveOutGroupsMin: number;
  readonly leaveOutWatchersMax: number;
  /** Handing changes to the groups of one scope, before that of the next one. */
  readonly scopeTurnMs: number;
  /** Watches of one caller in a scope that all callers share. Policy: the next ones lie in a scope
   * of its own, where frames are made once more. */
  readonly callerWatchesMax: number;

  /** Log reads for catching up that run at once. Policy: watchers wait in line. */
  readonly logReadsMax: number;
  /** Changes of one page, and those that the store is asked for at once. Policy: the page ends. It
   * also ends with the part of it that uses up the time of its turn. */
  readonly logPageChanges: number;
  readonly logReadChanges: number;
  /** Reading the log in one turn, from its first read on; each may take longer. Policy: go on next
   * turn. */
  readonly turnLogMs: number;
  /** Log pages that are kept and shared by watchers that catch up, and their bytes. Policy: the
   * least recently used are dropped, and all of them when none was used for `logPagesMs`. A page
   * that is larger by itself is used once. */
  readonly logPagesMax: number;
  readonly logPagesBytesMax: number;
  readonly logPagesMs: number;
  /** Records asked for in one page of a scan. */
  readonly scanPageRecords: number;

  /** How long a read waits for a revision that is still ahead. Policy: too-large. */
  readonly freshnessWaitMs: number;
  /** How long a consistent read waits for the store's newest revision and for its being applied.
   * Policy: it is refused (`lagging`). Below what a store's own reads may take, so that an
   * unreachable store and a log that stands still are one answer. */
  readonly currentWaitMs: number;

  /** Rebuilt snapshots of the past. Policy: the least recently used goes, and each one by age. */
  readonly keptSnapshotsMax: number;
  readonly keptSnapshotsMs: number;
  /** Bytes such a snapshot holds beside what the cache holds anyway. Policy: the least recently
   * used go; one that is larger by itself is handed out and not kept. */
  readonly keptSnapshotBytesMax: number;
  /** Snapshots being rebuilt at once. Policy: callers wait in line. */
  readonly rebuildsMax: number;

  /** Time between bookmarks of one stream; each is drawn from the upper quarter of it. */
  readonly bookmarkIntervalMs: number;
  /** A bookmark this long before the deadline. */
  readonly bookmarkBeforeEndMs: number;
  /** A bookmark that could not be sent because events were outstanding is tried again after. */
  readonly bookmarkRetryMs: number;
  /** A watcher that takes nothing for this long during its initial events is ended: it holds a
   * snapshot. The client starts again. */
  readonly initialStallMs: number;
  /** Grain of deadlines and bookmarks, and the size of the wheel they lie on. */
  readonly wheelTickMs: number;
  readonly wheelSlots: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

export const defaultStreamLimits: StreamLimits = {
  historyChangesMax: 16_384,
  historyBytesMax: 32 * MiB,
  framesMax: 4_096,
  frameBytesBase: 256 * KiB,
  frameBytesPerLagging: 16 * KiB,
  frameBytesMax: 1 * MiB,
  frameBytesTotalMax: 256 * MiB,
  frameBytesMin: 16 * KiB,

  largeEntryBytes: 64 * KiB,
  liveChunkBytes: 64 * KiB,
  // Larger chunks cost a little less processor time; smaller ones leave less to the collector.
  pumpChunkBytes: 128 * KiB,
  missedChunkBytes: 32 * KiB,
  // A selection may ask 128 things of each, and of a change twice.
  pumpExaminedMax: 512,
  pumpMadeMax: 128,
  pumpMadeBytes: 256 * KiB,
  turnWritesMax: 1_024,
  turnBytesMax: 8 * MiB,
  turnWritesMs: 8,
  // A write to a socket of node touches some 10 KB; the cache of a core holds about 1 MB.
  turnUnsettledMax: 32,
  restMs: 0,
  restEventsMin: 8,
  restWritesMin: 128,
  turnPumpBytesMax: 4 * MiB,
  turnPumpMs: 8,
  examinedCostBytes: 64,
  turnApplyMs: 8,
  freshBytesMax: 128 * KiB,
  holdTurnsMax: 64,
  // Most of these bytes are the history's, too.
  outstandingMax: 4_096,
  outstandingBytesMax: 32 * MiB,
  leaveOutChangesMin: 64,
  leaveOutGroupsMin: 64,
  leaveOutWatchersMax: 8,
  scopeTurnMs: 1,
  callerWatchesMax: 64,

  logReadsMax: 4,
  logPageChanges: 512,
  // A store may read them in one go; each change is up to three records of it.
  logReadChanges: 128,
  turnLogMs: 4,
  logPagesMax: 256,
  logPagesBytesMax: 32 * MiB,
  logPagesMs: 5_000,
  scanPageRecords: 1_000,

  freshnessWaitMs: 3_000,
  currentWaitMs: 8_000,

  keptSnapshotsMax: 32,
  keptSnapshotsMs: 75_000,
  keptSnapshotBytesMax: 128 * MiB,
  rebuildsMax: 2,

  bookmarkIntervalMs: 60_000,
  bookmarkBeforeEndMs: 2_000,
  bookmarkRetryMs: 1_000,
  initialStallMs: 60_000,
  wheelTickMs: 100,
  wheelSlots: 1_024,
};
