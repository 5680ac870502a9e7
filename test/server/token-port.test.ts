import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { userKubeconfig } from '../../src/server/commands/kubeconfig-command.ts';
import type { KubeconfigOptions } from '../../src/server/commands/kubeconfig-command.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';
import { exchange } from '../support/clients/http-client.ts';
import type { TlsOptions } from '../support/clients/http-client.ts';
import { runToEnd } from '../support/servers/server-process.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Log } from '../../src/server/compose/log.ts';

const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: { server: string } }[];
  readonly users: readonly { readonly name: string; readonly user: Record<string, string> }[];
  readonly contexts: readonly { readonly name: string }[];
  readonly 'current-context': string;
}

const adminToken = (server: SecureServer): string =>
  readFileSync(path.join(server.dataDir, 'pki', 'admin.token'), 'utf8').trim();

/** Who the server takes the caller for, at the port of `url`. */
async function callerAt(
  url: string,
  ca: string,
  { token, ...own }: TlsOptions & { readonly token?: string } = {},
): Promise<{ readonly status: number; readonly name: string }> {
  const asked = { method: 'POST', body: {}, token, tls: { ca, ...own } };
  const { status, body } = await exchange(url, whoAmI, asked);
  const said = body as { status?: { userInfo?: { username?: string } } };
  return { status, name: said.status?.userInfo?.username ?? '' };
}

function logging(): { readonly log: Log; readonly warnings: string[] } {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const warn = (_fields: object, text: string): void => void warnings.push(text);
  return { log: { error: ignore, info: ignore, debug: ignore, warn }, warnings };
}

/** Two ports next to each other, of which the second is taken. */
async function takenNeighbour(): Promise<{ readonly first: number; readonly holder: Server }> {
  const listen = (port: number): Promise<Server | undefined> =>
    new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
    });
  for (;;) {
    const probe = (await listen(0)) as Server;
    const first = (probe.address() as AddressInfo).port;
    const holder = first < 65_535 ? await listen(first + 1) : undefined;
    await new Promise((resolve) => probe.close(resolve));
    if (holder !== undefined) return { first, holder };
  }
}

