/**
 * The attack list: who pretends to be somebody, and who asks for what is not theirs by a crooked
 * way. Each attack is refused over both ports and both local stores, stands in the audit log, and
 * changes nothing; and nothing that the server has said meanwhile holds a secret.
 *
 * What it is not: grants (attack-roles.test.ts) and framing (attack-smuggling.test.ts).
 */
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { makeAuthority } from '../../src/pki/certificate-authority.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { openPath, secretPath, startAttackBench } from '../support/servers/attack-bench.ts';
import type { Attack, AttackBench } from '../support/servers/attack-bench.ts';
import { attackSuites } from '../support/checks/attack-suites.ts';
import type { AttackedStore } from '../support/checks/attack-suites.ts';
import { signedByEc, signedByRsa, signedBySecret } from '../support/data/forged-tokens.ts';
import { takenApart, unsigned } from '../support/data/forged-tokens.ts';
import { leafOf, tokens } from '../support/servers/secure-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-attack');

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const bootstrapSecret = '0123456789abcdef';
const robot = 'system:serviceaccount:default:robot';

let bench: AttackBench;
let directory = '';
/** The server's own key for tokens, and one that it knows beside it. */
let ownKey: KeyObject;
let ownPublicPem = '';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaPublicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
let userCa: KeyPair;
let proxyCa: KeyPair;
/** A token of the account robot that is good. */
let good = '';
/** Tokens that were good, by what has become of what they are bound to. */
const dead = new Map<string, string>();

const { suite, run } = attackSuites(start, () => directories.removeAll());

async function start(store: AttackedStore): Promise<AttackBench> {
  directory = directories.make();
  const nowMs = Date.now();
  const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
  userCa = await makeAuthority({ commonName: 'users', ...validity });
  proxyCa = await makeAuthority({ commonName: 'proxies', ...validity });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(directory, name), text);
    return path.join(directory, name);
  };
  bench = await startAttackBench({
    store,
    'client-ca-file': await file('users.crt', userCa.certificatePem),
    'requestheader-client-ca-file': await file('proxy.crt', proxyCa.certificatePem),
    'requestheader-allowed-names': 'front-proxy',
    'service-account-key-file': await file('rsa.pub', rsaPublicPem),
    'enable-bootstrap-token-auth': 'true',
  });
  const pki = path.join(bench.server.dataDir, 'pki');
  ownKey = createPrivateKey(readFileSync(path.join(pki, 'sa.key')));
  ownPublicPem = readFileSync(path.join(pki, 'sa.pub'), 'utf8');
  good = await tokenOf('robot');
  await killTokens();
  await addBootstrapTokens();
  return bench;
}

async function tokenOf(account: string, boundObjectRef?: object): Promise<string> {
  const reply = await bench.admin('POST', `${accounts}/${account}/token`, {
    spec: boundObjectRef === undefined ? {} : { boundObjectRef },
  });
  return (reply['status'] as JsonObject)['token'] as string;
}

const isRefused = async (token: string): Promise<boolean> =>
  (await bench.send('plain', { path: '/api', token })).status === 401;

async function killTokens(): Promise<void> {
  const { admin } = bench;
  const base = '/api/v1/namespaces/default';
  for (const name of ['gone', 'reborn']) {
    await admin('POST', accounts, { metadata: { name } });
    dead.set(name, await tokenOf(name));
    await admin('DELETE', `${accounts}/${name}`);
  }
  await admin('POST', accounts, { metadata: { name: 'reborn' } });
  await admin('POST', `${base}/secrets`, { metadata: { name: 'bond' } });
  dead.set('secret', await tokenOf('robot', { apiVersion: 'v1', kind: 'Secret', name: 'bond' }));
  await admin('DELETE', `${base}/secrets/bond`);
  dead.set('pod', await tokenOf('robot', { apiVersion: 'v1', kind: 'Pod', name: 'p' }));
  await admin('DELETE', `${base}/pods/p`);
  // Revocation is seen a moment after the deletion.
  for (const token of dead.values()) {
    for (let tries = 0; !(await isRefused(token)); tries += 1) {
      assert.ok(tries < 20_000, 'a dead token is refused in time');
    }
  }
}

