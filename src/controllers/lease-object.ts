/**
 * Lease objects as controllers read and write them: from the cache, and through the registry.
 *
 * A field that a client has filled with something else reads as unset.
 */
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { formatRfc3339Micro } from '../apimachinery/time.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Revision } from '../storage/storage.ts';

interface LeaseSpec {
  /** '' when nobody holds it. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number | undefined;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly leaseTransitions: number;
}

export interface Lease {
  readonly revision: Revision;
  /** With metadata.resourceVersion. */
  readonly object: ApiObject;
  readonly spec: LeaseSpec;
}

/** Undefined where Leases are not served (--runtime-config). */
export function leaseKind(registry: RegistryDeps): KindInfo | undefined {
  const group = registry.identity.fill('coordination.{domain}');
  return registry.scheme.findStorage({ group, resource: 'leases' });
}

/** As this server's cache has it: it may be older than the store, never newer. */
export function cachedLease(
  registry: RegistryDeps,
  kind: KindInfo,
  namespace: string,
  name: string,
): Lease | undefined {
  const entry = registry.streams.snapshot(kind.storage).get(namespace, name);
  return entry === undefined ? undefined : leaseOf(entry.bytes, entry.revision);
}

export function leaseOf(bytes: Uint8Array, revision: Revision): Lease {
  const object = decodeObject(bytes);
  const spec = part(object, 'spec');
  const text = (name: string): string | undefined => {
    const value = spec[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const count = (name: string): number | undefined => {
    const value = spec[name];
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  return {
    revision,
    object,
    spec: {
      holderIdentity: text('holderIdentity') ?? '',
      leaseDurationSeconds: count('leaseDurationSeconds'),
      acquireTime: text('acquireTime'),
      renewTime: text('renewTime'),
      leaseTransitions: count('leaseTransitions') ?? 0,
    },
  };
}

/** A time as Leases carry it. */
export const leaseTime = formatRfc3339Micro;
