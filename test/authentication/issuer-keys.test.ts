/** The keys of an issuer are those that its own documents lead to, and only those that sign. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { IssuerConfig } from '../../src/authentication/issuer-config.ts';
import { createIssuerKeys } from '../../src/authentication/issuer-keys.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { tlsPair, tlsServerOptions } from '../support/data/tls-pair.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const curve = (namedCurve: string): KeyObject =>
  generateKeyPairSync('ec', { namedCurve }).publicKey;
const jwk = (key: KeyObject, more: object = {}): JsonObject => ({
  ...(key.export({ format: 'jwk' }) as JsonObject),
  kid: 'k',
  ...more,
});

/** By the path that is asked for; a number is a status without a body. */
type Answers = Readonly<Record<string, JsonValue>>;

const place = '/.well-known/openid-configuration';

describe('the keys of an issuer', () => {
  let answers: Answers = {};
  let asked: string[] = [];
  let url = '';
  let close = (): void => undefined;
  before(async () => {
    const service = await startRemoteService((_body, request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      const answer = answers[path] ?? 404;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(200).end(JSON.stringify(answer));
    }, tlsServerOptions);
    url = service.url;
    close = service.close;
  });
  after(() => close());

  async function found(config: Partial<IssuerConfig>, given: Answers, of = { id: 'k' as unknown }) {
    answers = given;
    asked = [];
    const { clock } = manualTime();
    const ports = {
      clock,
      timers: systemTimers,
      turns: createTurns({ clock, timers: systemTimers }),
    };
    const errors: string[] = [];
    const issuer = { url, ca: tlsPair.certificatePem, ...config } as IssuerConfig;
    const keys = createIssuerKeys(issuer, ports, (error) => errors.push(String(error)));
    const names = (await keys.find(of.id)).map(({ algorithm }) => algorithm);
    return { names, errors };
  }

  const set = (...keys: readonly JsonValue[]): Answers => ({
    [place]: { issuer: url, jwks_uri: `${url}/jwks` },
    '/jwks': { keys },
  });

  const refused: readonly [string, () => Answers, RegExp][] = [
    [
      'a document of another issuer',
      () => ({ ...set(jwk(rsa)), [place]: { issuer: `${url}/`, jwks_uri: `${url}/jwks` } }),
      /is of another issuer/,
    ],
    ['no document', () => ({}), /answered 404/],
    ['a document that is a list', () => ({ ...set(jwk(rsa)), [place]: [] }), /answered 200/],
    ['no place of keys', () => ({ [place]: { issuer: url } }), /names no place of keys/],
    [
      'keys over plain HTTP',
      () => ({ [place]: { issuer: url, jwks_uri: url.replace('https', 'http') } }),
      /names no place of keys/,
    ],
    [
      'a place of keys that is no URL',
      () => ({ [place]: { issuer: url, jwks_uri: 'https://' } }),
      /names no place of keys/,
    ],
    ['keys that fail', () => ({ ...set(), '/jwks': 500 }), /answered 500/],
    ['keys that are no list', () => ({ ...set(), '/jwks': { keys: {} } }), /holds no set of keys/],
  ];
  for (const [title, given, problem] of refused) {
    it(`are none where there is ${title}, and that is told`, async () => {
      const { errors, names } = await found({}, given());
      assert.deepEqual(names, []);
      assert.equal(errors.length, 1);
      assert.match(errors[0] ?? '', problem);
    });
  }

  const anyRsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
  const rows: readonly [string, JsonValue, readonly string[]][] = [
    ['an RSA key signs with any of its algorithms', jwk(rsa), anyRsa],
    ['or with the one that it names', jwk(rsa, { alg: 'PS384' }), ['PS384']],
    ['but not with that of another pair', jwk(rsa, { alg: 'ES256' }), []],
    ['a curve has one algorithm', jwk(curve('prime256v1')), ['ES256']],
    ['each its own', jwk(curve('secp384r1')), ['ES384']],
    ['or none', jwk(curve('secp256k1')), []],
    ['a key for signatures counts', jwk(rsa, { alg: 'RS256', use: 'sig' }), ['RS256']],
    ['one for encryption does not', jwk(rsa, { alg: 'RS256', use: 'enc' }), []],
    ['nor one that is shared', { kty: 'oct', k: 'AAAA', kid: 'k' }, []],
    ['nor half of one', { kty: 'RSA', e: 'AQAB', kid: 'k' }, []],
    ['nor a huge one', jwk(rsa, { n: 'A'.repeat(2733) }), []],
    ['nor one that is no object', 'key', []],
    ['nor another key id', jwk(rsa, { kid: 'other' }), []],
  ];
  for (const [title, key, expected] of rows) {
    it(title, async () => {
      const { errors, names } = await found({}, set(key));
      assert.deepEqual([[...names].sort(), errors], [[...expected].sort(), []]);
    });
  }

  it('are all asked for a token that names none; keys without an id have an empty one', async () => {
    const keys = set(jwk(curve('prime256v1'), { kid: 7 }), jwk(curve('secp384r1')));
    assert.deepEqual((await found({}, keys, { id: undefined })).names, ['ES256', 'ES384']);
    assert.deepEqual((await found({}, keys, { id: '' })).names, ['ES256']);
  });

  it('are looked for below the URL, with a slash or without, or where the document is', async () => {
    const [deep, other] = [`${url}/deep/`, '/elsewhere'];
    const keys = { '/jwks': { keys: [jwk(curve('prime256v1'))] } };
    const below = { [`/deep${place}`]: { issuer: deep, jwks_uri: `${url}/jwks` }, ...keys };
    assert.deepEqual((await found({ url: deep }, below)).names, ['ES256']);
    assert.deepEqual(asked, [`/deep${place}`, '/jwks']);
    const named = { [other]: { issuer: url, jwks_uri: `${url}/jwks` }, ...keys };
    assert.deepEqual((await found({ discoveryUrl: `${url}${other}` }, named)).names, ['ES256']);
    assert.deepEqual(asked, [other, '/jwks']);
  });
});
