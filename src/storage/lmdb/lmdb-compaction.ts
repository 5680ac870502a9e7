/**
 * Compaction of the LMDB store: the oldest changes, and the records that they ended, are removed.
 *
 * How much history is kept is decided by compactor.ts.
 *
 * Invariants: a step removes changes from the oldest on, and moves the compact revision, in one
 * transaction; it never moves it back. What lies at or below the compact revision before (a full
 * store leaves it there) goes with the first steps.
 * Bounds: `changesPerStep`, and fewer where there is no room for so many.
 */
import type { ChangeRing } from '../change-ring.ts';
import { StorageError } from '../storage.ts';
import type { Revision } from '../storage.ts';
import { pagesFor } from './file-room.ts';
import type { PageCount } from './file-room.ts';
import { decodeLogEntry, decodeRevision, encodeRevision, metaKeys, oldKey } from './layout.ts';
import { currentCompactRevision, currentRevision } from './lmdb-reads.ts';
import type { ReservedWrite } from './reserve.ts';
import type { Tables } from './tables.ts';

/** A step holds up commits by about as long as one commit of as many mutations takes. */
const changesPerStep = 256;

export interface LmdbCompaction {
  /** Forgets the history up to this revision, for followers too. */
  through(before: Revision): Promise<void>;
  /** Removes all of the history; the ring keeps what live followers still have to read. Returns
   * whether there was any. */
  ofEverything(): Promise<boolean>;
}

export interface LmdbCompactionDeps {
  readonly tables: Tables;
  readonly ring: Pick<ChangeRing, 'forget'>;
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>;
  /** One transaction, out of the reserve where there is no other room. */
  readonly write: (write: ReservedWrite) => Promise<void>;
}

export function createLmdbCompaction(deps: LmdbCompactionDeps): LmdbCompaction {
  const { exclusive, ring, tables } = deps;

  /** Undefined: there is nothing to forget. */
  async function step(before: Revision): Promise<CompactionStep | undefined> {
    for (let changes = changesPerStep; ; changes = Math.ceil(changes / 8)) {
      const planned = planCompaction(tables, before, changes);
      if (planned === undefined) return undefined;
      const write = (): void => writeCompaction(tables, planned);
      try {
        await deps.write({ write, count: pagesOf(planned), whenFull: write });
      } catch (error) {
        // A smaller one needs less room before it gives some.
        if (changes > 1 && error instanceof StorageError && error.code === 'full') continue;
        throw error;
      }
      return planned;
    }
  }

  return {
    async through(before) {
      // Each step queues behind the commits that came meanwhile.
      for (let more = true; more;) {
        const done = await exclusive(() => step(before));
        if (done !== undefined) ring.forget(done.through);
        more = done?.more === true;
      }
    },
    async ofEverything() {
      for (let steps = 0; ; steps += 1) {
        const done = await exclusive(() => step(currentRevision(tables)));
        if (done?.more !== true) return done !== undefined || steps > 0;
      }
    },
  };
}

interface CompactionStep {
  readonly forgotten: readonly { readonly logKey: Buffer; readonly oldKey: Buffer }[];
  /** The newest change that is gone afterwards. */
  readonly through: Revision;
  readonly compactRevision: Revision;
  /** Whether changes up to `before` remain. */
  readonly more: boolean;
}

function planCompaction(
  tables: Tables,
  before: Revision,
  changesMax: number,
): CompactionStep | undefined {
  const revision = currentRevision(tables);
  const compacted = currentCompactRevision(tables);
  const bound = before < revision ? before : revision;
  const forgotten: { readonly logKey: Buffer; readonly oldKey: Buffer }[] = [];
  let through = bound;
  let more = false;
  const end = encodeRevision((bound + 1n) as Revision);
  for (const { key, value } of tables.log.getRange({ end, limit: changesMax + 1 })) {
    more = forgotten.length === changesMax;
    if (more) break;
    through = decodeRevision(key);
    forgotten.push({ logKey: key, oldKey: oldKey(decodeLogEntry(value).key, through) });
  }
  if (forgotten.length === 0 && bound <= compacted) return undefined;
  if (!more) through = bound;
  return { forgotten, through, compactRevision: through > compacted ? through : compacted, more };
}

/** One record that is removed by its own page, and one among its neighbours. */
function pagesOf({ forgotten }: CompactionStep): PageCount {
  return pagesFor(forgotten.map(() => 0));
}

function writeCompaction({ log, old, meta }: Tables, step: CompactionStep): void {
  for (const each of step.forgotten) {
    void log.remove(each.logKey);
    void old.remove(each.oldKey);
  }
  void meta.put(metaKeys.compactRevision, encodeRevision(step.compactRevision));
}
