/**
 * Tokens of trusted issuers (OpenID Connect) as a way to authenticate (spec 2, section 5.2).
 *
 *   issuer known? ─▶ its keys ─▶ signature ─▶ time, audience, required claims ─▶ user
 *
 * What it is not: a login. Clients bring their ID token.
 *
 * Invariants: the issuer a token names decides by whose keys it is verified, and by no others; a
 * claim that is missing or of the wrong type authenticates nobody. Nobody waits for an issuer but
 * its own tokens. When other issuers are trusted, the keys of those that stay are kept.
 */
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import type { Authentication, TokenAuthenticator } from './authenticator.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { IssuerConfig, MappedClaim } from './issuer-config.ts';
import { createIssuerKeys } from './issuer-keys.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { audiencesOf, readToken, signatureProblem, timeProblem } from './jwt-verify.ts';
import type { UnverifiedToken } from './jwt-verify.ts';

export interface IssuerAuthenticatorOptions {
  readonly issuers: readonly IssuerConfig[];
  readonly clock: Clock;
  readonly timers: Timers;
  /** The server's own: what a good token counts for. */
  readonly audiences: readonly string[];
  /** Keys could not be had. */
  readonly onError: (issuer: string, error: unknown) => void;
}

const methodName = 'jwt';

interface Trusted {
  readonly config: IssuerConfig;
  readonly keys: IssuerKeys;
}

export interface IssuerAuthenticator extends TokenAuthenticator {
  /** Trusts these from now on, and no others. */
  trust(issuers: readonly IssuerConfig[]): void;
}

export function createIssuerAuthenticator(
  options: IssuerAuthenticatorOptions,
): IssuerAuthenticator {
  const { clock, onError, timers } = options;
  let trusted = new Map<unknown, Trusted>();
  const trust = (issuers: readonly IssuerConfig[]): void => {
    const before = trusted;
    trusted = new Map(
      issuers.map((config) => {
        const known = before.get(config.url);
        const failed = (error: unknown): void => onError(config.url, error);
        const keys =
          known !== undefined && haveSameKeys(known.config, config)
            ? known.keys
            : createIssuerKeys(config, clock, timers, failed);
        return [config.url, { config, keys }];
      }),
    );
  };
  trust(options.issuers);
  return {
    name: methodName,
    trust,
    async authenticateToken(token, asked) {
      const read = readToken(token);
      const issuer = read && trusted.get(read.claims['iss']);
      if (read === undefined || issuer === undefined) return { kind: 'none' };
      const forged = await forgery(token, read, issuer.keys);
      const why = forged ?? claimsProblem(issuer.config, read.claims, clock.nowMs());
      if (why !== undefined) return { kind: 'rejected', why };
      return authenticated(options, issuer.config, read.claims, asked);
    },
  };
}

/** What is wrong with the signature. An issuer may change its key and keep the name, or give none:
 * then the next keys are asked, if there are others. */
async function forgery(
  token: string,
  read: UnverifiedToken,
  keys: IssuerKeys,
): Promise<string | undefined> {
  const { kid } = read.header;
  const first = await keys.find(kid);
  const problem = await signatureProblem(token, read, first);
  if (problem === undefined || first.length === 0) return problem;
  const next = await keys.find(kid, first);
  const isNew = next.some((key) => !first.includes(key));
  return isNew ? signatureProblem(token, read, next) : problem;
}

function haveSameKeys(one: IssuerConfig, other: IssuerConfig): boolean {
  return one.ca === other.ca && one.discoveryUrl === other.discoveryUrl;
}

function claimsProblem(
  { audiences, requiredClaims }: IssuerConfig,
  claims: JsonObject,
  nowMs: number,
): string | undefined {
  if (typeof claims['exp'] !== 'number') return 'it has no end';
  const untimely = timeProblem(claims, nowMs);
  if (untimely !== undefined) return untimely;
  const own = audiencesOf(claims);
  if (!audiences.some((audience) => own.includes(audience))) return 'it is for other audiences';
  const missing = requiredClaims.find(({ claim, value }) => claims[claim] !== value);
  return missing === undefined ? undefined : `the claim ${missing.claim} is not as required`;
}

function authenticated(
  { audiences: own }: IssuerAuthenticatorOptions,
  config: IssuerConfig,
  claims: JsonObject,
  asked: readonly string[],
): Authentication {
  const user = userOf(config, claims);
  if (typeof user === 'string') return { kind: 'rejected', why: user };
  const audiences = asked.length > 0 ? asked.filter((audience) => own.includes(audience)) : own;
  if (asked.length > 0 && audiences.length === 0) {
    return { kind: 'rejected', why: 'it is for other audiences' };
  }
  return { kind: 'authenticated', user, audiences, by: methodName };
}

/** The user, or why there is none. */
function userOf(config: IssuerConfig, claims: JsonObject): UserInfo | string {
  const { groups, uidClaim, username } = config;
  const name = claims[username.claim];
  if (typeof name !== 'string' || name === '') return `the claim ${username.claim} names nobody`;
  // Anybody can ask for an account with somebody else's address.
  const verified = claims['email_verified'];
  if (username.claim === 'email' && verified !== undefined && verified !== true) {
    return 'the address has not been verified';
  }
  const uid = uidClaim === undefined ? '' : claims[uidClaim];
  if (typeof uid !== 'string') return `the claim ${uidClaim ?? ''} is no text`;
  const named = groups === undefined ? [] : groupsOf(groups, claims);
  if (named === undefined) return `the claim ${groups?.claim ?? ''} is no list of texts`;
  return { name: username.prefix + name, uid, groups: named, extra: {} };
}

function groupsOf(
  { claim, prefix }: MappedClaim,
  claims: JsonObject,
): readonly string[] | undefined {
  const value = claims[claim] ?? [];
  if (typeof value === 'string') return [prefix + value];
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === value.length ? texts.map((name) => prefix + name) : undefined;
}
