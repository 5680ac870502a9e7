/**
 * The methods that know tokens, in a process of their own, without HTTP: how long each takes to
 * refuse a token that is wrong in one place, and the same token again.
 *
 * The two tokens of a question are asked in turn, in an order that a generator shuffles, so that
 * neither has the warmer caches; a question is answered with the median time of each.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import type { TokenAuthenticator } from '../../src/authentication/authenticator.ts';
import * as bootstrapTokens from '../../src/authentication/bootstrap-authenticator.ts';
import { bootstrapSecretName } from '../../src/authentication/bootstrap-token.ts';
import { signingKeyOf, verificationKeysOf } from '../../src/authentication/jwt-keys.ts';
import type { ObjectReader } from '../../src/authentication/object-reader.ts';
import * as accountTokens from '../../src/authentication/service-account-authenticator.ts';
import { createTokenIssuer } from '../../src/authentication/service-account-issuer.ts';
import { TokenCacheCounts } from '../../src/authentication/token-cache-counts.ts';
import { readTokenFile, staticTokens } from '../../src/authentication/token-file.ts';
import { createVerificationLine } from '../../src/authentication/verification-line.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { answerWith } from './inside.ts';

export type TokenMethod = 'token-file' | 'bootstrap' | 'service-account';

export interface TokenTimingRequest {
  readonly kind: 'token-timing';
  readonly method: TokenMethod;
  /** Which two tokens are compared: `same` asks the first one twice. */
  readonly pair: 'same' | 'first-and-last' | 'near-and-unknown';
  readonly count: number;
}

export interface TokenTimingResult {
  /** Median nanoseconds to refuse the one and the other. */
  readonly nanos: readonly [number, number];
}

interface Subject {
  readonly method: TokenAuthenticator;
  readonly good: string;
  /** Wrong in the first character of the secret part, in the last one, and of nobody. */
  readonly wrongFirst: string;
  readonly wrongLast: string;
  readonly unknown: string;
}

const identity = identityOf('kubernetes');
const accountUid = '11111111-2222-4333-8444-555555555555';

const other = (character: string): string => (character === 'a' ? 'b' : 'a');
const replacedAt = (text: string, at: number): string =>
  text.slice(0, at) + other(text[at] ?? '') + text.slice(at + 1);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function bootstrapSecret(id: string, secret: string): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: bootstrapSecretName(id), namespace: identity.namespaces.system },
    type: identity.secretTypes.bootstrapToken,
    data: {
      'token-id': base64(id),
      'token-secret': base64(secret),
      expiration: base64('2999-01-01T00:00:00Z'),
      'usage-bootstrap-authentication': base64('true'),
      'usage-bootstrap-signing': base64('true'),
    },
  };
}

const kept: readonly ApiObject[] = [
  bootstrapSecret('abcdef', '0123456789abcdef'),
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot', namespace: 'team', uid: accountUid },
  },
];

const objects: ObjectReader = {
  get(_resource, namespace, name) {
    const object = kept.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    return object && { object, timerState: undefined };
  },
  isWaiting: () => false,
  current: () => Promise.resolve(),
};

function tokenFile(): Subject {
  const good = 'k3q8x0v7n2m5c9z1l4p6s8d0f2g4h6j8';
  const read = readTokenFile(`${good},alice,u1`);
  assert(read.kind === 'ok');
  return {
    method: staticTokens(read.users),
    good,
    wrongFirst: replacedAt(good, 0),
    wrongLast: replacedAt(good, good.length - 1),
    unknown: 'q'.repeat(good.length),
  };
}

function bootstrap(): Subject {
  const good = 'abcdef.0123456789abcdef';
  return {
    method: bootstrapTokens.createBootstrapAuthenticator({ identity, clock: systemClock, objects }),
    good,
    wrongFirst: replacedAt(good, 'abcdef.'.length),
    wrongLast: replacedAt(good, good.length - 1),
    unknown: `zzzzzz.${'q'.repeat(16)}`,
  };
}

async function serviceAccount(): Promise<Subject> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const privatePem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const publicPem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const issuer = 'https://issuer.example';
  const audiences = [issuer];
  const method = accountTokens.createAccountAuthenticator({
    identity,
    clock: systemClock,
    keys: verificationKeysOf(publicPem),
    issuers: [issuer],
    audiences,
    lookup: true,
    objects,
    signatures: createVerificationLine(systemTimers),
    cacheCounts: new TokenCacheCounts(systemClock),
  });
  const makes = createTokenIssuer({
    identity,
    clock: systemClock,
    prng: seededPrng(1),
    key: signingKeyOf(privatePem),
    issuer,
    audiences,
    maxExpirationSeconds: undefined,
    extendExpiration: false,
  });
  const order = { namespace: 'team', boundTo: {}, audiences: [], expirationSeconds: 86_400 };
  const made = await makes.issue({ ...order, account: { name: 'robot', uid: accountUid } });
  const stranger = await makes.issue({ ...order, account: { name: 'ghost', uid: accountUid } });
  const good = made.token;
  const signatureAt = good.lastIndexOf('.') + 1;
  // The last character of a signature has bits that mean nothing: the one before it has none.
  return {
    method,
    good,
    wrongFirst: replacedAt(good, signatureAt),
    wrongLast: replacedAt(good, good.length - 2),
    unknown: replacedAt(stranger.token, stranger.token.lastIndexOf('.') + 1),
  };
}

const subjects: Readonly<Record<TokenMethod, Subject>> = {
  'token-file': tokenFile(),
  bootstrap: bootstrap(),
  'service-account': await serviceAccount(),
};

for (const [name, { good, method }] of Object.entries(subjects)) {
  const answer = await method.authenticateToken(good, []);
  assert(answer.kind === 'authenticated', name);
}

const order = seededPrng(7);

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

async function refusedIn({ method }: Subject, token: string): Promise<number> {
  const begin = process.hrtime.bigint();
  const answer = await method.authenticateToken(token, []);
  const nanos = Number(process.hrtime.bigint() - begin);
  assert(answer.kind !== 'authenticated');
  return nanos;
}

answerWith(async (request): Promise<TokenTimingResult> => {
  const { count, method, pair } = request as TokenTimingRequest;
  const subject = subjects[method];
  const first = subject.wrongFirst;
  const seconds = { same: first, 'first-and-last': subject.wrongLast };
  const second = pair === 'near-and-unknown' ? subject.unknown : seconds[pair];
  const ones: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const firstGoes = randomBelow(order, 2) === 0;
    if (firstGoes) ones.push(await refusedIn(subject, first));
    others.push(await refusedIn(subject, second));
    if (!firstGoes) ones.push(await refusedIn(subject, first));
  }
  return { nanos: [median(ones), median(others)] };
});

process.stdout.write('ready: 0\n');
process.on('SIGTERM', () => process.exit(0));
