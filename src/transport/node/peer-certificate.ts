/**
 * The certificates of a TLS connection's peer, looked up once for each connection.
 *
 * The caller verifies the chain; the handshake has proved that the peer holds the leaf's key.
 *
 * Bound: `chainLengthMax`; a longer chain is cut, and does not verify.
 */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { PeerCertificateChain } from '../http-exchange.ts';

const chainLengthMax = 10;

const unread = Symbol('unread');

/** Certificates of this connection's peer count as untrusted. */
export function leaveUnread(socket: TLSSocket): void {
  // A property: requests of HTTP/2 see a proxy of the socket.
  Object.assign(socket, { [unread]: true });
}

/** By session (HTTP/2) or socket; null: the peer has sent none. */
const known = new WeakMap<object, PeerCertificateChain | null>();

export function peerCertificateOf(
  req: IncomingMessage | Http2ServerRequest,
): PeerCertificateChain | undefined {
  const connection = connectionOf(req);
  let chain = known.get(connection);
  if (chain === undefined) {
    const session = 'authority' in req ? req.stream.session : undefined;
    chain = chainOf((session?.socket ?? req.socket) as TLSSocket);
    known.set(connection, chain);
  }
  return chain ?? undefined;
}

/** Whether they have been looked up: the first time takes milliseconds. */
export function isPeerKnown(req: IncomingMessage | Http2ServerRequest): boolean {
  return known.has(connectionOf(req));
}

function connectionOf(req: IncomingMessage | Http2ServerRequest): object {
  return ('authority' in req ? req.stream.session : undefined) ?? req.socket;
}

function chainOf(socket: TLSSocket): PeerCertificateChain | null {
  if (Reflect.get(socket, unread) === true) return { chain: [] };
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
