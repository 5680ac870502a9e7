/**
 * A bearer token among the subprotocols that a client of WebSocket offers: a browser can set no
 * header of such a request.
 *
 *     Sec-WebSocket-Protocol: base64url.bearer.authorization.<domain>.<token>, <another>
 *
 * Invariants: there is one token, or none; another subprotocol must be offered beside it, because
 * the server has to choose one and never says the token again. In other requests such a header is
 * no credential.
 */
import type { AuthenticationRequest } from './authenticator.ts';

/** The token has no dot. Whose domain it is does not matter. */
const tokenProtocol = /^base64url\.bearer\.authorization\.[^ ]+\.([^. ]*)$/;

export type WebSocketToken =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'rejected'; readonly why: string };

export function isTokenProtocol(protocol: string): boolean {
  return tokenProtocol.test(protocol);
}

export function readWebSocketToken(
  request: Pick<AuthenticationRequest, 'headerValues'>,
): WebSocketToken {
  const [asked = ''] = request.headerValues('upgrade');
  if (asked.toLowerCase() !== 'websocket') return { kind: 'none' };
  const offered = request
    .headerValues('sec-websocket-protocol')
    .flatMap((value) => value.split(','))
    .map((value) => value.trim());
  const shown = offered.filter(isTokenProtocol);
  const [first] = shown;
  if (first === undefined) return { kind: 'none' };
  if (shown.length > 1) return { kind: 'rejected', why: 'two tokens among the subprotocols' };
  if (!offered.some((each) => each !== '' && !isTokenProtocol(each))) {
    return { kind: 'rejected', why: 'a token is the only subprotocol' };
  }
  const encoded = tokenProtocol.exec(first)?.[1] ?? '';
  const token = Buffer.from(encoded, 'base64url');
  // What is decoded with letters left out is another text than was shown.
  if (token.toString('base64url') !== encoded) {
    return { kind: 'rejected', why: 'the token of the subprotocol is not base64url' };
  }
  return { kind: 'token', token: token.toString('utf8') };
}
