/**
 * Detached signatures (RFC 7515, appendix F) of text under a shared secret: HS256 and no other.
 *
 *     {"alg":"HS256","kid":"<id>"} .. signature         the content stands elsewhere
 *
 * Made by node's own HMAC: what all signatures of a text have in common, its encoding, is made
 * once.
 */
import { createHmac } from 'node:crypto';
import type { Identity } from '../apimachinery/identity.ts';
import { formatBootstrapToken } from './bootstrap-token.ts';
import type { TokenParts } from './bootstrap-token.ts';

/** `header..signature`, the same for the same input. */
export type DetachedSigner = (keyId: string, secret: string) => string;

export function detachedSigner(content: string): DetachedSigner {
  const payload = Buffer.from(Buffer.from(content).toString('base64url'), 'latin1');
  return (keyId, secret) => {
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: keyId })).toString('base64url');
    const hmac = createHmac('sha256', secret).update(`${header}.`).update(payload);
    return `${header}..${hmac.digest('base64url')}`;
  };
}

/** What a bootstrap token signs with. The specification says: with the whole token. The programs
 * that join nodes under the other identity verify with its secret part alone. */
export function tokenSigningSecret({ name }: Identity, token: TokenParts): string {
  return name === 'kubernetes' ? token.secret : formatBootstrapToken(token);
}