describe('the port for tokens', () => {
  let server: SecureServer;
  let tokenUrl = '';
  before(async () => {
    server = await startSecureServer();
    tokenUrl = server.running.tokenUrl ?? '';
  });
  after(() => server.remove());

  it('is served by uWebSockets.js where it loads, beside the secure port', async () => {
    const load = await loadUws();
    assert.match(tokenUrl, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.notEqual(tokenUrl, server.secureUrl);
    assert.match(server.running.transport, load.ok ? /, uws \(.*\) over TLS, / : /, node \(/);
  });

  it('knows callers by their token, and nobody by a client certificate', async () => {
    const token = adminToken(server);
    const byToken = await callerAt(tokenUrl, server.caPem, { token });
    assert.deepEqual(byToken, { status: 201, name: 'kubernetes-admin' });
    const { certificatePem: cert, keyPem: key } = await server.clientCertificate('alice');
    const atSecure = await callerAt(server.secureUrl, server.caPem, { cert, key });
    assert.deepEqual(atSecure, { status: 201, name: 'alice' });
    // Anonymous, who may not ask.
    assert.equal((await callerAt(tokenUrl, server.caPem, { cert, key })).status, 403);
    const wrong = { token: 'wrong' };
    assert.equal((await callerAt(tokenUrl, server.caPem, wrong)).status, 401);
  });

  it('is named in the kubeconfig beside the token, and the secure port beside the certificate', () => {
    const file = readFileSync(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8');
    const config = parse(file) as Kubeconfig;
    const servers = config.clusters.map(({ name, cluster }) => [name, cluster.server]);
    assert.deepEqual(servers, [
      ['sluice', server.secureUrl],
      ['sluice-tokens', tokenUrl],
    ]);
    assert.equal(config['current-context'], 'sluice');
    const kinds = config.users.map(({ user }) => Object.keys(user));
    assert.deepEqual(kinds, [['client-certificate-data', 'client-key-data'], ['token']]);
  });

  it('a kubeconfig that is written for a user names the port that takes its credential', async () => {
    const at = ['--data-dir', server.dataDir];
    const tokenFile = path.join(server.dataDir, 'given.token');
    writeFileSync(tokenFile, `${adminToken(server)}\n`);
    const output = path.join(server.dataDir, 'bob.kubeconfig');
    const groups = ['--group', 'devs', '--group', 'ops'];
    const wrote = await runToEnd([
      'kubeconfig',
      ...at,
      '--user=bob',
      ...groups,
      '--output',
      output,
    ]);
    assert.deepEqual([wrote.code, wrote.stdout, wrote.stderr], [0, '', '']);
    assert.equal(statSync(output).mode & 0o777, 0o600);
    const bob = parse(readFileSync(output, 'utf8')) as Kubeconfig;
    assert.equal(bob.clusters[0]?.cluster.server, server.secureUrl);
    const data = (name: string): string =>
      Buffer.from(bob.users[0]?.user[name] ?? '', 'base64').toString();
    const credential = { cert: data('client-certificate-data'), key: data('client-key-data') };
    const called = await callerAt(server.secureUrl, server.caPem, credential);
    assert.deepEqual(called, { status: 201, name: 'bob' });

    const withToken = { dataDir: server.dataDir, user: 'admin', tokenFile };
    const byToken = parse(await userKubeconfig(withToken)) as Kubeconfig;
    assert.equal(byToken.clusters[0]?.cluster.server, tokenUrl);
    assert.equal(byToken.users[0]?.user['token'], adminToken(server));
    // Its head would come in pieces that uWebSockets.js does not take.
    writeFileSync(tokenFile, 'x'.repeat(3_000));
    const long = parse(await userKubeconfig(withToken)) as Kubeconfig;
    assert.equal(long.clusters[0]?.cluster.server, server.secureUrl);
  });

  it('wrong arguments of the command are told apart, and nothing is written', async () => {
    const { dataDir } = server;
    const user = 'x';
    const rows: readonly (readonly [KubeconfigOptions, RegExp])[] = [
      [{ dataDir }, /--user/],
      [{ dataDir, user, validFor: 'never' }, /--valid-for/],
      [{ dataDir, user, tokenFile: '/nowhere' }, /--token-file/],
      [{ dataDir, user, tokenFile: '/dev/null' }, /--token-file: .* is empty/],
      [{ dataDir, user, tokenFile: '/dev/null', group: ['g'] }, /--token-file/],
      [{ dataDir: '/nowhere', user }, /--data-dir/],
    ];
    for (const [options, what] of rows) await assert.rejects(userKubeconfig(options), what);
    const unwritable = ['--user=x', '--output=/nowhere/x'];
    const { code, stdout, stderr } = await runToEnd([
      ...['kubeconfig', '--data-dir', dataDir],
      ...unwritable,
    ]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^sluice: --output: .*\n$/);
  });
});

describe('where the port for tokens', () => {
  it('cannot be had though nobody asked for it, the server starts without it and says so', async () => {
    const { first, holder } = await takenNeighbour();
    const { log, warnings } = logging();
    const server = await startSecureServer({ 'secure-port': String(first) }, log);
    try {
      assert.equal(server.running.tokenUrl, undefined);
      assert.ok(warnings.some((text) => text.includes(`--token-port: ${first + 1}`)));
      const file = readFileSync(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8');
      const { contexts } = parse(file) as Kubeconfig;
      assert.deepEqual(
        contexts.map(({ name }) => name),
        ['sluice'],
      );
    } finally {
      await server.remove();
      holder.close();
    }
  });

  it('was asked for and cannot be had, the server does not start', async () => {
    const { first, holder } = await takenNeighbour();
    await assert.rejects(startSecureServer({ 'token-port': String(first + 1) }), /--token-port/);
    holder.close();
  });

  it('is off, or there is no secure port, it is not served; alone it is refused', async () => {
    const server = await startSecureServer({ 'token-port': 'off' });
    assert.equal(server.running.tokenUrl, undefined);
    await server.remove();
    const alone = startSecureServer({ 'secure-port': 'off', 'token-port': '0' });
    await assert.rejects(alone, /beside --secure-port/);
  });

  it('may speak TLS 1.3 alone, node serves it and 1.2 is refused', async () => {
    const server = await startSecureServer({ 'tls-min-version': 'VersionTLS13' });
    try {
      const { tokenUrl = '' } = server.running;
      const token = adminToken(server);
      assert.equal((await callerAt(tokenUrl, server.caPem, { token })).status, 201);
      const old = callerAt(tokenUrl, server.caPem, { token, maxVersion: 'TLSv1.2' });
      await assert.rejects(old, /protocol version/);
    } finally {
      await server.remove();
    }
  });
});

describe('with plain HTTP alone', () => {
  it('a certificate for a user is refused, for it would count nowhere', async () => {
    const server = await startTestServer();
    try {
      const made = userKubeconfig({ dataDir: server.dataDir, user: 'x' });
      await assert.rejects(made, /--token-file/);
    } finally {
      await server.remove();
    }
  });
});
