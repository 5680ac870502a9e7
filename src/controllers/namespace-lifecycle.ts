/**
 * Empties a namespace that is being deleted, then lets it go (spec 1, sections 1.8 and 3.1).
 *
 *   marked ─▶ delete its pods ─▶ delete the rest ─▶ nothing left? ─▶ take the finalizer off ─▶ gone
 *               ▲     │ some left          ▲              │ no: finalizers, grace periods
 *               │     ▼                    │              ▼
 *               └─ last of a kind gone, or later ─ conditions say what is left
 *
 * Pods go first, as what runs in them may rely on the rest: on network policies, for one. With the
 * rest goes what other servers have in the namespace (namespace-remote-content.ts).
 *
 * It needs no lock against creators: a create tests in its own transaction that the namespace is
 * live, so the content can only shrink.
 *
 * Invariants: the finalizer goes only after a read that is current showed the namespace empty, and
 * only from the namespace that was looked at (uid). Objects whose deletion is marked are counted,
 * not deleted again. Work is idempotent: after a restart the marked namespaces are found again.
 * Bounds: `namespacesMax` namespaces at a time, each with the deletions in flight of one
 * deletecollection; workQueueLimits for those that wait. Those that found no place there are found
 * again among the marked ones.
 */
import { merge } from 'rxjs';
import type { Observable, Subscription } from 'rxjs';
import type { RemoteAccess } from '../aggregation/remote-access.ts';
import { items, part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import { changeObject } from '../registry/change-object.ts';
import { deleteEntries } from '../registry/delete-collection.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { shortWorkMs } from '../stdx/turns.ts';
import type { Timers } from '../stdx/clock.ts';
import { paced } from '../stdx/paced.ts';
import { eachInSteps } from '../stdx/in-steps.ts';
import { unreadableIn } from '../../streams/streams.ts';
import type { Entry } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';
import type { QueueMeters } from './queue-meters.ts';
import { metadataOf } from './garbage-collector-graph.ts';
import { withContentConditions } from './namespace-conditions.ts';
import type { RemainingContent } from './namespace-conditions.ts';
import { createRemoteContent, isNothing, nothingLeft } from './namespace-remote-content.ts';
import type { RemoteContent } from './namespace-remote-content.ts';
import { servedChanges } from './served-changes.ts';
import type { ServedChange } from './served-changes.ts';
import { isMarked, unmarkedEntries } from './unmarked-entries.ts';
import { createWorkQueue } from './work-queue.ts';

/** Finalizers whose objects are counted, for a condition. Policy: others are left out. */
const finalizersMax = 1_000;

const namespaceControllerLimits = { namespacesMax: 4 } as const;
/** Kinds that are looked for in one turn: there may be thousands of custom ones. */
const kindsAtOnce = 100;

export interface NamespaceControllerDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** Other servers' objects. */
  readonly remote: RemoteAccess;
  readonly onError: (namespace: string, error: unknown) => void;
}

const namespaces: GroupResource = { group: '', resource: 'namespaces' };
const namespacesId = '/namespaces';
const manager = 'namespace-controller';
const pods: GroupResource = { group: '', resource: 'pods' };

export function createNamespaceController(deps: NamespaceControllerDeps): Controller {
  const { registry, timers } = deps;
  const { streams } = registry;
  const terminating = new Set<string>();
  let following: Subscription | undefined;
  const look = (entry: Entry): void => {
    if (!isMarked(entry)) return;
    terminating.add(entry.name);
    queue.add(entry.name);
  };
  /** The last of a resource in the namespace is gone: it may be empty now. */
  const emptied = (id: string, namespace: string): void => {
    if (!terminating.has(namespace)) return;
    const [group = '', resource = ''] = id.split('/');
    if (streams.snapshot({ group, resource }).count(namespace) === 0) queue.add(namespace);
  };
  const queue = createWorkQueue({
    timers,
    meter: deps.queues.meterOf('namespace-lifecycle'),
    batchMax: namespaceControllerLimits.namespacesMax,
    monotonicMs: () => registry.clock.monotonicMs(),
    prepare: () => streams.waitUntilCurrent(),
    pause: () => registry.turns.pause(shortWorkMs),
    work: (name, isStopped) => emptyNamespace({ registry, remote }, name, isStopped),
    all: () => terminating,
    onError: deps.onError,
  });
  const remote = remoteContentOf(deps, terminating, (name) => queue.add(name));
  return {
    start() {
      const events = merge(streams.resourceEvents(namespaces), contentDeletions(registry));
      following = streams.followers.follow('namespace-lifecycle', events, (event) => {
        if (event.type === 'RESET') {
          terminating.clear();
          return eachInSteps(event.snapshot.entries(undefined), look);
        }
        if (event.resource !== namespacesId) {
          emptied(event.resource, event.entry.namespace);
        } else if (event.type === 'DELETED') {
          terminating.delete(event.entry.name);
          remote.forget(event.entry.name);
        } else look(event.entry);
        return undefined;
      });
      queue.start();
      remote.start();
    },
    async stop() {
      following?.unsubscribe();
      await Promise.all([queue.stop(), remote.stop()]);
    },
  };
}