async function addBootstrapTokens(): Promise<void> {
  const token = (id: string, more: object) =>
    bench.admin('POST', '/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData: { 'token-id': id, 'token-secret': bootstrapSecret, ...more },
    });
  const authentication = { 'usage-bootstrap-authentication': 'true' };
  await token('aaaaaa', authentication);
  await token('bbbbbb', { ...authentication, expiration: '2020-01-01T00:00:00Z' });
  await token('cccccc', { 'usage-bootstrap-signing': 'true' });
  const known = `aaaaaa.${bootstrapSecret}`;
  for (let tries = 0; await isRefused(known); tries += 1) {
    assert.ok(tries < 20_000, 'a good bootstrap token counts in time');
  }
}

/** The good token with other claims, signed by the server's own key. */
function withClaims(more: JsonObject): string {
  const { claims, header } = takenApart(good);
  return signedByEc(header, { ...claims, ...more }, ownKey);
}

function withHeader(more: JsonObject): string {
  const { claims, header } = takenApart(good);
  return signedByEc({ ...header, ...more }, claims, ownKey);
}

const seconds = (): number => Math.floor(Date.now() / 1000);

const accountTokens: readonly (readonly [string, () => string])[] = [
  ['alg none without a signature', () => unsigned({ alg: 'none' }, takenApart(good).claims)],
  [
    'alg none with the signature that was there',
    () => unsigned({ alg: 'none' }, takenApart(good).claims, takenApart(good).signature),
  ],
  [
    'alg NONE, and the id of the key',
    () => unsigned({ ...takenApart(good).header, alg: 'NONE' }, takenApart(good).claims),
  ],
  ['no alg', () => unsigned({ typ: 'JWT' }, takenApart(good).claims, takenApart(good).signature)],
  [
    'HS256 with the public EC key as the secret',
    () =>
      signedBySecret(
        { ...takenApart(good).header, alg: 'HS256' },
        takenApart(good).claims,
        ownPublicPem,
      ),
  ],
  [
    'HS256 with the public RSA key as the secret',
    () => signedBySecret({ alg: 'HS256' }, takenApart(good).claims, rsaPublicPem),
  ],
  [
    'HS256 with the public RSA key in DER as the secret',
    () =>
      signedBySecret(
        { alg: 'HS256' },
        takenApart(good).claims,
        rsa.publicKey.export({ type: 'spki', format: 'der' }),
      ),
  ],
  [
    'HS256 with nothing as the secret',
    () => signedBySecret({ alg: 'HS256' }, takenApart(good).claims, ''),
  ],
  [
    'RS256 over the EC key’s id',
    () =>
      signedByRsa(
        { ...takenApart(good).header, alg: 'RS256' },
        takenApart(good).claims,
        rsa.privateKey,
      ),
  ],
  [
    'the key of a stranger',
    () => signedByEc(takenApart(good).header, takenApart(good).claims, stranger.privateKey),
  ],
  [
    'the key of a stranger, brought along',
    () => {
      const jwk = stranger.publicKey.export({ format: 'jwk' }) as JsonObject;
      const { claims } = takenApart(good);
      return signedByEc({ alg: 'ES256', jwk }, claims, stranger.privateKey);
    },
  ],
  ['a key from elsewhere (jku)', () => withHeader({ jku: 'http://127.0.0.1:1/keys' })],
  ['a header that must be understood (crit)', () => withHeader({ crit: ['x'], x: 1 })],
  [
    'another’s claims under one’s own signature',
    () => {
      const { claims, header, signature } = takenApart(good);
      return unsigned(header, { ...claims, sub: 'system:serviceaccount:kube-system:x' }, signature);
    },
  ],
  ['an end in the past', () => withClaims({ exp: seconds() - 3600 })],
  ['a beginning in the future', () => withClaims({ nbf: seconds() + 3600 })],
  ['an issue in the future', () => withClaims({ iat: seconds() + 3600 })],
  ['an end that is no number', () => withClaims({ exp: 'never' })],
  ['another audience', () => withClaims({ aud: ['https://elsewhere.example'] })],
  ['no audience', () => withClaims({ aud: [] })],
  ['another issuer', () => withClaims({ iss: 'https://elsewhere.example' })],
  ['a subject that is not the account', () => withClaims({ sub: 'system:admin' })],
  [
    'an account that was never there',
    () =>
      withClaims({
        sub: 'system:serviceaccount:default:nobody',
        'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'nobody', uid: 'x' } },
      }),
  ],
  [
    'the account with another uid',
    () =>
      withClaims({
        'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid: 'x' } },
      }),
  ],
  [
    'the form of old tokens, of a secret that is not there',
    () =>
      signedByEc(
        takenApart(good).header,
        {
          iss: 'kubernetes/serviceaccount',
          sub: robot,
          'kubernetes.io/serviceaccount/namespace': 'default',
          'kubernetes.io/serviceaccount/secret.name': 'robot-token',
          'kubernetes.io/serviceaccount/service-account.name': 'robot',
          'kubernetes.io/serviceaccount/service-account.uid': 'x',
        },
        ownKey,
      ),
  ],
  ['an account that was deleted', () => dead.get('gone') as string],
  ['an account that was deleted and made again', () => dead.get('reborn') as string],
  ['a secret that was deleted', () => dead.get('secret') as string],
  ['a pod that was deleted', () => dead.get('pod') as string],
  ['its last character missing', () => good.slice(0, -1)],
  ['its last half missing', () => good.slice(0, good.length / 2)],
  ['its signature missing', () => good.slice(0, good.lastIndexOf('.') + 1)],
  ['its signature and dot missing', () => good.slice(0, good.lastIndexOf('.'))],
  ['one more part', () => `${good}.x`],
  ['padding', () => `${good}=`],
];

