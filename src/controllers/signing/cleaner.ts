/**
 * Removes signing requests that nobody needs any more (spec 2, section 5.2: client certificates).
 *
 *     no condition                  pendingMs after it was made
 *     Denied; Failed                deniedMs after that
 *     Approved, with certificate    approvedMs after the approval, or when the certificate ends
 *
 * All requests are looked at once every `sweepMs`, and at the start. One that is approved and waits
 * for a signer stays.
 *
 * Invariant: what is removed is the very revision that was observed.
 */
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { readCertificates } from '../../pki/certificates.ts';
import { deleteObject } from '../../registry/delete.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import { paced } from '../../stdx/paced.ts';
import type { Controller } from '../controller.ts';
import { repeatWork } from '../repeated-work.ts';
import { skippedReasons, requestOf, requestsResource } from './signing-request.ts';
import type { RequestedCertificate } from './signing-request.ts';

const hourMs = 3600_000;

const cleaningTimes = {
  sweepMs: hourMs,
  pendingMs: 24 * hourMs,
  deniedMs: hourMs,
  approvedMs: hourMs,
} as const;

export interface SigningCleanerDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly onError: (error: unknown) => void;
}

export function createSigningCleaner({
  onError,
  registry,
  timers,
}: SigningCleanerDeps): Controller {
  return repeatWork({
    timers,
    work: (stopped) => sweep(registry, stopped),
    afterSuccessMs: cleaningTimes.sweepMs,
    afterFailureMs: cleaningTimes.sweepMs,
    onError,
  });
}

async function sweep(registry: RegistryDeps, stopped: () => boolean): Promise<void> {
  const resource = requestsResource(registry);
  const kind = registry.scheme.findStorage(resource);
  if (kind === undefined) return;
  const all = registry.streams.snapshot(resource).entries(undefined);
  for await (const { bytes } of paced(registry.turns, all)) {
    if (stopped()) return;
    const request = requestOf(decodeObject(bytes));
    const { deletionTimestamp, resourceVersion, uid } = request.object.metadata;
    if (deletionTimestamp !== undefined || !isDone(request, registry.clock.nowMs())) continue;
    const target = { kind, namespace: '', name: request.name };
    const preconditions = { uid, resourceVersion };
    const result = await deleteObject(registry, target, { dryRun: false, preconditions });
    if (result.kind === 'refused' && !skippedReasons.has(result.error.reason)) throw result.error;
  }
}

function isDone(request: RequestedCertificate, nowMs: number): boolean {
  const { certificatePem, conditions, createdMs } = request;
  const { approvedMs, deniedMs, pendingMs } = cleaningTimes;
  if (conditions.length === 0) return nowMs - createdMs > pendingMs;
  return conditions.some(({ type, updatedMs }) => {
    switch (type) {
      case 'Denied':
      case 'Failed':
        return nowMs - updatedMs > deniedMs;
      case 'Approved':
        if (certificatePem === '') return false;
        return nowMs - updatedMs > approvedMs || hasEnded(certificatePem, nowMs);
      default:
        return false;
    }
  });
}

function hasEnded(certificatePem: string, nowMs: number): boolean {
  const [leaf] = readCertificates(certificatePem) ?? [];
  return leaf !== undefined && leaf.notAfterMs < nowMs;
}