function remoteContentOf(
  { onError, queues, registry, remote, timers }: NamespaceControllerDeps,
  terminating: ReadonlySet<string>,
  onLooked: (namespace: string) => void,
): RemoteContent {
  const { clock, identity, streams, turns } = registry;
  return createRemoteContent({
    timers,
    remote,
    meter: queues.meterOf('namespace-remote-content'),
    monotonicMs: () => clock.monotonicMs(),
    nowMs: () => clock.nowMs(),
    pause: () => turns.pause(shortWorkMs),
    systemNamespace: identity.namespaces.system,
    all: () => terminating,
    find(name) {
      const entry = streams.snapshot(namespaces).get('', name);
      const { deletionTimestamp, uid = '' } = entry === undefined ? {} : metadataOf(entry);
      if (deletionTimestamp === undefined) return undefined;
      return { uid, markedMs: Date.parse(deletionTimestamp) };
    },
    onLooked,
    onError,
  });
}

/** Of whatever a namespace can hold. A namespace that loses the last of a kind before that is
 * followed is looked at again later, as any that is not empty yet. */
function contentDeletions(registry: RegistryDeps): Observable<ServedChange> {
  return servedChanges(registry, { concerns: ({ namespaced }) => namespaced, only: 'DELETED' });
}

function contentKinds({ scheme }: RegistryDeps): readonly KindInfo[] {
  return scheme.storageResources
    .map((resource) => scheme.findStorage(resource))
    .filter((found): found is KindInfo => found !== undefined && found.namespaced);
}

interface Emptying {
  readonly registry: RegistryDeps;
  readonly remote: Pick<RemoteContent, 'leftIn'>;
}

/** True when there is nothing (more) to do for this namespace. Stopped, it deletes no more, and the
 * next start goes on. */
async function emptyNamespace(
  { registry, remote }: Emptying,
  name: string,
  isStopped: () => boolean,
): Promise<boolean> {
  const { identity, scheme, streams } = registry;
  const entry = streams.snapshot(namespaces).get('', name);
  const kind = scheme.findStorage(namespaces);
  if (entry === undefined || kind === undefined || !isMarked(entry)) return true;
  const { uid = '' } = metadataOf(entry);
  const [first, rest] = inOrder(contentKinds(registry));
  let left = await emptyOf(registry, first, name, isStopped);
  let elsewhere: RemainingContent | 'unknown' = nothingLeft;
  if (left !== undefined && isNothing(left)) {
    elsewhere = await remote.leftIn(name, uid);
    left = await emptyOf(registry, rest, name, isStopped);
  }
  if (left === undefined) return false;
  const isEmpty = isNothing(left);
  // It is looked at again when that is known.
  if (isEmpty && elsewhere === 'unknown') return true;
  const all = elsewhere === 'unknown' ? left : together(left, elsewhere);
  const own = identity.finalizers.namespace;
  // The conditions say why a namespace stays; one that is removed now needs none.
  if (!isNothing(all) || isHeldByOthers(entry, own)) {
    await changeNamespace(registry, kind, name, uid, 'status', (object) =>
      withContentConditions(object, all, registry.clock.nowMs()),
    );
  }
  if (!isEmpty) return false;
  // What is left elsewhere is tried again there.
  if (!isNothing(all)) return true;
  return changeNamespace(registry, kind, name, uid, 'finalize', (object) =>
    withoutFinalizer(object, own),
  );
}

