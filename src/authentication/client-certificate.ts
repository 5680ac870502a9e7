/**
 * Client certificates (spec 2, section 5.2): whoever holds one that a trusted CA has signed for
 * clients is the user of its subject. Common name = user name, each organization = a group.
 *
 * In the extra fields the certificate itself is named, so that audit tells two of one name apart.
 *
 * What it is not: the handshake, which has proved that the peer holds the key.
 *
 * Invariants: validity is asked for at every request, so a certificate that runs out on an open
 * connection stops working; a certificate without a common name is nobody. The verdict on a chain
 * is kept for as long as its connection.
 */
import { createHash } from 'node:crypto';
import type { Identity } from '../apimachinery/identity.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Authentication, Authenticator, PeerCertificate, UserInfo } from './authenticator.ts';
import { keyPurposes, readCertificate, verifyChain } from './certificates.ts';
import type { Certificate } from './certificates.ts';
import { accountExtraKeys } from './service-account-names.ts';

const none: Authentication = { kind: 'none' };

export function clientCertificates(
  roots: readonly Certificate[],
  clock: Clock,
  identity: Identity,
): Authenticator {
  const name = 'x509';
  const key = accountExtraKeys(identity).credentialId;
  const verify = createPeerVerifier(roots, clock);
  const users = new WeakMap<PeerCertificate, Authentication>();
  return {
    name,
    authenticate({ peerCertificate }) {
      if (peerCertificate === undefined) return none;
      const verdict = verify(peerCertificate);
      if (verdict.kind === 'untrusted') return { kind: 'rejected', why: verdict.why };
      let known = users.get(peerCertificate);
      if (known === undefined) {
        const user = userOf(verdict.leaf, { [key]: [credentialId(peerCertificate)] });
        known = user === undefined ? none : { kind: 'authenticated', user, by: name };
        users.set(peerCertificate, known);
      }
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

export type PeerVerdict =
  | { readonly kind: 'trusted'; readonly leaf: Certificate }
  | { readonly kind: 'untrusted'; readonly why: string };

export type PeerVerifier = (peer: PeerCertificate) => PeerVerdict;

interface KnownPeer {
  readonly verdict: PeerVerdict;
  readonly validUntilMs: number;
}

/** Whether a peer's certificate is one for clients, signed by one of the roots, and valid now. */
export function createPeerVerifier(roots: readonly Certificate[], clock: Clock): PeerVerifier {
  const known = new WeakMap<PeerCertificate, KnownPeer>();
  return (peer) => {
    const nowMs = clock.nowMs();
    const before = known.get(peer);
    if (before !== undefined && nowMs <= before.validUntilMs) return before.verdict;
    const found = verified(peer, roots, nowMs);
    known.set(peer, found);
    return found.verdict;
  };
}

function verified(peer: PeerCertificate, roots: readonly Certificate[], nowMs: number): KnownPeer {
  const [leaf, ...others] = peer.chain.map(readCertificate);
  if (leaf === undefined) {
    const why = 'it cannot be read';
    return { verdict: { kind: 'untrusted', why }, validUntilMs: Number.POSITIVE_INFINITY };
  }
  const chain = [leaf, ...others.filter((one) => one !== undefined)];
  const result = verifyChain(chain, roots, keyPurposes.clientAuth, nowMs);
  return result.kind === 'trusted'
    ? { verdict: { kind: 'trusted', leaf }, validUntilMs: result.validUntilMs }
    : // Not kept: what is not valid yet may become so.
      { verdict: result, validUntilMs: Number.NEGATIVE_INFINITY };
}
