/**
 * Deletes what other servers have in a namespace that is being deleted, and says what is left.
 *
 *     marked ─▶ `settleMs` later ─▶ each server by itself: delete, list ─▶ nothing left? ─▶ said
 *                                        ▲                                    │ no, or no answer
 *                                        └────────────── later ◀──────────────┘
 *
 * Those servers hear of the mark from a watch, so for a while they may still create objects: what
 * is found before `settleMs` is over says nothing, and nothing is looked for.
 *
 * Elsewhere: what this server itself stores (namespace-lifecycle.ts), which waits for this.
 *
 * Invariants: a namespace counts as empty only when every version that others answer for is known,
 * and each of their resources in it that can be deleted and listed was listed empty. A server that
 * does not answer keeps the namespace, and holds up the work at no other one. All is done again
 * after a restart.
 * Bounds: `remoteLimits`; the calls, remote-lanes.ts; workQueueLimits for namespaces that wait.
 */
import { serverNameOf } from '../aggregation/api-service.ts';
import type { RemoteService } from '../aggregation/api-service.ts';
import { isUnsupported } from '../aggregation/remote-objects.ts';
import type { RemoteAccess } from '../aggregation/remote-access.ts';
import type { RemoteAsking, RemoteObjects, RemotePlace } from '../aggregation/remote-objects.ts';
import type { RemoteResource } from '../aggregation/remote-resources.ts';
import { text, texts } from '../apimachinery/members.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { createLimiter } from '../stdx/limiter.ts';
import { messageOf } from '../stdx/message-of.ts';
import { LeavingRequester } from '../stdx/requester.ts';
import type { RemainingContent } from './namespace-conditions.ts';
import { accountUser } from './remote-asking.ts';
import type { WorkQueue, WorkQueueDeps } from './work-queue.ts';
import { createWorkQueue } from './work-queue.ts';

const remoteLimits = {
  settleMs: 5_000,
  namespacesMax: 16,
  /** Pages of one resource in one pass. Policy: the rest in the next. */
  pagesMax: 20,
  /** Objects that are deleted one by one at a time. */
  deletionsMax: 4,
  /** Of what goes wrong in one pass. Policy: further ones are not said. */
  failuresMax: 100,
  finalizersMax: 1_000,
  textCharsMax: 512,
} as const;

/** What the controller has to know of a namespace. */
export interface MarkedNamespace {
  readonly uid: string;
  readonly markedMs: number;
}

export interface RemoteContentDeps extends Pick<
  WorkQueueDeps,
  'meter' | 'monotonicMs' | 'onError' | 'pause'
> {
  readonly timers: Timers;
  readonly nowMs: () => number;
  readonly systemNamespace: string;
  readonly remote: RemoteAccess;
  /** Undefined: it is not being deleted (any more). */
  readonly find: (namespace: string) => MarkedNamespace | undefined;
  readonly all: () => Iterable<string>;
  /** Something else is left there than before. */
  readonly onLooked: (namespace: string) => void;
}

export interface RemoteContent {
  /** What is left there, as far as is known. `unknown`: it is being looked for. */
  leftIn(namespace: string, uid: string): Promise<RemainingContent | 'unknown'>;
  forget(namespace: string): void;
  start(): void;
  stop(): Promise<void>;
}

export const nothingLeft: RemainingContent = {
  undiscovered: [],
  failures: [],
  resources: [],
  finalizers: new Map(),
};

interface Looked {
  readonly uid: string;
  readonly left: RemainingContent;
}

export function createRemoteContent(deps: RemoteContentDeps): RemoteContent {
  const { remote, timers } = deps;
  const requester = new LeavingRequester();
  const user = accountUser(deps.systemNamespace, 'namespace-controller');
  const asking: RemoteAsking = { requester, user };
  const looked = new Map<string, Looked>();
  const settling = new Map<string, TimerHandle>();
  /** True: what is found now counts. */
  const isSettled = (namespace: string, { markedMs }: MarkedNamespace): boolean => {
    const restMs = Math.min(markedMs + remoteLimits.settleMs - deps.nowMs(), remoteLimits.settleMs);
    if (restMs <= 0) return true;
    settling.get(namespace)?.cancel();
    const again = (): void => {
      settling.delete(namespace);
      queue.add(namespace);
    };
    settling.set(namespace, timers.after(restMs, again));
    return false;
  };
  const work = async (namespace: string, isStopped: () => boolean): Promise<boolean> => {
    const found = deps.find(namespace);
    if (found === undefined || !isSettled(namespace, found)) return true;
    const left = await emptyAll(remote, namespace, asking);
    if (isStopped() || deps.find(namespace)?.uid !== found.uid) return true;
    const before = looked.get(namespace);
    looked.set(namespace, { uid: found.uid, left });
    const isEmpty = isNothing(left);
    if (isEmpty || before?.uid !== found.uid || !says(before.left, left)) deps.onLooked(namespace);
    return isEmpty;
  };
  const queue: WorkQueue = createWorkQueue({
    ...deps,
    batchMax: remoteLimits.namespacesMax,
    prepare: () => Promise.resolve(),
    work,
  });
  return {
    async leftIn(namespace, uid) {
      const { resources, unknown } = await remote.resources();
      if (unknown.length === 0 && !resources.some(isContent)) return nothingLeft;
      const known = looked.get(namespace);
      if (known?.uid === uid) return known.left;
      queue.add(namespace);
      return 'unknown';
    },
    forget(namespace) {
      looked.delete(namespace);
      settling.get(namespace)?.cancel();
      settling.delete(namespace);
    },
    start: () => queue.start(),
    async stop() {
      for (const timer of settling.values()) timer.cancel();
      requester.leave();
      await queue.stop();
    },
  };
}