const otherTokens: readonly (readonly [string, string])[] = [
  ['a static token without its end', tokens.admin.slice(0, -1)],
  ['a static token without its beginning', tokens.admin.slice(1)],
  ['a static token with more', `${tokens.admin}x`],
  ['a static token in capitals', tokens.admin.toUpperCase()],
  ['two tokens', `${tokens.admin},${tokens.alice}`],
  ['one letter', 'x'],
  ['a bootstrap token of nobody', `zzzzzz.${bootstrapSecret}`],
  ['a bootstrap token with another secret', 'aaaaaa.0123456789abcdee'],
  ['the beginning of a bootstrap token', `aaaaaa.${bootstrapSecret.slice(0, 15)}`],
  ['a bootstrap token with more', `aaaaaa.${bootstrapSecret}0`],
  ['the public part of a bootstrap token', 'aaaaaa'],
  ['a bootstrap token that has expired', `bbbbbb.${bootstrapSecret}`],
  ['a bootstrap token that is for signing only', `cccccc.${bootstrapSecret}`],
  ['12 KiB and one byte', 'a'.repeat(12 * 1024 + 1)],
  ['a good token behind 12 KiB', `${'a'.repeat(12 * 1024)}${tokens.admin}`],
];

const authorizations: readonly (readonly [string, string | string[]])[] = [
  ['a token with something behind it', `Bearer ${tokens.admin} x`],
  ['two spaces', `Bearer  ${tokens.admin}`],
  ['a token in quotes', `Bearer "${tokens.admin}"`],
  ['a scheme in a scheme', `Bearer Bearer ${tokens.admin}`],
  ['a good header and a bad one', [`Bearer ${tokens.admin}`, 'Bearer x']],
  ['a bad header and a good one', ['Bearer x', `Bearer ${tokens.admin}`]],
  ['the same good header twice', [`Bearer ${tokens.admin}`, `Bearer ${tokens.admin}`]],
  ['a good header and an empty one', [`Bearer ${tokens.admin}`, '']],
];

