/** Tokens that another server knows: webhooks and trusted issuers, against servers of the test. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { readIssuers } from '../../src/authentication/issuer-config.ts';
import { createIssuerAuthenticator } from '../../src/authentication/issuer-authenticator.ts';
import { createWebhookTokens } from '../../src/authentication/webhook-token-authenticator.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const support = path.join(process.cwd(), 'test/support/data');
const certificate = readFileSync(path.join(support, 'tls-certificate.pem'), 'utf8');
const key = readFileSync(path.join(support, 'tls-key.pem'), 'utf8');

type Answer = { readonly status: number; readonly body: unknown };

async function remote(answer: (url: string, body: string) => Answer) {
  let asked = 0;
  const server = https.createServer({ cert: certificate, key }, (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      asked += 1;
      const { body: content, status } = answer(request.url ?? '', body);
      response.writeHead(status).end(JSON.stringify(content));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    asked: () => asked,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const startMs = 1_800_000_000_000;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims: object, pair: { privateKey: KeyObject }, header: object): string {
  const input = `${encode({ alg: 'RS256', ...header })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), pair.privateKey).toString('base64url')}`;
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
      timers: systemTimers,
      server: { url: server.url, ca: certificate },
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
    reply = () => ({
      status: 200,
      body: { ...head, status: { authenticated: true, user }, more: 'x'.repeat(1024 * 1024) },
    });
    const long = await ask('fourth');
    assert.ok(long.kind === 'rejected');
    assert.match(long.why, /the answer is too long/);
    await server.close();
  });
});

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
      issuer: { url: server.url, certificateAuthority: certificate, audiences: ['client'] },
      claimValidationRules: [{ claim: 'hd', requiredValue: 'example.org' }],
      claimMappings: {
        username: { claim: 'email', prefix: 'oidc:' },
        groups: { claim: 'roles', prefix: 'oidc:' },
        uid: { claim: 'sub' },
      },
    };
    const read = readIssuers([entry], []);
    assert.ok(read.kind === 'ok');
    const time = manualTime(startMs);
    const errors: unknown[] = [];
    const known = createIssuerAuthenticator({
      issuers: read.issuers,
      clock: time.clock,
      timers: systemTimers,
      audiences: ['api'],
      onError: (_issuer, error) => errors.push(error),
    });
    const ask = async (token: string) => known.authenticateToken(token, []);
    const claims = {
      iss: server.url,
      aud: 'client',
      sub: '42',
      exp: startMs / 1000 + 86_400,
      email: 'ann@example.org',
      hd: 'example.org',
      roles: ['dev', 'ops'],
    };
    const good = await ask(signed(claims, pair, { kid }));
    assert.ok(good.kind === 'authenticated', JSON.stringify([good, errors.map(String)]));
    assert.deepEqual(good.user, {
      name: 'oidc:ann@example.org',
      uid: '42',
      groups: ['oidc:dev', 'oidc:ops'],
      extra: {},
    });
    const wrong: readonly [string, object, object?][] = [
      ['expired', { exp: startMs / 1000 - 60 }],
      ['another audience', { aud: 'other' }],
      ['a required claim', { hd: 'example.com' }],
      ['an address that was not verified', { email_verified: false }],
      ['no name', { email: '' }],
      ['groups of numbers', { roles: [1] }],
      ['alg none', {}, { alg: 'none' }],
      ['HMAC', {}, { alg: 'HS256' }],
    ];
    for (const [name, more, header] of wrong) {
      const answer = await ask(signed({ ...claims, ...more }, pair, { kid, ...header }));
      assert.equal(answer.kind, 'rejected', name);
    }
    assert.equal((await ask(signed(claims, evil, { kid }))).kind, 'rejected', 'a forged one');
    const foreign = signed({ ...claims, iss: 'https://other.example' }, pair, { kid });
    assert.equal((await ask(foreign)).kind, 'none');
    const fetched = server.asked();
    await ask(signed(claims, evil, { kid: 'unknown' }));
    assert.equal(server.asked(), fetched, 'unknown ids do not make it ask again and again');
    pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    kid = 'two';
    time.advance(11_000);
    assert.equal((await ask(signed(claims, pair, { kid }))).kind, 'authenticated', 'rotated');
    await server.close();
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
      [{ ...base, claimMappings: {} }, /claimMappings\.username\.claim: is required/],
      [{ ...base, claimMappings: { username: { claim: 'sub' } } }, /prefix: is required/],
      [
        { ...base, claimMappings: { username: { expression: 'claims.sub' } } },
        /expressions are not supported/,
      ],
      [
        { ...base, userValidationRules: [{ expression: 'true' }] },
        /userValidationRules: expressions/,
      ],
      [
        { ...base, claimValidationRules: [{ expression: 'true' }] },
        /claimValidationRules\[0\]\.expression/,
      ],
      [{ ...base, other: 1 }, /jwt\[0\]: unknown field "other"/],
    ];
    for (const [entry, problem] of rows) {
      const read = readIssuers([entry as JsonObject], []);
      assert.ok(read.kind === 'invalid', String(problem));
      assert.match(read.problem, problem);
    }
    assert.equal(readIssuers([base, base], []).kind, 'invalid', 'twice');
    assert.equal(readIssuers([base], ['https://a.example']).kind, 'invalid', 'the own issuer');
  });
});
