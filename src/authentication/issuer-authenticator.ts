/**
 * Tokens of trusted issuers (OpenID Connect) as a way to authenticate (spec 2, section 5.2).
 *
 *   issuer known? ─▶ its keys ─▶ signature ─▶ time, audience ─▶ user ─▶ rules ─▶ authenticated
 *
 * There is no login: clients bring their ID token.
 *
 * Invariants: the issuer a token names decides by whose keys it is verified, and by no others; a
 * claim that is missing or of the wrong type authenticates nobody. Nobody waits for an issuer but
 * its own tokens. When other issuers are trusted, the keys of those that stay are kept. Who has
 * signed a token is worked out once, and holds as long as that key is the issuer's.
 * Bounds: of `entriesMax` tokens, each for `ttlMs` at most.
 */
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { ownMember } from '../stdx/lookup.ts';
import type { Turns } from '../stdx/turns.ts';
import { commonAudiences } from '../apimachinery/audiences.ts';
import type { Authentication, TokenAuthenticator } from './authenticator.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { IssuerConfig } from './issuer-config.ts';
import {
  failedRule,
  failedUserRule,
  claimValues,
  mapToText,
  mapToTexts,
} from './claim-expressions.ts';
import type { ClaimValues, MappedText, MappedTexts } from './claim-expressions.ts';
import { createIssuerKeys } from './issuer-keys.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import type { VerificationKey } from './jwt-keys.ts';
import { audiencesOf, checkSignature, issuerLeeway, readToken, timeProblem } from './jwt-verify.ts';
import type { InLine, SignatureCheck, UnverifiedToken } from './jwt-verify.ts';
import { TokenCache } from './token-cache.ts';
import type { TokenCacheCounts } from './token-cache-counts.ts';
import { inLineOf } from './verification-line.ts';
import type { VerificationLine } from './verification-line.ts';

export interface IssuerAuthenticatorOptions {
  readonly issuers: readonly IssuerConfig[];
  readonly clock: Clock;
  readonly timers: Timers;
  /** For expressions that take long. */
  readonly turns: Pick<Turns, 'run'>;
  /** The server's own: what a good token counts for. */
  readonly audiences: readonly string[];
  /** The key of the extra that says which token it was, by its `jti`. */
  readonly credentialIdKey: string;
  readonly signatures: VerificationLine;
  readonly cacheCounts: TokenCacheCounts;
  /** Keys could not be had. */
  readonly onError: (issuer: string, error: unknown) => void;
}

const methodName = 'jwt';

const verifiedTokens = { entriesMax: 4096, ttlMs: 10 * 60_000 } as const;

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
  const { cacheCounts, clock, onError, signatures } = options;
  const signers = new TokenCache<VerificationKey>({ clock, ...verifiedTokens });
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
            : createIssuerKeys(config, options, failed);
        return [config.url, { config, keys }];
      }),
    );
  };
  trust(options.issuers);
  return {
    name: methodName,
    trust,
    async authenticateToken(token, asked, bearer, requester) {
      const read = readToken(token);
      const issuer = read && trusted.get(read.claims['iss']);
      if (read === undefined || issuer === undefined) return { kind: 'none' };
      // What is in vain whoever has signed it costs nobody a look at its signature.
      const why = claimsProblem(issuer.config, read.claims, clock.nowMs());
      if (why !== undefined) return { kind: 'rejected', why };
      const signer = signers.get(token);
      const found = await issuer.keys.find(read.header.kid);
      if (signer === undefined || !found.includes(signer)) {
        const inLine = inLineOf(signatures, bearer, requester);
        const signature = await cacheCounts.missAndFind(
          () => signatureBy(token, read, found, issuer.keys, inLine),
          ({ kind }) => kind === 'signed',
        );
        if (signature.kind === 'refused') return { ...signature, kind: 'rejected' };
        signers.set(token, signature.key);
      } else cacheCounts.hit();
      return authenticated(options, issuer.config, read.claims, asked);
    },
  };
}

/** An issuer may change its key and keep the name, or give none: then the next keys are asked, if
 * there are others. */
async function signatureBy(
  token: string,
  read: UnverifiedToken,
  first: readonly VerificationKey[],
  keys: IssuerKeys,
  inLine: InLine,
): Promise<SignatureCheck> {
  const signature = await checkSignature(token, read, first, inLine);
  if (signature.kind === 'signed' || first.length === 0) return signature;
  if (signature.unlooked === true) return signature;
  const tried = new Set(first);
  const others = (await keys.find(read.header.kid, tried)).filter((key) => !tried.has(key));
  return others.length === 0 ? signature : checkSignature(token, read, others, inLine);
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
  const untimely = timeProblem(claims, nowMs, issuerLeeway);
  if (untimely !== undefined) return untimely;
  const own = audiencesOf(claims);
  if (!audiences.some((audience) => own.includes(audience))) return 'it is for other audiences';
  const missing = requiredClaims.find(({ claim, value }) => ownMember(claims, claim) !== value);
  return missing === undefined ? undefined : `the claim ${missing.claim} is not as required`;
}

