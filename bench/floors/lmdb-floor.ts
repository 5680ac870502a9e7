/**
 * The floor of everything that writes: LMDB with nothing around it. Groups of records, one
 * transaction and one flush a group, with the keys, tables and sizes of the server's store.
 *
 * What it is not: a store. It reads nothing, checks nothing, and decides nothing.
 */
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { open } from 'lmdb';
import { storeKey } from '../../src/storage/keys.ts';
import {
  encodeLogEntry,
  encodeRevision,
  makeRecord,
  metaKeys,
} from '../../src/storage/lmdb/layout.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { answerWith } from '../harness/inside.ts';
import { objectName } from '../load/objects.ts';

export interface PacedRequest {
  readonly kind: 'paced';
  readonly count: number;
  readonly intervalMs: number;
  readonly prefix: string;
  readonly valueBytes: number;
}

/** Milliseconds of each commit. */
export interface PacedResult {
  readonly ms: readonly number[];
}

export interface LmdbRequest {
  readonly kind: 'commit';
  readonly count: number;
  readonly groupSize: number;
  readonly prefix: string;
  readonly valueBytes: number;
}

export interface LmdbResult {
  readonly seconds: number;
}

/** Documented by lmdb-js, missing in its types. */
const startAtOnce = { txnStartThreshold: 1 };
const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
const root = open<Buffer, Buffer>({
  ...binary,
  path: path.join(process.argv[2] ?? '.', 'floor'),
  noSubdir: false,
  // As the server has it: the commit returns when it is on the disk.
  overlappingSync: false,
  // And a batch is written at once.
  eventTurnBatching: false,
  ...startAtOnce,
  mapSize: 64 * 1024 ** 3,
  maxDbs: 8,
});
const cur = root.openDB<Buffer, Buffer>('cur', binary);
const log = root.openDB<Buffer, Buffer>('log', binary);
const meta = root.openDB<Buffer, Buffer>('meta', binary);
let revision = 0n as Revision;

answerWith((request): LmdbResult | Promise<PacedResult> => {
  const asked = request as LmdbRequest | PacedRequest;
  return asked.kind === 'paced' ? paced(asked) : commit(asked);
});

function commit({ count, groupSize, prefix, valueBytes }: LmdbRequest): LmdbResult {
  const value = new Uint8Array(valueBytes).fill(0x78);
  const begin = performance.now();
  for (let done = 0; done < count; done += groupSize) {
    root.transactionSync(() => {
      for (let i = done; i < Math.min(count, done + groupSize); i += 1) put(prefix, i, value);
      meta.putSync(metaKeys.revision, encodeRevision(revision));
    });
  }
  return { seconds: (performance.now() - begin) / 1000 };
}

/** Records fall due at fixed times, whether or not the last is on the disk: those that fall due
 * during a commit ride in the next one, and their wait counts. Written by the thread that the
 * server's commits are written by. */
async function paced({
  count,
  intervalMs,
  prefix,
  valueBytes,
}: PacedRequest): Promise<PacedResult> {
  const value = new Uint8Array(valueBytes).fill(0x78);
  const ms: number[] = [];
  const begin = performance.now();
  const dueMs = (index: number): number => begin + index * intervalMs;
  while (ms.length < count) {
    const first = ms.length;
    const waitMs = dueMs(first) - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(waitMs)));
    const startMs = performance.now();
    let next = first;
    await root.batch(() => {
      for (; next < count && (next === first || dueMs(next) <= startMs); next += 1) {
        const { bytes, key } = nextRecord(prefix, next);
        void log.put(encodeRevision(revision), encodeLogEntry('put', 0, bytes));
        void cur.put(bytes, makeRecord(key, revision, { state: 'live', value }).bytes);
      }
      void meta.put(metaKeys.revision, encodeRevision(revision));
    });
    const endMs = performance.now();
    // The timer's own lateness is not the store's.
    ms.push(endMs - (waitMs > 0 ? startMs : dueMs(first)));
    for (let i = first + 1; i < next; i += 1) ms.push(endMs - dueMs(i));
  }
  return { ms };
}

function nextRecord(prefix: string, index: number) {
  revision = (revision + 1n) as Revision;
  const name = objectName(prefix, index);
  const key = storeKey({ group: '', resource: 'configmaps', namespace: 'default', name });
  return { key, bytes: Buffer.from(key) };
}

function put(prefix: string, index: number, value: Uint8Array): void {
  const { bytes, key } = nextRecord(prefix, index);
  log.putSync(encodeRevision(revision), encodeLogEntry('put', 0, bytes));
  cur.putSync(bytes, makeRecord(key, revision, { state: 'live', value }).bytes);
}

process.stdout.write('ready: 0\n');
process.on('SIGTERM', () => process.exit(0));
