/**
 * The live servers over one store, by their Leases.
 *
 *     kube-system/apiserver-<hash>   annotation: the address it is reached at, if others reach it
 *                                    renewTime: any other text than before is a sign of life
 *
 * A server that was killed counts for up to `absentMs` more, and so does one whose Lease is old
 * already when this server first sees it.
 *
 * Invariant: time is this server's own, monotonic; the stamps of others are only compared with
 * themselves.
 * Bounds: one text and one time for each Lease of a server.
 */
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { leaseOf } from '../lease-object.ts';
import { identityLeaseTimes } from '../identity-lease.ts';
import { parseAddress } from './server-endpoints.ts';
import type { ServerAddress } from './server-endpoints.ts';

const presenceTimes = { absentMs: 2.5 * identityLeaseTimes.renewMs } as const;

interface Sign {
  readonly stamp: string;
  readonly seenMs: number;
}

/** Each call looks at the Leases as this server's cache has them, but for its own. */
export function liveServers(
  registry: RegistryDeps,
  leases: KindInfo,
  own: string,
): () => readonly ServerAddress[] {
  const { identity, streams, clock } = registry;
  let signs = new Map<string, Sign>();
  return () => {
    const nowMs = clock.monotonicMs();
    const seen = new Map<string, Sign>();
    const present: ServerAddress[] = [];
    for (const entry of streams.snapshot(leases.storage).entries(identity.namespaces.system)) {
      if (entry.labels[identity.labels.serverIdentity] !== identity.serverName) continue;
      if (entry.name === own) continue;
      const { object, spec } = leaseOf(entry.bytes, entry.revision);
      const stamp = `${spec.holderIdentity} ${spec.renewTime ?? ''}`;
      const before = signs.get(entry.name);
      const sign = before?.stamp === stamp ? before : { stamp, seenMs: nowMs };
      seen.set(entry.name, sign);
      const told = object.metadata.annotations?.[identity.annotations.advertisedAddress];
      const address = told === undefined ? undefined : parseAddress(told);
      if (address === undefined || nowMs - sign.seenMs > presenceTimes.absentMs) continue;
      present.push(address);
    }
    signs = seen;
    return present;
  };
}
