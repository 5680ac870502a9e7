/**
 * Keys in a service, in real processes: what is stored can be read with the service alone, the
 * service's keys are exchanged, and a server waits for a service that is away.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { sha256Of } from '../../src/stdx/sha256-of.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import {
  configuration,
  encryptionFlag,
  EncryptedServer,
  versionOf,
} from '../support/servers/encrypted-server.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startKeyService } from '../support/servers/key-service.ts';
import type { TestKeyService } from '../support/servers/key-service.ts';
import { launch, runToEnd, serveArguments } from '../support/servers/server-process.ts';

const directories = testDirectories('kms');
after(() => directories.removeAll());

const provider = (service: TestKeyService, name = 'vault', timeout = '2s'): object => ({
  kms: { apiVersion: 'v2', name, endpoint: `unix://${service.socket}`, timeout },
});
const plain = { identity: {} };
const aescbc = {
  aescbc: { keys: [{ name: 'local', secret: Buffer.alloc(32, 3).toString('base64') }] },
};

const secrets = '/api/v1/namespaces/default/secrets';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { marked: `label-of-${name}` } },
  data: { text: base64(`hunter2-${name}`) },
});

describe('what is encrypted by a key service', () => {
  const world = new EncryptedServer(directories.make());
  let vault: TestKeyService;
  let other: TestKeyService;
  before(async () => {
    vault = await startKeyService(path.join(directories.make(), 's'));
    other = await startKeyService(path.join(directories.make(), 's'));
    await world.save(configuration(['secrets'], provider(vault), plain));
    await world.start();
  });
  after(async () => {
    await world.server.stop();
    vault.stop();
    other.stop();
  });

  const isReadable = async (name: string): Promise<void> => {
    const read = await world.ask('GET', `${secrets}/${name}`);
    assert.ok(read.text.includes(base64(`hunter2-${name}`)), read.text);
  };
  const replace = async (name: string): Promise<boolean> => {
    const read = await world.ask('GET', `${secrets}/${name}`);
    const written = await world.ask(
      'PUT',
      `${secrets}/${name}`,
      JSON.parse(read.text) as JsonObject,
    );
    return versionOf(written) !== versionOf(read);
  };

  const ownName = async (): Promise<string> => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const own = /"name":"(apiserver-[^"]+)"/.exec((await world.ask('GET', leases)).text)?.[1];
    assert.ok(own);
    return own;
  };

  it('cannot be read in the file of the store, and the seed neither', async () => {
    assert.equal((await world.ask('POST', secrets, secret('a'))).status, 201);
    assert.equal((await world.ask('POST', secrets, secret('b'))).status, 201);
    const bytes = await world.bytes();
    assert.ok(bytes.includes('k8s:enc:kms:v2:vault:'));
    for (const hidden of [base64('hunter2-a'), 'label-of-a', '"kind":"Secret"']) {
      assert.ok(!bytes.includes(hidden), `${hidden} lies in the file`);
    }
    for (const seed of vault.seeds) assert.ok(!bytes.includes(seed.toString('latin1')));
    assert.equal(await replace('a'), false, 'it is up to date');
  });

  it('is there again after kill -9, for one question about each seed', async () => {
    await world.server.kill();
    vault.calls.clear();
    await world.start();
    await isReadable('a');
    await isReadable('b');
    assert.equal(vault.calls.get('Decrypt'), 1);
    assert.equal(await replace('a'), false, 'another seed of the same key is as good');
  });

  it('is written anew when the service has another key, and no more than once', async () => {
    vault.keyId = 'key-2';
    await world.server.stop();
    await world.start('--feature-gates=APIServerIdentity=true');
    assert.equal(await replace('a'), true);
    assert.equal(await replace('a'), false);
    const metrics = (await world.ask('GET', '/metrics')).text;
    const server = `apiserver_id_hash="${sha256Of(await ownName())}"`;
    for (const name of ['total', 'last_timestamp_seconds', 'status_last_timestamp_seconds']) {
      assert.match(
        metrics,
        new RegExp(`encryption_key_id_hash_${name}\\{.*${server}\\} [\\d.]+\n`),
      );
    }
    assert.match(metrics, /envelope_encryption_key_id_hash_total\{.*from_storage.*\} \d/);
    assert.match(metrics, /kms_operations_latency_seconds_count\{.*Decrypt.*"OK"\} [12]\n/);
  });

  it('moves to keys of the file and back, while the server runs', async () => {
    await world.save(configuration(['secrets'], aescbc, provider(vault)));
    await world.reloaded('success', 1);
    assert.equal(await replace('a'), true);
    assert.equal(await replace('a'), false);
    await world.save(configuration(['secrets'], provider(vault), aescbc));
    await world.reloaded('success', 2);
    assert.equal(await replace('a'), true);
    assert.equal((await world.ask('POST', secrets, secret('c'))).status, 201);
  });

  it('stays as it is where a new service is not well, and moves when it is', async () => {
    other.mood = 'sick';
    await world.save(configuration(['secrets'], provider(other, 'b', '100ms'), provider(vault)));
    await world.reloaded('failure', 1);
    assert.equal((await world.ask('POST', secrets, secret('d'))).status, 201);
    other.mood = 'well';
    await world.save(configuration(['secrets'], provider(other, 'b'), provider(vault)));
    await world.reloaded('success', 3);
    assert.equal(await replace('d'), true);
    assert.ok((await world.bytes()).includes('k8s:enc:kms:v2:b:'));
    await world.save(configuration(['secrets'], provider(vault), provider(other, 'b')));
    await world.reloaded('success', 4);
    assert.equal(await replace('d'), true);
  });

  it('needs no service that the file names no longer', async () => {
    await world.save(configuration(['secrets'], provider(vault)));
    await world.reloaded('success', 5);
    assert.equal((await world.ask('GET', '/readyz')).status, 200);
    await isReadable('d');
  });

  it('ends a start that waits for it, at a signal', async () => {
    await world.server.stop();
    vault.mood = 'hanging';
    await world.save(configuration(['secrets', 'namespaces'], provider(vault), plain));
    const port = await freePort();
    const flags = [...world.flags(), `--http-port=${port}`];
    const { child, ended } = launch(serveArguments({ dataDir: world.dataDir, flags }), undefined);
    while ((await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined)) === undefined);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    vault.mood = 'well';
    await world.save(configuration(['secrets'], provider(vault)));
  });

  it('is unreadable where a service that is well will not decrypt, and nothing else is', async () => {
    vault.mood = 'refusing';
    await world.start();
    const lost = await world.ask('GET', `${secrets}/a`);
    assert.equal(lost.status, 500);
    assert.match(lost.text, /cannot be decrypted/);
    assert.equal((await world.ask('GET', '/api/v1/namespaces/default')).status, 200);
    vault.mood = 'well';
    await world.server.stop();
  });

  it('can be verified with the service, and not without', async () => {
    // What it has encrypted is in the history.
    await world.save(configuration(['secrets'], provider(vault), provider(other, 'b'), aescbc));
    const command = ['verify', `--data-dir=${world.dataDir}`, `${encryptionFlag}=${world.file}`];
    const sound = await runToEnd(command);
    assert.match(sound.stderr, /is sound: .*compactRevision=\d+$/m);
    vault.stop();
    const without = await runToEnd(command);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /secrets\/default\/a: .*cannot be decrypted/);
    await vault.start();
    await world.start();
  });

  it('is served by several workers, each with seeds of its own', async () => {
    await world.server.stop();
    await world.start('--workers=2');
    for (const name of ['e', 'f', 'g', 'h']) {
      assert.equal((await world.ask('POST', secrets, secret(name))).status, 201);
    }
    for (let round = 0; round < 8; round += 1) {
      for (const name of ['a', 'e', 'f', 'g', 'h']) await isReadable(name);
    }
  });
});

describe('what a primary writes for its workers', () => {
  it('is encrypted by a key service that need not be asked about it', async () => {
    const vault = await startKeyService(path.join(directories.make(), 's'));
    const world = new EncryptedServer(directories.make());
    await world.save(configuration(['*.*'], provider(vault)));
    await world.start('--workers=2');
    const quotas = '/api/v1/namespaces/default/resourcequotas';
    const configMaps = '/api/v1/namespaces/default/configmaps';
    const create = (target: string, kind: string, name: string, spec?: JsonObject) =>
      world.ask('POST', target, {
        apiVersion: 'v1',
        kind,
        metadata: { name },
        ...(spec && { spec }),
      });
    const hard = { configmaps: '50' };
    assert.equal((await create(quotas, 'ResourceQuota', 'few', { hard })).status, 201);
    assert.equal((await create(configMaps, 'ConfigMap', 'a')).status, 201);
    await world.server.stop();
    await world.start('--workers=2');
    vault.stop();
    for (let i = 0; i < 10; i += 1) {
      const made = await create(configMaps, 'ConfigMap', `b${i}`);
      assert.equal(made.status, 201, made.text);
    }
    const quota = await world.ask('GET', `${quotas}/few`);
    assert.match(quota.text, /"used":\{"configmaps":"\d+"\}/);
    await world.server.stop();
  });
});
