/**
 * get and list: reads from the snapshots that streams keep (spec 1, sections 4.9 and 4.10).
 *
 *   resourceVersion  unset        -> most recent: wait until everything acknowledged is in
 *                    0            -> any: whatever the cache shows now
 *                    N            -> not older than N: wait for N, at most the freshness wait
 *                    N, Exact     -> exactly N (also: a limit without a match)
 *   continue token                -> exactly the revision of the first page, after the last key
 *
 * Everything but an exact read of a revision that no snapshot shows is answered from memory.
 *
 * Invariant: all pages of one list show one revision.
 */
import type { ContinueToken } from '../apimachinery/continue-token.ts';
import { CONTINUE_AT_LATEST, newContinueExpired } from '../apimachinery/continue-token.ts';
import {
  newAwaitedObject,
  newAwaitedResource,
  newCorruptObject,
  newClientGone,
  newExpired,
  newNotFound,
  newStoreReadError,
  newTooLargeResourceVersion,
} from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { nothing, unlessGone } from '../stdx/requester.ts';
import type { Requester } from '../stdx/requester.ts';
import { untilDone } from '../stdx/turns.ts';
import { unreadableIn } from '../../streams/streams.ts';
import type { EntryCursor, Predicate, ResourceSnapshot } from '../../streams/streams.ts';
import type { Revision } from '../storage/storage.ts';
import type {
  ListResult,
  ObjectTarget,
  RegistryDeps,
  ResourceTarget,
  Result,
  StoredObject,
} from './registry.ts';
import { ok, refused } from './registry.ts';

/** How recent a read must be. */
export type Consistency =
  | { readonly kind: 'most-recent' }
  | { readonly kind: 'any' }
  | { readonly kind: 'not-older-than'; readonly revision: Revision }
  | { readonly kind: 'exact'; readonly revision: Revision };

export interface ListQuery {
  readonly consistency: Consistency;
  readonly predicate: Predicate;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: ContinueToken | undefined;
  /** Of a kind that a webhook converts, where the selection depends on what a version shows: asked
   * in addition to the predicate. Absent: what is stored decides. */
  readonly selectShown?: SelectShown | undefined;
}

/** The entries as they are shown, or undefined where one is not selected, in their order. */
export type SelectShown = (
  entries: readonly StoredObject[],
  reader: Requester | undefined,
) => Promise<Result<readonly (StoredObject | undefined)[]>>;

export async function getObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  consistency: Exclude<Consistency, { kind: 'exact' }>,
  reader?: Requester,
): Promise<Result<StoredObject>> {
  const at = await snapshotFor(deps, target, consistency, reader);
  if (at.kind === 'refused') return at;
  const why = at.value.unreadable.get(`${target.namespace}/${target.name}`);
  if (why !== undefined) {
    const isAwaited = deps.streams.isWaiting(target.kind.storage);
    const unread = isAwaited ? newAwaitedObject : newCorruptObject;
    return refused(unread(target.kind, target.name, { key: keyOf(target), why }));
  }
  const entry = at.value.get(target.namespace, target.name);
  if (entry === undefined) return refused(newNotFound(target.kind, target.name));
  return ok(entry);
}

/** `reader`: for whom; looked at between the parts, so that nobody's list ends early. Absent:
 * somebody stays to the end. */
export async function listObjects(
  deps: RegistryDeps,
  target: ResourceTarget,
  query: ListQuery,
  reader?: Requester,
): Promise<Result<ListResult>> {
  const token = query.continueToken;
  const at = await snapshotFor(deps, target, consistencyOf(query), reader, token);
  if (at.kind === 'refused') return at;
  if (deps.streams.isWaiting(target.kind.storage)) {
    return refused(newAwaitedResource(target.kind));
  }
  const unreadable = unreadableIn(at.value, target.namespace);
  if (unreadable.length > 0) return refused(unreadableError(target, unreadable));
  const result = await pageOf(deps, at.value, target, query, reader);
  if (result.kind === 'refused') return result;
  const { continueAfter } = result.value;
  if (continueAfter !== undefined) deps.streams.keep(target.kind.storage, at.value);
  return result;
}

function keyOf({ kind, namespace, name }: ObjectTarget): string {
  return `${kind.storage.group}/${kind.storage.resource}/${namespace}/${name}`;
}

/** A list with a gap would be taken for complete, so the error names the objects that cannot be
 * read. */
function unreadableError(
  { kind }: ResourceTarget,
  unreadable: ReturnType<typeof unreadableIn>,
): StatusError {
  const { group, resource } = kind.storage;
  const objects = unreadable.map(({ key, why }) => ({ key: `${group}/${resource}/${key}`, why }));
  return newStoreReadError(kind, objects);
}

