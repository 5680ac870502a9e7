/**
 * The floor of writing to FoundationDB: the transactions of the server's store with nothing around
 * them. The same keys, sizes, reads and conflict ranges; one transaction at a time, or as many as
 * the server has under way, each in a lane of its own.
 *
 * What it is not: a store. It decides nothing, retries nothing, and nobody follows its log.
 */
import { performance } from 'node:perf_hooks';
import { storeKey } from '../../src/storage/keys.ts';
import { STAMP_BYTES } from '../../src/storage/fdb/binding.ts';
import type { FdbTransaction } from '../../src/storage/fdb/binding.ts';
import { ATTEMPT_ID_BYTES } from '../../src/storage/fdb/commit-plan.ts';
import { openFoundationdb } from '../../src/storage/fdb/foundationdb-binding.ts';
import {
  COMMIT_MUTATIONS_MAX,
  RECORD_STAMP_AT,
  TIP_STAMP_AT,
  createKeys,
  encodeLogEntry,
  encodeRecord,
  tipOf,
} from '../../src/storage/fdb/layout.ts';
import { answerWith } from '../harness/inside.ts';
import { objectName } from '../load/objects.ts';

export type FdbRequest =
  | {
      readonly kind: 'commit';
      readonly count: number;
      readonly groupSize: number;
      readonly prefix: string;
      readonly valueBytes: number;
      /** Transactions under way at once. */
      readonly lanes: number;
    }
  /** Clears a whole store. */
  | { readonly kind: 'clear'; readonly store: string };

export interface FdbResult {
  readonly seconds: number;
}

const [clusterFile, store = ''] = process.argv.slice(2);
const db = openFoundationdb(clusterFile);
const keys = createKeys(store);
const SLOT = 0;
const timeoutMs = 5_000;

answerWith((request) => {
  const asked = request as FdbRequest;
  return asked.kind === 'clear' ? clear(asked.store) : commitAll(asked);
});

async function commitAll(request: Extract<FdbRequest, { kind: 'commit' }>): Promise<FdbResult> {
  const { count, groupSize, prefix, valueBytes, lanes } = request;
  const value = Buffer.alloc(valueBytes, 0x78);
  const begin = performance.now();
  let next = 0;
  const loop = async (_: unknown, lane: number): Promise<void> => {
    while (next < count) {
      const names: string[] = [];
      for (const end = Math.min(count, next + groupSize); next < end; next += 1) {
        const name = objectName(prefix, next);
        names.push(storeKey({ group: '', resource: 'configmaps', namespace: 'default', name }));
      }
      await commitGroup(names, value, lane);
    }
  };
  await Promise.all(Array.from({ length: lanes }, loop));
  return { seconds: (performance.now() - begin) / 1000 };
}

async function commitGroup(names: readonly string[], value: Buffer, lane: number): Promise<void> {
  const transaction = db.begin({ timeoutMs });
  await Promise.all([
    transaction.get(keys.ofSlot('s', SLOT), 'serializable'),
    transaction.get(keys.lastCommit(SLOT, lane), 'serializable'),
  ]);
  await Promise.all(names.map((name) => transaction.get(keys.current(name), 'serializable')));
  for (const [i, name] of names.entries()) {
    put(transaction, name, lane * COMMIT_MUTATIONS_MAX + i, value);
  }
  transaction.setVersionstampedValue(keys.tip, tipOf(0), TIP_STAMP_AT);
  const last = Buffer.alloc(ATTEMPT_ID_BYTES + STAMP_BYTES);
  transaction.setVersionstampedValue(keys.lastCommit(SLOT, lane), last, ATTEMPT_ID_BYTES);
  const stamp = transaction.versionstamp();
  await transaction.commit();
  await stamp;
}

function put(transaction: FdbTransaction, name: string, index: number, bytes: Buffer): void {
  const log = keys.stampedLog(0, SLOT, index);
  transaction.setVersionstampedKey(log.key, log.stampAt, encodeLogEntry('put', 0, name));
  const began = { kind: 'now', era: 0, slot: SLOT, index } as const;
  const record = encodeRecord({ state: 'live', payload: { kind: 'inline', bytes } }, began, 'c');
  transaction.setVersionstampedValue(keys.current(name), record, RECORD_STAMP_AT);
  transaction.set(keys.state(name), Buffer.from('live'));
}

async function clear(whose: string): Promise<void> {
  const transaction = db.begin({ timeoutMs });
  transaction.clearRange(...createKeys(whose).all);
  await transaction.commit();
}

process.stdout.write('ready: 0\n');
process.on('SIGTERM', () => process.exit(0));
