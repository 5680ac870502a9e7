/**
 * Makes tokens of service accounts: bound ones that end, and those of token secrets.
 *
 * Who may have a token is decided by authorization of serviceaccounts/token. Accounts are not
 * looked up: the caller has them in its hand.
 *
 * Bounds: a bound token lasts at most `maxExpirationSeconds`.
 */
import { SignJWT } from 'jose';
import type { JWTPayload } from 'jose';
import type { Identity } from '../apimachinery/identity.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Prng } from '../stdx/prng.ts';
import type { SigningKey } from './jwt-keys.ts';
import { boundClaims, legacyClaims } from './service-account-claims.ts';
import type { BoundTo, ObjectRef } from './service-account-claims.ts';
import { accountUserName } from './service-account-names.ts';

export interface IssuerOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly key: SigningKey;
  /** What tokens say who made them. */
  readonly issuer: string;
  /** Audiences of a token that names none: the server's own. */
  readonly audiences: readonly string[];
  /** Undefined: as long as is asked for. */
  readonly maxExpirationSeconds: number | undefined;
  /** Give tokens that are bound to a pod and last `injectedSeconds` a year instead. */
  readonly extendExpiration: boolean;
}

/** What clients that put tokens into pods ask for: they renew them long before, so one that is used
 * after this time is in the hands of a client that reads it once. */
const injectedSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

export interface TokenSpec {
  readonly namespace: string;
  readonly account: ObjectRef;
  readonly boundTo: Omit<BoundTo, 'warnAfter'>;
  /** Empty: the server's own. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export interface IssuedToken {
  readonly token: string;
  /** In whole seconds, as is the next: milliseconds since the epoch. */
  readonly issuedMs: number;
  readonly expiresMs: number;
  /** How its user's extra fields name it. */
  readonly credentialId: string;
}

export interface TokenIssuer {
  readonly audiences: readonly string[];
  /** The longest life; requests for more get this. */
  readonly maxExpirationSeconds: number | undefined;
  issue(order: TokenSpec): Promise<IssuedToken>;
  /** The token of a token secret. */
  legacyToken(namespace: string, account: ObjectRef, secretName: string): Promise<string>;
}

export function createTokenIssuer(options: IssuerOptions): TokenIssuer {
  const { clock, identity, key } = options;
  const sign = (claims: JWTPayload): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: key.algorithm, kid: key.id })
      .sign(key.privateKey);
  return {
    audiences: options.audiences,
    maxExpirationSeconds: options.maxExpirationSeconds,
    async issue(order) {
      const { account, boundTo, namespace } = order;
      const { seconds, warnAfterSeconds } = lifetime(options, order);
      const now = Math.floor(clock.nowMs() / 1000);
      const warnAfter = warnAfterSeconds === undefined ? undefined : now + warnAfterSeconds;
      const tokenId = options.prng.uuid();
      const token = await sign({
        aud: [...(order.audiences.length > 0 ? order.audiences : options.audiences)],
        exp: now + seconds,
        iat: now,
        iss: options.issuer,
        jti: tokenId,
        ...boundClaims(identity, namespace, account, { ...boundTo, warnAfter }),
        nbf: now,
        sub: accountUserName({ namespace, name: account.name }),
      });
      // What clients are told is when they should have a new one.
      const expiresSeconds = now + (warnAfterSeconds ?? seconds);
      return {
        token,
        issuedMs: now * 1000,
        expiresMs: expiresSeconds * 1000,
        credentialId: `JTI=${tokenId}`,
      };
    },
    legacyToken: (namespace, account, secretName) =>
      sign(legacyClaims(identity, namespace, account, secretName)),
  };
}

function lifetime(
  options: IssuerOptions,
  order: TokenSpec,
): { readonly seconds: number; readonly warnAfterSeconds: number | undefined } {
  const max = options.maxExpirationSeconds ?? Infinity;
  const asked = Math.min(order.expirationSeconds, max);
  const own = order.audiences.every((audience) => options.audiences.includes(audience));
  const injected = order.expirationSeconds === injectedSeconds && order.boundTo.pod !== undefined;
  if (!options.extendExpiration || !injected || !own) {
    return { seconds: asked, warnAfterSeconds: undefined };
  }
  return { seconds: Math.min(extendedSeconds, max), warnAfterSeconds: asked };
}
