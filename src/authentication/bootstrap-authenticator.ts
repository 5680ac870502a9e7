/**
 * Bootstrap tokens as a way to authenticate (spec 2, sections 3.1 and 5.2).
 *
 * Invariants: the public part finds the secret, the secret part is compared in constant time, also
 * where there is no secret to compare with, and a token that is not there is read like one that is;
 * a token counts only while its machine says `valid` and its expiration has not been reached.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Authentication, TokenAuthenticator } from './authenticator.ts';
import { wellKnownGroups } from '../apimachinery/user-info.ts';
import {
  bootstrapGroupProblem,
  bootstrapSecretName,
  parseBootstrapToken,
  readBootstrapToken,
} from './bootstrap-token.ts';
import type { BootstrapToken, TokenParts } from './bootstrap-token.ts';
import { equalSecrets } from './constant-time.ts';
import { secretsResource } from './object-reader.ts';
import type { ObjectReader } from './object-reader.ts';

export interface BootstrapAuthenticatorOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly objects: ObjectReader;
}

/** Stands in for a token that is not there: nobody's, and as much to read as anybody's. */
const absentParts: TokenParts = { id: '000000', secret: '0000000000000000' };
/** The state of a token whose secret was written before timers were kept. */
const validState = 'valid';

export function createBootstrapAuthenticator(
  options: BootstrapAuthenticatorOptions,
): TokenAuthenticator {
  const absent = absentToken(options.identity);
  return {
    name: 'bootstrap-token',
    async authenticateToken(text) {
      const parts = parseBootstrapToken(text);
      if (parts === undefined) return { kind: 'none' };
      const first = authenticateParts(options, absent, parts);
      if (first.kind === 'authenticated') return first;
      await options.objects.current();
      return authenticateParts(options, absent, parts);
    },
  };
}

function absentToken({ namespaces, secretTypes }: Identity): ApiObject {
  const texts = {
    'token-id': absentParts.id,
    'token-secret': absentParts.secret,
    expiration: '1970-01-01T00:00:00Z',
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
  };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const metadata = { name: bootstrapSecretName(absentParts.id), namespace: namespaces.system };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: secretTypes.bootstrapToken, data };
}

function authenticateParts(
  options: BootstrapAuthenticatorOptions,
  absent: ApiObject,
  parts: TokenParts,
): Authentication {
  const { clock, identity, objects } = options;
  const name = bootstrapSecretName(parts.id);
  const seen = objects.get(secretsResource, identity.namespaces.system, name);
  const token = readBootstrapToken(identity, seen?.object ?? absent);
  const equal = equalSecrets(parts.secret, token?.secret ?? absentParts.secret);
  if (seen === undefined || token === undefined || !equal) {
    const why = `there is no such token as ${parts.id}`;
    if (!objects.isWaiting(secretsResource)) return { kind: 'rejected', why };
    return { kind: 'rejected', why: `${why} that can be read yet`, unlooked: true };
  }
  const expired =
    (seen.timerState ?? validState) !== validState ||
    (token.expiresMs !== undefined && token.expiresMs <= clock.nowMs());
  const deleted = seen.object.metadata.deletionTimestamp !== undefined;
  const why = problem(token, expired, deleted);
  if (why !== undefined) return { kind: 'rejected', why };
  const groups = [...new Set([wellKnownGroups.bootstrappers, ...token.extraGroups])];
  const user = { name: `system:bootstrap:${token.id}`, uid: '', groups, extra: {} };
  return { kind: 'authenticated', user };
}

function problem(
  { extraGroups, usages }: BootstrapToken,
  expired: boolean,
  deleted: boolean,
): string | undefined {
  if (deleted) return 'the token is being deleted';
  if (expired) return 'the token has expired';
  if (!usages.includes('authentication')) return 'the token is not for authentication';
  return extraGroups.map(bootstrapGroupProblem).find((wrong) => wrong !== undefined);
}
