/** A certificate of the kind that the server makes for itself, for floors that speak TLS. */
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import { systemClock } from '../../src/stdx/clock.ts';

const lifeMs = 24 * 60 * 60 * 1000;

export async function makeServingPair(): Promise<KeyPair> {
  const nowMs = systemClock.nowMs();
  const validity = { notBeforeMs: nowMs - lifeMs, notAfterMs: nowMs + lifeMs };
  const authority = await makeAuthority({ commonName: 'floor-ca', ...validity });
  const template = { commonName: 'localhost', addresses: ['127.0.0.1'], ...validity };
  return makeCertificate(template, keyPurposes.serverAuth, authority);
}
