/** Tokens of service accounts: what is issued counts, and a list of attacks that do not. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { TokenCacheCounts } from '../../src/authentication/token-cache-counts.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import type { Authentication } from '../../src/authentication/authenticator.ts';
import { signingKeyOf, verificationKeysOf } from '../../src/authentication/jwt-keys.ts';
import { createAccountAuthenticator } from '../../src/authentication/service-account-authenticator.ts';
import { createTokenIssuer } from '../../src/authentication/service-account-issuer.ts';
import type { TokenSpec } from '../../src/authentication/service-account-issuer.ts';
import { createVerificationLine } from '../../src/authentication/verification-line.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const identity = identityOf('kubernetes');
const issuerUrl = 'https://issuer.example';
const nowMs = 1_800_000_000_000;
const nowSeconds = nowMs / 1000;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const privatePem = (pair: typeof rsa): string =>
  pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = (pair: typeof rsa): string =>
  pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();

function world(
  options: { pair?: typeof rsa; lookup?: boolean; extend?: boolean; max?: number } = {},
) {
  const time = manualTime(nowMs);
  const objects = new Map<string, ApiObject>();
  const put = (resource: string, object: ApiObject): void => {
    const { name = '', namespace = '' } = object.metadata;
    objects.set(`${resource}/${namespace}/${name}`, object);
  };
  const account = (uid: string, name = 'robot'): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: 'team', uid },
  });
  put('serviceaccounts', account('uid-1'));
  const key = signingKeyOf(privatePem(options.pair ?? ec));
  const keys = [...verificationKeysOf(publicPem(rsa)), ...verificationKeysOf(publicPem(ec))];
  const authenticator = createAccountAuthenticator({
    identity,
    clock: time.clock,
    cacheCounts: new TokenCacheCounts(time.clock),
    keys,
    issuers: [issuerUrl, 'https://older.example'],
    audiences: ['api'],
    lookup: options.lookup ?? true,
    objects: {
      get(resource, namespace, name) {
        const object = objects.get(`${resource.resource}/${namespace}/${name}`);
        return object && { object, timerState: undefined };
      },
      isWaiting: () => false,
      current: () => Promise.resolve(),
    },
    signatures: createVerificationLine(time.timers),
  });
  const issuer = createTokenIssuer({
    identity,
    clock: time.clock,
    prng: seededPrng(1),
    key,
    issuer: issuerUrl,
    audiences: ['api'],
    maxExpirationSeconds: options.max,
    extendExpiration: options.extend ?? false,
  });
  const order: TokenSpec = {
    namespace: 'team',
    account: { name: 'robot', uid: 'uid-1' },
    boundTo: {},
    audiences: [],
    expirationSeconds: 3600,
  };
  const ask = async (token: string, audiences: readonly string[] = []): Promise<Authentication> =>
    authenticator.authenticateToken(token, audiences);
  const use = async (token: string) => {
    const told: Record<string, string> = {};
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    const annotate = (key: string, value: string): void => void (told[key] = value);
    const bearer = { remoteAddress: '10.0.0.1', annotate, warn };
    const answer = await authenticator.authenticateToken(token, [], bearer);
    return { answer, told, warnings, counts: { ...authenticator.counts } };
  };
  return { ask, account, issuer, key, keys, objects, order, put, time, use };
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const goodClaims = {
  iss: issuerUrl,
  aud: ['api'],
  sub: 'system:serviceaccount:team:robot',
  exp: nowSeconds + 600,
  iat: nowSeconds,
  nbf: nowSeconds,
  'kubernetes.io': { namespace: 'team', serviceaccount: { name: 'robot', uid: 'uid-1' } },
};

function forged(claims: object, header: object = {}, pair: typeof rsa = ec): string {
  const input = `${encode({ alg: 'ES256', ...header })}.${encode(claims)}`;
  const key = { key: pair.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

function hmac(claims: object, secret: string | Buffer, header: object = {}): string {
  const input = `${encode({ alg: 'HS256', ...header })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const spki = publicPem(rsa);
const der = rsa.publicKey.export({ type: 'spki', format: 'der' });
const without = (name: string) =>
  Object.fromEntries(Object.entries(goodClaims).filter(([key]) => key !== name));
const withOwn = (own: object) => ({ ...goodClaims, 'kubernetes.io': own });

/** Each is a token that somebody might send; `none` is for tokens of others. */
const attacks: readonly [string, string, 'rejected' | 'none'][] = [
  ['alg none, unsigned', `${encode({ alg: 'none' })}.${encode(goodClaims)}.`, 'rejected'],
  ['alg none, signed', forged(goodClaims, { alg: 'none' }), 'rejected'],
  ['alg None', `${encode({ alg: 'None' })}.${encode(goodClaims)}.x`, 'rejected'],
  ['the public key (PEM) as an HMAC secret', hmac(goodClaims, spki), 'rejected'],
  ['the public key (DER) as an HMAC secret', hmac(goodClaims, der), 'rejected'],
  ['no algorithm', forged(goodClaims, { alg: undefined }), 'rejected'],
  ['an algorithm that no key has', forged(goodClaims, { alg: 'ES384' }), 'rejected'],
  ['RS256 over an EC signature', forged(goodClaims, { alg: 'RS256' }), 'rejected'],
  ['of a key that is not known', forged(goodClaims, {}, other), 'rejected'],
  ['expired', forged({ ...goodClaims, exp: nowSeconds - 11 }), 'rejected'],
  ['expired long ago', forged({ ...goodClaims, exp: 1 }), 'rejected'],
  ['without an end', forged(without('exp')), 'rejected'],
  ['with an end that is a text', forged({ ...goodClaims, exp: '9999999999' }), 'rejected'],
  ['not valid yet', forged({ ...goodClaims, nbf: nowSeconds + 60 }), 'rejected'],
  ['from the future', forged({ ...goodClaims, iat: nowSeconds + 60 }), 'rejected'],
  ['for another audience', forged({ ...goodClaims, aud: ['vault'] }), 'rejected'],
  ['for no audience', forged(without('aud')), 'rejected'],
  ['for an audience that begins alike', forged({ ...goodClaims, aud: ['api2', 'ap'] }), 'rejected'],
  ['of another issuer', forged({ ...goodClaims, iss: 'https://evil.example' }), 'none'],
  ['of an issuer with a slash more', forged({ ...goodClaims, iss: `${issuerUrl}/` }), 'none'],
  ['of no issuer', forged(without('iss')), 'none'],
  ['of a list of issuers', forged({ ...goodClaims, iss: [issuerUrl] }), 'none'],
  [
    'another subject',
    forged({ ...goodClaims, sub: 'system:serviceaccount:kube-system:x' }),
    'rejected',
  ],
  ['a subject with a colon more', forged({ ...goodClaims, sub: `${goodClaims.sub}:` }), 'rejected'],
  [
    'of a deleted account',
    forged({
      ...goodClaims,
      sub: 'system:serviceaccount:team:gone',
      'kubernetes.io': { namespace: 'team', serviceaccount: { name: 'gone', uid: 'uid-9' } },
    }),
    'rejected',
  ],
  [
    'of an account made anew',
    forged(
      withOwn({
        namespace: 'team',
        serviceaccount: { name: 'robot', uid: 'uid-0' },
      }),
    ),
    'rejected',
  ],
  [
    'without a uid',
    forged(withOwn({ namespace: 'team', serviceaccount: { name: 'robot' } })),
    'rejected',
  ],
  ['no claims of its own', forged(without('kubernetes.io')), 'rejected'],
  [
    'bound to a pod that is gone',
    forged(
      withOwn({
        namespace: 'team',
        serviceaccount: { name: 'robot', uid: 'uid-1' },
        pod: { name: 'p', uid: 'uid-p' },
      }),
    ),
    'rejected',
  ],
  [
    'legacy claims without their secret',
    forged({
      iss: 'kubernetes/serviceaccount',
      sub: goodClaims.sub,
      'kubernetes.io/serviceaccount/namespace': 'team',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': 'uid-1',
      'kubernetes.io/serviceaccount/secret.name': 'token',
    }),
    'rejected',
  ],
  ['kid leads to a file', forged(goodClaims, { kid: '../../../../dev/null' }, other), 'rejected'],
  ['kid is an object', forged(goodClaims, { kid: { $ne: '' } }, other), 'rejected'],
  ['kid of __proto__', forged(goodClaims, { kid: '__proto__' }, other), 'rejected'],
  [
    'its own key in the header',
    forged(goodClaims, { jwk: other.publicKey.export({ format: 'jwk' }) }, other),
    'rejected',
  ],
  ['a key elsewhere', forged(goodClaims, { jku: 'https://evil.example/jwks' }, other), 'rejected'],
  ['a certificate in the header', forged(goodClaims, { x5c: ['AAAA'] }), 'rejected'],
  [
    'an extension that must be understood',
    forged(goodClaims, { crit: ['b64'], b64: false }),
    'rejected',
  ],
  ['longer than any token', `${forged(goodClaims)}${'A'.repeat(20_000)}`, 'none'],
  ['not a token', 'abc', 'none'],
  ['nothing', '', 'none'],
  ['dots', '..', 'none'],
  ['five parts', `${forged(goodClaims)}.a.b`, 'none'],
];

