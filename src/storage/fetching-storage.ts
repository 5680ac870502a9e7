/**
 * A store whose records may be encrypted with keys that have to be asked for: before a record is
 * handed on, its key is there, or nobody has it.
 *
 * The codec that reads records does so at once (encrypted-records.ts); whoever keeps the keys may
 * take its time. So the waiting is here, where everything waits for the store anyway.
 *
 *     scan of everything, tail     what they show is kept: as patient as `patienceOf` says for the
 *                                  record, since who keeps it may be able to read it again, or not
 *     pages of the log             ask where it is not known that nobody answers: most of what is
 *                                  on a page is not for who reads it
 *     everything else              asks once
 *
 * Invariants: every call and answer is passed on unchanged and in its order. Commits wait for the
 * keys of what their companions read inside of the transaction; a commit behind one that waits goes
 * behind it.
 */
import type { KeyPatience, RecordCodec } from './encrypted-records.ts';
import { passedOn } from './passed-on.ts';
import type { Change, Mutation, Storage, StoredRecord, StoreKey } from './storage.ts';

type KeyFetcher = Pick<RecordCodec, 'fetchKey' | 'mayFetch'>;

/** For those who read. */
export function fetchingStorage(
  inner: Storage,
  { fetchKey }: KeyFetcher,
  patienceOf: (key: StoreKey) => KeyPatience,
): Storage {
  if (fetchKey === undefined) return inner;
  const fetchAll = async (
    records: Iterable<StoredRecord | undefined>,
    patience: KeyPatience | typeof patienceOf,
  ): Promise<void> => {
    const fetching: Promise<void>[] = [];
    for (const record of records) {
      if (record === undefined) continue;
      const one = fetchKey(record, typeof patience === 'string' ? patience : patience(record.key));
      if (one !== undefined) fetching.push(one);
    }
    if (fetching.length > 0) await Promise.all(fetching);
  };

  return {
    ...passedOn(inner),
    async read(key, at) {
      const read = await inner.read(key, at);
      if (read.kind === 'ok') await fetchAll([read.value], 'once');
      return read;
    },
    async scan(range, at) {
      const read = await inner.scan(range, at);
      if (read.kind === 'ok')
        await fetchAll(read.value.records, range.prefix === '' ? patienceOf : 'once');
      return read;
    },
    async changes(after, options) {
      const read = await inner.changes(after, options);
      if (read.kind === 'ok') await fetchAll(recordsOf(read.value.changes), 'if-well');
      return read;
    },
    async *tail(after, signal) {
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      for await (const page of inner.tail(after, signal)) {
        await Promise.race([fetchAll(recordsOf(page.changes), patienceOf), aborted]);
        if (signal.aborted) return;
        yield page;
      }
    },
  };
}

/** For who has the store, whose transactions read records themselves. */
export function fetchingCommits(inner: Storage, { fetchKey, mayFetch }: KeyFetcher): Storage {
  if (fetchKey === undefined || mayFetch === undefined) return inner;
  let before: Promise<void> | undefined;

  const fetch = async (key: StoreKey): Promise<void> => {
    try {
      const read = await inner.read(key);
      if (read.kind === 'ok' && read.value !== undefined) await fetchKey(read.value, 'once');
    } catch {
      // The commit will say so.
    }
  };

  return {
    ...passedOn(inner),
    commit(mutations) {
      const keys = readKeys(mutations).filter(mayFetch);
      if (keys.length === 0 && before === undefined) return inner.commit(mutations);
      const turn = (before ?? Promise.resolve()).then(async () => {
        await Promise.all(keys.map(fetch));
      });
      before = turn;
      return turn.then(() => {
        if (before === turn) before = undefined;
        return inner.commit(mutations);
      });
    },
  };
}

/** What companions look at to decide. */
function readKeys(mutations: readonly Mutation[]): readonly StoreKey[] {
  const keys = new Set<StoreKey>();
  for (const { companions } of mutations) {
    if (companions === undefined) continue;
    for (const { key, kind } of companions) if (kind !== 'mark') keys.add(key);
  }
  return keys.size === 0 ? none : [...keys];
}

const none: readonly StoreKey[] = [];

function* recordsOf(changes: readonly Change[]): Generator<StoredRecord | undefined> {
  for (const { previous, record } of changes) {
    yield record;
    yield previous;
  }
}
