/**
 * A server's identity Lease: shows that the server is alive, and when it was last seen.
 *
 *   kube-system/apiserver-<hash>   labels: which program, which host
 *                                  holderIdentity apiserver-<hash>_<uuid of this run>
 *                                  renewTime every 10 s, leaseDurationSeconds 3600
 *                                  annotation: where others reach the server, until it stops
 *
 * Readiness is not judged by it. A server that stops leaves its Lease; whoever runs the controllers
 * removes it when it has expired (identity-lease-collector.ts).
 *
 * Invariants: the name is the same over restarts of a server, and another one for each server of a
 * host; a write is decided on the current object, so a Lease that was removed meanwhile, or edited,
 * comes back as it should be.
 * Bounds: one write at a time; a write that takes longer than the interval delays the next one.
 */
import { createHash } from 'node:crypto';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { without } from '../apimachinery/unstructured.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import { changeObject } from '../registry/change-object.ts';
import { createUnowned } from '../registry/create.ts';
import type { ObjectTarget, RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Controller } from './controller.ts';
import { leaseTime } from './lease-object.ts';
import { repeatWork } from './repeated-work.ts';

export const identityLeaseTimes = {
  durationSeconds: 3600,
  renewMs: 10_000,
} as const;

export interface ServerInstance {
  readonly hostname: string;
  /** Tells the servers of one host apart: address, port, worker. Stable over restarts. */
  readonly endpoint: string;
  /** host:port; absent: others do not reach it. */
  readonly advertised?: string | undefined;
}

export interface IdentityLeaseDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly kind: KindInfo;
  readonly instance: ServerInstance;
  readonly onError: (error: unknown) => void;
}

export interface IdentityLease extends Controller {
  readonly name: string;
  /** Seconds since the last write that succeeded; NaN before the first. */
  readonly ageSeconds: number;
}

export function createIdentityLease(deps: IdentityLeaseDeps): IdentityLease {
  const { kind, registry, timers } = deps;
  const { clock } = registry;
  const name = identityLeaseName(deps.instance);
  const holder = `${name}_${registry.prng.uuid()}`;
  const target = { kind, namespace: registry.identity.namespaces.system, name };
  let renewedMs = NaN;
  const renewal = repeatWork({
    timers,
    async work() {
      await writeLease(registry, target, deps.instance, holder);
      renewedMs = clock.monotonicMs();
    },
    afterSuccessMs: identityLeaseTimes.renewMs,
    afterFailureMs: identityLeaseTimes.renewMs,
    onError: deps.onError,
  });
  return {
    name,
    get ageSeconds() {
      return (clock.monotonicMs() - renewedMs) / 1000;
    },
    start: renewal.start,
    async stop() {
      await renewal.stop();
      if (deps.instance.advertised === undefined) return;
      // Others need not wait to see that it has gone.
      const { hostname, endpoint } = deps.instance;
      await writeLease(registry, target, { hostname, endpoint }, holder).catch(deps.onError);
    },
  };
}

async function writeLease(
  registry: RegistryDeps,
  target: ObjectTarget,
  { hostname, advertised }: ServerInstance,
  holder: string,
): Promise<void> {
  const { kind, name, namespace } = target;
  const { annotations, labels, serverName } = registry.identity;
  const reached = annotations.advertisedAddress;
  const own = { [labels.serverIdentity]: serverName, [labels.hostname]: labelValue(hostname) };
  const written = (metadata: ApiObject['metadata']): ApiObject => ({
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: {
      ...withAnnotation(metadata, reached, advertised),
      labels: { ...metadata.labels, ...own },
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: identityLeaseTimes.durationSeconds,
      renewTime: leaseTime(registry.clock.nowMs()),
    },
  });
  const changed = await changeObject(registry, target, {
    change: (object) => ({ ...object, ...written(object.metadata) }),
    options: { dryRun: false },
    how: 'overwrite-unowned',
  });
  if (changed.kind === 'ok') return;
  if (changed.error.reason !== StatusReason.notFound) throw changed.error;
  const created = await createUnowned(registry, target, written({ name, namespace }));
  if (created.kind === 'refused') throw created.error;
}

/** Undefined takes it out; what has none keeps none. */
function withAnnotation(
  metadata: ApiObject['metadata'],
  name: string,
  value: string | undefined,
): ApiObject['metadata'] {
  if (value === undefined && metadata.annotations?.[name] === undefined) return metadata;
  const others = without(metadata.annotations ?? {}, name);
  const annotations = value === undefined ? others : { ...others, [name]: value };
  return { ...metadata, annotations } as ApiObject['metadata'];
}

const HASH_BYTES = 16;

/** `apiserver-` and 26 letters and digits. */
export function identityLeaseName({ hostname, endpoint }: ServerInstance): string {
  const hash = createHash('sha256').update(`${hostname}\n${endpoint}`).digest();
  return `apiserver-${base32(hash.subarray(0, HASH_BYTES))}`;
}

const base32Digits = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648, lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let heldBits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    heldBits += 8;
    while (heldBits >= 5) {
      heldBits -= 5;
      text += base32Digits.charAt((held >> heldBits) & 31);
    }
    held &= (1 << heldBits) - 1;
  }
  return heldBits === 0 ? text : text + base32Digits.charAt((held << (5 - heldBits)) & 31);
}

const LABEL_VALUE_MAX = 63;

/** A host name may be longer than a label value, or hold what that may not. */
function labelValue(text: string): string {
  const allowed = text.replace(/[^\w.-]/g, '-').slice(0, LABEL_VALUE_MAX);
  return allowed.replace(/^[^A-Za-z0-9]+|(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/g, '');
}