function isContent({ isNamespaced, verbs }: RemoteResource): boolean {
  return isNamespaced && verbs.has('delete');
}

export function isNothing({ failures, resources, undiscovered }: RemainingContent): boolean {
  return failures.length + resources.length + undiscovered.length === 0;
}

/** What is shown of it is the same. */
function says(a: RemainingContent, b: RemainingContent): boolean {
  const shown = ({ failures, finalizers, resources, undiscovered }: RemainingContent): string =>
    JSON.stringify([failures, [...finalizers], resources, undiscovered]);
  return shown(a) === shown(b);
}

/** One pass over all servers, at once: each has its own line. */
async function emptyAll(
  remote: RemoteAccess,
  namespace: string,
  asking: RemoteAsking,
): Promise<RemainingContent> {
  const { resources, unknown } = await remote.resources();
  const servers = new Map<string, RemoteResource[]>();
  for (const resource of resources.filter(isContent)) {
    const server = serverNameOf(resource.service.backend);
    servers.set(server, [...(servers.get(server) ?? []), resource]);
  }
  const left = {
    undiscovered: unknown.map(undiscoveredText),
    failures: [] as string[],
    resources: [] as RemainingContent['resources'][number][],
    finalizers: new Map<string, number>(),
  };
  const emptyOne = async (own: readonly RemoteResource[]): Promise<void> => {
    for (const resource of own) {
      try {
        await emptyResource(remote.objects, { resource, namespace }, asking, left);
      } catch (error) {
        addFailure(left.failures, messageOf(error));
      }
      if (asking.requester.closed) return;
    }
  };
  await Promise.all([...servers.values()].map(emptyOne));
  return left;
}

/** As clients of the reference say it. */
function undiscoveredText(service: RemoteService): string {
  const version = formatGroupVersion(service);
  return `${version}: stale GroupVersion discovery: ${version}`;
}

interface Left {
  readonly failures: string[];
  readonly resources: RemainingContent['resources'][number][];
  readonly finalizers: Map<string, number>;
}

const background = { propagationPolicy: 'Background' } as const;

/** @throws RemoteError. */
async function emptyResource(
  objects: RemoteObjects,
  place: RemotePlace,
  asking: RemoteAsking,
  left: Left,
): Promise<void> {
  const { service, verbs, resource } = place.resource;
  const found = verbs.has('list') ? await listAll(objects, place, asking) : undefined;
  if (found?.items.length === 0) return;
  if (found?.items.every(isMarked) !== true) await deleteAll(objects, place, asking, found);
  const rest = found && (await listAll(objects, place, asking));
  if (rest === undefined || rest.items.length === 0) return;
  const { finalizers, resources } = left;
  const counted = { group: service.group, resource };
  resources.push({ resource: counted, count: rest.items.length + rest.moreCount });
  const held = rest.items.flatMap((item) => texts(item, 'finalizers'));
  for (const each of held) {
    const name = each.slice(0, remoteLimits.textCharsMax);
    if (finalizers.size >= remoteLimits.finalizersMax && !finalizers.has(name)) continue;
    finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  if (held.length > 0) return;
  const { group, version } = service;
  const what = `gvr: ${group}/${version}, Resource=${resource}`;
  const { namespace } = place;
  addFailure(left.failures, `unexpected items still remain in namespace: ${namespace} for ${what}`);
}

function isMarked(metadata: JsonObject): boolean {
  return metadata['deletionTimestamp'] !== undefined;
}

interface Listed {
  readonly items: readonly JsonObject[];
  readonly moreCount: number;
}

/** Undefined: it does not list them. */
async function listAll(
  objects: RemoteObjects,
  place: RemotePlace,
  asking: RemoteAsking,
): Promise<Listed | undefined> {
  const items: JsonObject[] = [];
  let next = '';
  let moreCount = 0;
  for (let pages = 0; pages < remoteLimits.pagesMax; pages += 1) {
    try {
      const page = await objects.page(place, next, asking);
      items.push(...page.items.map(seen));
      ({ moreCount, next } = page);
    } catch (error) {
      if (isUnsupported(error)) return undefined;
      throw error;
    }
    if (next === '') break;
  }
  return { items, moreCount: next === '' ? 0 : moreCount };
}

/** What is asked of it. */
function seen({ deletionTimestamp, finalizers, name }: JsonObject): JsonObject {
  const marked = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return { name: name ?? '', finalizers: finalizers ?? [], ...marked };
}

async function deleteAll(
  objects: RemoteObjects,
  place: RemotePlace,
  asking: RemoteAsking,
  found: Listed | undefined,
): Promise<void> {
  if (place.resource.verbs.has('deletecollection')) {
    try {
      return await objects.deleteAll(place, background, asking);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
    }
  }
  const inLine = createLimiter(remoteLimits.deletionsMax);
  const unmarked = found?.items.filter((item) => !isMarked(item)) ?? [];
  const deletions = unmarked.map((item) =>
    inLine(async () => {
      if (asking.requester.closed) return;
      try {
        await objects.delete(place, text(item, 'name'), background, asking);
      } catch (error) {
        if (!isUnsupported(error)) throw error;
      }
    }),
  );
  const failed = (await Promise.allSettled(deletions)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

function addFailure(failures: string[], message: string): void {
  const { failuresMax, textCharsMax } = remoteLimits;
  if (failures.length < failuresMax) failures.push(message.slice(0, textCharsMax));
}
