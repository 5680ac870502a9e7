/**
 * Turns for contended records: a server that keeps losing races may write the record next.
 *
 * Without turns the server that wrote a record last would win every time: it knows the record,
 * while the others have to read it first, and by the time they commit it has written again.
 *
 *   q <key>   versionstamp:10  owner:8      requested after more than `lossesMax` losses in a row
 *
 * Every commit reads all turns (the table is nearly always empty). Mutations of records on which
 * another server has a turn are treated as conflicts. A turn ends when its holder writes the
 * record, or after `turnMs`, measured in read versions, which all servers share.
 *
 * What it is not: a lock. Turns are read without conflicts and written blind, so correctness still
 * rests on the preconditions. Nor is it a queue: any of the waiting servers may be next.
 *
 * Bounds: `contentionLimits`. Turns beyond `turnsMax` are ignored; beyond `recordsMax` records with
 * losses the oldest are forgotten.
 */
import { revisionZero } from '../storage.ts';
import type { Mutation, MutationOutcome, StoreKey } from '../storage.ts';
import { STAMP_BYTES } from './binding.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import type { Keys } from './layout.ts';
import { VERSIONS_PER_MS } from './slots.ts';
import { fdbLimits, runWrite } from './transactions.ts';

const contentionLimits = {
  /** Losses in a row on one record before a server asks for a turn. */
  lossesMax: 2,
  /** Long enough to read, decide and commit beside other work. */
  turnMs: 200,
  turnsMax: 64,
  recordsMax: 1024,
} as const;

/** The turns of one moment. */
export interface Turns {
  /** Records that another server is to write next. */
  readonly others: ReadonlySet<StoreKey>;
  /** Of this server, or over: to be cleared by whoever writes. */
  readonly spent: ReadonlyMap<StoreKey, 'own' | 'over'>;
}

export const noTurns: Turns = { others: new Set(), spent: new Map() };

export interface Contention {
  read(transaction: FdbTransaction): Promise<Turns>;
  /** The mutations to try: those of others' turns are made to conflict. */
  admit(turns: Turns, mutations: readonly Mutation[]): readonly Mutation[];
  /** To be called by an attempt that writes. */
  clearSpent(
    transaction: FdbTransaction,
    turns: Turns,
    written: ReadonlyMap<StoreKey, unknown>,
  ): void;
  /** What came of mutations that were tried; asks for turns. Never rejects. */
  settled(
    turns: Turns,
    mutations: readonly Mutation[],
    outcomes: readonly MutationOutcome[],
  ): Promise<void>;
}

/** No record has been written at 0. */
const impossible: Mutation['expect'] = { kind: 'revision', revision: revisionZero };

export function createContention(db: FdbDatabase, keys: Keys, owner: Buffer): Contention {
  const losses = new Map<StoreKey, number>();

  async function read(transaction: FdbTransaction): Promise<Turns> {
    const limits = { limit: contentionLimits.turnsMax, bytesTarget: 0 };
    const { entries } = await transaction.getRange(...keys.table('q'), limits, 'snapshot');
    if (entries.length === 0) return noTurns;
    const others = new Set<StoreKey>();
    const spent = new Map<StoreKey, 'own' | 'over'>();
    const oldest =
      (await transaction.readVersion()) - BigInt(contentionLimits.turnMs) * VERSIONS_PER_MS;
    for (const { key, value } of entries) {
      const record = keys.turnKeyOf(key);
      if (value.readBigUInt64BE() < oldest) spent.set(record, 'over');
      else if (value.subarray(STAMP_BYTES).equals(owner)) spent.set(record, 'own');
      else others.add(record);
    }
    return { others, spent };
  }

  function noteLoss(key: StoreKey): number {
    const count = (losses.get(key) ?? 0) + 1;
    losses.delete(key);
    losses.set(key, count);
    if (losses.size > contentionLimits.recordsMax) {
      for (const [oldest] of losses) {
        losses.delete(oldest);
        break;
      }
    }
    return count;
  }

  return {
    read,
    admit({ others }, mutations) {
      if (others.size === 0) return mutations;
      return mutations.map((mutation) =>
        others.has(mutation.key) ? { ...mutation, expect: impossible } : mutation,
      );
    },
    clearSpent(transaction, { spent }, written) {
      for (const [key, how] of spent) {
        if (how === 'over' || written.has(key)) transaction.clear(keys.turn(key));
      }
    },
    async settled({ others, spent }, mutations, outcomes) {
      const wanted = new Set<StoreKey>();
      for (const [index, { key, expect }] of mutations.entries()) {
        const outcome = outcomes[index];
        if (outcome?.kind === 'applied') losses.delete(key);
        // A name that is taken is no race, however often it is asked for.
        else if (outcome?.kind === 'conflict' && expect.kind === 'revision') {
          const free = !others.has(key) && spent.get(key) !== 'own';
          if (noteLoss(key) > contentionLimits.lossesMax && free) wanted.add(key);
        }
      }
      if (wanted.size === 0) return;
      const turn = Buffer.concat([Buffer.alloc(STAMP_BYTES), owner]);
      const ask = (transaction: FdbTransaction): Promise<void> => {
        for (const key of wanted) transaction.setVersionstampedValue(keys.turn(key), turn, 0);
        return Promise.resolve();
      };
      await runWrite(db, ask, { timeoutMs: fdbLimits.turnTimeoutMs }).catch(() => undefined);
    },
  };
}