async function authenticated(
  { audiences: own, credentialIdKey, turns }: IssuerAuthenticatorOptions,
  config: IssuerConfig,
  claims: JsonObject,
  asked: readonly string[],
): Promise<Authentication> {
  const id = claims['jti'];
  const known = typeof id === 'string' && id !== '' ? { [credentialIdKey]: [`JTI=${id}`] } : {};
  const user = await userOf(config, claims, known, turns);
  if (typeof user === 'string') return { kind: 'rejected', why: user };
  const audiences = asked.length > 0 ? commonAudiences(asked, own) : own;
  if (asked.length > 0 && audiences.length === 0) {
    return { kind: 'rejected', why: 'it is for other audiences' };
  }
  return { kind: 'authenticated', user, audiences };
}

/** The user, or why there is none. `known`: extra that no mapping makes. */
async function userOf(
  config: IssuerConfig,
  claims: JsonObject,
  known: UserInfo['extra'],
  turns: Pick<Turns, 'run'>,
): Promise<UserInfo | string> {
  // Without expressions nothing is made of the claims.
  let values: ClaimValues | undefined;
  const given = (): ClaimValues => (values ??= claimValues(claims, turns));
  const name = await nameOf(config.username, claims, given);
  if (name.kind === 'failed') return name.why;
  const uid = await uidOf(config.uid, claims, given);
  if (uid.kind === 'failed') return uid.why;
  const groups = await groupsOf(config.groups, claims, given);
  if (groups.kind === 'failed') return groups.why;
  const extra: Record<string, readonly string[]> = { ...known };
  for (const { key, expression } of config.extra) {
    const mapped = await mapToTexts(expression, given());
    if (mapped.kind === 'failed') return mapped.why;
    if (mapped.texts.length > 0) extra[key] = mapped.texts;
  }
  const user: UserInfo = { name: name.text, uid: uid.text, groups: groups.texts, extra };
  const { claimRules, userRules } = config;
  const broken = claimRules.length === 0 ? undefined : await failedRule(claimRules, given());
  return broken ?? (await failedUserRule(userRules, user, turns)) ?? user;
}

function failed(why: string): { readonly kind: 'failed'; readonly why: string } {
  return { kind: 'failed', why };
}

async function nameOf(
  username: IssuerConfig['username'],
  claims: JsonObject,
  given: () => ClaimValues,
): Promise<MappedText> {
  if ('expression' in username) {
    const mapped = await mapToText(username.expression, given(), 'username');
    const empty = mapped.kind === 'ok' && mapped.text === '';
    return empty ? failed('empty username via CEL expression is not allowed') : mapped;
  }
  const name = ownMember(claims, username.claim);
  if (typeof name !== 'string' || name === '') {
    return failed(`the claim ${username.claim} names nobody`);
  }
  // Anybody can ask for an account with somebody else's address.
  const verified = claims['email_verified'];
  if (username.claim === 'email' && verified !== undefined && verified !== true) {
    return failed('the address has not been verified');
  }
  return { kind: 'ok', text: username.prefix + name };
}

async function uidOf(
  uid: IssuerConfig['uid'],
  claims: JsonObject,
  given: () => ClaimValues,
): Promise<MappedText> {
  if (uid === undefined) return { kind: 'ok', text: '' };
  if ('expression' in uid) return mapToText(uid.expression, given(), 'uid');
  const value = ownMember(claims, uid.claim);
  if (typeof value === 'string') return { kind: 'ok', text: value };
  return failed(`the claim ${uid.claim} is no text`);
}

async function groupsOf(
  groups: IssuerConfig['groups'],
  claims: JsonObject,
  given: () => ClaimValues,
): Promise<MappedTexts> {
  if (groups === undefined) return { kind: 'ok', texts: [] };
  if ('expression' in groups) return mapToTexts(groups.expression, given());
  const { claim, prefix } = groups;
  const value = ownMember(claims, claim) ?? [];
  const list = typeof value === 'string' ? [value] : value;
  const texts = Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
  if (texts === undefined || !Array.isArray(list) || texts.length !== list.length) {
    return failed(`the claim ${claim} is no list of texts`);
  }
  return { kind: 'ok', texts: texts.map((name) => prefix + name) };
}
