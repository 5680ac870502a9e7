/** Tokens that another server knows: webhooks and trusted issuers, against servers of the test. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { describe, test } from 'node:test';
import { TokenCacheCounts } from '../../src/authentication/token-cache-counts.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { claimLanguage } from '../../src/authentication/claim-expressions.ts';
import { readIssuers } from '../../src/authentication/issuer-config.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { createIssuerAuthenticator } from '../../src/authentication/issuer-authenticator.ts';
import { createVerificationLine } from '../../src/authentication/verification-line.ts';
import { createWebhookTokens } from '../../src/authentication/webhook-token-authenticator.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { tlsPair, tlsServerOptions } from '../support/data/tls-pair.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';

type Answer = { readonly status: number; readonly body: unknown };

async function remote(
  answer: (url: string, body: string) => Answer | Promise<Answer>,
  protocol: 'plain' | 'tls' = 'tls',
) {
  let asked = 0;
  const { close, url } = await startRemoteService(
    (body, request, response) => {
      asked += 1;
      void Promise.resolve(answer(request.url ?? '', body)).then(({ body: content, status }) =>
        response.writeHead(status).end(JSON.stringify(content)),
      );
    },
    protocol === 'tls' ? tlsServerOptions : undefined,
  );
  return { url, asked: () => asked, close };
}

const startMs = 1_800_000_000_000;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims: object, pair: { privateKey: KeyObject }, header: object): string {
  const input = `${encode({ alg: 'RS256', ...header })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), pair.privateKey).toString('base64url')}`;
}

function ecSigned(claims: object, privateKey: KeyObject, kid: string | undefined): string {
  const header = { alg: 'ES256', ...(kid === undefined ? {} : { kid }) };
  const input = `${encode(header)}.${encode(claims)}`;
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

/** Who trusts it takes the subject for the name. */
function issuerOf(url: string) {
  const issuer = { url, certificateAuthority: tlsPair.certificatePem, audiences: ['client'] };
  const claimMappings = { username: { claim: 'sub', prefix: '' } };
  const read = finished(readIssuers([{ issuer, claimMappings }], [], claims));
  assert.ok(read.kind === 'ok');
  return read.issuers[0] as (typeof read.issuers)[number];
}

