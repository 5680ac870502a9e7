/**
 * Tokens of service accounts as a way to authenticate (spec 2, sections 5.1, 5.2 and 5.6, rule 7).
 *
 *   ours? ─▶ signature (or the cache) ─▶ time, audience ─▶ account, pod, secret, node still there
 *                                                       ─▶ counted, where it should not be used
 *
 * A token of another issuer is none of this method's.
 *
 * Invariants: what a token says is believed after its signature only; the objects it names are
 * looked up at each use, by uid, so a token dies with its account or with what it is bound to; a
 * new account of the old name does not revive it.
 * Bounds: `cacheEntriesMax` verified tokens, each for `cacheTtlMs` at most.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { parseRfc3339 } from '../apimachinery/time.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Clock } from '../stdx/clock.ts';
import { createAccountTokenUses } from './account-token-uses.ts';
import type { AccountTokenCounts, AccountTokenUses } from './account-token-uses.ts';
import { commonAudiences } from '../apimachinery/audiences.ts';
import type { Authentication, RequestNotes, TokenAuthenticator } from './authenticator.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { equalSecrets } from './constant-time.ts';
import type { VerificationKey } from './jwt-keys.ts';
import { audiencesOf, checkSignature, ownLeeway, readToken, timeProblem } from './jwt-verify.ts';
import type { InLine } from './jwt-verify.ts';
import { nodesResource, podsResource } from './object-reader.ts';
import { secretsResource, serviceAccountsResource } from './object-reader.ts';
import type { ObjectReader } from './object-reader.ts';
import { legacyIssuer, readAccountClaims } from './service-account-claims.ts';
import type { AccountClaims, ObjectRef } from './service-account-claims.ts';
import { accountExtraKeys, accountGroups, accountUserName } from './service-account-names.ts';
import { TokenCache } from './token-cache.ts';
import type { TokenCacheCounts } from './token-cache-counts.ts';
import { inLineOf } from './verification-line.ts';
import type { VerificationLine } from './verification-line.ts';

export interface AccountAuthenticatorOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly keys: readonly VerificationKey[];
  /** Whose tokens are accepted; the first one is what new tokens say. */
  readonly issuers: readonly string[];
  /** The server's own audiences: a token must be good for one of them unless others are asked. */
  readonly audiences: readonly string[];
  /** False: the account, and what a token is bound to, are not looked up. Token secrets are. */
  readonly lookup: boolean;
  readonly objects: ObjectReader;
  readonly signatures: VerificationLine;
  readonly cacheCounts: TokenCacheCounts;
}

const accountAuthenticatorLimits = {
  cacheEntriesMax: 4096,
  cacheTtlMs: 10 * 60_000,
  /** An object that is being deleted still counts for this long: its last work may need it. Not so
   * the account of a token secret: whatever has that token was never bound to run beside it. */
  deletionGraceMs: 60_000,
} as const;

export function createAccountAuthenticator(
  options: AccountAuthenticatorOptions,
): TokenAuthenticator & { readonly counts: AccountTokenCounts } {
  const { cacheEntriesMax: entriesMax, cacheTtlMs: ttlMs } = accountAuthenticatorLimits;
  const verified = new TokenCache<Verified>({ clock: options.clock, entriesMax, ttlMs });
  const uses = createAccountTokenUses(options.identity);
  const issuers = new Set([...options.issuers, legacyIssuer(options.identity)]);
  const claimsOf = async (token: string, inLine: InLine): Promise<Claims> => {
    const known = verified.get(token);
    if (known !== undefined) {
      options.cacheCounts.hit();
      return { kind: 'claims', verified: known };
    }
    const read = readToken(token);
    const issuer = read?.claims['iss'];
    if (read === undefined || typeof issuer !== 'string' || !issuers.has(issuer)) return none;
    const signature = await options.cacheCounts.missAndFind(
      () => checkSignature(token, read, options.keys, inLine),
      ({ kind }) => kind === 'signed',
    );
    if (signature.kind === 'refused') return { ...signature, kind: 'rejected' };
    const believed = verifiedOf(options.identity, read.claims);
    verified.set(token, believed);
    return { kind: 'claims', verified: believed };
  };
  return {
    name: 'service-account',
    counts: uses.counts,
    async authenticateToken(token, asked, notes, requester) {
      const found = await claimsOf(token, inLineOf(options.signatures, notes, requester));
      if (found.kind !== 'claims') return found;
      return authenticateVerified(options, token, found.verified, { asked, notes, uses });
    },
  };
}

/** What the signature stands for, read once. */
interface Verified {
  readonly claims: JsonObject;
  readonly account: AccountClaims | undefined;
  /** The same value for the same token: what others work out of it they can keep. */
  readonly user: UserInfo | undefined;
}

function verifiedOf(identity: Identity, claims: JsonObject): Verified {
  const account = readAccountClaims(identity, claims);
  return { claims, account, user: account && userOf(identity, account) };
}

type Claims =
  | { readonly kind: 'claims'; readonly verified: Verified }
  | Extract<Authentication, { readonly kind: 'none' | 'rejected' }>;

const none = { kind: 'none' } as const;

function rejected(why: string): Extract<Authentication, { readonly kind: 'rejected' }> {
  return { kind: 'rejected', why };
}

/** What was not found may be there: it cannot be read yet. */
function unlooked({ objects }: AccountAuthenticatorOptions, { secret }: AccountClaims) {
  return secret !== undefined && objects.isWaiting(secretsResource) ? unread : undefined;
}

const unread = { unlooked: true } as const;