function together(here: RemainingContent, elsewhere: RemainingContent): RemainingContent {
  const finalizers = new Map(here.finalizers);
  for (const [name, count] of elsewhere.finalizers) {
    finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  return {
    undiscovered: elsewhere.undiscovered,
    failures: [...here.failures, ...elsewhere.failures],
    resources: [...here.resources, ...elsewhere.resources],
    finalizers,
  };
}

/** The kinds in the order in which they go: those of the second list once all of the first are
 * gone. */
function inOrder(
  contents: readonly KindInfo[],
): readonly [readonly KindInfo[], readonly KindInfo[]] {
  const isPods = ({ storage }: KindInfo): boolean =>
    storage.group === pods.group && storage.resource === pods.resource;
  return [contents.filter(isPods), contents.filter((kind) => !isPods(kind))];
}

/** Deletes what is of these kinds. Returns what is left, or undefined when it was stopped. */
async function emptyOf(
  registry: RegistryDeps,
  contents: readonly KindInfo[],
  name: string,
  isStopped: () => boolean,
): Promise<RemainingContent | undefined> {
  const { streams, turns } = registry;
  const failures: string[] = [];
  for (const [at, content] of contents.entries()) {
    if (at % kindsAtOnce === 0) await turns.pause();
    const failure = await deleteContent(registry, content, name, isStopped);
    if (failure !== undefined) failures.push(failure);
    if (isStopped()) return undefined;
  }
  await streams.waitUntilCurrent();
  for await (const { storage } of paced(turns, contents)) {
    for (const { key } of unreadableIn(streams.snapshot(storage), name)) {
      failures.push(`${storage.resource} ${key} cannot be read`);
    }
  }
  return remaining(registry, contents, name, failures);
}

/** Deletes what is not being deleted yet. Returns why not all of it was. */
async function deleteContent(
  registry: RegistryDeps,
  kind: KindInfo,
  namespace: string,
  isStopped: () => boolean,
): Promise<string | undefined> {
  const snapshot = registry.streams.snapshot(kind.storage);
  if (snapshot.count(namespace) === 0) return undefined;
  const options = { dryRun: false, propagationPolicy: 'Background' } as const;
  const target = { kind, namespace };
  const unmarked = unmarkedEntries(snapshot.entries(namespace), isStopped);
  const result = await deleteEntries(registry, target, unmarked, options);
  return result.kind === 'ok' ? undefined : result.error.message;
}

async function remaining(
  { streams, turns }: RegistryDeps,
  contents: readonly KindInfo[],
  namespace: string,
  failures: readonly string[],
): Promise<RemainingContent> {
  const resources: { resource: GroupResource; count: number }[] = [];
  const finalizers = new Map<string, number>();
  for await (const { storage } of paced(turns, contents)) {
    const snapshot = streams.snapshot(storage);
    const count = snapshot.count(namespace);
    if (count === 0) continue;
    resources.push({ resource: storage, count });
    for await (const entry of paced(turns, snapshot.entries(namespace))) {
      for (const finalizer of metadataOf(entry).finalizers ?? []) {
        if (finalizers.size >= finalizersMax && !finalizers.has(finalizer)) continue;
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
      }
    }
  }
  return { undiscovered: [], failures, resources, finalizers };
}

async function changeNamespace(
  registry: RegistryDeps,
  kind: KindInfo,
  name: string,
  uid: string,
  subresource: string,
  change: (object: ApiObject) => ApiObject,
): Promise<boolean> {
  const target = { kind, namespace: '', name };
  const result = await changeObject(registry, target, {
    change,
    options: { dryRun: false, manager },
    subresource,
    expected: { uid, resourceVersion: undefined },
    how: 'overwrite',
  });
  if (result.kind === 'ok' || passedOver.has(result.error.reason)) return true;
  throw result.error;
}

/** It is gone; or another namespace has its name by now, which is looked at by itself. */
const passedOver: ReadonlySet<string> = new Set([StatusReason.notFound, StatusReason.conflict]);

function isHeldByOthers(entry: Entry, own: string): boolean {
  const object = decodeObject(entry.bytes);
  if ((object.metadata.finalizers ?? []).length > 0) return true;
  return items(part(object, 'spec'), 'finalizers').some((name) => name !== own);
}

/** The same object when it does not have it. An empty list is no member. */
function withoutFinalizer(object: ApiObject, finalizer: string): ApiObject {
  const { finalizers: _held, ...spec } = part(object, 'spec');
  const held = items(part(object, 'spec'), 'finalizers');
  if (!held.includes(finalizer)) return object;
  const left = held.filter((item) => item !== finalizer);
  return { ...object, spec: left.length === 0 ? spec : { ...spec, finalizers: left } };
}
