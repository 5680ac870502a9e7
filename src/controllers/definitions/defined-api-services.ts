/**
 * Maintains one APIService for each group and version of custom types.
 *
 *     served, not there ▶ created      labelled, with another spec ▶ updated
 *     labelled, and nothing is defined there any more ▶ deleted      not labelled ▶ left alone
 *
 * Those of built-in versions are put right at the start of a server.
 *
 * Invariants: each change is decided on the object as it then is; what is changed or deleted by
 * others is put right when that is seen.
 */
import { Subscription } from 'rxjs';
import { part } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { KindInfo, Scheme, VersionInfo } from '../../apimachinery/scheme.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { changeObject } from '../../registry/change-object.ts';
import { createObject } from '../../registry/create.ts';
import { deleteObject } from '../../registry/delete.ts';
import type { RegistryDeps, Result } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { runStepwise } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Controller } from '../controller.ts';
import { createKeyQueue } from '../key-queue.ts';
import type { QueueMeters } from '../queue-meters.ts';

export interface DefinedApiServicesDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** The kind of APIServices. */
  readonly kind: KindInfo;
  readonly onError: (service: string, error: unknown) => void;
}

/** Where what users define stands among groups, and in its group. */
const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 } as const;
/** The value of the label: put right at any time. */
const automanaged = 'true';

export function createDefinedApiServices(deps: DefinedApiServicesDeps): Controller {
  const { kind, queues, registry, timers } = deps;
  const queue = createKeyQueue({
    name: 'defined-api-services',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    sources: [{ resource: kind.storage, keysOf: (_namespace, name) => [name] }],
    work: (name) => keepService(deps, name),
    onError: deps.onError,
  });
  const following = new Subscription();
  /** Names of those whose versions have changed: what changes in the same turn is looked at
   * together. Versions that have gone are among them, and no others of their groups. */
  let changed = new Set<string>();
  let stopped = false;
  const look = (looking: Steps<void>): void => {
    runStepwise(registry.turns, looking, () => stopped).catch((error: unknown) =>
      deps.onError('', error),
    );
  };
  const lookSoon = onceATurn(timers, () => {
    const services = changed;
    changed = new Set();
    look(enqueueEach(services));
  });
  const enqueueEach = (services: Iterable<string>): Steps<void> =>
    inSteps(services, (service) => void queue.enqueue(service));
  const lookAt = (kinds: readonly KindInfo[], versions: ReadonlySet<string>): void => {
    for (const { group } of kinds)
      for (const version of versions) changed.add(`${version}.${group}`);
    if (kinds.length > 0) lookSoon();
  };
  return {
    start() {
      queue.start();
      look(lookAtAll(registry.scheme, queue.enqueue));
      following.add(
        registry.scheme.onChange(({ added, removed, versions }) => {
          lookAt(added, versions);
          lookAt(removed, versions);
        }),
      );
    },
    async stop() {
      stopped = true;
      following.unsubscribe();
      await queue.stop();
    },
  };
}

/** All that are to be there; those that are there are looked at anyway. */
function* lookAtAll(scheme: Scheme, enqueue: (service: string) => void): Steps<void> {
  for (const group of yield* definedGroups(scheme)) {
    yield* inSteps(scheme.findGroup(group)?.versions ?? [], (version) => {
      if (isDefined(version)) enqueue(`${version.version}.${group}`);
      return undefined;
    });
    yield;
  }
}

/** By what is stored: the lists of groups need not be made for that. */
function* definedGroups(scheme: Scheme): Steps<ReadonlySet<string>> {
  const groups = new Set<string>();
  yield* inSteps(scheme.storageResources, (resource) => {
    if (scheme.findStorage(resource)?.custom !== undefined) groups.add(resource.group);
    return undefined;
  });
  return groups;
}

/** There is nothing in it but what is defined. */
function isDefined({ kinds }: VersionInfo): boolean {
  return kinds.every(({ custom }) => custom !== undefined);
}

async function keepService(deps: DefinedApiServicesDeps, name: string): Promise<void> {
  const { kind, registry } = deps;
  const dot = name.indexOf('.');
  const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
  const served = registry.scheme.findVersion(group, version);
  const isWanted = served !== undefined && isDefined(served);
  const entry = registry.streams.snapshot(kind.storage).get('', name);
  const found = entry && decodeObject(entry.bytes);
  if (found === undefined) {
    if (isWanted) await create(deps, name, { group, version, ...priorities });
  } else if (isOurs(deps, found)) {
    if (isWanted) await repair(deps, name, { group, version, ...priorities });
    else await remove(deps, found);
  }
}

function isOurs({ registry }: DefinedApiServicesDeps, { metadata }: ApiObject): boolean {
  return metadata.labels?.[registry.identity.labels.automanaged] === automanaged;
}

type Spec = typeof priorities & { readonly group: string; readonly version: string };

async function create(
  { kind, registry }: DefinedApiServicesDeps,
  name: string,
  spec: Spec,
): Promise<void> {
  const labels = { [registry.identity.labels.automanaged]: automanaged };
  const wanted: ApiObject = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, labels },
    spec,
  };
  const options = { dryRun: false, manager: registry.identity.serverName };
  const made = await createObject(registry, { kind, namespace: '' }, wanted, options);
  if (made.kind === 'refused' && made.error.reason !== StatusReason.alreadyExists) throw made.error;
}

async function repair(deps: DefinedApiServicesDeps, name: string, spec: Spec): Promise<void> {
  const { kind, registry } = deps;
  passOver(
    await changeObject(
      registry,
      { kind, namespace: '', name },
      {
        change: (object) =>
          !isOurs(deps, object) || deepEqual(part(object, 'spec'), spec)
            ? undefined
            : { ...object, spec },
        options: { dryRun: false, manager: registry.identity.serverName },
        how: 'update',
      },
    ),
  );
}

async function remove(
  { kind, registry }: DefinedApiServicesDeps,
  { metadata }: ApiObject,
): Promise<void> {
  const { name = '', uid, resourceVersion } = metadata;
  const preconditions = { uid, resourceVersion };
  passOver(
    await deleteObject(registry, { kind, namespace: '', name }, { dryRun: false, preconditions }),
  );
}

function passOver(result: Result<unknown>): void {
  if (result.kind === 'refused' && result.error.reason !== StatusReason.notFound) {
    throw result.error;
  }
}