describe('webhook tokens', () => {
  test('answers are kept for their time, failures are not, and audiences are judged', async () => {
    let reply: (spec: JsonObject) => Answer = () => ({ status: 500, body: {} });
    const server = await remote((_url, body) =>
      reply((JSON.parse(body) as { spec: JsonObject }).spec),
    );
    const time = manualTime(startMs);
    const webhook = createWebhookTokens({
      identity: identityOf('kubernetes'),
      clock: time.clock,
      cacheCounts: new TokenCacheCounts(time.clock),
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
      server: { url: server.url, ca: tlsPair.certificatePem },
      version: 'v1',
      cacheTtlMs: 120_000,
      audiences: ['api'],
    });
    const ask = async (token: string, audiences: readonly string[] = []) =>
      webhook.authenticateToken(token, audiences);
    const head = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
    const failed = await ask('secret-token');
    assert.ok(failed.kind === 'rejected');
    assert.doesNotMatch(failed.why, /secret-token/);
    const user = { username: 'ann', uid: '7', groups: ['g'], extra: { Scope: ['a'] } };
    reply = ({ token }) => ({
      status: 200,
      body: { ...head, status: token === 'secret-token' ? { authenticated: true, user } : {} },
    });
    const before = server.asked();
    const [answer, twin] = await Promise.all([ask('secret-token'), ask('secret-token')]);
    assert.ok(answer.kind === 'authenticated');
    assert.deepEqual(answer.user, {
      name: 'ann',
      uid: '7',
      groups: ['g'],
      extra: { scope: ['a'] },
    });
    assert.deepEqual(twin, answer);
    await ask('secret-token');
    assert.equal(server.asked(), before + 1, 'one question for all of them');
    assert.equal((await ask('other')).kind, 'rejected');
    assert.equal(
      (await ask('secret-token', ['vault'])).kind,
      'rejected',
      'only for the own audiences',
    );
    reply = () => ({ status: 200, body: { ...head, status: {} } });
    time.advance(119_000);
    assert.equal((await ask('secret-token')).kind, 'authenticated');
    time.advance(2_000);
    assert.equal((await ask('secret-token')).kind, 'rejected', 'asked again');
    reply = () => ({
      status: 200,
      body: { ...head, kind: 'Pod', status: { authenticated: true, user } },
    });
    assert.equal((await ask('third')).kind, 'rejected', 'an answer of another kind');
    reply = () => ({
      status: 200,
      body: {
        ...head,
        apiVersion: 'authentication.k8s.io/v1beta1',
        status: { authenticated: true, user },
      },
    });
    assert.equal((await ask('sixth')).kind, 'rejected', 'an answer in another version');
    const groups = Array.from({ length: 20_000 }, (_, i) => `group-${i}`);
    reply = () => ({
      status: 200,
      body: { ...head, status: { authenticated: true, user: { ...user, groups } } },
    });
    const endless = await ask('seventh');
    assert.ok(endless.kind === 'rejected');
    assert.match(endless.why, /too much of the user/);
    reply = () => ({
      status: 200,
      body: { ...head, status: { authenticated: true, user }, more: 'x'.repeat(1024 * 1024) },
    });
    const long = await ask('fourth');
    assert.ok(long.kind === 'rejected');
    assert.match(long.why, /the answer is too long/);
    server.close();
  });

  test('tokens of nobody, however many, do not take the place of a kept answer', async () => {
    const head = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
    const status = { authenticated: true, user: { username: 'ann' } };
    const server = await remote((_url, body) => ({
      status: 200,
      body: { ...head, status: body.includes('"good"') ? status : {} },
    }));
    const time = manualTime(startMs);
    const webhook = createWebhookTokens({
      identity: identityOf('kubernetes'),
      clock: time.clock,
      cacheCounts: new TokenCacheCounts(time.clock),
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
      server: { url: server.url, ca: tlsPair.certificatePem },
      version: 'v1',
      cacheTtlMs: 120_000,
      audiences: [],
    });
    // With long audiences, which count, a few of them are more than is kept.
    const audiences = ['a'.repeat(512 * 1024)];
    assert.equal((await webhook.authenticateToken('good', [])).kind, 'authenticated');
    for (let i = 0; i < 140; i += 1) {
      assert.equal((await webhook.authenticateToken(`bad-${i}`, audiences)).kind, 'rejected');
    }
    server.close();
    assert.equal((await webhook.authenticateToken('good', [])).kind, 'authenticated');
    assert.equal((await webhook.authenticateToken('bad-139', audiences)).kind, 'rejected');
  });

  /** A webhook that answers nobody but `good` and `new` before it is let go. */
  async function slowWebhook() {
    const head = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
    const status = { authenticated: true, user: { username: 'ann' } };
    let release: (answer: Answer) => void = () => {};
    const late = new Promise<Answer>((resolve) => (release = resolve));
    const answerOf = (_url: string, body: string) =>
      /"(good|new)"/.test(body) ? { status: 200, body: { ...head, status } } : late;
    const server = await remote(answerOf, 'plain');
    const time = manualTime(startMs);
    const webhook = createWebhookTokens({
      identity: identityOf('kubernetes'),
      clock: time.clock,
      cacheCounts: new TokenCacheCounts(time.clock),
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
      server: { url: server.url, ca: tlsPair.certificatePem },
      version: 'v1',
      cacheTtlMs: 120_000,
      audiences: [],
    });
    const kindOf = async (token: string, remoteAddress: string) => {
      const bearer = { remoteAddress, annotate: () => {}, warn: () => {} };
      return (await webhook.authenticateToken(token, [], bearer)).kind;
    };
    const flood = (address: string, count: number) =>
      Array.from({ length: count }, (_, i) => kindOf(`bad-${i}`, address));
    const letGo = () => release({ status: 200, body: { ...head, status: {} } });
    return { flood, kindOf, letGo, server, time };
  }

  // Before, they held the whole line, and a user whose kept answer had ended was refused.
  test('tokens of nobody, held by a slow webhook, leave room for one that was good before', async () => {
    const { flood, kindOf, letGo, server, time } = await slowWebhook();
    const address = '10.0.0.1';
    assert.equal(await kindOf('good', address), 'authenticated');
    time.advance(121_000);
    const held = flood(address, 1_300);
    assert.equal(await kindOf('new', address), 'rejected', 'its network has its share in line');
    const before = server.asked();
    assert.equal(await kindOf('good', address), 'authenticated');
    assert.ok(server.asked() > before, 'its answer was kept no longer');
    time.advance(61 * 60_000);
    assert.equal(await kindOf('good', address), 'rejected', 'so long ago says nothing');
    letGo();
    assert.deepEqual(new Set(await Promise.all(held)), new Set(['rejected']));
    server.close();
  });

  // Before, they held all places but those of tokens that were known, and it was refused.
  test('tokens of nobody from one network leave room for a new one from another', async () => {
    const { flood, kindOf, letGo, server } = await slowWebhook();
    const held = flood('2001:db8:0:1::7', 1_300);
    assert.equal(await kindOf('new', '2001:db8:0:1::8'), 'rejected');
    assert.equal(await kindOf('new', '2001:db8:0:2::7'), 'authenticated');
    letGo();
    assert.deepEqual(new Set(await Promise.all(held)), new Set(['rejected']));
    server.close();
  });
});

