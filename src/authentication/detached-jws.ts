/**
 * Detached signatures (RFC 7515, appendix F) of text under a shared secret: HS256 and no other.
 *
 *     {"alg":"HS256","kid":"<id>"} .. signature         the content stands elsewhere
 */
import { FlattenedSign } from 'jose';
import type { Identity } from '../apimachinery/identity.ts';
import { formatBootstrapToken } from './bootstrap-token.ts';
import type { TokenParts } from './bootstrap-token.ts';

/** @returns `header..signature`, the same for the same input. */
export async function detachedSignature(
  content: string,
  keyId: string,
  secret: string,
): Promise<string> {
  const jws = await new FlattenedSign(Buffer.from(content))
    .setProtectedHeader({ alg: 'HS256', kid: keyId })
    .sign(hmacKey(secret));
  return `${jws.protected ?? ''}..${jws.signature}`;
}

/** What a bootstrap token signs with. The specification says: with the whole token. The programs
 * that join nodes under the other identity verify with its secret part alone. */
export function tokenSigningSecret({ name }: Identity, token: TokenParts): string {
  return name === 'kubernetes' ? token.secret : formatBootstrapToken(token);
}

/** HMAC fills a short key up with zeros: one zero is the empty key, which the library refuses. */
function hmacKey(secret: string): Uint8Array {
  return Buffer.from(secret === '' ? '\0' : secret);
}
