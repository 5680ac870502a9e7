/**
 * A transaction of the FoundationDB double: buffered writes, conflict sets, limits, watches.
 */
import { STAMP_BYTES, fdbCodes } from '../../../src/storage/fdb/binding.ts';
import type {
  FdbError,
  FdbTransaction,
  FdbWatch,
  KeyValuePage,
  RangeLimits,
  ReadMode,
  TransactionOptions,
} from '../../../src/storage/fdb/binding.ts';
import type { Cluster, WatchRequest } from './fdb-double-cluster.ts';
import { FdbFailure } from './fdb-double-faults.ts';
import type { CommitFate } from './fdb-double-faults.ts';
import { READABLE_VERSIONS } from './fdb-double-store.ts';
import type { KeyRange, Written } from './fdb-double-store.ts';

const KEY_BYTES_MAX = 10_000;
const VALUE_BYTES_MAX = 100_000;
const TRANSACTION_BYTES_MAX = 10_000_000;
/** How many turns a commit may be under way after its client has given up. */
const LATE_TURNS = 5;

const retryable: ReadonlySet<number> = new Set([
  fdbCodes.transactionTooOld,
  fdbCodes.futureVersion,
  fdbCodes.notCommitted,
  fdbCodes.commitUnknownResult,
  fdbCodes.processBehind,
  fdbCodes.databaseLocked,
  fdbCodes.clusterVersionChanged,
  fdbCodes.proxyMemoryLimitExceeded,
  fdbCodes.batchTransactionThrottled,
  fdbCodes.grvProxyMemoryLimitExceeded,
  fdbCodes.tagThrottled,
  fdbCodes.proxyTagThrottled,
]);

type Write =
  | { readonly kind: 'set'; readonly key: string; readonly value: Buffer }
  | { readonly kind: 'clear'; readonly key: string }
  | { readonly kind: 'clear-range'; readonly range: KeyRange }
  | {
      readonly kind: 'stamped-key';
      readonly key: Buffer;
      readonly value: Buffer;
      readonly at: number;
    }
  | {
      readonly kind: 'stamped-value';
      readonly key: string;
      readonly value: Buffer;
      readonly at: number;
    };

const text = (bytes: Buffer): string => bytes.toString('latin1');
const binary = (key: string): Buffer => Buffer.from(key, 'latin1');

interface PendingWatch {
  readonly request: WatchRequest;
  readonly fail: (code: number) => void;
}

/** What a reset throws away. */
interface State {
  readVersion: Promise<bigint> | undefined;
  readonly reads: KeyRange[];
  readonly writes: Write[];
  bytes: number;
  /** Found in an operation that returns nothing; told by commit(). */
  deferred: number | undefined;
  readonly watches: PendingWatch[];
  readonly stampWaiters: { resolve(stamp: Buffer): void; reject(error: FdbError): void }[];
}

const freshState = (): State => ({
  readVersion: undefined,
  reads: [],
  writes: [],
  bytes: 0,
  deferred: undefined,
  watches: [],
  stampWaiters: [],
});

