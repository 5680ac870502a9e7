/**
 * The binding port (binding.ts) on the npm package `foundationdb` (2.0.1, API version 720).
 *
 * The package is an optional dependency and is loaded on demand. npm leaves it out where the client
 * library libfdb_c.so is missing. Each of the two gets an error of its own.
 *
 * The package's own retry loop, encodings and directories are not used, only the basic operations
 * of its Transaction. Its types are written out here, because a build must not need it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { messageOf } from '../../stdx/message-of.ts';
import { StorageError } from '../storage.ts';
import { fdbCodes, isFdbError } from './binding.ts';
import type {
  FdbDatabase,
  FdbTransaction,
  FdbWatch,
  KeyValuePage,
  TransactionOptions,
} from './binding.ts';

const API_VERSION = 720;

/** Option numbers of fdb.options. */
const transactionOptions = { priorityBatch: 201, timeout: 500 } as const;
const mutationTypes = { setVersionstampedKey: 14, setVersionstampedValue: 15 } as const;
/** The whole page at once, as far as limit and bytes allow. */
const STREAMING_WANT_ALL = -2;

interface Selector {
  readonly key: Buffer;
  readonly orEqual: boolean;
  readonly offset: number;
}

interface PackageTransaction {
  setOption(option: number, value?: number): void;
  snapshot(): PackageTransaction;
  getReadVersion(): Promise<Buffer>;
  get(key: Buffer): Promise<Buffer | undefined>;
  getRangeNative(
    start: Selector,
    end: Selector,
    limit: number,
    targetBytes: number,
    mode: number,
    iteration: number,
    reverse: boolean,
  ): Promise<{ readonly results: readonly (readonly [Buffer, Buffer])[]; readonly more: boolean }>;
  set(key: Buffer, value: Buffer): void;
  clear(key: Buffer): void;
  clearRange(begin: Buffer, end: Buffer): void;
  atomicOpNative(type: number, key: Buffer, operand: Buffer): void;
  watch(
    key: Buffer,
    options: { readonly throwAllErrors: boolean },
  ): { readonly promise: Promise<boolean>; cancel(): void };
  getVersionstamp(): { readonly promise: Promise<Buffer> };
  rawCommit(): Promise<void>;
  rawOnError(code: number): Promise<void>;
  rawCancel(): void;
}

interface PackageDatabase {
  rawCreateTransaction(): PackageTransaction;
  close(): void;
}

interface FoundationdbPackage {
  setAPIVersion(version: number): void;
  open(clusterFile?: string): PackageDatabase;
}

/** `clusterFile` undefined: FDB_CLUSTER_FILE or the client's default place.
 * @throws StorageError `io` that says what is missing. */
export function openFoundationdb(clusterFile: string | undefined): FdbDatabase {
  if (clusterFile !== undefined) checkClusterFile(clusterFile);
  const fdb = loadPackage();
  let db: PackageDatabase;
  try {
    fdb.setAPIVersion(API_VERSION);
    db = fdb.open(clusterFile);
  } catch (cause) {
    throw openFailure(cause, clusterFile);
  }
  return {
    begin: (options) => wrap(db.rawCreateTransaction(), options),
    close: () => db.close(),
  };
}

