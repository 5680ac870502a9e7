/**
 * Comparison of secrets: as long wherever they differ, and whatever their lengths are.
 *
 * The digests only bring both sides to one length, under a key that lives as long as the process,
 * so that not even the digests' common prefix means anything.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const key = randomBytes(32);

export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** What a secret may be looked up by in a map, without the secret being kept. */
export function secretDigest(secret: string): string {
  return digest(secret).toString('base64');
}

function digest(text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
