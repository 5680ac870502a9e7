/**
 * A secured server over the wire: TLS, methods of authentication, anonymous rules, and attacks.
 * What RBAC allows is tested elsewhere; here `root` may do everything, `alice` has no rights.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeAuthority } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import type { RawOptions } from '../../src/server/config/options.ts';
import { leafOf, startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureReply, SecureServer } from '../support/servers/secure-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const pods = '/api/v1/namespaces/default/pods';
const message = (reply: SecureReply): string => String(reply.body['message']);
const newAuthority = (commonName: string): Promise<KeyPair> => {
  const nowMs = Date.now();
  return makeAuthority({ commonName, notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 });
};

/** What a socket says to these bytes, until it is closed. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(text));
    let said = '';
    socket.on('data', (piece) => (said += piece.toString('latin1')));
    socket.on('close', () => resolve(said));
    socket.on('error', reject);
  });
}

const statusOf = (said: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1]);

describe('a secured server', () => {
  let server: SecureServer;
  let proxyCa: KeyPair;
  let userCa: KeyPair;
  const directories = testDirectories('sluice-ca');
  let directory = '';

  before(async () => {
    directory = directories.make();
    proxyCa = await newAuthority('proxies');
    userCa = await newAuthority('users');
    await writeFile(path.join(directory, 'proxy.crt'), proxyCa.certificatePem);
    await writeFile(path.join(directory, 'users.crt'), userCa.certificatePem);
    server = await startSecureServer({
      'client-ca-file': path.join(directory, 'users.crt'),
      'requestheader-client-ca-file': path.join(directory, 'proxy.crt'),
      'requestheader-allowed-names': 'front-proxy',
    });
  });

  after(async () => {
    await server.remove();
    await directories.removeAll();
  });

  const plainPort = (): number => Number(new URL(server.url).port);
  const who = async (as: KeyPair, headers: Record<string, string | string[]> = {}) =>
    /User "([^"]*)"/.exec(message(await server.secure(pods, { as, headers })))?.[1];

  describe('over TLS', () => {
    it('takes a client certificate: common name is the user, organizations are groups', async () => {
      const admin = await server.clientCertificate('some admin', ['system:masters']);
      assert.equal((await server.secure(pods, { as: admin })).status, 200);
      const jane = await server.clientCertificate('jane', ['devs']);
      const reply = await server.secure(pods, { as: jane });
      assert.equal(reply.status, 403);
      assert.equal(
        message(reply),
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
      );
    });

    it('takes certificates of --client-ca-file beside those of its own CA', async () => {
      assert.equal(await who(await leafOf(userCa, 'from another ca')), 'from another ca');
    });

    it('refuses certificates of strangers, of servers, and of proxies that say nothing', async () => {
      const cases = [
        await leafOf(await newAuthority('users'), 'mallory', ['system:masters']),
        await leafOf(userCa, 'mallory', ['system:masters'], keyPurposes.serverAuth),
        await leafOf(proxyCa, 'front-proxy'),
      ];
      for (const as of cases) assert.equal((await server.secure(pods, { as })).status, 401);
    });

    it('takes a token, also beside a certificate that is not known', async () => {
      assert.equal((await server.secure(pods, { token: tokens.admin })).status, 200);
      const as = await leafOf(await newAuthority('other'), 'x');
      assert.equal((await server.secure(pods, { token: tokens.admin, as })).status, 200);
    });

    it('answers over HTTP/2 as well, several requests of one user on one connection', async () => {
      const admin = await server.clientCertificate('h2 user', ['system:masters']);
      const session = connectHttp2(server.secureUrl, {
        ca: server.caPem,
        cert: admin.certificatePem,
        key: admin.keyPem,
      });
      const ask = (headers: Record<string, string | string[]>): Promise<number> =>
        new Promise((resolve, reject) => {
          const stream = session.request({ ':path': pods, ...headers });
          stream.on('response', (head) => resolve(Number(head[':status'])));
          stream.on('error', reject);
          stream.resume();
        });
      assert.deepEqual(await Promise.all([ask({}), ask({}), ask({})]), [200, 200, 200]);
      assert.equal(await ask({ 'impersonate-user': 'joe' }), 403);
      session.close();
      const anonymous = connectHttp2(server.secureUrl, { ca: server.caPem });
      const stream = anonymous.request({ ':path': pods, authorization: 'Bearer nonsense' });
      const status = await new Promise((resolve) => {
        stream.on('response', (head) => resolve(head[':status']));
      });
      assert.equal(status, 401);
      anonymous.close();
    });

    it('speaks no version of TLS before 1.2', async () => {
      const { port } = new URL(server.secureUrl);
      const failed = await new Promise<string>((resolve) => {
        const ciphers = 'DEFAULT@SECLEVEL=0';
        const socket = connectTls({
          port: Number(port),
          host: '127.0.0.1',
          ca: server.caPem,
          minVersion: 'TLSv1.1',
          maxVersion: 'TLSv1.1',
          ciphers,
        });
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
        socket.on('secureConnect', () => resolve('connected'));
      });
      assert.match(failed, /^ERR_SSL_/);
    });
  });

  describe('a caller without credentials', () => {
    it('is anonymous, and told so', async () => {
      for (const reply of [await server.secure(pods), await server.request('GET', pods)]) {
        assert.equal(reply.status, 403);
        assert.match(String(reply.body['message']), /User "system:anonymous" cannot list/);
      }
    });

    it('is not made of wrong ones', async () => {
      for (const token of [
        'x',
        tokens.alice.slice(0, -1),
        `${tokens.alice}x`,
        tokens.alice.toUpperCase(),
      ]) {
        const reply = await server.secure(pods, { token });
        assert.equal(reply.status, 401, token);
        assert.equal(message(reply), 'Unauthorized');
        assert.equal(reply.body['reason'], 'Unauthorized');
        assert(!reply.text.includes(token) || token === 'x');
      }
    });
  });

  describe('an attack fails:', () => {
    const proxyHeaders = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };

    it('the headers of a proxy, without the certificate of one', async () => {
      assert.match(
        message(await server.secure(pods, { headers: proxyHeaders })),
        /system:anonymous/,
      );
      assert.equal(await who(await server.clientCertificate('jane'), proxyHeaders), 'jane');
      const plain = await server.request('GET', pods, { headers: proxyHeaders });
      assert.match(String(plain.body['message']), /system:anonymous/);
      const alice = await server.secure(pods, { token: tokens.alice, headers: proxyHeaders });
      assert.match(message(alice), /User "alice"/);
    });

    it('a proxy with a name that is not allowed, or a user who signs as one', async () => {
      const other = await leafOf(proxyCa, 'other-proxy');
      assert.equal((await server.secure(pods, { as: other, headers: proxyHeaders })).status, 401);
      assert.equal(await who(await leafOf(userCa, 'front-proxy'), proxyHeaders), 'front-proxy');
    });

    it('but the proxy itself says who it is: user, uid, groups, extra', async () => {
      const proxy = await leafOf(proxyCa, 'front-proxy');
      const admin = await server.secure(pods, { as: proxy, headers: proxyHeaders });
      assert.equal(admin.status, 200);
      const several = { 'x-remote-user': 'joe', 'x-remote-group': ['a', 'b'], 'x-remote-uid': '7' };
      assert.equal(await who(proxy, several), 'joe');
      assert.equal(
        (await server.secure(pods, { as: proxy, headers: { 'x-remote-user': '' } })).status,
        401,
      );
    });

    it('two Authorization headers, in either order, over both transports', async () => {
      const lines = (...values: string[]): string =>
        `GET ${pods} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
        values.map((value) => `Authorization: ${value}\r\n`).join('') +
        '\r\n';
      const [good, bad] = [`Bearer ${tokens.admin}`, 'Bearer nonsense'];
      assert.equal(statusOf(await raw(plainPort(), lines(good))), 200);
      for (const values of [
        [good, bad],
        [bad, good],
        [good, good],
        [good, ''],
        ['Basic YTpi', good],
      ]) {
        assert.equal(statusOf(await raw(plainPort(), lines(...values))), 401, values.join(' | '));
      }
      const twice = await server.secure(pods, { headers: { authorization: [good, bad] } });
      assert.equal(twice.status, 401);
    });

    it('tokens that are too long, or hold what no token has', async () => {
      const long = await server.secure(pods, { token: 'a'.repeat(12 * 1024 + 1) });
      assert.equal(long.status, 401);
      for (const token of [`${tokens.admin} x`, `${tokens.admin},x`, ` ${tokens.admin}`]) {
        const headers = { authorization: `Bearer ${token}` };
        assert.equal((await server.secure(pods, { headers })).status, 401, token);
      }
      // Who names no token says nothing of who asks.
      const none = await server.secure(pods, { headers: { authorization: 'Bearer ' } });
      assert.equal(none.status, 403);
    });

    it('paths that read otherwise than they are served', async () => {
      // What is no path of a resource is one of discovery (404), or nobody's to ask (403).
      const tricks: readonly (readonly [string, number])[] = [
        ['//api/v1/namespaces/default/pods', 403],
        ['/api//v1/namespaces/default/pods', 403],
        ['/api/v1//namespaces/default/pods', 403],
        ['/api/v1/namespaces//pods', 403],
        ['/livez/../api/v1/namespaces/default/pods', 403],
        ['/livez/..%2fapi/v1/namespaces/default/pods', 403],
        ['/%61pi/v1/namespaces/default/pods', 403],
        ['/api/v1/namespaces/default%2fpods', 404],
        ['/api/v1/namespaces/default/pods/', 403],
        ['/api/v1/namespaces/default/pods?watch=1&watch=0', 403],
        ['/api/v1/namespaces/default/%70ods', 403],
        ['/API/v1/namespaces/default/pods', 403],
        ['/api/v1/watch/namespaces/default/pods', 403],
        ['/api/v1/namespaces/default/pods/%00', 403],
        ['/api/v1/namespaces/default/pods;x=1', 403],
        ['/api/v1/namespaces/%zz/pods', 400],
      ];
      for (const [target, status] of tricks) {
        const reply = await server.secure(target, { token: tokens.alice });
        assert.equal(reply.status, status, `${target}: ${reply.text}`);
        if (status === 403) assert.match(message(reply), /User "alice" cannot/, target);
      }
    });

    it('a query that cannot be read tells nothing to whoever may not ask', async () => {
      const target = `${pods}?fieldSelector=%zz`;
      assert.equal((await server.secure(target, { token: tokens.alice })).status, 403);
      assert.equal((await server.secure(target, { token: tokens.admin })).status, 400);
    });

    it('impersonation without the right; and it is not a way around one’s own', async () => {
      const headers = { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' };
      const alice = await server.secure(pods, { token: tokens.alice, headers });
      assert.equal(alice.status, 403);
      assert.equal(
        message(alice),
        'users "root" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
      );
      const admin = await server.secure(pods, {
        token: tokens.admin,
        headers: { 'impersonate-user': 'joe' },
      });
      assert.match(message(admin), /User "joe" cannot list/);
    });

    it('a write over an object that is not there, by an apply, is a create', async () => {
      const target = '/api/v1/namespaces/default/configmaps/made';
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } };
      const headers = { 'content-type': 'application/apply-patch+yaml' };
      const send = (token: string) =>
        server.secure(`${target}?fieldManager=me`, { method: 'PATCH', headers, body, token });
      assert.equal((await send(tokens.alice)).status, 403);
      assert.equal((await server.secure(target, { token: tokens.admin })).status, 404);
      assert.equal((await send(tokens.admin)).status, 201);
    });
  });

  it('says no secret in any answer, and gives the administrator’s credentials to its owner alone', async () => {
    const replies = await Promise.all(
      ['/', '/metrics', '/version', pods].map((target) =>
        server.secure(target, { token: tokens.admin }),
      ),
    );
    for (const { text } of replies) assert(!text.includes(tokens.admin));
  });
});

describe('anonymous requests', () => {
  const config = (anonymous: string): string =>
    `apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\n${anonymous}\n`;

  it('are 401 where --anonymous-auth=false says so', async () => {
    const server = await startSecureServer({ 'anonymous-auth': 'false' });
    try {
      for (const target of [pods, '/livez', '/version']) {
        const reply = await server.secure(target);
        assert.equal(reply.status, 401, target);
      }
      assert.equal((await server.secure('/livez', { token: tokens.admin })).status, 200);
    } finally {
      await server.remove();
    }
  });

  it('are served on the paths of the configuration alone', async () => {
    const directories = testDirectories('sluice-anonymous');
    const directory = directories.make();
    const file = path.join(directory, 'authentication.yaml');
    await writeFile(file, config('anonymous: {enabled: true, conditions: [{path: /livez}]}'));
    const server = await startSecureServer({ 'authentication-config': file });
    try {
      assert.notEqual((await server.secure('/livez')).status, 401);
      for (const target of ['/readyz', '/livez/ping', '/livez/', '//livez', '/LIVEZ', pods]) {
        assert.equal((await server.secure(target)).status, 401, target);
      }
    } finally {
      await server.remove();
      await directories.removeAll();
    }
  });

  it('of a file and a flag at once end the start', async () => {
    const directories = testDirectories('sluice-anonymous');
    const directory = directories.make();
    const file = path.join(directory, 'authentication.yaml');
    await writeFile(file, config('anonymous: {enabled: true}'));
    const options = { 'authentication-config': file, 'anonymous-auth': 'true' };
    await assert.rejects(startSecureServer(options), /--anonymous-auth cannot be given/);
    await directories.removeAll();
  });
});

describe('a configuration that would be less safe than it says', () => {
  const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
  const complete = (flags: Record<string, string>) => () =>
    completeConfig({ ...(defaults as RawOptions), ...flags });
  const refused: readonly [Record<string, string>, RegExp][] = [
    [{ 'bind-address': '0.0.0.0' }, /plain HTTP is not served on 0\.0\.0\.0: give --http-port=off/],
    [{ 'bind-address': '10.0.0.1' }, /--insecure-allow-remote-http=true/],
    [{ 'bind-address': '::' }, /plain HTTP/],
    [{ 'secure-port': 'off', 'http-port': 'off' }, /one of them has to be served/],
    [{ 'tls-cert-file': 'x' }, /give both or neither/],
    [{ 'tls-min-version': 'VersionTLS11' }, /--tls-min-version/],
    [{ 'requestheader-allowed-names': 'x' }, /--requestheader-client-ca-file/],
    [{ 'authorization-mode': 'Rbac' }, /--authorization-mode: "Rbac"/],
    [{ 'authorization-mode': 'RBAC,RBAC' }, /repetitions/],
    [{ 'anonymous-auth': 'yes' }, /--anonymous-auth/],
  ];
  for (const [flags, why] of refused) {
    it(`is refused: ${JSON.stringify(flags)}`, () => assert.throws(complete(flags), why));
  }

  it('is not one: loopback, TLS alone elsewhere, plain HTTP where it is asked for by name', () => {
    for (const flags of [
      {},
      { 'bind-address': '::1' },
      { 'bind-address': '127.0.0.2' },
      { 'bind-address': '0.0.0.0', 'http-port': 'off' },
      { 'bind-address': '0.0.0.0', 'insecure-allow-remote-http': 'true' },
    ] as Record<string, string>[]) {
      assert.doesNotThrow(complete(flags), JSON.stringify(flags));
    }
  });
});
