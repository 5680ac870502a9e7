/**
 * The marks of a store: format, identity, epoch; written once, checked by every opener.
 *
 * What it is not: part of any later transaction; nothing of it changes.
 */
import { StorageError } from '../storage.ts';
import { STAMP_BYTES, fdbCodes } from './binding.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import { FORMAT, corrupt } from './layout.ts';
import type { Keys } from './layout.ts';
import { fdbLimits, runWrite } from './transactions.ts';

interface Marks {
  readonly format: number;
  readonly identity: string;
  readonly epoch: bigint;
}

/** Makes the store when there is none; answers its epoch, the version before its first commit.
 * @throws StorageError `identity`, `corrupt`, `io`. */
export async function openStore(
  db: FdbDatabase,
  keys: Keys,
  identity: string,
  prefix: string,
): Promise<bigint> {
  const work = (transaction: FdbTransaction): Promise<Marks> =>
    readOrMake(transaction, keys, identity);
  let marks: Marks;
  try {
    marks = await runWrite(db, work, { timeoutMs: fdbLimits.openTimeoutMs });
  } catch (error) {
    throw unreachable(error);
  }
  const where = `the store under FoundationDB prefix "${prefix}"`;
  if (marks.format !== FORMAT) {
    const message = `${where} has format ${marks.format}; this build reads format ${FORMAT}`;
    throw new StorageError('identity', message);
  }
  if (marks.identity !== identity) {
    throw new StorageError(
      'identity',
      `${where} was written under identity "${marks.identity}"` +
        ` and cannot be opened under "${identity}"`,
    );
  }
  return marks.epoch;
}

async function readOrMake(
  transaction: FdbTransaction,
  keys: Keys,
  identity: string,
): Promise<Marks> {
  const bytes = await transaction.get(keys.meta, 'serializable');
  if (bytes !== undefined) return decodeMarks(bytes);
  const marks = { format: FORMAT, identity, epoch: await transaction.readVersion() };
  transaction.set(keys.meta, encodeMarks(marks));
  transaction.setVersionstampedValue(keys.tip, Buffer.alloc(STAMP_BYTES), 0);
  return marks;
}

function encodeMarks({ format, identity, epoch }: Marks): Buffer {
  return Buffer.from(JSON.stringify({ format, identity, epoch: String(epoch) }));
}

function decodeMarks(bytes: Buffer): Marks {
  let found: { format?: unknown; identity?: unknown; epoch?: unknown };
  try {
    found = JSON.parse(bytes.toString()) as typeof found;
  } catch {
    throw corrupt('its mark of format and identity');
  }
  const { format, identity, epoch } = found;
  const readable =
    typeof format === 'number' &&
    typeof identity === 'string' &&
    typeof epoch === 'string' &&
    /^\d+$/.test(epoch);
  if (!readable) throw corrupt('its mark of format and identity');
  return { format, identity, epoch: BigInt(epoch) };
}

/** The first transaction of an opener is where a cluster that cannot be reached shows. */
function unreachable(error: unknown): unknown {
  if (!(error instanceof StorageError) || error.code !== 'io') return error;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  if (code !== fdbCodes.transactionTimedOut) return error;
  return new StorageError(
    'io',
    `the FoundationDB cluster has not answered in ${fdbLimits.openTimeoutMs / 1000} s:` +
      ' check --fdb-cluster-file, and with `fdbcli --exec status` that the cluster is available',
    { cause: error },
  );
}
