/**
 * Keeps the APIServices of this server's own versions: puts them right at the start.
 *
 *     not there ▶ created      labelled, with another spec ▶ updated      not labelled ▶ left alone
 *     labelled, and not one of them any more ▶ deleted
 *
 * It runs once. As in the reference, the label says `onstart`: what is changed or deleted in
 * between stays so until the next start. The caller says which ones there are.
 *
 * Invariants: each change is decided on the object as it is then. Servers over one store may do
 * this at the same time: who comes second finds it done.
 */
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { isAlreadyExists, isNotFound } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { changeObject } from '../registry/change-object.ts';
import { createObject } from '../registry/create.ts';
import type { WriteOptions } from '../registry/create.ts';
import { deleteObject } from '../registry/delete.ts';
import type { ObjectTarget, RegistryDeps } from '../registry/registry.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import { paced } from '../stdx/paced.ts';

/** @throws StatusError or StorageError for the first that could not be written; the others are. */
export async function reconcileApiServices(
  registry: RegistryDeps,
  kind: KindInfo,
  wanted: readonly ApiObject[],
): Promise<void> {
  const found = new Map<string, ApiObject>();
  const all = registry.streams.snapshot(kind.storage).entries(undefined);
  for await (const entry of paced(registry.turns, all)) {
    found.set(entry.name, decodeObject(entry.bytes));
  }
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const surplus = [...found.values()].filter(
    (each) => isAutomanaged(registry, each) && !names.has(each.metadata.name),
  );
  // Together: they ride one commit.
  const results = await Promise.all([
    ...wanted.map((each) => ensure(registry, kind, each, found.get(each.metadata.name ?? ''))),
    ...surplus.map((each) => remove(registry, kind, each)),
  ]);
  const failure = results.find((error) => error !== undefined);
  if (failure !== undefined) throw failure;
}

/** Undefined: it is as it should be. */
async function ensure(
  registry: RegistryDeps,
  kind: KindInfo,
  wanted: ApiObject,
  found: ApiObject | undefined,
): Promise<StatusError | undefined> {
  const target: ObjectTarget = { kind, namespace: '', name: wanted.metadata.name ?? '' };
  const options: WriteOptions = { dryRun: false, manager: registry.identity.serverName };
  if (found === undefined) {
    const created = await createObject(registry, target, wanted, options);
    return created.kind === 'ok' || isAlreadyExists(created.error) ? undefined : created.error;
  }
  const isRight = (object: ApiObject): boolean =>
    !isAutomanaged(registry, object) || deepEqual(part(object, 'spec'), part(wanted, 'spec'));
  if (isRight(found)) return undefined;
  const updated = await changeObject(registry, target, {
    change: (object) => (isRight(object) ? undefined : { ...object, spec: part(wanted, 'spec') }),
    options,
    how: 'update',
  });
  return updated.kind === 'ok' || isNotFound(updated.error) ? undefined : updated.error;
}

async function remove(
  registry: RegistryDeps,
  kind: KindInfo,
  { metadata }: ApiObject,
): Promise<StatusError | undefined> {
  const { name = '', uid, resourceVersion } = metadata;
  const target: ObjectTarget = { kind, namespace: '', name };
  const preconditions = { uid, resourceVersion };
  const deleted = await deleteObject(registry, target, { dryRun: false, preconditions });
  return deleted.kind === 'ok' || passedOver.has(deleted.error.reason) ? undefined : deleted.error;
}

/** It is gone, or somebody has changed it since: it may be no longer ours to delete. */
const passedOver: ReadonlySet<string> = new Set([StatusReason.notFound, StatusReason.conflict]);

/** Those of defined versions say `true`: they are put right at any time, and by others. */
function isAutomanaged(registry: RegistryDeps, { metadata }: ApiObject): boolean {
  return metadata.labels?.[registry.identity.labels.automanaged] === 'onstart';
}