function checkClusterFile(path: string): void {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new StorageError('io', `--fdb-cluster-file: ${path} cannot be read`, { cause });
  }
  const lines = text.split('\n').map((line) => line.replace(/#.*$/s, '').trim());
  const [named = '', ...more] = lines.filter((line) => line !== '');
  if (more.length === 0 && connectionString.test(named)) return;
  const form = 'description:id@address:port,...';
  throw new StorageError('io', `--fdb-cluster-file: ${path} is not one line of the form ${form}`);
}

/** A coordinator is an address or a host with its port, and `:tls` behind it where that is on. */
const coordinator = String.raw`[^\s,@]+:\d+(?::tls)?`;
const connectionString = new RegExp(
  String.raw`^\w+:[A-Za-z0-9]+@${coordinator}(?:,${coordinator})*$`,
);

function loadPackage(): FoundationdbPackage {
  const require = createRequire(import.meta.url);
  loadClientLibrary(require);
  return require('foundationdb') as FoundationdbPackage;
}

/** What the package does first, done before it: when the library is missing the package prints
 * advice of several lines before it throws. */
function loadClientLibrary(require: NodeJS.Require): void {
  let directory: string;
  try {
    directory = dirname(require.resolve('foundationdb/package.json'));
  } catch (cause) {
    throw new StorageError(
      'io',
      '--store=fdb needs the npm package foundationdb 2.0.1, which npm leaves out where the' +
        ' FoundationDB client library is missing: install foundationdb-clients 7.2 or later' +
        ' (libfdb_c.so), then run `npm ci` again',
      { cause },
    );
  }
  try {
    const inPackage = createRequire(`${directory}/package.json`);
    (inPackage('node-gyp-build') as (directory: string) => unknown)(directory);
  } catch (cause) {
    throw new StorageError(
      'io',
      '--store=fdb needs the FoundationDB client library: install foundationdb-clients 7.2 or' +
        ` later (libfdb_c.so) and run ldconfig: ${firstLine(cause)}`,
      { cause },
    );
  }
}

function openFailure(cause: unknown, clusterFile: string | undefined): StorageError {
  if (isFdbError(cause) && cause.code === fdbCodes.apiVersionNotSupported) {
    const message = 'the FoundationDB client library is too old: API version 720 needs 7.2';
    return new StorageError('io', message, { cause });
  }
  const where = clusterFile === undefined ? '' : ` with --fdb-cluster-file=${clusterFile}`;
  const message = `FoundationDB cannot be opened${where}: ${firstLine(cause)}`;
  return new StorageError('io', message, { cause });
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] as string;
}

function wrap(inner: PackageTransaction, options: TransactionOptions): FdbTransaction {
  const snapshot = inner.snapshot();
  const setOptions = (): void => {
    if (options.timeoutMs !== undefined) {
      inner.setOption(transactionOptions.timeout, options.timeoutMs);
    }
    if (options.priority === 'batch') inner.setOption(transactionOptions.priorityBatch);
  };
  setOptions();
  return {
    readVersion: async () => (await inner.getReadVersion()).readBigUInt64BE(),
    get: (key, mode) => (mode === 'snapshot' ? snapshot : inner).get(key),
    async getRange(begin, end, limits, mode): Promise<KeyValuePage> {
      const reader = mode === 'snapshot' ? snapshot : inner;
      const { results, more } = await reader.getRangeNative(
        firstNotBefore(begin),
        firstNotBefore(end),
        limits.limit,
        limits.bytesTarget,
        STREAMING_WANT_ALL,
        1,
        false,
      );
      return { entries: results.map(([key, value]) => ({ key, value })), more };
    },
    set: (key, value) => inner.set(key, value),
    clear: (key) => inner.clear(key),
    clearRange: (begin, end) => inner.clearRange(begin, end),
    setVersionstampedKey(key, stampAt, value) {
      inner.atomicOpNative(mutationTypes.setVersionstampedKey, withOffset(key, stampAt), value);
    },
    setVersionstampedValue(key, value, stampAt) {
      inner.atomicOpNative(mutationTypes.setVersionstampedValue, key, withOffset(value, stampAt));
    },
    watch: (key) => watchOf(inner, key),
    versionstamp: () => inner.getVersionstamp().promise,
    commit: () => inner.rawCommit(),
    async onError(error) {
      await inner.rawOnError(error.code);
      // A retry resets every option but the timeout and its like.
      if (options.priority === 'batch') inner.setOption(transactionOptions.priorityBatch);
    },
    cancel: () => inner.rawCancel(),
  };
}

function watchOf(inner: PackageTransaction, key: Buffer): FdbWatch {
  const watch = inner.watch(key, { throwAllErrors: true });
  return {
    // The transaction is kept with its watch: it must not be collected before.
    changed: watch.promise.then(() => void inner),
    cancel: () => watch.cancel(),
  };
}

function firstNotBefore(key: Buffer): Selector {
  return { key, orEqual: false, offset: 1 };
}

/** Since API version 520 the operand ends with the place of the versionstamp: 4 bytes, the least
 * significant first. */
function withOffset(bytes: Buffer, stampAt: number): Buffer {
  const operand = Buffer.allocUnsafe(bytes.length + 4);
  bytes.copy(operand);
  operand.writeUInt32LE(stampAt, bytes.length);
  return operand;
}
