/**
 * Comparison of secrets: as long wherever they differ, and whatever their lengths are.
 *
 * The digests only bring both sides to one length, under a key that lives as long as the process,
 * so that not even the digests' common prefix means anything.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** As text it fills a block of the hash. */
const key = randomBytes(32).toString('hex');

export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(secretDigest(a)), Buffer.from(secretDigest(b)));
}

/** What a secret may be looked up by in a map, without the secret being kept. An HMAC would say the
 * same, and make an object of the library for each request, which the collector has to end. */
export function secretDigest(secret: string): string {
  return hash('sha256', key + hash('sha256', key + secret, 'base64'), 'base64');
}
