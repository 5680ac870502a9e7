/**
 * A JSON Web Token against keys that were chosen before: the one way in which tokens are verified.
 *
 * Callers check the claims.
 *
 * Invariants: the algorithm must be the key's own, so `none`, HMAC and a public key used as a
 * secret fail; keys that a token brings along (`jwk`, `jku`, `x5c`, `x5u`) are refused, a `crit`
 * header too; a token above `tokenCharsMax` is not looked at.
 * Bound: a token is tried with `keysTriedMax` keys. Policy: with the first ones; those behind them
 * verify only tokens that name their key.
 */
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import type { ProtectedHeaderParameters } from 'jose';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { VerificationKey } from './jwt-keys.ts';
import { keysFor } from './jwt-keys.ts';

/** A request's head is not larger; what is longer comes from elsewhere. */
const tokenCharsMax = 16 * 1024;

/** What a token says of itself, before anything is verified. */
export interface UnverifiedToken {
  readonly header: ProtectedHeaderParameters;
  readonly claims: JsonObject;
}

const compactJws = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Undefined: not a JSON Web Token. Nothing of it may be believed. */
export function readToken(token: string): UnverifiedToken | undefined {
  if (token.length > tokenCharsMax || !compactJws.test(token)) return undefined;
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

/** Of a token that names no key, or one that many have: each takes a tenth of a millisecond to two
 * (P-521), and nobody is known yet. Issuers with several keys name them in their tokens (OpenID
 * Connect Core, section 10.1). */
export const keysTriedMax = 16;

const broughtKeys = ['jwk', 'jku', 'x5c', 'x5u', 'crit'] as const;

export type SignatureCheck =
  | { readonly kind: 'signed'; readonly key: VerificationKey }
  /** `unlooked`: there was no time for it. */
  | { readonly kind: 'refused'; readonly why: string; readonly unlooked?: true };

/** Undefined: there is no time for this one. */
export type InLine = <T>(verification: () => Promise<T>) => Promise<T | undefined>;

/** Which of `keys` has signed the token, or why it is refused. */
export async function checkSignature(
  token: string,
  { header }: UnverifiedToken,
  keys: readonly VerificationKey[],
  inLine: InLine,
): Promise<SignatureCheck> {
  for (const name of broughtKeys) {
    if (header[name] !== undefined) return refused(`the header ${name} is not accepted`);
  }
  const candidates = keysFor(keys, header.kid).filter((key) => key.algorithm === header.alg);
  if (candidates.length === 0) return refused('no key has the algorithm of the token');
  for (const key of candidates.slice(0, keysTriedMax)) {
    const isSigned = await inLine(() => hasSigned(key, token));
    if (isSigned === undefined) return unlooked;
    if (isSigned) return { kind: 'signed', key };
  }
  return refused(
    candidates.length > keysTriedMax
      ? `the signature is of none of the first ${keysTriedMax} keys`
      : 'the signature is of none of the keys',
  );
}

const unlooked: SignatureCheck = {
  kind: 'refused',
  why: 'too many signatures wait to be verified',
  unlooked: true,
};

function refused(why: string): SignatureCheck {
  return { kind: 'refused', why };
}

async function hasSigned(
  { algorithm, publicKey }: VerificationKey,
  token: string,
): Promise<boolean> {
  try {
    await compactVerify(token, publicKey, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}

/** By how many seconds the clocks of those who sign and those who verify may differ. */
export interface Leeway {
  readonly exp: number;
  readonly nbf: number;
  readonly iat: number;
}

/** For tokens that servers of this cluster have signed. */
export const ownLeeway: Leeway = { exp: 10, nbf: 10, iat: 10 };

/** For the tokens of others: an end is an end, and when a token was made is not judged. */
export const issuerLeeway: Leeway = { exp: 0, nbf: 60, iat: Number.POSITIVE_INFINITY };

/** Why the token is not good at `nowMs`; undefined when it is. */
export function timeProblem(claims: JsonObject, nowMs: number, leeway: Leeway): string | undefined {
  const { exp, nbf, iat } = claims;
  const nowSeconds = nowMs / 1000;
  for (const [name, value] of Object.entries({ exp, nbf, iat })) {
    if (value !== undefined && !Number.isFinite(value)) return `the claim ${name} is no number`;
  }
  if (typeof exp === 'number' && nowSeconds > exp + leeway.exp) return 'it has expired';
  if (typeof nbf === 'number' && nowSeconds < nbf - leeway.nbf) return 'it is not valid yet';
  if (typeof iat === 'number' && nowSeconds < iat - leeway.iat) return 'it is from the future';
  return undefined;
}

/** The claim `aud`, which may be a text or a list. */
export function audiencesOf(claims: JsonObject): readonly string[] {
  const { aud } = claims;
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) ? aud.filter((item): item is string => typeof item === 'string') : [];
}