suite('wrong credentials:', () => {
  it('(the right ones are good: what follows is refused for what is wrong with it)', async () => {
    const rs = (alg: string): string =>
      signedByRsa({ alg }, takenApart(good).claims, rsa.privateKey);
    for (const token of [good, withClaims({}), withHeader({}), rs('RS256')]) {
      assert.equal((await bench.send('plain', { path: '/api', token })).status, 200);
    }
  });

  for (const [what, token] of accountTokens) {
    it(`a token of an account with ${what}`, async () => {
      await bench.refuses({ path: secretPath, token: token(), status: 401 });
    });
  }
  for (const [what, token] of otherTokens) {
    it(what, () => bench.refuses({ path: secretPath, token, status: 401 }));
  }
  for (const [what, authorization] of authorizations) {
    it(what, () => bench.refuses({ path: secretPath, headers: { authorization }, status: 401 }));
  }

  it('a head that is too large is refused before it is a request: 431, no event', async () => {
    for (const port of ['tls', 'plain'] as const) {
      const before = bench.events().length;
      const answer = await bench.send(port, { path: secretPath, token: 'a'.repeat(20_000) });
      assert.equal(answer.status, 431);
      assert.equal(bench.events().length, before);
    }
  });

  const anonymous: readonly (readonly [string, Partial<Attack>])[] = [
    // No token is named: it is as if there were no header.
    ['Bearer without a token', { headers: { authorization: 'Bearer' } }],
    ['Bearer with a space', { headers: { authorization: 'Bearer ' } }],
    ['another scheme', { headers: { authorization: 'Basic cm9vdDpyb290' } }],
    ['no scheme', { headers: { authorization: tokens.admin } }],
    ['a token in the query', { path: `${secretPath}?access_token=nobody-reads-this` }],
    ['a cookie', { headers: { cookie: `token=${tokens.admin}` } }],
    ['Proxy-Authorization', { headers: { 'proxy-authorization': `Bearer ${tokens.admin}` } }],
  ];
  for (const [what, attack] of anonymous) {
    it(`${what} makes nobody of you`, () =>
      bench.refuses({ path: secretPath, status: 403, user: 'system:anonymous', ...attack }));
  }
});