const claims = claimLanguage(testLanguage, identityOf('kubernetes'));

describe('trusted issuers', () => {
  test('tokens count by the keys of their own issuer; keys are found again when they change', async () => {
    let pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    let kid = 'one';
    const evil = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const server = await remote((url) => {
      const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid };
      if (url === '/jwks') return { status: 200, body: { keys: [jwk, { kty: 'oct', k: 'AAAA' }] } };
      return { status: 200, body: { issuer: server.url, jwks_uri: `${server.url}/jwks` } };
    });
    const entry = {
      issuer: {
        url: server.url,
        certificateAuthority: tlsPair.certificatePem,
        audiences: ['client'],
      },
      claimValidationRules: [{ claim: 'hd', requiredValue: 'example.org' }],
      claimMappings: {
        username: { claim: 'email', prefix: 'oidc:' },
        groups: { claim: 'roles', prefix: 'oidc:' },
        uid: { claim: 'sub' },
      },
    };
    const read = finished(readIssuers([entry], [], claims));
    assert.ok(read.kind === 'ok');
    const time = manualTime(startMs);
    const errors: unknown[] = [];
    const known = createIssuerAuthenticator({
      issuers: read.issuers,
      clock: time.clock,
      cacheCounts: new TokenCacheCounts(time.clock),
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
      audiences: ['api'],
      credentialIdKey: 'authentication.k8s.io/credential-id',
      signatures: createVerificationLine(systemTimers),
      onError: (_issuer, error) => errors.push(error),
    });
    const ask = async (token: string) => known.authenticateToken(token, []);
    const told = {
      iss: server.url,
      aud: 'client',
      sub: '42',
      exp: startMs / 1000 + 86_400,
      email: 'ann@example.org',
      hd: 'example.org',
      roles: ['dev', 'ops'],
    };
    const good = await ask(signed(told, pair, { kid }));
    assert.ok(good.kind === 'authenticated', JSON.stringify([good, errors.map(String)]));
    assert.deepEqual(good.user, {
      name: 'oidc:ann@example.org',
      uid: '42',
      groups: ['oidc:dev', 'oidc:ops'],
      extra: {},
    });
    const numbered = await ask(signed({ ...told, jti: 'a-1' }, pair, { kid }));
    const ids = { 'authentication.k8s.io/credential-id': ['JTI=a-1'] };
    assert.deepEqual(numbered.kind === 'authenticated' && numbered.user.extra, ids);
    for (const jti of ['', 7, null]) {
      const unnamed = await ask(signed({ ...told, jti }, pair, { kid }));
      assert.deepEqual(unnamed.kind === 'authenticated' && unnamed.user.extra, {}, String(jti));
    }
    const single = await ask(signed({ ...told, roles: 'dev' }, pair, { kid }));
    assert.ok(single.kind === 'authenticated');
    assert.deepEqual([single.user.groups, single.audiences], [['oidc:dev'], ['api']]);
    const forOthers = await known.authenticateToken(signed(told, pair, { kid }), ['other']);
    assert.equal(forOthers.kind, 'rejected');
    const forThese = await known.authenticateToken(signed(told, pair, { kid }), ['other', 'api']);
    assert.deepEqual(forThese.kind === 'authenticated' && forThese.audiences, ['api']);
    const wrong: readonly [string, object, object?][] = [
      ['expired', { exp: startMs / 1000 - 60 }],
      ['another audience', { aud: 'other' }],
      ['a required claim', { hd: 'example.com' }],
      ['an address that was not verified', { email_verified: false }],
      ['no name', { email: '' }],
      ['groups of numbers', { roles: [1] }],
      ['groups that are an object', { roles: {} }],
      ['a uid that is no text', { sub: 42 }],
      ['no end', { exp: undefined }],
      ['alg none', {}, { alg: 'none' }],
      ['HMAC', {}, { alg: 'HS256' }],
    ];
    for (const [name, more, header] of wrong) {
      const answer = await ask(signed({ ...told, ...more }, pair, { kid, ...header }));
      assert.equal(answer.kind, 'rejected', name);
    }
    assert.equal((await ask(signed(told, evil, { kid }))).kind, 'rejected', 'a forged one');
    const foreign = signed({ ...told, iss: 'https://other.example' }, pair, { kid });
    assert.equal((await ask(foreign)).kind, 'none');
    const fetched = server.asked();
    await ask(signed(told, evil, { kid: 'unknown' }));
    assert.equal(server.asked(), fetched, 'unknown ids do not make it ask again and again');
    pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    kid = 'two';
    time.advance(11_000);
    assert.equal((await ask(signed(told, pair, { kid }))).kind, 'authenticated', 'rotated');
    server.close();
  });

  test('expressions make the user of the claims, and rules of claims and user are kept', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const server = await remote((url) => {
      const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'one' };
      if (url === '/jwks') return { status: 200, body: { keys: [jwk] } };
      return { status: 200, body: { issuer: server.url, jwks_uri: `${server.url}/jwks` } };
    });
    const entry = {
      issuer: {
        url: server.url,
        certificateAuthority: tlsPair.certificatePem,
        audiences: ['client'],
      },
      claimMappings: {
        username: { expression: "claims.email_verified ? claims.email : 'sub:' + claims.sub" },
        groups: { expression: "claims.roles.split(',').map(r, 'oidc:' + r)" },
        uid: { expression: "claims.?uid.orValue('none')" },
        extra: [
          { key: 'example.org/tenant', valueExpression: 'claims.tenant' },
          { key: 'example.org/none', valueExpression: "''" },
        ],
      },
      claimValidationRules: [
        { expression: 'claims.exp - claims.nbf <= 86400 * 2', message: 'it lives too long' },
      ],
      userValidationRules: [
        { expression: "!user.username.startsWith('system:')", message: 'a reserved name' },
        { expression: "user.groups.all(g, g.startsWith('oidc:'))" },
      ],
    };
    const read = finished(readIssuers([entry], [], claims));
    assert.ok(read.kind === 'ok', JSON.stringify(read));
    const known = createIssuerAuthenticator({
      issuers: read.issuers,
      clock: manualTime(startMs).clock,
      cacheCounts: new TokenCacheCounts(manualTime(startMs).clock),
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
      audiences: ['api'],
      credentialIdKey: 'authentication.k8s.io/credential-id',
      signatures: createVerificationLine(systemTimers),
      onError: (_issuer, error) => assert.fail(String(error)),
    });
    const given = {
      iss: server.url,
      aud: 'client',
      sub: '42',
      nbf: startMs / 1000,
      exp: startMs / 1000 + 86_400,
      email: 'ann@example.org',
      email_verified: true,
      roles: 'dev,ops',
      tenant: ['a', 'b', ''],
    };
    const ask = async (more: object) =>
      known.authenticateToken(signed({ ...given, ...more }, pair, { kid: 'one' }), []);
    const good = await ask({});
    assert.ok(good.kind === 'authenticated', JSON.stringify(good));
    assert.deepEqual(good.user, {
      name: 'ann@example.org',
      uid: 'none',
      groups: ['oidc:dev', 'oidc:ops'],
      extra: { 'example.org/tenant': ['a', 'b'] },
    });
    const rows: readonly [object, RegExp][] = [
      [{ exp: startMs / 1000 + 864_000 }, /failed: it lives too long/],
      [{ email: 'system:admin' }, /failed: a reserved name/],
      [{ email: '' }, /empty username/],
      [{ email: 7 }, /username claim expression must return a string/],
      [{ roles: 7 }, /resulted in error: no such overload/],
      [{ tenant: [7] }, /must return a string or a list of strings/],
      [{ email_verified: 'yes' }, /resulted in error/],
    ];
    for (const [more, why] of rows) {
      const answer = await ask(more);
      assert.ok(answer.kind === 'rejected', JSON.stringify([more, answer]));
      assert.match(answer.why, why);
    }
    server.close();
  });

  test('rotated keys under load: what is known is not held up, what is new is fetched once', async () => {
    const pairs = Array.from({ length: 4 }, () =>
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    );
    let published: readonly (readonly [string | undefined, number])[] = [['one', 0]];
    const silence: { over: Promise<void> | undefined } = { over: undefined };
    let fetches = 0;
    const server = await remote(async (url) => {
      if (url === '/jwks') {
        const keys = published.map(([kid, pair]) => ({
          ...pairs[pair]?.publicKey.export({ format: 'jwk' }),
          ...(kid === undefined ? {} : { kid }),
        }));
        return { status: 200, body: { keys } };
      }
      fetches += 1;
      await silence.over;
      return { status: 200, body: { issuer: server.url, jwks_uri: `${server.url}/jwks` } };
    });
    const time = manualTime(startMs);
    const known = createIssuerAuthenticator({
      issuers: [issuerOf(server.url)],
      clock: time.clock,
      cacheCounts: new TokenCacheCounts(time.clock),
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
      audiences: ['api'],
      credentialIdKey: 'authentication.k8s.io/credential-id',
      signatures: createVerificationLine(systemTimers),
      onError: () => undefined,
    });
    const claims = { iss: server.url, aud: 'client', sub: 'ann', exp: startMs / 1000 + 86_400 };
    const token = (pair: number, kid: string | undefined): string =>
      ecSigned(claims, (pairs[pair] as { privateKey: KeyObject }).privateKey, kid);
    const ask = async (text: string): Promise<string> =>
      (await known.authenticateToken(text, [])).kind;
    const herd = (count: number, make: (i: number) => string): Promise<string[]> =>
      Promise.all(Array.from({ length: count }, (_, i) => ask(make(i))));
    const allAre = (kinds: readonly string[], kind: string, why: string): void =>
      assert.deepEqual([...new Set(kinds)], [kind], why);

    allAre(await herd(50, () => token(0, 'one')), 'authenticated', 'the first');
    assert.equal(fetches, 1, 'one fetch for all of them');

    // Rotated, while somebody shows key ids that nobody has, and signatures of other keys.
    published = [['one', 0], ['two', 1]]; // prettier-ignore
    time.advance(11_000);
    const [fresh, strange, forged] = await Promise.all([
      herd(50, () => token(1, 'two')),
      herd(200, (i) => token(3, `strange-${i}`)),
      herd(50, () => token(3, 'one')),
    ]);
    allAre(fresh, 'authenticated', 'the new key');
    allAre(strange, 'rejected', 'unknown ids');
    allAre(forged, 'rejected', 'forged');
    assert.equal(fetches, 2, 'one fetch for all of them');
    allAre(await herd(200, (i) => token(3, `stranger-${i}`)), 'rejected', 'unknown ids');
    assert.equal(fetches, 2, 'and none until the pause is over');

    // The same id, another key; then no id at all.
    published = [['one', 2]];
    time.advance(11_000);
    assert.equal(await ask(token(2, 'one')), 'authenticated', 'another key of the same name');
    assert.equal(await ask(token(0, 'one')), 'rejected', 'the one before');
    assert.equal(await ask(token(1, 'two')), 'rejected', 'one that was taken back');
    published = [[undefined, 1]];
    time.advance(11_000);
    assert.equal(await ask(token(1, undefined)), 'authenticated', 'without an id');

    // The issuer falls silent, and its keys grow old: who is known does not wait for it.
    const before = fetches;
    let speak = (): void => undefined;
    silence.over = new Promise((resolve) => (speak = resolve));
    time.advance(11 * 60_000);
    allAre(await herd(50, () => token(1, undefined)), 'authenticated', 'by the keys that it had');
    const newcomer = ask(token(0, 'three'));
    published = [['three', 0]];
    speak();
    assert.equal(await newcomer, 'authenticated', 'by the keys that were waited for');
    assert.equal(fetches, before + 1);
    assert.equal(await ask(token(1, undefined)), 'rejected', 'and the old ones are gone');
    published = [];
    time.advance(11_000);
    assert.equal(await ask(token(3, 'strange')), 'rejected');
    assert.equal(await ask(token(0, 'three')), 'rejected', 'an empty set has no key');
    server.close();
  });

  test('a configuration that is not understood is refused with the field that is wrong', () => {
    const issuer = { url: 'https://a.example', audiences: ['x'] };
    const username = { claim: 'sub', prefix: '' };
    const base = { issuer, claimMappings: { username } };
    const rows: readonly [object, RegExp][] = [
      [
        { ...base, issuer: { ...issuer, url: 'http://a.example' } },
        /jwt\[0\]\.issuer\.url: .*https/,
      ],
      [{ ...base, issuer: { ...issuer, audiences: [] } }, /audiences: at least one/],
      [
        { ...base, issuer: { ...issuer, audiences: ['x', 'y'] } },
        /audienceMatchPolicy: must be MatchAny/,
      ],
      [{ ...base, claimMappings: {} }, /claimMappings\.username: claim or expression is required/],
      [{ ...base, claimMappings: { username: { claim: 'sub' } } }, /prefix: is required/],
      [
        { ...base, claimMappings: { username: { expression: 'claims.' } } },
        /claimMappings\.username\.expression: compilation failed: ERROR: <input>:1:8: Syntax error/,
      ],
      [
        { ...base, claimMappings: { username: { expression: 'user.name' } } },
        /undeclared reference to 'user'/,
      ],
      [
        { ...base, claimMappings: { username: { ...username, expression: 'claims.sub' } } },
        /username: claim and expression can't both be set/,
      ],
      [
        { ...base, claimMappings: { username: { expression: 'claims.email' } } },
        /claims\.email_verified must be used/,
      ],
      [
        { ...base, claimMappings: { username, extra: [{ key: 'x', valueExpression: '"y"' }] } },
        /extra\[0\]\.key: must be a domain-prefixed path/,
      ],
      [
        {
          ...base,
          claimMappings: { username, extra: [{ key: 'a.k8s.io/x', valueExpression: '"y"' }] },
        },
        /reserved for Kubernetes use/,
      ],
      [
        { ...base, userValidationRules: [{ expression: 'user.username' }] },
        /userValidationRules\[0\]\.expression: must evaluate to bool but got string/,
      ],
      [
        { ...base, userValidationRules: [{ expression: 'user.name == ""' }] },
        /undefined field 'name'/,
      ],
      [
        { ...base, claimValidationRules: [{ expression: '1' }] },
        /claimValidationRules\[0\]\.expression: must evaluate to bool/,
      ],
      [
        { ...base, claimValidationRules: [{ expression: 'true' }, { expression: 'true' }] },
        /claimValidationRules\[1\]\.expression: is given twice/,
      ],
      [{ ...base, other: 1 }, /jwt\[0\]: unknown field "other"/],
    ];
    for (const [entry, problem] of rows) {
      const read = finished(readIssuers([entry as JsonObject], [], claims));
      assert.ok(read.kind === 'invalid', String(problem));
      assert.match(read.problem, problem);
    }
    assert.equal(finished(readIssuers([base, base], [], claims)).kind, 'invalid', 'twice');
    assert.equal(
      finished(readIssuers([base], ['https://a.example'], claims)).kind,
      'invalid',
      'the own issuer',
    );
  });
});
