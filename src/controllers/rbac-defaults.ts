/**
 * Makes the default roles and bindings at the start, and adds to them what they lack
 * (spec 2, section 5.6).
 *
 *     not there ▶ created    there ▶ what is missing is added    autoupdate "false" ▶ left alone
 *                            bound to another role ▶ made anew
 *
 * It runs once for each start (of the server, or of a term of the one that runs controllers); what
 * is changed in between stays changed until the next.
 *
 * Invariants: each change is decided on the object as it is then. A namespace that is not there, or
 * is going, has none of its defaults. What fails for another reason is tried again.
 */
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { isAlreadyExists, isNotFound } from '../apimachinery/status-error.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { rbacDefaults } from '../authorization/rbac/default-objects.ts';
import { reconciledBinding, reconciledRole } from '../authorization/rbac/reconcile.ts';
import type { WriteOptions } from '../registry/create.ts';
import { changeObject } from '../registry/change-object.ts';
import { createObject } from '../registry/create.ts';
import { deleteObject } from '../registry/delete.ts';
import type { ObjectTarget, RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Controller } from './controller.ts';
import { repeatWork } from './repeated-work.ts';

const rbacDefaultsTimes = { retryMs: 1000 } as const;

export interface RbacDefaultsDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly onError: (error: unknown) => void;
}

export function createRbacDefaults({ registry, timers, onError }: RbacDefaultsDeps): Controller {
  return repeatWork({
    timers,
    work: () => reconcileRbacDefaults(registry),
    afterSuccessMs: undefined,
    afterFailureMs: rbacDefaultsTimes.retryMs,
    onError,
  });
}

/** @throws StatusError or StorageError for the first that could not be written; the others are. */
export async function reconcileRbacDefaults(registry: RegistryDeps): Promise<void> {
  const defaults = rbacDefaults(registry.identity);
  const rows = [
    ['clusterroles', defaults.clusterRoles],
    ['roles', defaults.roles],
    ['clusterrolebindings', defaults.clusterRoleBindings],
    ['rolebindings', defaults.roleBindings],
  ] as const;
  const group = registry.identity.groups.rbac;
  const failures: StatusError[] = [];
  for (const [resource, objects] of rows) {
    const kind = registry.scheme.findStorage({ group, resource });
    if (kind === undefined) continue;
    // Together: they ride one commit.
    const results = await Promise.all(objects.map((object) => ensure(registry, kind, object)));
    failures.push(...results.filter((error) => error !== undefined));
  }
  if (failures[0] !== undefined) throw failures[0];
}

/** Undefined: it is as it should be. */
async function ensure(
  registry: RegistryDeps,
  kind: KindInfo,
  expected: ApiObject,
): Promise<StatusError | undefined> {
  const { name = '', namespace = '' } = expected.metadata;
  const target: ObjectTarget = { kind, namespace, name };
  const options: WriteOptions = { dryRun: false, manager: registry.identity.serverName };
  const entry = registry.streams.snapshot(kind.storage).get(namespace, name);
  if (entry === undefined) {
    const created = await createObject(registry, target, expected, options);
    if (created.kind === 'ok' || isAlreadyExists(created.error)) return undefined;
    return isGone(created.error) ? undefined : created.error;
  }
  const autoupdate = registry.identity.annotations.rbacAutoupdate;
  const existing = decodeObject(entry.bytes);
  if (kind.resource.endsWith('roles')) {
    const change = (current: ApiObject) => reconciledRole(current, expected, autoupdate);
    return change(existing) === undefined ? undefined : update(registry, target, change, options);
  }
  const reconciled = reconciledBinding(existing, expected, autoupdate);
  switch (reconciled.kind) {
    case 'unchanged':
      return undefined;
    case 'recreate':
      return recreate(registry, target, existing, reconciled.object, options);
    case 'update':
      return update(
        registry,
        target,
        (current) => {
          const again = reconciledBinding(current, expected, autoupdate);
          return again.kind === 'update' ? again.object : undefined;
        },
        options,
      );
  }
}

async function update(
  registry: RegistryDeps,
  target: ObjectTarget,
  change: (current: ApiObject) => ApiObject | undefined,
  options: WriteOptions,
): Promise<StatusError | undefined> {
  const result = await changeObject(registry, target, { change, options, how: 'update' });
  if (result.kind === 'ok' || isNotFound(result.error)) return undefined;
  return result.error;
}

async function recreate(
  registry: RegistryDeps,
  target: ObjectTarget,
  existing: ApiObject,
  expected: ApiObject,
  options: WriteOptions,
): Promise<StatusError | undefined> {
  const { uid, resourceVersion } = existing.metadata;
  const preconditions = { uid, resourceVersion };
  const deleted = await deleteObject(registry, target, { dryRun: false, preconditions });
  if (deleted.kind === 'refused' && !isNotFound(deleted.error)) return deleted.error;
  const created = await createObject(registry, target, expected, options);
  if (created.kind === 'ok' || isAlreadyExists(created.error)) return undefined;
  return isGone(created.error) ? undefined : created.error;
}

/** Its namespace is not there, or takes nothing new. */
function isGone({ reason }: StatusError): boolean {
  return reason === StatusReason.notFound || reason === StatusReason.forbidden;
}
