/**
 * Whether the certificate of a connection's peer is one for clients, of a CA that is trusted.
 *
 *     DER ▶ small enough? ▶ signed, over whatever links, by a root? ▶ read ▶ the rules of a chain
 *           bytes           the roots' keys alone are asked                    (certificates.ts)
 *
 * Anybody may send certificates here before it is known who he is. So what no root has signed is
 * never read by the library, which is slow, and no key in it is ever used: its cost is a look at
 * its outside and a signature of one of our own CAs.
 *
 * Invariants: a chain is verified once for a connection by each set of roots; the verdict is kept
 * until time can change it, or the roots are others. What of a chain is not signed by a root is as
 * if it had not been sent.
 * Bounds: `certificatesMax` of `bytesMax` each, `signaturesMax` signatures for a connection,
 * whoever asks, and as many again when an operator has changed the roots.
 */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../stdx/clock.ts';
import type { PeerCertificate } from './authenticator.ts';
import { boundsOf } from '../pki/der-bounds.ts';
import { keyPurposes, readCertificate, verifyChain } from '../pki/certificates.ts';
import type { Certificate } from '../pki/certificates.ts';

export const peerLimits = {
  certificatesMax: 8,
  bytesMax: 16 * 1024,
  signaturesMax: 32,
} as const;

export type PeerVerdict =
  | { readonly kind: 'trusted'; readonly leaf: Certificate }
  | { readonly kind: 'untrusted'; readonly why: string };

export type PeerVerifier = (peer: PeerCertificate) => PeerVerdict;

interface KnownPeer extends TimedVerdict {
  readonly roots: readonly Certificate[];
}

interface TimedVerdict {
  readonly verdict: PeerVerdict;
  /** Time cannot change the verdict before. */
  readonly validUntilMs: number;
}

/** `rootsNow`: those that are trusted now; another list when they have changed. */
export function createPeerVerifier(
  rootsNow: () => readonly Certificate[],
  clock: Clock,
): PeerVerifier {
  const known = new WeakMap<PeerCertificate, KnownPeer>();
  return (peer) => {
    const nowMs = clock.nowMs();
    const roots = rootsNow();
    const before = known.get(peer);
    const isSame = before?.roots === roots;
    if (isSame && nowMs <= before.validUntilMs) return before.verdict;
    const outside = outsideOf(peer);
    if (before !== undefined && !isSame) outside.signaturesLeft = peerLimits.signaturesMax;
    const { validUntilMs, verdict } = verifyNow(outside, roots, nowMs);
    known.set(peer, { roots, validUntilMs, verdict });
    return verdict;
  };
}

/** What is known of a chain without reading it. */
interface Outside {
  readonly problem: string | undefined;
  /** The leaf first. */
  readonly certificates: readonly X509Certificate[];
  /** Signatures that may still be looked at. */
  signaturesLeft: number;
}

const outsides = new WeakMap<PeerCertificate, Outside>();

function outsideOf(peer: PeerCertificate): Outside {
  let outside = outsides.get(peer);
  if (outside === undefined) {
    outside = { signaturesLeft: peerLimits.signaturesMax, ...openChain(peer) };
    outsides.set(peer, outside);
  }
  return outside;
}

function openChain({ chain }: PeerCertificate): Pick<Outside, 'problem' | 'certificates'> {
  const { bytesMax, certificatesMax } = peerLimits;
  const refused = (problem: string) => ({ problem, certificates: [] });
  if (chain.length > certificatesMax) {
    return refused(`there are more than ${certificatesMax} certificates`);
  }
  if (chain.some(({ length }) => length > bytesMax)) {
    return refused(`it is larger than ${bytesMax} bytes`);
  }
  const certificates: X509Certificate[] = [];
  for (const [index, der] of chain.entries()) {
    const opened = openCertificate(der);
    if (opened !== undefined) certificates.push(opened);
    else if (index === 0) return refused('it cannot be read');
  }
  return { problem: undefined, certificates };
}

function openCertificate(der: Uint8Array): X509Certificate | undefined {
  try {
    return boundsOf(der).kind === 'within' ? new X509Certificate(der) : undefined;
  } catch {
    return undefined;
  }
}

function verifyNow(outside: Outside, roots: readonly Certificate[], nowMs: number): TimedVerdict {
  const forEver = Number.POSITIVE_INFINITY;
  const untrusted = (why: string, validUntilMs: number): TimedVerdict => ({
    verdict: { kind: 'untrusted', why },
    validUntilMs,
  });
  if (outside.problem !== undefined) return untrusted(outside.problem, forEver);
  const chain = signedBy(outside, roots);
  const [leaf] = chain;
  if (leaf === undefined) return untrusted('no trusted CA has signed it', forEver);
  const result = verifyChain(chain, roots, keyPurposes.clientAuth, nowMs);
  if (result.kind === 'trusted') {
    return { verdict: { kind: 'trusted', leaf }, validUntilMs: result.validUntilMs };
  }
  return untrusted(result.why, nextBeginningMs([...chain, ...roots], nowMs));
}

/** What is not valid yet may become so, and with it the chain. */
function nextBeginningMs(certificates: readonly Certificate[], nowMs: number): number {
  const later = certificates.map(({ notBeforeMs }) => notBeforeMs).filter((ms) => ms > nowMs);
  return Math.min(Number.POSITIVE_INFINITY, ...later);
}

/** Those of a chain to which a path of signatures leads from a root, read; the leaf first. Empty:
 * it does not lead to the leaf. */
function signedBy(outside: Outside, roots: readonly Certificate[]): readonly Certificate[] {
  const [leaf] = outside.certificates;
  const signers: X509Certificate[] = roots.map(({ verifier }) => verifier);
  const reached = new Set<X509Certificate>();
  for (let next = 0; next < signers.length; next += 1) {
    const signer = signers[next];
    if (signer === undefined) continue;
    for (const one of outside.certificates) {
      if (reached.has(one) || !hasSigned(outside, signer, one)) continue;
      reached.add(one);
      if (one !== leaf) signers.push(one);
    }
  }
  if (leaf === undefined || !reached.has(leaf)) return [];
  const signed = outside.certificates.filter((one) => reached.has(one));
  const read = signed.map((one) => readCertificate(one.raw));
  return read[0] === undefined ? [] : read.filter((one) => one !== undefined);
}

function hasSigned(outside: Outside, signer: X509Certificate, one: X509Certificate): boolean {
  if (!one.checkIssued(signer) || outside.signaturesLeft <= 0) return false;
  outside.signaturesLeft -= 1;
  return one.verify(signer.publicKey);
}