function consistencyOf(query: ListQuery): Consistency {
  const token = query.continueToken;
  if (token === undefined) return query.consistency;
  return token.revision === CONTINUE_AT_LATEST
    ? { kind: 'most-recent' }
    : { kind: 'exact', revision: token.revision as Revision };
}

async function snapshotFor(
  deps: RegistryDeps,
  target: ResourceTarget,
  consistency: Consistency,
  reader: Requester | undefined,
  token?: ContinueToken,
): Promise<Result<ResourceSnapshot>> {
  const { streams } = deps;
  const resource = target.kind.storage;
  switch (consistency.kind) {
    case 'most-recent':
      await unlessGone(reader, streams.waitUntilCurrent(), nothing);
      return reader?.closed === true ? nobodyReads : ok(streams.snapshot(resource));
    case 'any':
      return ok(streams.snapshot(resource));
    case 'not-older-than': {
      const reached = await streams.waitUntil(consistency.revision, reader);
      if (reached.kind === 'left') return nobodyReads;
      if (reached.kind === 'reached') return ok(streams.snapshot(resource));
      return refused(tooLarge(consistency.revision, reached.current));
    }
    case 'exact':
      return exactSnapshot(deps, target, consistency.revision, reader, token);
  }
}

async function exactSnapshot(
  deps: RegistryDeps,
  target: ResourceTarget,
  revision: Revision,
  reader: Requester | undefined,
  token: ContinueToken | undefined,
): Promise<Result<ResourceSnapshot>> {
  const reached = await deps.streams.waitUntil(revision, reader);
  if (reached.kind === 'left') return nobodyReads;
  if (reached.kind === 'too-large') return refused(tooLarge(revision, reached.current));
  const rebuilt = deps.streams.snapshotAt(target.kind.storage, revision);
  const at = await unlessGone(reader, rebuilt, nothing);
  if (at === undefined) return nobodyReads;
  switch (at.kind) {
    case 'ok':
      return ok(at.snapshot);
    case 'future':
      return refused(tooLarge(revision, at.current));
    case 'compacted':
      return refused(
        token === undefined
          ? tooOld(revision)
          : newContinueExpired(deps.identity.groups.meta, token.start),
      );
  }
}

function tooLarge(requested: Revision, current: Revision): StatusError {
  return newTooLargeResourceVersion(requested.toString(), current.toString());
}

function tooOld(revision: Revision): StatusError {
  return newExpired(`too old resource version: ${revision}`);
}

/**
 * The key that a token's page starts behind. A token's `start` is the least key that may come,
 * relative to what the request lists: the last key with a NUL at its end, as a rule.
 */