export function beginTransaction(cluster: Cluster, options: TransactionOptions): FdbTransaction {
  const { store, faults, counts, timers } = cluster;
  const begunMs = cluster.nowMs();
  let state = freshState();
  let cancelled = false;

  function leftMs(): number | undefined {
    const { timeoutMs } = options;
    return timeoutMs === undefined ? undefined : timeoutMs - (cluster.nowMs() - begunMs);
  }

  function refusal(): FdbFailure | undefined {
    if (cancelled) return new FdbFailure(fdbCodes.transactionCancelled);
    return (leftMs() ?? 1) <= 0 ? new FdbFailure(fdbCodes.transactionTimedOut) : undefined;
  }

  function readVersion(): Promise<bigint> {
    counts.reads += 1;
    const refused = refusal();
    if (refused !== undefined) return Promise.reject(refused);
    if (faults.unreachable) return cluster.silence(leftMs()).then(readVersion);
    state.readVersion ??= Promise.resolve().then(() => cluster.version());
    return state.readVersion;
  }

  /** The read version of a read, when it may be made. */
  async function forRead(): Promise<bigint> {
    const version = await readVersion();
    const failure = faults.ofRead();
    if (failure !== undefined) throw failure;
    if (version < cluster.version() - READABLE_VERSIONS) {
      throw new FdbFailure(fdbCodes.transactionTooOld);
    }
    return version;
  }

  function addRead(range: KeyRange): void {
    state.reads.push(range);
    state.bytes += range.begin.length + range.end.length;
  }

  function addWrite(write: Write, key: number, value: number, conflict: number): void {
    if (key > KEY_BYTES_MAX) state.deferred ??= fdbCodes.keyTooLarge;
    if (value > VALUE_BYTES_MAX) state.deferred ??= fdbCodes.valueTooLarge;
    state.writes.push(write);
    state.bytes += key + value + conflict;
  }

  /** A key as this transaction's own writes left it, or undefined when they did not touch it. */
  function ownWrite(key: string): { readonly value: Buffer | undefined } | undefined {
    const write = state.writes.findLast((each) => touches(each, key));
    if (write === undefined) return undefined;
    if (write.kind === 'set') return { value: write.value };
    if (write.kind === 'clear' || write.kind === 'clear-range') return { value: undefined };
    throw new FdbFailure(fdbCodes.accessedUnreadable);
  }

  async function get(key: Buffer, mode: ReadMode): Promise<Buffer | undefined> {
    const name = text(key);
    if (mode === 'serializable') addRead({ begin: name, end: `${name}\0` });
    const version = await forRead();
    const own = ownWrite(name);
    const value = own === undefined ? store.get(name, version) : own.value;
    return value === undefined ? undefined : Buffer.from(value);
  }

  async function getRange(
    begin: Buffer,
    end: Buffer,
    { limit, bytesTarget }: RangeLimits,
    mode: ReadMode,
  ): Promise<KeyValuePage> {
    const range = { begin: text(begin), end: text(end) };
    const version = await forRead();
    const entries: { readonly key: Buffer; readonly value: Buffer }[] = [];
    let bytes = 0;
    let more = false;
    for (const [key, value] of overlaid(range, version)) {
      more = entries.length === limit || (bytesTarget > 0 && bytes >= bytesTarget);
      if (more) break;
      entries.push({ key: binary(key), value: Buffer.from(value) });
      bytes += key.length + value.length;
    }
    const last = entries.at(-1);
    const readTo = more && last !== undefined ? `${text(last.key)}\0` : range.end;
    if (mode === 'serializable') addRead({ begin: range.begin, end: readTo });
    return { entries, more };
  }

  function overlaid(range: KeyRange, at: bigint): Iterable<readonly [string, Buffer]> {
    if (state.writes.length === 0) return store.range(range, at);
    const names = new Set([...store.range(range, at)].map(([key]) => key));
    for (const write of state.writes) {
      if (write.kind === 'set' && inRange(write.key, range)) names.add(write.key);
    }
    return [...names].sort().flatMap((key) => {
      const own = ownWrite(key);
      const value = own === undefined ? store.get(key, at) : own.value;
      return value === undefined ? [] : [[key, value] as const];
    });
  }

  function watch(key: Buffer): FdbWatch {
    const name = text(key);
    let fire: () => void = () => undefined;
    let fail: (code: number) => void = () => undefined;
    const changed = new Promise<void>((resolve, reject) => {
      fire = resolve;
      fail = (code) => reject(new FdbFailure(code));
    });
    const value = readVersion().then((version) => store.get(name, version));
    // Its transaction fails with it.
    value.catch(() => undefined);
    const pending = { request: { key: name, value, fire }, fail };
    state.watches.push(pending);
    return {
      changed,
      cancel() {
        cluster.removeWatch(pending.request);
        fail(fdbCodes.operationCancelled);
      },
    };
  }

  async function commit(): Promise<void> {
    const ended = state;
    const version = await readVersion();
    if (ended.deferred !== undefined) throw new FdbFailure(ended.deferred);
    if (ended.bytes > TRANSACTION_BYTES_MAX) throw new FdbFailure(fdbCodes.transactionTooLarge);
    if (ended.writes.length === 0) {
      for (const { reject } of ended.stampWaiters) {
        reject(new FdbFailure(fdbCodes.noCommitVersion));
      }
    } else {
      const stamp = await commitWrites(ended, version);
      for (const { resolve } of ended.stampWaiters) resolve(stamp);
    }
    for (const { request } of ended.watches) await cluster.addWatch(request);
    ended.watches.length = 0;
  }

  async function commitWrites(ended: State, version: bigint): Promise<Buffer> {
    if (version < cluster.version() - READABLE_VERSIONS) {
      throw new FdbFailure(fdbCodes.transactionTooOld);
    }
    const fate = faults.ofCommit(ended.writes.some(({ kind }) => kind === 'stamped-key'));
    const request = {
      readVersion: version,
      reads: ended.reads,
      cleared: ended.writes.flatMap((write) => (write.kind === 'clear-range' ? [write.range] : [])),
      writes: (stamp: Buffer) => ended.writes.flatMap((write) => stamped(write, stamp)),
    };
    if (fate === 'conflict') throw new FdbFailure(fdbCodes.notCommitted);
    if (fate === 'unknown-lost') throw new FdbFailure(fdbCodes.commitUnknownResult);
    if (fate === 'timeout-late') {
      void afterTurns(LATE_TURNS).then(() => cluster.commit(request));
      throw new FdbFailure(fdbCodes.transactionTimedOut);
    }
    const stamp = await cluster.commit(request);
    if (fate !== 'tried') throw new FdbFailure(codeOf(fate));
    if (stamp === undefined) throw new FdbFailure(fdbCodes.notCommitted);
    return stamp;
  }

  async function afterTurns(turns: number): Promise<void> {
    for (let i = 0; i < turns; i += 1) {
      await new Promise<void>((resolve) => timers.nextTurn(resolve));
    }
  }

  function abandon(code: number): void {
    for (const { fail } of state.watches) fail(code);
    for (const { reject } of state.stampWaiters) reject(new FdbFailure(code));
    state = freshState();
  }

  return {
    readVersion,
    get,
    getRange,
    set: (key, value) =>
      addWrite({ kind: 'set', key: text(key), value }, key.length, value.length, 2 * key.length),
    clear: (key) => addWrite({ kind: 'clear', key: text(key) }, key.length, 0, 2 * key.length),
    clearRange(begin, end) {
      const range = { begin: text(begin), end: text(end) };
      addWrite({ kind: 'clear-range', range }, begin.length, 0, begin.length + 2 * end.length);
    },
    setVersionstampedKey: (key, at, value) =>
      addWrite({ kind: 'stamped-key', key, value, at }, key.length, value.length, 2 * key.length),
    setVersionstampedValue: (key, value, at) =>
      addWrite(
        { kind: 'stamped-value', key: text(key), value, at },
        key.length,
        value.length,
        2 * key.length,
      ),
    watch,
    versionstamp: () =>
      new Promise<Buffer>((resolve, reject) => state.stampWaiters.push({ resolve, reject })),
    async commit() {
      try {
        await commit();
      } catch (error) {
        abandon((error as FdbError).code);
        throw error;
      }
    },
    async onError(error) {
      const refused = refusal();
      if (refused !== undefined) throw refused;
      if (!retryable.has(error.code)) throw error;
      abandon(error.code);
      await afterTurns(1);
    },
    cancel() {
      cancelled = true;
      abandon(fdbCodes.transactionCancelled);
    },
  };
}

