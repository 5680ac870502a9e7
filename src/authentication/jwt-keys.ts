/**
 * Keys that sign and verify tokens: from PEM to key, algorithm and id, and as a JWK set.
 *
 * Elsewhere: the verifying of tokens (jwt-verify.ts) and where the keys come from (the server's
 * token-keys.ts).
 *
 * Invariants: a key has exactly one algorithm, which follows from what it is, never from what a
 * token says (so there is no `none`, and no public key is ever taken for an HMAC secret); its id
 * is the hash of its public half, so the same key has the same id on every server.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { exportJWK } from 'jose';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { lookup } from '../stdx/lookup.ts';

/** What the server signs with. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** What an RSA key of another issuer may have signed with. */
export const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;

/** All that is ever accepted. */
export type TokenAlgorithm = SigningAlgorithm | (typeof rsaAlgorithms)[number];

export interface VerificationKey {
  readonly id: string;
  readonly algorithm: TokenAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

/** Shorter RSA keys are refused, as by the library that would use them. */
const rsaBitsMin = 2048;

const curveAlgorithms: Readonly<Record<string, SigningAlgorithm>> = lookup({
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
});

/** Undefined: not a key that tokens can be signed with. */
export function algorithmOf(key: KeyObject): SigningAlgorithm | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= rsaBitsMin ? 'RS256' : undefined;
  if (type === 'ec') return curveAlgorithms[details?.namedCurve ?? ''];
  return undefined;
}

/** The private key of a PEM text. @throws Error saying what is wrong, without the key. */
export function signingKeyOf(pem: string): SigningKey {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    throw new Error('it holds no private key in PEM that can be read');
  }
  return { ...verificationKey(createPublicKey(privateKey)), privateKey };
}

/** Every key of a PEM text, public ones and the public halves of private ones, each once.
 * @throws Error saying what is wrong, without the key. */
export function verificationKeysOf(pem: string): readonly VerificationKey[] {
  const blocks = pem.match(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g) ?? [];
  // Elliptic curve files often carry the name of the curve in a block before the key.
  const keys = blocks.filter((block) => !block.startsWith('-----BEGIN EC PARAMETERS'));
  if (keys.length === 0) throw new Error('it holds no key in PEM');
  if (blocks.length < (pem.match(/-----BEGIN /g) ?? []).length) {
    throw new Error('it holds a PEM block that has no end');
  }
  const found = new Map<string, VerificationKey>();
  for (const block of keys) {
    let publicKey: KeyObject;
    try {
      publicKey = createPublicKey(block);
    } catch {
      throw new Error('it holds a PEM block that is no public or private key');
    }
    const key = verificationKey(publicKey);
    found.set(key.id, key);
  }
  return [...found.values()];
}

function verificationKey(publicKey: KeyObject): VerificationKey {
  const algorithm = algorithmOf(publicKey);
  if (algorithm === undefined) {
    throw new Error(
      `only RSA keys of ${rsaBitsMin} bits or more and P-256, P-384, P-521 sign tokens`,
    );
  }
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), algorithm, publicKey };
}

/** The keys that may have signed a token: those of its key id, or all when none has it. The id is
 * only compared. */
export function keysFor(keys: readonly VerificationKey[], id: unknown): readonly VerificationKey[] {
  const named = keys.filter((key) => key.id === id);
  return named.length > 0 ? named : keys;
}

/** RFC 7517: public halves only. */
export async function jwksOf(keys: readonly VerificationKey[]): Promise<JsonObject> {
  const entries = keys.map(async ({ id, algorithm, publicKey }) => {
    const jwk = (await exportJWK(publicKey)) as JsonObject;
    return { use: 'sig', ...jwk, kid: id, alg: algorithm };
  });
  return { keys: await Promise.all(entries) };
}
