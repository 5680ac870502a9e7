/** Tokens over HTTP: asked for, reviewed, used, revoked; what controllers keep in order. */
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { TokenCacheCounts } from '../../src/authentication/token-cache-counts.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { createAccountAuthenticator } from '../../src/authentication/service-account-authenticator.ts';
import { detachedSigner } from '../../src/authentication/detached-jws.ts';
import { createVerificationLine } from '../../src/authentication/verification-line.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureReply, SecureServer } from '../support/servers/secure-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const secretsPath = '/api/v1/namespaces/kube-system/secrets';
const all = '*,tokencleaner,bootstrapsigner';

function caller(server: SecureServer) {
  return (method: string, path: string, body?: object, token: string = tokens.admin) =>
    server.secure(path, { method, token, ...(body === undefined ? {} : { body }) });
}

async function eventually<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  for (let tries = 0; tries < 10_000; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(what);
}

function ifOk(reply: SecureReply): JsonObject | undefined {
  return reply.status === 200 ? reply.body : undefined;
}

function bootstrapSecret(id: string, more: Record<string, string> = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      ...more,
    },
  };
}

describe('tokens over HTTP', () => {
  let server: SecureServer;
  let call: ReturnType<typeof caller>;
  before(async () => {
    server = await startSecureServer({ controllers: all, 'enable-bootstrap-token-auth': 'true' });
    call = caller(server);
  });
  after(() => server.remove());

  const review = async (token: string, audiences?: readonly string[]): Promise<JsonObject> => {
    const spec = audiences === undefined ? { token } : { token, audiences };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
    const reply = await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body['status'] as JsonObject;
  };
  const request = (namespace: string, account: string, spec: object, query = '') =>
    call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token${query}`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec,
    });
  const accountToken = async (namespace: string, account: string): Promise<string> => {
    const reply = await request(namespace, account, {});
    assert.equal(reply.status, 201, reply.text);
    return (reply.body['status'] as JsonObject)['token'] as string;
  };
  const makeAccount = (namespace: string, name: string) =>
    call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name },
    });

  test('every namespace has a default account and says whom to trust; both come back', async () => {
    await call('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'team' },
    });
    const account = '/api/v1/namespaces/team/serviceaccounts/default';
    const map = '/api/v1/namespaces/team/configmaps/kube-root-ca.crt';
    const first = await eventually(async () => ifOk(await call('GET', account)), 'an account');
    const trusted = await eventually(async () => ifOk(await call('GET', map)), 'a config map');
    assert.equal((trusted['data'] as JsonObject)['ca.crt'], server.caPem);
    await call('DELETE', account);
    const uidOf = (object: JsonObject) => (object['metadata'] as JsonObject)['uid'];
    await eventually(async () => {
      const found = ifOk(await call('GET', account));
      return found !== undefined && uidOf(found) !== uidOf(first) ? found : undefined;
    }, 'another account');
    await call('PUT', map, { ...trusted, data: { 'ca.crt': 'wrong', mine: 'stays' } });
    const right = await eventually(async () => {
      const data = (ifOk(await call('GET', map))?.['data'] ?? {}) as JsonObject;
      return data['ca.crt'] === server.caPem ? data : undefined;
    }, 'the right CA');
    assert.equal(right['mine'], 'stays');
  });

  test('a token that was asked for authenticates, is reviewed by audience, and dies with its account', async () => {
    await makeAccount('default', 'robot');
    const token = await accountToken('default', 'robot');
    const status = await review(token);
    assert.equal(status['authenticated'], true);
    const user = status['user'] as JsonObject;
    assert.equal(user['username'], 'system:serviceaccount:default:robot');
    assert.deepEqual(user['groups'], [
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
    assert.equal((await call('GET', '/api', undefined, token)).status, 200);
    const own = 'https://kubernetes.default.svc.cluster.local';
    assert.deepEqual(status['audiences'], [own], 'none asked for: the server’s own');
    assert.deepEqual((await review(token, [own, 'x']))['audiences'], [own]);
    const refusal = { user: {}, error: 'invalid bearer token' };
    assert.deepEqual(await review(token, ['x']), refusal);
    assert.deepEqual((await review(tokens.alice, [own]))['audiences'], [own], 'a static token');
    assert.deepEqual((await review(tokens.alice))['audiences'], [own]);
    assert.deepEqual(await review(tokens.alice, ['x']), refusal);
    await call('DELETE', '/api/v1/namespaces/default/serviceaccounts/robot');
    await eventually(async () => {
      const { status: code } = await call('GET', '/api', undefined, token);
      return code === 401 ? true : undefined;
    }, 'the token is refused');
    await makeAccount('default', 'robot');
    assert.equal((await call('GET', '/api', undefined, token)).status, 401, 'another uid');
  });

  test('a request for a token that cannot be had says what is wrong with it', async () => {
    await makeAccount('default', 'asker');
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'theirs' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    assert.equal((await call('POST', '/api/v1/namespaces/default/pods', pod)).status, 201);
    const ref = (more: object) => ({
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'theirs', ...more },
    });
    const rows: readonly [object, number, RegExp][] = [
      [{ expirationSeconds: 599 }, 422, /spec\.expirationSeconds: .*less than 10 minutes/],
      [{ expirationSeconds: 2 ** 32 + 1 }, 422, /larger than 2\^32 seconds/],
      [
        ref({ kind: 'Deployment', apiVersion: 'apps/v1' }),
        400,
        /cannot bind token to object of type apps\/v1, Kind=Deployment/,
      ],
      [ref({ name: 'none' }), 404, /pods "none" not found/],
      [ref({ name: 'none', apiVersion: undefined }), 404, /pods "none" not found/],
      [ref({ apiVersion: 'v2', name: 'none' }), 404, /pods "none" not found/],
      [ref({ name: '' }), 400, /the bound object has no name/],
      [
        ref({ uid: 'x' }),
        409,
        /^Operation cannot be fulfilled on Pod "theirs": the UID in the bound object reference \(x\)/,
      ],
      [ref({}), 400, /pod running with different serviceaccount name\.$/],
    ];
    for (const [spec, code, message] of rows) {
      const reply = await request('default', 'asker', spec);
      assert.equal(reply.status, code, reply.text);
      assert.match(String(reply.body['message']), message);
    }
    const path = '/api/v1/namespaces/default/serviceaccounts/asker/token';
    const otherwise = { metadata: { name: 'other' }, spec: {} };
    const named = await call('POST', path, otherwise);
    assert.equal(named.status, 422);
    assert.match(
      String(named.body['message']),
      /metadata\.name: Invalid value: must match the service account name if specified/,
    );
    const missing = await request('default', 'nobody', {});
    assert.equal(missing.status, 404);
    const dry = await request('default', 'asker', {}, '?dryRun=All');
    assert.equal((dry.body['status'] as JsonObject)['token'], '', 'a dry run gives no credential');
    const alice = await server.secure('/api/v1/namespaces/default/serviceaccounts/asker/token', {
      method: 'POST',
      token: tokens.alice,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    assert.equal(alice.status, 403);
    const empty = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {} };
    assert.equal(
      (await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', empty)).status,
      400,
    );
  });

  test("the issuer's documents let anybody else verify a token", async () => {
    const reply = await call('GET', '/.well-known/openid-configuration');
    assert.equal(reply.headers['content-type'], 'application/json');
    assert.match(String(reply.body['jwks_uri']), /^https:\/\/127\.0\.0\.1:\d+\/openid\/v1\/jwks$/);
    assert.deepEqual(reply.body['id_token_signing_alg_values_supported'], ['ES256']);
    const set = await call('GET', '/openid/v1/jwks');
    assert.equal(set.headers['content-type'], 'application/jwk-set+json');
    for (const [path, plain] of [
      ['/.well-known/openid-configuration/', reply],
      ['/openid/v1/jwks/', set],
    ] as const) {
      const slashed = await call('GET', path);
      assert.equal(slashed.status, 200, path);
      assert.equal(slashed.headers['content-type'], plain.headers['content-type'], path);
      assert.deepEqual(slashed.body, plain.body, path);
    }
    const keys = set.body['keys'] as readonly JsonWebKey[];
    assert.ok(
      keys.every((key) => key.d === undefined),
      'public halves only',
    );
    const verifier = createAccountAuthenticator({
      identity: identityOf('kubernetes'),
      clock: systemClock,
      cacheCounts: new TokenCacheCounts(systemClock),
      keys: keys.map((key) => ({
        id: String(key['kid']),
        algorithm: 'ES256',
        publicKey: createPublicKey({ key, format: 'jwk' }),
      })),
      issuers: [String(reply.body['issuer'])],
      audiences: [String(reply.body['issuer'])],
      lookup: false,
      objects: {
        get: () => undefined,
        isWaiting: () => false,
        current: () => Promise.resolve(),
      },
      signatures: createVerificationLine(systemTimers),
    });
    const token = await accountToken('default', 'default');
    assert.equal((await verifier.authenticateToken(token, [])).kind, 'authenticated');
  });

  test('a token secret is filled, revoked when it is deleted, and goes with its account', async () => {
    await makeAccount('default', 'old');
    const secret = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'old' } },
      type: 'kubernetes.io/service-account-token',
    });
    const path = '/api/v1/namespaces/default/secrets';
    const filled = (name: string) =>
      eventually(async () => {
        const data = (ifOk(await call('GET', `${path}/${name}`))?.['data'] ?? {}) as JsonObject;
        return typeof data['token'] === 'string'
          ? Buffer.from(data['token'], 'base64').toString()
          : undefined;
      }, 'a token in the secret');
    await call('POST', path, secret('first'));
    await call('POST', path, secret('second'));
    const [first, second] = [await filled('first'), await filled('second')];
    assert.equal(
      ((await review(first))['user'] as JsonObject)['username'],
      'system:serviceaccount:default:old',
    );
    await call('DELETE', `${path}/first`);
    await eventually(async () => {
      return (await review(first))['authenticated'] === undefined ? true : undefined;
    }, 'the token of the deleted secret is refused');
    assert.equal((await review(second))['authenticated'], true);
    await call('DELETE', '/api/v1/namespaces/default/serviceaccounts/old');
    await eventually(async () => {
      return (await call('GET', `${path}/second`)).status === 404 ? true : undefined;
    }, 'the secret goes with its account');
  });

  test('cluster-info is signed, and signed anew when tokens or the configuration change', async () => {
    const path = '/api/v1/namespaces/kube-public/configmaps';
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cluster-info' } };
    await call('POST', secretsPath, bootstrapSecret('aaaaaa'));
    await call('POST', path, { ...map, data: { kubeconfig: 'one', 'jws-kubeconfig-zzzzzz': 'x' } });
    const data = async (): Promise<Record<string, string>> =>
      (await call('GET', `${path}/cluster-info`)).body['data'] as Record<string, string>;
    const signedFor = (content: string, ids: readonly string[]) =>
      eventually(async () => {
        const found = await data();
        const names = Object.keys(found)
          .filter((key) => key.startsWith('jws-'))
          .sort();
        if (names.join() !== ids.map((id) => `jws-kubeconfig-${id}`).join()) return undefined;
        for (const id of ids) {
          const signature = detachedSigner(content)(id, '0123456789abcdef');
          if (found[`jws-kubeconfig-${id}`] !== signature) return undefined;
        }
        return found;
      }, `signatures of ${content} by ${ids.join()}`);
    await signedFor('one', ['aaaaaa']);
    await call('POST', secretsPath, bootstrapSecret('bbbbbb'));
    await signedFor('one', ['aaaaaa', 'bbbbbb']);
    await call('PATCH', `${path}/cluster-info`, {
      data: { kubeconfig: 'two', note: 'stays' },
    }).then(async (reply) => {
      // The client of this test sends plain JSON: a merge patch has a media type of its own.
      if (reply.status !== 415) return;
      const now = (await call('GET', `${path}/cluster-info`)).body;
      const next = { ...(now['data'] as object), kubeconfig: 'two', note: 'stays' };
      await call('PUT', `${path}/cluster-info`, { ...now, data: next });
    });
    const both = await signedFor('two', ['aaaaaa', 'bbbbbb']);
    assert.equal(both['note'], 'stays');
    await call('DELETE', `${secretsPath}/bootstrap-token-aaaaaa`);
    await signedFor('two', ['bbbbbb']);
    const version = async () =>
      ((await call('GET', `${path}/cluster-info`)).body['metadata'] as JsonObject)[
        'resourceVersion'
      ];
    const settled = await version();
    await call('POST', secretsPath, bootstrapSecret('cccccc', { 'usage-bootstrap-signing': 'no' }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await version(), settled, 'what changes no signature writes nothing');
  });

  test('a bootstrap token authenticates until it expires, and is then cleaned away', async () => {
    const token = 'dddddd.0123456789abcdef';
    const expiration = new Date(Date.now() + 6000).toISOString().replace(/\.\d+/, '');
    const extra = { expiration, 'auth-extra-groups': 'system:bootstrappers:nodes' };
    await call('POST', secretsPath, bootstrapSecret('dddddd', extra));
    const status = await review(token);
    assert.deepEqual(status['user'], {
      username: 'system:bootstrap:dddddd',
      groups: ['system:bootstrappers', 'system:bootstrappers:nodes', 'system:authenticated'],
    });
    await eventually(async () => {
      return (await call('GET', '/api', undefined, token)).status === 401 ? true : undefined;
    }, 'the token is refused');
    await eventually(async () => {
      const { status: code } = await call('GET', `${secretsPath}/bootstrap-token-dddddd`);
      return code === 404 ? true : undefined;
    }, 'the secret is removed');
  });
});

describe('bootstrap tokens over restarts', () => {
  test('a token that expires while the server is down is expired and cleaned at the next start', async () => {
    const first = await startTestServer({ store: 'lmdb' });
    const expiration = new Date(Date.now() + 1500).toISOString().replace(/\.\d+/, '');
    const body = bootstrapSecret('eeeeee', { expiration });
    assert.equal((await first.request('POST', secretsPath, { body })).status, 201);
    await first.stop();
    await new Promise((resolve) => setTimeout(resolve, 1600));
    const second = await startTestServer({
      store: 'lmdb',
      'data-dir': first.dataDir,
      controllers: 'tokencleaner',
    });
    await eventually(async () => {
      const path = `${secretsPath}/bootstrap-token-eeeeee`;
      return (await second.request('GET', path)).status === 404 ? true : undefined;
    }, 'the secret is removed');
    await second.remove();
  });

  test('without the cleaner an expired secret stays, and its token does not count', async () => {
    const server = await startSecureServer({
      controllers: '',
      'enable-bootstrap-token-auth': 'true',
    });
    const call = caller(server);
    const expiration = '2020-01-01T00:00:00Z';
    await call('POST', secretsPath, bootstrapSecret('ffffff', { expiration }));
    const token = 'ffffff.0123456789abcdef';
    assert.equal((await call('GET', '/api', undefined, token)).status, 401);
    assert.equal((await call('GET', `${secretsPath}/bootstrap-token-ffffff`)).status, 200);
    await server.remove();
  });
});