function startOf(token: ContinueToken | undefined, target: ResourceTarget): string | undefined {
  if (token === undefined) return undefined;
  const { namespace, kind } = target;
  const prefix = kind.namespaced && namespace === '' ? '' : `${namespace}/`;
  const start = prefix + token.start;
  if (start.endsWith('\0')) return start.slice(0, -1);
  // The greatest key below `start`: one less in the last place, and nothing sorts behind U+FFFF.
  const last = start.charCodeAt(start.length - 1);
  return `${start.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
}

/** The `start` of the token that goes on behind this entry. */
export function continueStart(target: ResourceTarget, lastKey: string): string {
  const { namespace, kind } = target;
  const relative =
    kind.namespaced && namespace === '' ? lastKey : lastKey.slice(namespace.length + 1);
  return `${relative}\0`;
}

/** Entries that are looked at between two pauses; a selection may ask 128 things of each. */
const examinedMax = 256;
/** Entries that are asked about at once: so many where all are wanted. */
const askedMax = 512;
/** However few are wanted: most may not be selected. */
const askedMin = 32;

async function pageOf(
  deps: RegistryDeps,
  snapshot: ResourceSnapshot,
  target: ResourceTarget,
  query: ListQuery,
  reader: Requester | undefined,
): Promise<Result<ListResult>> {
  const { selectShown } = query;
  const result =
    selectShown === undefined
      ? ok(await page(deps, snapshot, target, query, reader))
      : await shownPage(deps, snapshot, target, { ...query, selectShown }, reader);
  // What there is of it may end anywhere.
  return reader?.closed === true ? nobodyReads : result;
}

const nobodyReads = refused(newClientGone('what it asked for was read'));

/** The page of entries that are selected by what is shown of them. */
async function shownPage(
  deps: RegistryDeps,
  snapshot: ResourceSnapshot,
  target: ResourceTarget,
  {
    continueToken,
    limit,
    predicate,
    selectShown,
  }: ListQuery & { readonly selectShown: SelectShown },
  reader: Requester | undefined,
): Promise<Result<ListResult>> {
  const scope = target.namespace === '' ? undefined : target.namespace;
  const candidates = matching(snapshot, scope, startOf(continueToken, target), predicate);
  const asked = limit === 0 ? askedMax : Math.min(askedMax, Math.max(askedMin, limit));
  const found: StoredObject[] = [];
  const end = (last: string | undefined): Result<ListResult> =>
    ok(listed(snapshot, found, found.length, last, undefined));
  for (let batch = await taken(deps, candidates, asked, reader); batch.length > 0;) {
    const selected = await selectShown(batch, reader);
    if (selected.kind === 'refused') return selected;
    const next = await taken(deps, candidates, asked, reader);
    for (const [at, entry] of selected.value.entries()) {
      if (entry === undefined) continue;
      found.push(entry);
      if (found.length !== limit) continue;
      const isLast = at === batch.length - 1 && next.length === 0;
      return end(isLast ? undefined : `${entry.namespace}/${entry.name}`);
    }
    batch = next;
  }
  return end(undefined);
}

async function taken(
  { turns }: RegistryDeps,
  candidates: Iterator<StoredObject | undefined>,
  count: number,
  reader: Requester | undefined,
): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = [];
  while (all.length < count && reader?.closed !== true) {
    const next: IteratorResult<StoredObject | undefined, unknown> = candidates.next();
    if (next.done === true) break;
    if (next.value === undefined) await turns.pause();
    else all.push(next.value);
  }
  return all;
}

async function page(
  deps: RegistryDeps,
  snapshot: ResourceSnapshot,
  target: ResourceTarget,
  query: ListQuery,
  reader: Requester | undefined,
): Promise<ListResult> {
  const scope = target.namespace === '' ? undefined : target.namespace;
  const { predicate, limit } = query;
  const after = startOf(query.continueToken, target);
  const everything = predicate.id === '';
  const extent = after === undefined && limit === 0 ? `${scope ?? ''}/${predicate.id}` : undefined;
  const last = (entries: ListResult['entries'], count: number | undefined): ListResult => ({
    ...listed(snapshot, entries, count, undefined, undefined),
    extent,
  });
  const total = after === undefined ? snapshot.count(scope) : snapshot.countAfter(scope, after);
  if (everything && (limit === 0 || total <= limit)) {
    return last(
      walked(() => snapshot.entries(scope, after)),
      total,
    );
  }
  if (limit === 0) {
    return last(
      walked(() => matching(snapshot, scope, after, predicate)),
      undefined,
    );
  }
  const found = await firstMatches(deps, snapshot.entries(scope, after), query, reader);
  const { entries, examined, lastKey = after } = found;
  const remaining = total - examined;
  if (remaining === 0) return last(entries, entries.length);
  return listed(snapshot, entries, entries.length, lastKey, everything ? remaining : undefined);
}

interface FirstMatches {
  readonly entries: readonly StoredObject[];
  readonly examined: number;
  /** Of the last one that was examined; undefined: none was. */
  readonly lastKey: string | undefined;
}

/** The first `limit` entries that are selected, looked for in turns. */
async function firstMatches(
  deps: RegistryDeps,
  walk: EntryCursor,
  { limit, predicate }: ListQuery,
  reader: Requester | undefined,
): Promise<FirstMatches> {
  const entries: StoredObject[] = [];
  let examined = 0;
  let lastKey: string | undefined;
  await untilDone(deps.turns, () => {
    if (reader?.closed === true) return true;
    for (const until = examined + examinedMax; examined < until;) {
      const entry = walk.take();
      if (entry === undefined) return true;
      examined += 1;
      lastKey = `${entry.namespace}/${entry.name}`;
      if (predicate.matches(entry)) entries.push(entry);
      if (entries.length === limit) return true;
    }
    return undefined;
  });
  return { entries, examined, lastKey };
}

function walked<T>(walk: () => Iterator<T>): Iterable<T> {
  return { [Symbol.iterator]: walk };
}

function listed(
  snapshot: ResourceSnapshot,
  entries: ListResult['entries'],
  count: number | undefined,
  continueAfter: string | undefined,
  remainingItemCount: number | undefined,
): ListResult {
  const { revision } = snapshot;
  const extent = undefined;
  return { revision, snapshot, entries, count, continueAfter, remainingItemCount, extent };
}

/** Walks the scope lazily; a pinned name in a known namespace is looked up instead. */
function* matching(
  snapshot: ResourceSnapshot,
  scope: string | undefined,
  after: string | undefined,
  predicate: Predicate,
): IterableIterator<StoredObject | undefined> {
  const name = predicate.pins.get('metadata.name');
  if (name !== undefined && scope !== undefined && after === undefined) {
    const entry = snapshot.get(scope, name);
    if (entry !== undefined && predicate.matches(entry)) yield entry;
    return;
  }
  let examined = 0;
  for (const entry of snapshot.entries(scope, after)) {
    examined += 1;
    if (examined % examinedMax === 0) yield undefined;
    if (predicate.matches(entry)) yield entry;
  }
}
