/**
 * Signs what has been approved, for the signers that the server has itself
 * (spec 2, section 5.2: client certificates).
 *
 *     Approved ─▶ as the signer's rules say? ─▶ certificate | Failed: SignerValidationFailure
 *
 * Requests to a signer that is not known here are left to whoever signs for it.
 *
 * Invariants: a request gets one certificate, or fails, once. A certificate lasts as long as was
 * asked for within `lifeMinMs` and the configured duration, and never longer than its CA.
 */
import { issueCertificate, readSigningRequest } from '../../pki/certificate-requests.ts';
import type { SigningAuthority } from '../../pki/certificate-requests.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Controller } from '../controller.ts';
import { createKeyQueue, keysAtOnce } from '../key-queue.ts';
import type { QueueMeters } from '../queue-meters.ts';
import { signerRules } from './signer-rules.ts';
import { holds, record, requestNamed, requestsResource } from './signing-request.ts';
import type { RequestedCertificate } from './signing-request.ts';

const signingTimes = {
  /** Less is not given, whatever is asked for. */
  lifeMinMs: 10 * 60_000,
  /** Clocks of those who check may be behind. */
  backdatedMs: 5 * 60_000,
  /** Shorter lives are not cut by the time that they begin earlier. */
  shortMs: 8 * 3600_000,
} as const;

const manager = 'csr-signer';

export interface SignerDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** By the signer's name; who is not in it signs nothing here. */
  readonly authorities: ReadonlyMap<string, SigningAuthority>;
  /** Of a certificate that does not ask for less. */
  readonly lifeMs: number;
  readonly onError: (name: string, error: unknown) => void;
}

export function createSigner(deps: SignerDeps): Controller {
  const { onError, queues, registry, timers } = deps;
  const rules = signerRules(registry.identity);
  return createKeyQueue({
    name: 'csr-signer',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    atOnceMax: keysAtOnce,
    sources: [{ resource: requestsResource(registry), keysOf: (_namespace, name) => [name] }],
    async work(name) {
      const found = requestNamed(registry, name);
      if (found === undefined || !isOpen(found)) return;
      const rule = rules.get(found.signerName);
      const authority = deps.authorities.get(found.signerName);
      if (rule === undefined || authority === undefined) return;
      const read = readSigningRequest(found.requestPem);
      const problem = read.kind === 'invalid' ? read.problem : rule(read.request, found.usages);
      const failed = (message: string) => {
        const condition = { type: 'Failed', reason: 'SignerValidationFailure', message };
        return record(registry, found, { subresource: 'status', condition }, manager);
      };
      if (read.kind === 'invalid' || problem !== undefined) return failed(problem ?? '');
      const life = lifeOf(deps, authority, found.expirationSeconds);
      const grant = { usages: found.usages, ...life };
      const issued = await issueCertificate(read.request, grant, authority);
      if (issued.kind === 'unsignable') return failed(`it cannot be signed: ${issued.why}`);
      const { certificatePem } = issued;
      return record(registry, found, { subresource: 'status', certificatePem }, manager);
    },
    onError,
  });
}

function isOpen(found: RequestedCertificate): boolean {
  return holds(found, 'Approved') && !holds(found, 'Failed') && found.certificatePem === '';
}

/** @throws when the CA cannot sign any more. */
function lifeOf(
  { lifeMs, registry }: SignerDeps,
  authority: SigningAuthority,
  asked: number | undefined,
): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  const { backdatedMs, lifeMinMs, shortMs } = signingTimes;
  const nowMs = registry.clock.nowMs();
  if (nowMs >= authority.notAfterMs) throw new Error('the certificate of the signer has expired');
  const wantedMs = asked === undefined ? lifeMs : Math.max(asked * 1000, lifeMinMs);
  const givenMs = Math.min(wantedMs, lifeMs);
  const endMs = nowMs + givenMs - (givenMs < shortMs ? 0 : backdatedMs);
  return {
    notBeforeMs: nowMs - backdatedMs,
    notAfterMs: Math.min(endMs, authority.notAfterMs),
  };
}