suite('the headers of a proxy:', () => {
  const headers = { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters' };
  const named = (user: string, more: Partial<Attack> = {}): Attack => ({
    path: secretPath,
    headers,
    status: 403,
    user,
    ...more,
  });

  it('without a certificate', () => bench.refuses(named('system:anonymous')));
  it('beside a token', () => bench.refuses(named('alice', { token: tokens.alice })));
  // uWebSockets.js takes no such name: it closes the connection without an answer.
  it('with underscores', () =>
    bench.refuses(
      named('alice', {
        token: tokens.alice,
        headers: { X_Remote_User: 'root', X_Remote_Group: 'system:masters' },
        ports: ['tls'],
      }),
    ));
  it('beside the certificate of a user', async () => {
    const as = await leafOf(userCa, 'jane');
    await bench.refuses(named('jane', { as, ports: ['tls'] }));
  });
  it('of a user who is called like the proxy', async () => {
    const as = await leafOf(userCa, 'front-proxy');
    await bench.refuses(named('front-proxy', { as, ports: ['tls'] }));
  });
  it('of a proxy that is called otherwise', async () => {
    const as = await leafOf(proxyCa, 'other-proxy');
    await bench.refuses({ path: secretPath, headers, as, status: 401, ports: ['tls'] });
  });
  it('of a proxy that says nobody', async () => {
    const as = await leafOf(proxyCa, 'front-proxy');
    const attack = { path: secretPath, headers: { 'X-Remote-User': '' }, as };
    await bench.refuses({ ...attack, status: 401, ports: ['tls'] });
  });
  it('(the proxy itself is believed)', async () => {
    const as = await leafOf(proxyCa, 'front-proxy');
    assert.equal((await bench.send('tls', { path: secretPath, headers, as })).status, 200);
  });
});

suite('impersonation without the right:', () => {
  const group = { 'Impersonate-User': 'carol', 'Impersonate-Group': 'system:masters' };
  const rows: readonly (readonly [string, 'alice' | 'bob', Record<string, string | string[]>])[] = [
    ['of a user', 'alice', { 'Impersonate-User': 'root' }],
    ['of oneself', 'alice', { 'Impersonate-User': 'alice' }],
    ['of another than the one user', 'bob', { 'Impersonate-User': 'root' }],
    ['of another by case', 'bob', { 'Impersonate-User': 'Carol' }],
    ['of a group', 'bob', group],
    [
      'of groups, one of which one is in',
      'bob',
      { ...group, 'Impersonate-Group': ['team-a', 'x'] },
    ],
    ['of a uid', 'bob', { 'Impersonate-User': 'carol', 'Impersonate-Uid': '1' }],
    ['of extra', 'bob', { 'Impersonate-User': 'carol', 'Impersonate-Extra-scopes': 'all' }],
    ['of an account', 'bob', { 'Impersonate-User': robot }],
    [
      'of an account of the system',
      'bob',
      { 'Impersonate-User': 'system:serviceaccount:kube-system:x' },
    ],
    ['of nobody', 'bob', { 'Impersonate-User': 'system:anonymous' }],
  ];
  for (const [what, user, headers] of rows) {
    it(what, () =>
      bench.refuses({ path: openPath, token: tokens[user], headers, status: 403, user }),
    );
  }
  const malformed: readonly (readonly [string, Record<string, string | string[]>])[] = [
    ['of a group alone', { 'Impersonate-Group': 'system:masters' }],
    ['of a uid alone', { 'Impersonate-Uid': '1' }],
    ['of extra alone', { 'Impersonate-Extra-scopes': 'all' }],
    ['of two users', { 'Impersonate-User': ['carol', 'root'] }],
  ];
  for (const [what, headers] of malformed) {
    it(`${what} is a bad request`, () =>
      bench.refuses({ path: openPath, token: tokens.bob, headers, status: 400, user: 'bob' }));
  }
  it('and with it: one has the rights of the other, not one’s own, and both are in the log', async () => {
    const headers = { 'Impersonate-User': 'carol' };
    const attack = { path: openPath, token: tokens.bob, headers };
    await bench.refuses({ ...attack, status: 403, user: 'bob' });
    const event = bench.events().at(-1);
    assert.equal((event?.['impersonatedUser'] as JsonObject)['username'], 'carol');
  });
});

suite('crooked paths to a secret:', () => {
  const rows: readonly (readonly [string, number])[] = [
    [secretPath, 403],
    [`${secretPath}/`, 403],
    [`/${secretPath}`, 403],
    ['/api//v1/namespaces/default/secrets/hidden', 403],
    ['/api/v1//namespaces/default/secrets/hidden', 403],
    ['/api/v1/namespaces//default/secrets/hidden', 403],
    ['/api/v1/namespaces/default/secrets//hidden', 403],
    ['/api/v1/namespaces/default//secrets/hidden', 403],
    [`${openPath}/../../secrets/hidden`, 403],
    ['/api/v1/namespaces/default/configmaps/../secrets/hidden', 403],
    ['/api/v1/namespaces/default/configmaps/%2e%2e/secrets/hidden', 403],
    ['/api/v1/namespaces/default/configmaps%2f..%2fsecrets/hidden', 404],
    ['/api/v1/namespaces/default/configmaps/open%2f..%2f..%2fsecrets%2fhidden', 404],
    ['/api/v1/namespaces/default%2fsecrets/hidden', 404],
    ['/api/v1/./namespaces/default/secrets/hidden', 403],
    ['/livez/../api/v1/namespaces/default/secrets/hidden', 403],
    ['/version/../api/v1/namespaces/default/secrets/hidden', 403],
    ['/openapi/../api/v1/namespaces/default/secrets/hidden', 404],
    ['/API/V1/namespaces/default/secrets/hidden', 403],
    ['/api/v1/namespaces/default/Secrets/hidden', 403],
    ['/api/V1/namespaces/default/secrets/hidden', 403],
    ['/api/v1/namespaces/default/secrets;/hidden', 403],
    ['/api/v1/namespaces/default/secrets/hidden;x=1', 403],
    ['/api;x/v1/namespaces/default/secrets/hidden', 403],
    ['/api/v1/namespaces/default/secrets/hidden%00', 403],
    ['/api/v1/namespaces/default/secrets%00/hidden', 403],
    ['/api/v1/namespaces/default/%73ecrets/hidden', 403],
    ['/api/v1/namespaces/default/%2573ecrets/hidden', 403],
    ['/api/v1/namespaces/default/secrets/%68idden', 403],
    ['/api/v1/namespaces/default/%c0%af/hidden', 400],
    ['/api/v1/namespaces/default/secrets\\hidden', 403],
    ['/api/v1/watch/namespaces/default/secrets/hidden', 403],
    ['/api/v1/proxy/namespaces/default/secrets/hidden', 403],
    [`${secretPath}?watch=1`, 403],
    [`${openPath}/../secrets?fieldSelector=metadata.name%3Dopen`, 403],
    ['/api/v1/secrets?fieldSelector=metadata.name%3Dhidden', 403],
    [`${secretPath}/status`, 403],
    [`${secretPath}#${openPath}`, 403],
  ];
  for (const [target, status] of rows) {
    // Whoever may ask for discovery may ask for what is below /api, and nothing is there.
    const decision = status === 403 ? 'forbid' : 'allow';
    it(`GET ${target}`, () =>
      bench.refuses({ path: target, token: tokens.bob, status, user: 'bob', decision }));
  }
  const writes: readonly (readonly [string, string])[] = [
    ['DELETE', secretPath],
    ['DELETE', `${secretPath}/`],
    ['DELETE', '/api/v1//namespaces/default/secrets/hidden'],
    ['DELETE', `${openPath}/../../secrets/hidden`],
    ['DELETE', '/api/v1/namespaces/default/secrets'],
    ['DELETE', '/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dhidden'],
    ['PUT', '/api/v1/namespaces/default/%73ecrets/hidden'],
    ['PATCH', '/api/v1/namespaces/default/secrets/hidden;x'],
    ['POST', '/api/v1/namespaces/default/secrets/'],
    ['HEAD', secretPath],
    ['OPTIONS', secretPath],
  ];
  for (const [method, target] of writes) {
    it(`${method} ${target}`, () =>
      bench.refuses({ method, path: target, token: tokens.bob, status: 403, user: 'bob' }));
  }
});

suite('a part is not the whole:', () => {
  const pod = '/api/v1/namespaces/default/pods/p';
  const robotToken = `${accounts}/robot/token`;
  const rows: readonly (readonly [string, string])[] = [
    ['PATCH', `${pod}/status%2fx`],
    ['PUT', `${pod}/Status`],
    ['PUT', pod],
    ['DELETE', `${pod}/status`],
    ['GET', `${pod}/status`],
    ['GET', `${openPath}/status`],
    ['POST', robotToken],
    ['POST', `${robotToken}/x`],
    ['GET', '/api/v1/namespaces/default'],
    ['PUT', '/api/v1/namespaces/default/finalize'],
  ];
  for (const [method, target] of rows) {
    it(`${method} ${target}`, () =>
      bench.refuses({ method, path: target, token: tokens.bob, status: 403, user: 'bob' }));
  }
  // The right to a part is one to what lies below it, and nothing lies there.
  for (const target of [`${pod}/status/x`, `${pod}/status/../`, `${pod}/status/..//../p`]) {
    it(`PUT ${target}`, () =>
      bench.refuses({
        method: 'PUT',
        path: target,
        token: tokens.bob,
        status: 404,
        user: 'bob',
        decision: 'allow',
      }));
  }
});

suite('a method in a header does nothing:', () => {
  for (const [name, value] of [
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-HTTP-Method', 'PUT'],
    ['X-Method-Override', 'PATCH'],
  ] as const) {
    it(name, async () => {
      for (const port of ['tls', 'plain'] as const) {
        const before = await bench.revision();
        const headers = { [name]: value };
        const target = `${openPath}?_method=${value}`;
        const answer = await bench.send(port, { path: target, token: tokens.bob, headers });
        assert.equal(answer.status, 200, 'it is the GET that it says it is');
        assert.equal(bench.events(String(answer.headers['audit-id'])).at(-1)?.['verb'], 'get');
        assert.equal(await bench.revision(), before);
      }
    });
  }
  it('and does not make a POST the GET that is allowed', () =>
    bench.refuses({
      method: 'POST',
      path: openPath,
      token: tokens.bob,
      headers: { 'X-HTTP-Method-Override': 'GET' },
      status: 403,
      user: 'bob',
    }));
});

run();
