/**
 * Removes the identity Leases of servers that are gone: those not renewed for their duration.
 *
 * A server's time stamp is compared with another one's clock. That is harmless: a duration is an
 * hour, the deletion holds only for the revision that was looked at, and a server whose Lease was
 * removed by mistake writes it again within seconds.
 *
 * Bounds: one look at the cache an interval, in parts; deletions one after the other.
 */
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import { parseRfc3339 } from '../apimachinery/time.ts';
import { deleteObject } from '../registry/delete.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import { paced } from '../stdx/paced.ts';
import type { Controller } from './controller.ts';
import { identityLeaseTimes } from './identity-lease.ts';
import { leaseOf } from './lease-object.ts';
import type { Lease } from './lease-object.ts';
import { repeatWork } from './repeated-work.ts';

const collectorTimes = { intervalMs: 10 * 60_000 } as const;

export interface IdentityLeaseCollectorDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly kind: KindInfo;
  readonly onError: (error: unknown) => void;
}

export function createIdentityLeaseCollector(deps: IdentityLeaseCollectorDeps): Controller {
  return repeatWork({
    timers: deps.timers,
    async work(stopped) {
      for (const lease of await expiredLeases(deps)) {
        if (stopped()) return;
        await remove(deps, lease);
      }
    },
    afterSuccessMs: collectorTimes.intervalMs,
    afterFailureMs: collectorTimes.intervalMs,
    onError: deps.onError,
  });
}

async function expiredLeases({
  kind,
  registry,
}: IdentityLeaseCollectorDeps): Promise<readonly Lease[]> {
  const { identity, streams } = registry;
  const nowMs = registry.clock.nowMs();
  const expired: Lease[] = [];
  const all = streams.snapshot(kind.storage).entries(identity.namespaces.system);
  for await (const entry of paced(registry.turns, all)) {
    if (entry.labels[identity.labels.serverIdentity] !== identity.serverName) continue;
    const lease = leaseOf(entry.bytes, entry.revision);
    if (hasExpired(lease, nowMs)) expired.push(lease);
  }
  return expired;
}

/** One that says nothing of when it was renewed is taken for one that never was. */
function hasExpired({ spec }: Lease, nowMs: number): boolean {
  const renewedMs = parseRfc3339(spec.renewTime ?? '');
  if (renewedMs === undefined) return true;
  const seconds = spec.leaseDurationSeconds ?? identityLeaseTimes.durationSeconds;
  return renewedMs + seconds * 1000 < nowMs;
}

async function remove({ kind, registry }: IdentityLeaseCollectorDeps, lease: Lease): Promise<void> {
  const { name = '', namespace = '', resourceVersion, uid } = lease.object.metadata;
  const preconditions = { uid, resourceVersion };
  const options = { dryRun: false, preconditions };
  const result = await deleteObject(registry, { kind, namespace, name }, options);
  if (result.kind === 'ok' || skippedReasons.has(result.error.reason)) return;
  throw result.error;
}

/** It was renewed, or somebody else removed it. */
const skippedReasons: ReadonlySet<string> = new Set([StatusReason.conflict, StatusReason.notFound]);
