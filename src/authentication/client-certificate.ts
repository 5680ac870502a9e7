/**
 * Client certificates (spec 2, section 5.2): the holder of a client certificate of a trusted CA is
 * the user of its subject. Common name = user name, each organization = a group.
 *
 * In the extra fields the certificate itself is named, so that audit tells two of one name apart.
 *
 * The handshake has proved that the peer holds the key; peer-verifier.ts judges the chain.
 *
 * Invariants: validity is asked for at every request, so a certificate that runs out on an open
 * connection stops working, and so does one whose CA is no longer trusted; a certificate without a
 * common name is nobody.
 */
import { createHash } from 'node:crypto';
import type { Identity } from '../apimachinery/identity.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Authentication, Authenticator, PeerCertificate } from './authenticator.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Certificate } from '../pki/certificates.ts';
import { createPeerVerifier } from './peer-verifier.ts';
import { accountExtraKeys } from './service-account-names.ts';

const none: Authentication = { kind: 'none' };

export function clientCertificates(
  /** Those that are trusted now. */
  roots: () => readonly Certificate[],
  clock: Clock,
  identity: Identity,
  /** Is called at each use with how long the certificate is still good, in seconds. */
  onUsed: (remainingSeconds: number) => void = () => undefined,
): Authenticator {
  const key = accountExtraKeys(identity).credentialId;
  const verify = createPeerVerifier(roots, clock);
  const users = new WeakMap<PeerCertificate, Authentication>();
  return {
    name: 'x509',
    authenticate({ peerCertificate }) {
      if (peerCertificate === undefined) return none;
      const verdict = verify(peerCertificate);
      if (verdict.kind === 'untrusted') return { kind: 'rejected', why: verdict.why };
      let known = users.get(peerCertificate);
      if (known === undefined) {
        const user = userOf(verdict.leaf, { [key]: [credentialId(peerCertificate)] });
        known = user === undefined ? none : { kind: 'authenticated', user };
        users.set(peerCertificate, known);
      }
      onUsed((verdict.leaf.notAfterMs - clock.nowMs()) / 1000);
      return known;
    },
  };
}

function userOf(
  { commonName, organizations, uids }: Certificate,
  extra: UserInfo['extra'],
): UserInfo | undefined {
  if (commonName === '') return undefined;
  return { name: commonName, uid: uids[0] ?? '', groups: organizations, extra };
}

function credentialId({ chain: [leaf = new Uint8Array()] }: PeerCertificate): string {
  return `X509SHA256=${createHash('sha256').update(leaf).digest('hex')}`;
}
