/**
 * Empties a namespace that is being deleted, then lets it go (spec 1, section 1.8).
 *
 *   namespace marked ─▶ delete everything in it ─▶ nothing left? ─▶ take the finalizer off ─▶ gone
 *                              ▲                        │ no (finalizers, grace periods)
 *                              └──── retry with backoff ┘
 *
 * What it is not: garbage collection by owner. It needs no lock against creators: a create tests in
 * its own transaction that the namespace is live, so the content can only shrink.
 *
 * Invariants: the finalizer goes only after a read that is current showed the namespace empty. Work
 * is idempotent: after a restart the marked namespaces are found again.
 */
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { deleteCollection } from '../registry/delete-collection.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { executeReplace } from '../registry/update.ts';
import type { Timers, TimerHandle } from '../stdx/clock.ts';
import type { EventEncoder, Predicate, WatchHandle, WatchSink } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';

const namespaceControllerLimits = {
  retryMinMs: 200,
  retryMaxMs: 10_000,
  /** The in-process watch is renewed this often; a renewal starts from the state again. */
  watchMs: 30 * 60_000,
} as const;

export interface NamespaceControllerDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly onError: (namespace: string, error: unknown) => void;
}

const namespaces: GroupResource = { group: '', resource: 'namespaces' };
const everything: Predicate = { id: '', matches: () => true, pins: new Map() };

export function createNamespaceController(deps: NamespaceControllerDeps): Controller {
  const waiting = new Set<string>();
  const retries = new Map<string, { readonly timer: TimerHandle; readonly delayMs: number }>();
  let stopped = false;
  let working: Promise<void> | undefined;
  let handle: WatchHandle | undefined;

  const enqueue = (name: string): void => {
    waiting.add(name);
    if (working === undefined && !stopped) working = work();
  };
  const work = async (): Promise<void> => {
    for (const name of waiting) {
      if (stopped) break;
      waiting.delete(name);
      let done = false;
      try {
        done = await emptyNamespace(deps.registry, name);
      } catch (error) {
        deps.onError(name, error);
      }
      if (done) retries.delete(name);
      else if (!stopped) retryLater(name);
    }
    working = undefined;
  };
  const retryLater = (name: string): void => {
    const { retryMinMs, retryMaxMs } = namespaceControllerLimits;
    const before = retries.get(name)?.delayMs ?? retryMinMs / 2;
    const delayMs = Math.min(before * 2, retryMaxMs);
    retries.set(name, { timer: deps.timers.after(delayMs, () => enqueue(name)), delayMs });
  };
  const follow = (): void => {
    if (!stopped) handle = deps.registry.streams.watch(watchRequest(), nameSink(enqueue, follow));
  };

  return {
    start: follow,
    async stop() {
      stopped = true;
      handle?.close();
      for (const { timer } of retries.values()) timer.cancel();
      await working;
    },
  };
}

function watchRequest(): Parameters<RegistryDeps['streams']['watch']>[0] {
  return {
    resource: namespaces,
    namespace: undefined,
    predicate: everything,
    start: { kind: 'state', atLeast: undefined, mark: false },
    bookmarks: false,
    timeoutMs: namespaceControllerLimits.watchMs,
    encoder: nameEncoder,
  };
}

/** Frames that are only the object's name: all this consumer needs. */
const nameEncoder: EventEncoder = {
  id: 'namespace-controller',
  event: (type, entry) => Buffer.from(type === 'DELETED' ? '' : `${entry.name}\n`),
  bookmark: () => Buffer.alloc(0),
  error: () => Buffer.alloc(0),
};

function nameSink(enqueue: (name: string) => void, onEnd: () => void): WatchSink {
  let closed = false;
  return {
    write(chunk) {
      for (const name of Buffer.from(chunk).toString('utf8').split('\n')) {
        if (name !== '') enqueue(name);
      }
      return true;
    },
    onDrain: () => undefined,
    end() {
      closed = true;
      onEnd();
    },
    get closed() {
      return closed;
    },
  };
}

/** True when there is nothing (more) to do for this namespace. */
async function emptyNamespace(registry: RegistryDeps, name: string): Promise<boolean> {
  const { streams, scheme } = registry;
  const entry = streams.snapshot(namespaces).get('', name);
  const kind = scheme.findStorage(namespaces);
  if (entry === undefined || kind === undefined) return true;
  if (!isMarked(entry.bytes)) return true;

  const contents = scheme.storageResources
    .map((resource) => scheme.findStorage(resource))
    .filter((found): found is KindInfo => found !== undefined && found.namespaced);
  for (const content of contents) await deleteContent(registry, content, name);
  await streams.waitUntilCurrent();
  const left = contents.some((content) => streams.snapshot(content.storage).count(name) > 0);
  if (left) return false;
  const finalizer = registry.identity.finalizers.namespace;
  const finalized = await executeReplace(
    registry,
    { kind, namespace: '', name },
    {
      produce: (current) => ({
        kind: 'object',
        object: withoutFinalizer(current.object, finalizer),
      }),
      create: undefined,
      warnings: [],
      options: { dryRun: false },
    },
  );
  return finalized.kind === 'ok' || finalized.error.code === 404;
}

async function deleteContent(
  registry: RegistryDeps,
  kind: KindInfo,
  namespace: string,
): Promise<void> {
  if (registry.streams.snapshot(kind.storage).count(namespace) === 0) return;
  const query = {
    consistency: { kind: 'any' },
    predicate: everything,
    limit: 0,
    continueToken: undefined,
  } as const;
  await deleteCollection(registry, { kind, namespace }, query, { dryRun: false });
}

function isMarked(bytes: Uint8Array): boolean {
  return decodeObject(bytes).metadata.deletionTimestamp !== undefined;
}

function withoutFinalizer(object: ApiObject, finalizer: string): ApiObject {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const held = Array.isArray(spec['finalizers']) ? spec['finalizers'] : [];
  return { ...object, spec: { ...spec, finalizers: held.filter((item) => item !== finalizer) } };
}
