/** The authentication configuration of a running server: read again when it changes. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { signedByRsa } from '../support/data/forged-tokens.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { tlsPair, tlsServerOptions } from '../support/data/tls-pair.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import type { RemoteService } from '../support/servers/remote-service.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-authentication');

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const reloads = 'apiserver_authentication_config_controller_automatic_reloads_total';

const issuerEntry = (url: string): JsonObject => ({
  issuer: { url, audiences: ['cluster'], certificateAuthority: tlsPair.certificatePem },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('the authentication configuration', () => {
  let directory = '';
  let file = '';
  let server: SecureServer;
  let issuer: RemoteService;
  let silent: Server;
  const held = new Set<Socket>();
  let issuerUrl = '';
  let silentUrl = '';
  const logged: string[] = [];

  /** Whole, as an editor saves it. */
  async function save(text: string): Promise<void> {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }
  const configuration = (fields: JsonObject): string =>
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1beta1',
      kind: 'AuthenticationConfiguration',
      ...fields,
    });
  const anonymousOn = (...paths: readonly string[]): JsonObject => ({
    anonymous: { enabled: true, conditions: paths.map((each) => ({ path: each })) },
  });
  const statusOf = async (target: string, token?: string): Promise<number> =>
    (await server.secure(target, token === undefined ? {} : { token })).status;
  const metrics = async (): Promise<string> =>
    (await server.secure('/metrics', { token: tokens.admin })).text;
  async function until(what: string, met: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await met()); tries += 1) {
      assert.ok(tries < 20_000, what);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const tokenOf = (iss: string): string => {
    const claims = { iss, aud: 'cluster', sub: 'jane', exp: Math.floor(Date.now() / 1000) + 600 };
    return signedByRsa({ alg: 'RS256', kid: 'one' }, claims, pair.privateKey);
  };

  before(async () => {
    directory = directories.make();
    file = path.join(directory, 'authentication.yaml');
    issuer = await startRemoteService((_body, request, response) => {
      const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'one' };
      const document = { issuer: issuerUrl, jwks_uri: `${issuerUrl}/jwks` };
      response.end(JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : document));
    }, tlsServerOptions);
    silent = createServer((socket) => {
      held.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    issuerUrl = issuer.url;
    silentUrl = `https://localhost:${portOf(silent)}`;
    const jwt = [issuerEntry(silentUrl)];
    await writeFile(file, configuration({ ...anonymousOn('/livez'), jwt }));
    const note = (fields: object, message: string): void => {
      const { err } = fields as { err?: Error };
      logged.push(`${message} ${err?.message ?? ''}`);
    };
    const log = { error: note, warn: note, info: note, debug: note };
    server = await startSecureServer({ 'authentication-config': file }, log);
  });
  after(async () => {
    for (const socket of held) socket.destroy();
    silent.close();
    await server.remove();
    issuer.close();
    await directories.removeAll();
  });

  it('an issuer that says nothing holds up neither the start nor the logins of others', async () => {
    let known: number | undefined;
    const waiting = statusOf('/version', tokenOf(silentUrl)).then((status) => (known = status));
    await until('the issuer is asked', () => Promise.resolve(held.size > 0));
    assert.equal(await statusOf('/version', tokens.alice), 200);
    assert.equal(await statusOf('/version', 'nonsense'), 401);
    assert.equal(await statusOf('/livez'), 200);
    assert.equal(known, undefined, 'it waits still');
    for (const socket of held) socket.destroy();
    assert.equal(await waiting, 401);
  });

  it('that is good is taken: anonymous paths, and issuers', async () => {
    assert.equal(await statusOf('/version'), 401);
    assert.equal(await statusOf('/version', tokenOf(issuerUrl)), 401);
    const jwt = [issuerEntry(issuerUrl)];
    await save(configuration({ ...anonymousOn('/livez', '/version'), jwt }));
    await until('it is in force', async () => (await statusOf('/version')) === 200);
    assert.equal(await statusOf('/api', tokenOf(issuerUrl)), 200);
    assert.match(await metrics(), new RegExp(`^${reloads}\\{status="success",.*\\} 1$`, 'm'));
  });

  it('that is wrong changes nothing, is logged and counted', async () => {
    const jwt = [{ ...issuerEntry(issuerUrl), unheardOf: true }];
    const rows: readonly (readonly [string, RegExp])[] = [
      [configuration({ anonymous: { enabled: 'yes' } }), /anonymous\.enabled: must be true/],
      [configuration({ jwt, ...anonymousOn('/livez') }), /unheardOf/],
      ['{', /authentication-config/],
    ];
    for (const [at, [text, why]] of rows.entries()) {
      await save(text);
      const failures = new RegExp(`^${reloads}\\{status="failure",.*\\} ${at + 1}$`, 'm');
      await until('it is counted', async () => failures.test(await metrics()));
      const line = logged.findLast((each) => each.includes('is not in force')) ?? '';
      assert.match(line, why);
      assert.equal(await statusOf('/version'), 200);
      assert.equal(await statusOf('/api', tokenOf(issuerUrl)), 200);
    }
  });

  it('that trusts nobody any more ends the logins of its issuers', async () => {
    await save(configuration({ anonymous: { enabled: false } }));
    await until('it is in force', async () => (await statusOf('/version')) === 401);
    assert.equal(await statusOf('/version', tokenOf(issuerUrl)), 401);
    assert.equal(await statusOf('/version', tokens.alice), 200);
  });
});
