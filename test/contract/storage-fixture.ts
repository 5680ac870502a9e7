/** What the storage contract suite needs of an adapter, and how its tests write and read. */
import assert from 'node:assert/strict';
import { StorageError } from '../../src/storage/storage.ts';
import type {
  AtRevision,
  Change,
  Condition,
  Mutation,
  MutationOutcome,
  Precondition,
  Revision,
  Storage,
  StoredRecord,
  StoreKey,
} from '../../src/storage/storage.ts';

export interface StorageFixture {
  /** A new, empty store, whose companions have the rules of companion-rules.ts. */
  open(): Promise<Storage>;
  /** Another Storage over the same store as the one given, where the adapter allows it. */
  openSecond?: ((first: Storage) => Promise<Storage>) | undefined;
  /** Why there is no second writer; required when `openSecond` is missing. */
  readonly singleWriterBecause?: string | undefined;
  /** Why a mutation that nothing stands against may be called a conflict, where it may. */
  readonly refusesFreelyBecause?: string | undefined;
  /** Whether two servers' commits with these revisions may have been decided in the other order:
   * then one may stand behind the change of what its conditions tested. Absent: never. */
  readonly mayTie?: ((one: Revision, other: Revision) => boolean) | undefined;
  /** Of property tests that open a store each time, where that is slow. */
  readonly runs?: number | undefined;
  cleanUp(): Promise<void>;
}

const utf8 = new TextEncoder();

export function key(name: string): StoreKey {
  return `/configmaps/default/${name}` as StoreKey;
}

export function put(
  at: StoreKey,
  expect: Precondition,
  text = 'v',
  more: { readonly state?: string; readonly conditions?: readonly Condition[] } = {},
): Mutation {
  return {
    key: at,
    expect,
    conditions: more.conditions ?? [],
    operation: { kind: 'put', state: more.state ?? 'live', value: utf8.encode(text) },
  };
}

export function remove(at: StoreKey, expect: Precondition): Mutation {
  return { key: at, expect, conditions: [], operation: { kind: 'delete' } };
}

export const absent = { kind: 'absent' } as const;
export const written = (revision: Revision): Precondition => ({ kind: 'revision', revision });

export function applied(outcome: MutationOutcome | undefined): Revision {
  assert.equal(outcome?.kind, 'applied');
  return (outcome as { revision: Revision }).revision;
}

export async function commitOne(storage: Storage, mutation: Mutation): Promise<Revision> {
  return applied((await storage.commit([mutation]))[0]);
}

export function ok<T>(result: AtRevision<T>): T {
  assert.equal(result.kind, 'ok');
  return (result as { value: T }).value;
}

export function textOf(record: StoredRecord | undefined): string | undefined {
  return record === undefined ? undefined : Buffer.from(record.value).toString();
}

export async function allChanges(storage: Storage, after: Revision, limit = 3): Promise<Change[]> {
  const all: Change[] = [];
  let from = after;
  for (;;) {
    const page = ok(await storage.changes(from, { limit, previous: true }));
    if (page.changes.length === 0) return all;
    all.push(...page.changes);
    from = page.through;
  }
}

export async function scanAll(
  storage: Storage,
  prefix: string,
  at?: Revision,
  limit = 2,
): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  let after: StoreKey | undefined;
  let revision = at;
  for (;;) {
    const page = ok(await storage.scan({ prefix, after, limit }, revision));
    all.push(...page.records);
    revision = page.revision;
    after = page.records.at(-1)?.key ?? after;
    if (!page.more) return all;
  }
}

export function rejectsWith(code: string): (error: unknown) => boolean {
  return (error) => error instanceof StorageError && error.code === code;
}
