/**
 * Keys of service accounts' tokens that are rotated while tokens are issued and used: the files
 * are read at the start, and never again.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-token-keys');
const account = '/api/v1/namespaces/default/serviceaccounts/default';
const user = 'system:serviceaccount:default:default';
const callers = 8;
const tokensEach = 12;

interface Key {
  readonly secret: string;
  readonly known: string;
}

function makeKey(): Key {
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    secret: String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    known: String(pair.publicKey.export({ type: 'spki', format: 'pem' })),
  };
}

function keyIdOf(token: string): string {
  const [head = ''] = token.split('.');
  return (JSON.parse(String(Buffer.from(head, 'base64url'))) as { kid: string }).kid;
}

function adminTokenOf(dataDir: string): string {
  return readFileSync(path.join(dataDir, 'pki', 'admin.token'), 'utf8').trim();
}

function callerOf(server: TestServer) {
  const admin = adminTokenOf(server.dataDir);
  const post = (target: string, token: string, body: object) =>
    server.request('POST', target, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    async issue(): Promise<string> {
      const apiVersion = 'authentication.k8s.io/v1';
      const body = { apiVersion, kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
      const reply = await post(`${account}/token`, admin, body);
      assert.equal(reply.status, 201, reply.text);
      return (JSON.parse(reply.text) as { status: { token: string } }).status.token;
    },
    /** The user that the token shows; '' when it shows none. */
    async userOf(token: string): Promise<string> {
      const apiVersion = 'authentication.k8s.io/v1';
      const target = `/apis/${apiVersion}/selfsubjectreviews`;
      const reply = await post(target, token, { apiVersion, kind: 'SelfSubjectReview' });
      if (reply.status === 401) return '';
      assert.equal(reply.status, 201, reply.text);
      const { status } = JSON.parse(reply.text) as { status: { userInfo: { username: string } } };
      return status.userInfo.username;
    },
  };
}

/** Issues tokens and uses each at once, by several callers, with `between` after each. */
async function underLoad(server: TestServer, between: () => void): Promise<string[]> {
  const caller = callerOf(server);
  const tokens: string[] = [];
  const one = async (): Promise<void> => {
    for (let i = 0; i < tokensEach; i += 1) {
      const token = await caller.issue();
      between();
      assert.equal(await caller.userOf(token), user);
      tokens.push(token);
    }
  };
  await Promise.all(Array.from({ length: callers }, one));
  return tokens;
}

describe('keys of tokens that are rotated under load', () => {
  const dataDir = directories.make();
  const file = (name: string): string => path.join(dataDir, name);
  const [first, second] = [makeKey(), makeKey()];
  const signing = file('signing.pem');
  const known = file('known.pem');
  let old: readonly string[] = [];
  let fresh: readonly string[] = [];
  let running: TestServer | undefined;
  const stop = async (): Promise<void> => {
    const server = running;
    running = undefined;
    await server?.stop();
  };
  afterEach(stop);
  after(() => directories.removeAll());

  const start = async (): Promise<TestServer> => {
    const server = await startTestServer({
      'data-dir': dataDir,
      store: 'lmdb',
      'anonymous-auth': 'false',
      'authorization-mode': 'RBAC',
      'service-account-signing-key-file': signing,
      'service-account-key-file': known,
    });
    running = server;
    const made = await server.request('POST', path.posix.dirname(account), {
      headers: {
        authorization: `Bearer ${adminTokenOf(dataDir)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ metadata: { name: 'default' } }),
    });
    assert.ok(made.status === 201 || made.status === 409, made.text);
    return server;
  };

  it('a file that is replaced, cut short or gone changes no token before a restart', async () => {
    writeFileSync(signing, first.secret);
    writeFileSync(known, first.known);
    const server = await start();
    let step = 0;
    const rotate = [
      () => writeFileSync(signing, second.secret.slice(0, 60)),
      () => writeFileSync(known, second.known.slice(0, 60)),
      () => rmSync(known),
      () => writeFileSync(known, second.known),
      () => writeFileSync(file('new.pem'), second.secret),
      () => renameSync(file('new.pem'), signing),
    ];
    old = await underLoad(server, () => rotate[step++ % rotate.length]?.());
    await stop();
    assert.ok(step >= 2 * rotate.length);
    assert.equal(new Set(old.map(keyIdOf)).size, 1);
  });

  it('after it the new key signs, and tokens of the old one count while its key is listed', async () => {
    writeFileSync(signing, second.secret);
    writeFileSync(known, `${first.known}${second.known}`);
    const server = await start();
    const { userOf } = callerOf(server);
    const waiting = [...old];
    const used: Promise<string>[] = [];
    fresh = await underLoad(server, () => used.push(userOf(waiting.pop() ?? '')));
    assert.deepEqual([...new Set(await Promise.all(used))], [user]);
    assert.equal(used.length, old.length);
    await stop();
    assert.equal(new Set(fresh.map(keyIdOf)).size, 1);
    assert.notEqual(keyIdOf(fresh[0] ?? ''), keyIdOf(old[0] ?? ''));
  });

  it('a list of keys whose last one is cut short is refused at the start', async () => {
    writeFileSync(known, `${second.known}${first.known.slice(0, -30)}`);
    await assert.rejects(start(), /--service-account-key-file: .*a PEM block that has no end/);
    writeFileSync(known, second.known);
    writeFileSync(signing, second.secret.slice(0, 100));
    await assert.rejects(start(), /--service-account-signing-key-file: .*no private key in PEM/);
    writeFileSync(signing, second.secret);
  });

  it('tokens of a key that is no longer listed are 401, those of the others go on', async () => {
    const server = await start();
    const { userOf } = callerOf(server);
    const shown = await Promise.all([...old, ...fresh].map(userOf));
    await stop();
    assert.deepEqual(shown, [...old.map(() => ''), ...fresh.map(() => user)]);
  });
});
