/**
 * A double of FoundationDB in memory, behind the adapter's binding port.
 *
 * What it does as FoundationDB does (fdb-double.test.ts names the statements of its documentation):
 * reads at one version, optimistic conflicts on ranges, commit versions and versionstamps, several
 * commits at one version, the limits of time and size, watches, failures that leave the outcome
 * open. What it does not: persist, replicate, or take as long.
 */
import type { FdbDatabase } from '../../../src/storage/fdb/binding.ts';
import { Cluster } from './fdb-double-cluster.ts';
import type { FdbDoubleOptions } from './fdb-double-cluster.ts';
import type { Faults } from './fdb-double-faults.ts';
import { beginTransaction } from './fdb-double-transaction.ts';

export interface FdbDouble {
  readonly faults: Faults;
  /** What clients have asked for. */
  readonly counts: { reads: number; commits: number; watches: number };
  /** One client's connection. */
  connect(): FdbDatabase;
  /** The cluster recovers, as after the death of one of its processes: versions jump ahead. */
  recover(): void;
}

export function createFdbDouble(options: FdbDoubleOptions): FdbDouble {
  const cluster = new Cluster(options);
  return {
    faults: cluster.faults,
    counts: cluster.counts,
    connect: () => ({
      begin: (how) => beginTransaction(cluster, how),
      close: () => undefined,
    }),
    recover: () => cluster.recover(),
  };
}
