/**
 * The slot of a server: a number from 0 to 31, held by a lease, that makes its revisions unique.
 *
 *   s <slot>   owner: written when the slot is taken or released, read by every commit
 *   h <slot>   versionstamp of the last renewal: renewed often, read by no commit
 *
 * Invariant: a server that has lost its slot cannot commit with it, however late it notices: every
 * commit reads the owner of its slot, and taking a slot over writes it. Time only decides which
 * slot may be taken over, never what is correct. So a slot is not a lock on the store.
 *
 * A free slot is preferred. If there is none, a slot that was not renewed for the length of a lease
 * is taken over. Age is measured in read versions (a million per second), which all servers share.
 * When the cluster recovers, they jump ahead by more than a lease: until its next renewal a live
 * server's slot looks abandoned, and a 33rd server could take it.
 *
 * The numbers of the last slot are also used by commits that change a tested state, on any server
 * (state-changes.ts), so it is the last one to be taken.
 * Bounds: SLOTS_MAX servers; `slotLimits` for lease and renewal.
 */
import type { TimerHandle, Timers } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import { StorageError } from '../storage.ts';
import { STAMP_BYTES } from './binding.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import type { Keys } from './layout.ts';
import { SLOTS_MAX } from './layout.ts';
import { fdbLimits, runWrite } from './transactions.ts';

const slotLimits = {
  /** Without a sign of life for this long a slot may be taken over. */
  leaseMs: 60_000,
  /** Time between signs of life: several fit in a lease, so one may fail. */
  renewMs: 15_000,
} as const;

/** How fast FoundationDB's versions advance. */
export const VERSIONS_PER_MS = 1000n;

export const OWNER_BYTES = 8;

/** How long whoever compacts may stand still before another server may. */
export const COMPACTION_LEASE_MS = 30_000;

/** One holding of a slot, compared by identity: a server that loses a slot and takes it again has
 * another one, for what was written about the slot between is somebody else's. */
export interface Tenure {
  readonly slot: number;
}

export interface SlotHolder {
  /** Names this opener; random. */
  readonly owner: Buffer;
  /** The slot held, or one newly taken.
   * @throws StorageError `in-use` when 32 live servers hold them all. */
  held(): Promise<Tenure>;
  /** Whether nobody has told that it is over. */
  lasts(tenure: Tenure): boolean;
  /** Told by a commit that found another owner of its slot; another commit may have told it, and
   * this server hold a new one. */
  lost(tenure: Tenure): void;
  /** Gives the slot up; a failure leaves it to expire. */
  release(): Promise<void>;
}

export interface SlotOptions {
  readonly db: FdbDatabase;
  readonly keys: Keys;
  /** The marks of the store as this server found them: it takes no slot under others. */
  readonly marks: Buffer;
  readonly timers: Timers;
  readonly prng: Prng;
}

export function createSlotHolder({ db, keys, marks, timers, prng }: SlotOptions): SlotHolder {
  const owner = Buffer.alloc(OWNER_BYTES);
  owner.writeUInt32BE(prng.uint32());
  owner.writeUInt32BE(prng.uint32(), 4);
  let holding: Promise<Tenure> | undefined;
  /** What `holding` has resolved to. */
  let current: Tenure | undefined;
  let renewal: TimerHandle | undefined;
  const timeouts = { timeoutMs: fdbLimits.commitTimeoutMs };

  function held(): Promise<Tenure> {
    holding ??= take().catch((error: unknown) => {
      holding = undefined;
      throw error;
    });
    return holding;
  }

  async function take(): Promise<Tenure> {
    const work = async (transaction: FdbTransaction): Promise<number> => {
      if ((await transaction.get(keys.meta, 'serializable'))?.equals(marks) !== true) {
        throw new StorageError('io', 'the store was put back or replaced: restart the server');
      }
      return takeSlot(keys, owner, transaction);
    };
    const taken = await runWrite(db, work, timeouts);
    current = { slot: taken };
    scheduleRenewal(taken);
    return current;
  }

  function drop(): void {
    renewal?.cancel();
    renewal = undefined;
    current = undefined;
    holding = undefined;
  }

  function scheduleRenewal(taken: number): void {
    renewal?.cancel();
    const due = timers.after(slotLimits.renewMs, () => {
      runWrite(db, (transaction) => renewSlot(keys, owner, taken, transaction), timeouts)
        // The lease outlasts several renewals, and a commit finds out when it is lost.
        .catch(() => undefined)
        .finally(() => {
          if (renewal === due) scheduleRenewal(taken);
        });
    });
    renewal = due;
  }

  return {
    owner,
    held,
    lasts: (tenure) => current === tenure,
    lost(tenure) {
      if (current === tenure) drop();
    },
    async release() {
      const taken = (await holding?.catch(() => undefined))?.slot;
      drop();
      if (taken === undefined) return;
      const give = (transaction: FdbTransaction): Promise<void> =>
        giveSlot(keys, owner, taken, transaction);
      await runWrite(db, give, timeouts).catch(() => undefined);
    },
  };
}

async function takeSlot(keys: Keys, owner: Buffer, transaction: FdbTransaction): Promise<number> {
  const limits = { limit: SLOTS_MAX, bytesTarget: 0 };
  const [version, owners, beats] = await Promise.all([
    transaction.readVersion(),
    transaction.getRange(...keys.table('s'), limits, 'serializable'),
    transaction.getRange(...keys.table('h'), limits, 'snapshot'),
  ]);
  const slotOf = (key: Buffer): number => key.at(-1) as number;
  const ownerOf = new Map(owners.entries.map(({ key, value }) => [slotOf(key), value]));
  const beatOf = new Map(
    beats.entries.map(({ key, value }) => [slotOf(key), value.readBigUInt64BE()]),
  );
  const oldest = version - BigInt(slotLimits.leaseMs) * VERSIONS_PER_MS;
  const all = Array.from({ length: SLOTS_MAX }, (_, i) => i);
  const slot =
    all.find((i) => ownerOf.get(i)?.equals(owner)) ??
    all.find((i) => !ownerOf.has(i)) ??
    all.find((i) => (beatOf.get(i) ?? 0n) < oldest);
  if (slot === undefined) {
    throw new StorageError('in-use', `all ${SLOTS_MAX} servers that this store can have are alive`);
  }
  transaction.set(keys.ofSlot('s', slot), owner);
  transaction.setVersionstampedValue(keys.ofSlot('h', slot), Buffer.alloc(STAMP_BYTES), 0);
  return slot;
}

async function renewSlot(
  keys: Keys,
  owner: Buffer,
  slot: number,
  transaction: FdbTransaction,
): Promise<void> {
  if (!(await isOwnerOf(keys, owner, slot, transaction))) return;
  transaction.setVersionstampedValue(keys.ofSlot('h', slot), Buffer.alloc(STAMP_BYTES), 0);
}

async function giveSlot(
  keys: Keys,
  owner: Buffer,
  slot: number,
  transaction: FdbTransaction,
): Promise<void> {
  if (!(await isOwnerOf(keys, owner, slot, transaction))) return;
  transaction.clear(keys.ofSlot('s', slot));
  transaction.clear(keys.ofSlot('h', slot));
}

async function isOwnerOf(
  keys: Keys,
  owner: Buffer,
  slot: number,
  transaction: FdbTransaction,
): Promise<boolean> {
  const found = await transaction.get(keys.ofSlot('s', slot), 'serializable');
  return found?.equals(owner) === true;
}