function codeOf(fate: CommitFate): number {
  return fate === 'changed-applied' ? fdbCodes.clusterVersionChanged : fdbCodes.commitUnknownResult;
}

function inRange(key: string, { begin, end }: KeyRange): boolean {
  return begin <= key && key < end;
}

function touches(write: Write, key: string): boolean {
  switch (write.kind) {
    case 'clear-range':
      return inRange(key, write.range);
    case 'stamped-key': {
      const { key: bytes, at } = write;
      const name = text(bytes);
      const tail = name.slice(at + STAMP_BYTES);
      return key.length === name.length && key.startsWith(name.slice(0, at)) && key.endsWith(tail);
    }
    default:
      return write.key === key;
  }
}

function stamped(write: Write, stamp: Buffer): Written[] {
  switch (write.kind) {
    case 'set':
      return [{ key: write.key, value: Buffer.from(write.value) }];
    case 'clear':
      return [{ key: write.key, value: undefined }];
    case 'stamped-key':
      return [
        { key: text(withStamp(write.key, write.at, stamp)), value: Buffer.from(write.value) },
      ];
    case 'stamped-value':
      return [{ key: write.key, value: withStamp(write.value, write.at, stamp) }];
    case 'clear-range':
      return [];
  }
}

function withStamp(bytes: Buffer, at: number, stamp: Buffer): Buffer {
  const result = Buffer.from(bytes);
  stamp.copy(result, at);
  return result;
}
