/**
 * The certificates of a TLS connection's peer, looked up once for each connection.
 *
 * The caller verifies the chain; the handshake has proved that the peer holds the leaf's key.
 *
 * Bound: `chainLengthMax`; a longer chain is cut, and does not verify.
 */
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { PeerCertificateChain } from '../http-exchange.ts';

const chainLengthMax = 10;

/** Certificates of their peers count as untrusted. */
const unread = new WeakSet<TLSSocket>();

export function leaveUnread(socket: TLSSocket): void {
  unread.add(socket);
}

/** Null: the peer has sent none. */
const known = new WeakMap<object, PeerCertificateChain | null>();

export function peerCertificateOf(socket: TLSSocket): PeerCertificateChain | undefined {
  let chain = known.get(socket);
  if (chain === undefined) {
    chain = chainOf(socket);
    known.set(socket, chain);
  }
  return chain ?? undefined;
}

/** Whether they have been looked up: the first time takes milliseconds. */
export function isPeerKnown(socket: object): boolean {
  return known.has(socket);
}

function chainOf(socket: TLSSocket): PeerCertificateChain | null {
  if (unread.has(socket)) return { chain: [] };
  const chain: Uint8Array[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && chain.length < chainLengthMax) {
    chain.push(next.raw);
    const { issuerCertificate: issuer }: X509Certificate = next;
    // A self-signed certificate is its own issuer.
    next = issuer === undefined || issuer.raw.equals(next.raw) ? undefined : issuer;
  }
  return chain.length === 0 ? null : { chain };
}
