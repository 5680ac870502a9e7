/**
 * Makes and corrects one object that the server itself maintains; its controllers write with this.
 *
 *     not there ▶ created      there ▶ repaired(current) ▶ undefined: left as it is
 *                                                        ▶ an object: written
 *
 * Invariants: a change is decided on the object as it is then; what others made first, or took away
 * meanwhile, is no failure. A namespace that is not there, or takes nothing new, has none.
 */
import { objectAtVersion } from '../../apimachinery/object-version.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { conditionOf, withFinding } from '../../apimachinery/own-condition.ts';
import type { Finding } from '../../apimachinery/own-condition.ts';
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { applyObject } from '../../registry/apply.ts';
import { changeObject } from '../../registry/change-object.ts';
import { createObject } from '../../registry/create.ts';
import type { WriteOptions } from '../../registry/create.ts';
import type { ObjectTarget, RegistryDeps, Result } from '../../registry/registry.ts';

/** In the stored version both. Undefined: it is as it should be. */
export type Repair = (current: ApiObject) => ApiObject | undefined;

export const noRepair: Repair = () => undefined;

/** The object as this release stores it, whichever stable version it is written in. */
export function asStored(object: ApiObject, kind: KindInfo): ApiObject {
  return objectAtVersion(object, formatGroupVersion(kind), kind.conversions);
}

/** What the cache of this server holds; it may be older than the store. */
export function cachedObject(
  registry: RegistryDeps,
  { kind, namespace, name }: ObjectTarget,
): ApiObject | undefined {
  const entry = registry.streams.snapshot(kind.storage).get(namespace, name);
  return entry === undefined ? undefined : decodeObject(entry.bytes);
}

/** It is there, and cannot be read yet: who makes it looks again when it can. */
export function isAwaited(
  { streams }: RegistryDeps,
  { kind, namespace, name }: ObjectTarget,
): boolean {
  if (!streams.isWaiting(kind.storage)) return false;
  return streams.unreadableEntries(kind.storage).has(`${namespace}/${name}`);
}

/** `wanted`: as stored. @throws StatusError or StorageError when it could not be written. */
export async function ensureObject(
  registry: RegistryDeps,
  kind: KindInfo,
  wanted: ApiObject,
  repaired: Repair,
  manager = registry.identity.serverName,
): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata;
  const target: ObjectTarget = { kind, namespace, name };
  const found = cachedObject(registry, target);
  if (found !== undefined) {
    if (repaired(found) !== undefined) await repairObject(registry, target, repaired, { manager });
    return;
  }
  if (isAwaited(registry, target)) return;
  const options: WriteOptions = { dryRun: false, manager };
  const created = await createObject(registry, target, wanted, options);
  if (created.kind === 'refused' && !isDone(created.error)) throw created.error;
}

export interface Repairing {
  /** Absent: the server. */
  readonly manager?: string | undefined;
  readonly subresource?: 'status' | undefined;
}

/** Of the object itself, or of its status. One that is gone is left so. @throws likewise. */
export async function repairObject(
  registry: RegistryDeps,
  target: ObjectTarget,
  repaired: Repair,
  { manager = registry.identity.serverName, subresource }: Repairing = {},
): Promise<void> {
  const options: WriteOptions = { dryRun: false, manager };
  const change = { change: repaired, options, subresource, how: 'update' } as const;
  unlessGone(await changeObject(registry, target, change));
}

/** Applies the condition to the status of `object`, unless it says so already: other conditions are
 * their owners'. One that is gone is left so. @throws likewise. */
export async function applyFinding(
  registry: RegistryDeps,
  target: ObjectTarget,
  object: ApiObject,
  finding: Finding,
  manager: string,
): Promise<void> {
  const next = withFinding(object, finding, formatRfc3339(registry.clock.nowMs()));
  const condition = next && conditionOf(next, finding.type);
  if (condition === undefined) return;
  const { kind, name } = target;
  const apiVersion = formatGroupVersion(kind);
  const status = { conditions: [condition] };
  const intent = { apiVersion, kind: kind.kind, metadata: { name }, status };
  const options = { dryRun: false, manager, force: true };
  unlessGone(await applyObject(registry, target, intent, 'status', options));
}

function unlessGone(result: Result<unknown>): void {
  if (result.kind === 'refused' && result.error.reason !== StatusReason.notFound) {
    throw result.error;
  }
}

/** Another server was first; or the namespace is not there, or takes nothing new. */
function isDone({ reason }: StatusError): boolean {
  return doneReasons.has(reason);
}

const doneReasons: ReadonlySet<string> = new Set([
  StatusReason.alreadyExists,
  StatusReason.notFound,
  StatusReason.forbidden,
]);