describe("service accounts' tokens", () => {
  test('what the attacks are made from is a good token', async () => {
    const { ask } = world();
    assert.equal((await ask(forged(goodClaims))).kind, 'authenticated');
    assert.equal(
      (await ask(forged({ ...goodClaims, iss: 'https://older.example' }))).kind,
      'authenticated',
    );
    assert.equal((await ask(forged({ ...goodClaims, exp: nowSeconds - 9 }))).kind, 'authenticated');
  });

  test('each attack of the list is refused, and the reason repeats nothing of the token', async () => {
    const { ask } = world();
    for (const [name, token, expected] of attacks) {
      const answer = await ask(token);
      assert.equal(answer.kind, expected, name);
      if (answer.kind === 'rejected' && token.length > 8) {
        assert.ok(!answer.why.includes(token.slice(0, 24)), name);
      }
    }
  });

  test('no part of a token is a token, and no change of a character goes unseen', async () => {
    const { ask, issuer, order } = world();
    const { token } = await issuer.issue(order);
    assert.equal((await ask(token)).kind, 'authenticated');
    for (let length = 0; length < token.length; length += 7) {
      assert.notEqual((await ask(token.slice(0, length))).kind, 'authenticated');
    }
    assert.notEqual((await ask(token.slice(0, -1))).kind, 'authenticated');
    const [header = '', payload = '', signature = ''] = token.split('.');
    for (let at = 0; at < signature.length - 1; at += 5) {
      const wrong = signature[at] === 'A' ? 'B' : 'A';
      const changed = `${signature.slice(0, at)}${wrong}${signature.slice(at + 1)}`;
      assert.equal((await ask(`${header}.${payload}.${changed}`)).kind, 'rejected');
    }
  });

  for (const [name, pair] of [
    ['RSA', rsa],
    ['ECDSA', ec],
  ] as const) {
    test(`an ${name} key signs tokens that count until they end, and name what they are bound to`, async () => {
      const { ask, issuer, order, put, time } = world({ pair });
      const meta = { name: 'p', namespace: 'team', uid: 'uid-p' };
      put('pods', { apiVersion: 'v1', kind: 'Pod', metadata: meta });
      const pod = { name: 'p', uid: 'uid-p' };
      const node = { name: 'n', uid: 'uid-n' };
      const issued = await issuer.issue({ ...order, boundTo: { pod, node } });
      const answer = await ask(issued.token);
      assert.ok(answer.kind === 'authenticated');
      assert.deepEqual(answer.user, {
        name: 'system:serviceaccount:team:robot',
        uid: 'uid-1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:team'],
        extra: {
          'authentication.kubernetes.io/credential-id': [issued.credentialId],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': ['uid-n'],
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': ['uid-p'],
        },
      });
      assert.deepEqual(answer.audiences, ['api']);
      time.advance(3_600_000 + 11_000);
      assert.equal(
        (await ask(issued.token)).kind,
        'rejected',
        'also when it has been verified before',
      );
    });
  }

  test('a token is good for its own audiences only', async () => {
    const { ask, issuer, order } = world();
    const { token } = await issuer.issue({ ...order, audiences: ['vault', 'api'] });
    const both = await ask(token, ['vault', 'other']);
    assert.ok(both.kind === 'authenticated');
    assert.deepEqual(both.audiences, ['vault']);
    assert.equal((await ask(token, ['other'])).kind, 'rejected');
    const elsewhere = await issuer.issue({ ...order, audiences: ['vault'] });
    assert.equal((await ask(elsewhere.token)).kind, 'rejected');
  });

  test('a token dies with its account and does not come back with a new one of the name', async () => {
    const { account, ask, issuer, objects, order, put } = world();
    const { token } = await issuer.issue(order);
    assert.equal((await ask(token)).kind, 'authenticated');
    objects.clear();
    assert.equal((await ask(token)).kind, 'rejected', 'the verified signature does not help');
    put('serviceaccounts', account('uid-2'));
    assert.equal((await ask(token)).kind, 'rejected');
    const careless = world({ lookup: false });
    careless.objects.clear();
    assert.equal((await careless.ask(token)).kind, 'authenticated', 'lookup is off');
  });

  test('a token dies with the pod, secret or node it is bound to, a minute after it is being deleted', async () => {
    for (const [resource, kind] of [
      ['pods', 'pod'],
      ['secrets', 'secret'],
      ['nodes', 'node'],
    ] as const) {
      const { ask, issuer, order, put, time } = world();
      const namespace = resource === 'nodes' ? '' : 'team';
      const bound = (uid: string, more: object = {}): ApiObject => ({
        apiVersion: 'v1',
        kind,
        metadata: { name: 'x', namespace, uid, ...more },
      });
      put(resource, bound('uid-x'));
      const { token } = await issuer.issue({
        ...order,
        boundTo: { [kind]: { name: 'x', uid: 'uid-x' } },
      });
      assert.equal((await ask(token)).kind, 'authenticated', kind);
      put(resource, bound('uid-x', { deletionTimestamp: new Date(nowMs).toISOString() }));
      assert.equal((await ask(token)).kind, 'authenticated', `${kind} is being deleted`);
      time.advance(60_000);
      assert.equal((await ask(token)).kind, 'rejected', `${kind} should be gone`);
      put(resource, bound('uid-y'));
      assert.equal((await ask(token)).kind, 'rejected', `${kind} of another uid`);
    }
  });

  test('the token of a secret counts while that very token is in that secret', async () => {
    const { account, ask, issuer, objects, put } = world();
    const token = await issuer.legacyToken('team', { name: 'robot', uid: 'uid-1' }, 'held');
    const secret = (held: string, more: object = {}): ApiObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'held', namespace: 'team', uid: 'uid-s', ...more },
      type: identity.secretTypes.serviceAccountToken,
      data: { token: Buffer.from(held).toString('base64') },
    });
    assert.equal((await ask(token)).kind, 'rejected', 'there is no secret');
    put('secrets', secret(token));
    const answer = await ask(token);
    assert.ok(answer.kind === 'authenticated');
    assert.deepEqual([answer.user.extra, answer.audiences], [{}, ['api']]);
    put('secrets', secret('another'));
    assert.equal((await ask(token)).kind, 'rejected', 'it has been replaced');
    put('secrets', { ...secret(token), type: 'Opaque' });
    assert.equal((await ask(token)).kind, 'rejected', 'it is no token secret');
    put('secrets', secret(token, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    assert.equal((await ask(token)).kind, 'rejected', 'it is being deleted');
    put('secrets', secret(token));
    const robot = account('uid-1');
    const deletionTimestamp = new Date(nowMs).toISOString();
    put('serviceaccounts', { ...robot, metadata: { ...robot.metadata, deletionTimestamp } });
    assert.equal((await ask(token)).kind, 'rejected', 'the account is being deleted');
    put('serviceaccounts', robot);
    assert.equal((await ask(token)).kind, 'authenticated');
    objects.delete('serviceaccounts/team/robot');
    put('serviceaccounts', account('uid-2'));
    assert.equal((await ask(token)).kind, 'rejected', 'the account is another one');
  });

  test('lifetimes are cut at the limit, and those of pods are extended', async () => {
    const claimsOf = (token: string) =>
      JSON.parse(
        Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
      ) as typeof goodClaims;
    const cut = world({ max: 7200 });
    const long = await cut.issuer.issue({ ...cut.order, expirationSeconds: 100_000 });
    assert.equal(claimsOf(long.token).exp, nowSeconds + 7200);
    assert.equal(long.expiresMs, nowMs + 7_200_000);
    const extended = world({ extend: true });
    const boundTo = { pod: { name: 'p', uid: 'uid-p' } };
    const order = { ...extended.order, boundTo, expirationSeconds: 3607 };
    const injected = await extended.issuer.issue(order);
    const claims = claimsOf(injected.token);
    assert.equal(claims.exp, nowSeconds + 365 * 24 * 3600);
    assert.equal((claims['kubernetes.io'] as { warnafter?: number }).warnafter, nowSeconds + 3607);
    assert.equal(injected.expiresMs, nowMs + 3_607_000);
    const elsewhere = await extended.issuer.issue({ ...order, audiences: ['vault'] });
    assert.equal(claimsOf(elsewhere.token).exp, nowSeconds + 3607, 'not for other audiences');
  });

  describe('uses that should come to an end are told and counted:', () => {
    const hour = 3_600_000;
    const secretNamed = (labels: Record<string, string>, token: string): ApiObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'old', namespace: 'team', uid: 'uid-s', labels },
      type: 'kubernetes.io/service-account-token',
      data: { token: Buffer.from(token).toString('base64') },
    });
    async function legacyUse(labels: Record<string, string>, secrets: readonly object[]) {
      const own = world();
      const token = await own.issuer.legacyToken('team', { name: 'robot', uid: 'uid-1' }, 'old');
      own.put('serviceaccounts', { ...own.account('uid-1'), secrets } as ApiObject);
      own.put('secrets', secretNamed(labels, token));
      return { ...(await own.use(token)), token };
    }
    const none = {
      legacyTotal: 0,
      manualTotal: 0,
      autogeneratedTotal: 0,
      invalidatedTotal: 0,
      validTotal: 0,
      staleTotal: 0,
    };
    const legacy = { 'authentication.k8s.io/legacy-token': 'system:serviceaccount:team:robot' };

    test('a token of a secret that was made by hand', async () => {
      const use = await legacyUse({}, [{ name: 'another' }]);
      assert.equal(use.answer.kind, 'authenticated');
      const own = { 'authentication.k8s.io/legacy-token-manual-secret': 'old' };
      assert.deepEqual(use.told, { ...legacy, ...own });
      assert.deepEqual(use.counts, { ...none, legacyTotal: 1, manualTotal: 1 });
      assert.deepEqual(use.warnings, []);
    });

    test('a token of a secret that the account names', async () => {
      const use = await legacyUse({}, [{ name: 'old' }]);
      assert.equal(use.answer.kind, 'authenticated');
      const own = { 'authentication.k8s.io/legacy-token-autogenerated-secret': 'old' };
      assert.deepEqual(use.told, { ...legacy, ...own });
      assert.deepEqual(use.counts, { ...none, legacyTotal: 1, autogeneratedTotal: 1 });
      assert.match(use.warnings.join(), /^this token is from a secret that its service account/);
    });

    test('a token of a secret that is marked as invalid, which is refused', async () => {
      const since = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' };
      const use = await legacyUse(since, [{ name: 'old' }]);
      assert.equal(use.answer.kind, 'rejected');
      const own = { 'authentication.k8s.io/legacy-token-invalidated': 'old/team' };
      assert.deepEqual(use.told, { ...legacy, ...own });
      assert.deepEqual(use.counts, { ...none, legacyTotal: 1, invalidatedTotal: 1 });
      assert.ok(!JSON.stringify(use.told).includes(use.token.slice(-20)));
    });

    test('a token of a pod after the moment at which it should have been renewed', async () => {
      const own = world({ extend: true });
      own.put('pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', namespace: 'team', uid: 'uid-p' },
      });
      const boundTo = { pod: { name: 'p', uid: 'uid-p' } };
      const order = { ...own.order, boundTo, expirationSeconds: 3607 };
      const { token } = await own.issuer.issue(order);
      const rows: readonly [number, object, object][] = [
        [3607_000, {}, { ...none, validTotal: 1 }],
        [
          1,
          {
            'authentication.k8s.io/stale-token':
              'subject: system:serviceaccount:team:robot, seconds after warning threshold: 0',
          },
          { ...none, validTotal: 1, staleTotal: 1 },
        ],
        [
          hour - 1,
          {
            'authentication.k8s.io/stale-token':
              'subject: system:serviceaccount:team:robot, seconds after warning threshold: 3600',
          },
          { ...none, validTotal: 1, staleTotal: 2 },
        ],
      ];
      for (const [afterMs, told, counts] of rows) {
        own.time.advance(afterMs);
        const use = await own.use(token);
        assert.equal(use.answer.kind, 'authenticated');
        assert.deepEqual(use.told, told);
        assert.deepEqual(use.counts, counts);
      }
    });

    test('nothing of a token whose life was not extended', async () => {
      const own = world();
      const { token } = await own.issuer.issue(own.order);
      const use = await own.use(token);
      assert.deepEqual(use.told, {});
      assert.deepEqual(use.counts, none);
    });
  });

  test('keys that are too weak, or no keys, are refused without being shown', () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    assert.throws(() => signingKeyOf(privatePem(weak)), /only RSA keys of 2048 bits/);
    assert.throws(() => verificationKeysOf('nothing'), /it holds no key in PEM/);
    const broken = '-----BEGIN PUBLIC KEY-----\nc2VjcmV0\n-----END PUBLIC KEY-----';
    assert.throws(
      () => verificationKeysOf(broken),
      (error: Error) => !error.message.includes('c2Vj'),
    );
    assert.equal(
      verificationKeysOf(`${publicPem(rsa)}\n${privatePem(ec)}\n${publicPem(ec)}`).length,
      2,
    );
  });
});