interface Occasion {
  readonly asked: readonly string[];
  readonly notes: RequestNotes | undefined;
  readonly uses: AccountTokenUses;
}

async function authenticateVerified(
  options: AccountAuthenticatorOptions,
  token: string,
  { account, claims, user }: Verified,
  { asked, notes, uses }: Occasion,
): Promise<Authentication> {
  if (account === undefined || user === undefined)
    return rejected('the claims are not those of a service account');
  if (!account.legacy && typeof claims['exp'] !== 'number') return rejected('it has no end');
  const untimely = timeProblem(claims, options.clock.nowMs(), ownLeeway);
  if (untimely !== undefined) return rejected(untimely);
  const own = audiencesOf(claims);
  if (own.length === 0) uses.legacy(user.name, notes);
  const good = own.length === 0 && account.legacy ? options.audiences : own;
  const wanted = asked.length > 0 ? asked : options.audiences;
  const audiences = commonAudiences(wanted, good);
  if (audiences.length === 0) return rejected('it is for other audiences');
  const gone = await missing(options, token, account);
  if (gone !== undefined) return { ...rejected(gone), ...unlooked(options, account) };
  const invalid = account.legacy && secretUse(options, account, notes, uses) === 'invalid';
  if (invalid) return rejected('its secret is marked as invalid');
  const { warnAfter = 0 } = account;
  if (warnAfter !== 0) uses.extended(user.name, warnAfter, options.clock.nowMs(), notes);
  return { kind: 'authenticated', user, audiences };
}

/** Of a token that is in its secret. */
function secretUse(
  { identity, objects }: AccountAuthenticatorOptions,
  { account, namespace, secret }: AccountClaims,
  notes: RequestNotes | undefined,
  uses: AccountTokenUses,
): 'valid' | 'invalid' {
  const name = secret?.name ?? '';
  const labels = objects.get(secretsResource, namespace, name)?.object.metadata.labels ?? {};
  if ((labels[`${identity.labelDomain}/legacy-token-invalid-since`] ?? '') !== '') {
    uses.invalidated(namespace, name, notes);
    return 'invalid';
  }
  const owner = objects.get(serviceAccountsResource, namespace, account.name)?.object;
  const named: JsonValue = owner?.['secrets'] ?? [];
  const isNamed = Array.isArray(named) && named.some((ref) => refName(ref) === name);
  uses.secret(name, isNamed, notes);
  return 'valid';
}

function refName(ref: JsonValue): JsonValue | undefined {
  return isJsonObject(ref) ? ref['name'] : undefined;
}

function userOf(identity: Identity, claims: AccountClaims): UserInfo {
  const { account, namespace, node, pod, tokenId } = claims;
  const keys = accountExtraKeys(identity);
  const extra: Record<string, readonly string[]> = {};
  if (tokenId !== '') extra[keys.credentialId] = [`JTI=${tokenId}`];
  if (node !== undefined) extra[keys.nodeName] = [node.name];
  if (node !== undefined && node.uid !== '') extra[keys.nodeUid] = [node.uid];
  if (pod !== undefined) {
    extra[keys.podName] = [pod.name];
    extra[keys.podUid] = [pod.uid];
  }
  return {
    name: accountUserName({ namespace, name: account.name }),
    uid: account.uid,
    groups: accountGroups(namespace),
    extra,
  };
}

/** What the token needs and is not there; a thing that is missing is looked for twice. */
async function missing(
  options: AccountAuthenticatorOptions,
  token: string,
  claims: AccountClaims,
): Promise<string | undefined> {
  const first = missingNow(options, token, claims);
  if (first === undefined) return undefined;
  await options.objects.current();
  return missingNow(options, token, claims);
}

function missingNow(
  { clock, identity, lookup, objects }: AccountAuthenticatorOptions,
  token: string,
  { account, legacy, namespace, node, pod, secret }: AccountClaims,
): string | undefined {
  // The later it is, the less what is being deleted counts.
  const nowMs = legacy ? Number.POSITIVE_INFINITY : clock.nowMs();
  const is = (resource: GroupResource, where: string, ref: ObjectRef | undefined): boolean => {
    const found = ref && objects.get(resource, where, ref.name)?.object;
    return ref === undefined || (found !== undefined && isAlive(found, ref.uid, nowMs));
  };
  if (legacy && secret !== undefined) {
    const found = objects.get(secretsResource, namespace, secret.name)?.object;
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
      return 'its secret is gone';
    }
    const right = found['type'] === identity.secretTypes.serviceAccountToken;
    if (!right || !holds(found, token)) return 'its secret holds another token';
  }
  if (!lookup) return undefined;
  if (!is(serviceAccountsResource, namespace, account)) return 'its account is gone';
  if (!legacy && !is(secretsResource, namespace, secret)) return 'its secret is gone';
  if (!is(podsResource, namespace, pod)) return 'its pod is gone';
  // The node of a pod is named for information: the token is bound to the pod.
  if (pod === undefined && !is(nodesResource, '', node)) return 'its node is gone';
  return undefined;
}

function isAlive({ metadata }: ApiObject, uid: string, nowMs: number): boolean {
  if (metadata.uid !== uid) return false;
  if (metadata.deletionTimestamp === undefined) return true;
  const deletedMs = parseRfc3339(metadata.deletionTimestamp) ?? 0;
  return nowMs < deletedMs + accountAuthenticatorLimits.deletionGraceMs;
}

function holds(secret: ApiObject, token: string): boolean {
  const data: JsonValue | undefined = secret['data'];
  const held = isJsonObject(data) ? data['token'] : undefined;
  return typeof held === 'string' && equalSecrets(held, Buffer.from(token).toString('base64'));
}
