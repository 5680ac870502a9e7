/**
 * What is stored encrypted, in real processes over a real file: nothing of it can be read there, it
 * outlives kill -9, keys are exchanged while the server runs, and without them it is unreadable.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import {
  configuration,
  encryptionFlag as flag,
  EncryptedServer,
  versionOf,
} from '../support/servers/encrypted-server.ts';
import { runToEnd } from '../support/servers/server-process.ts';

const directories = testDirectories('sluice-encryption');
after(() => directories.removeAll());

const secretOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const aesgcm = { aesgcm: { keys: [{ name: 'one', secret: secretOf(1) }] } };
const secretbox = { secretbox: { keys: [{ name: 'two', secret: secretOf(2) }] } };
const aescbc = { aescbc: { keys: [{ name: 'three', secret: secretOf(3) }] } };
const plain = { identity: {} };

const secrets = '/api/v1/namespaces/default/secrets';
const configMaps = '/api/v1/namespaces/default/configmaps';
const secret = (name: string, text: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { marked: `label-of-${name}` } },
  data: { text: Buffer.from(text).toString('base64') },
});
const configMap = (name: string, text: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text },
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('what is stored encrypted', () => {
  const world = new EncryptedServer(directories.make());
  before(async () => {
    await world.save(configuration(['secrets'], aesgcm, plain));
    await world.start();
  });
  after(() => world.server.stop());

  it('cannot be read in the file of the store, and everything else can', async () => {
    assert.equal((await world.ask('POST', secrets, secret('a', 'hunter2-a'))).status, 201);
    assert.equal((await world.ask('POST', secrets, secret('b', 'hunter2-b'))).status, 201);
    assert.equal((await world.ask('POST', configMaps, configMap('c', 'in-the-clear'))).status, 201);
    const bytes = await world.bytes();
    assert.ok(bytes.includes('in-the-clear'));
    assert.ok(bytes.includes('k8s:enc:aesgcm:v1:one:'));
    for (const hidden of [base64('hunter2-a'), 'label-of-a', '"kind":"Secret"']) {
      assert.ok(!bytes.includes(hidden), `${hidden} lies in the file`);
    }
  });

  it('is there again after kill -9: read, listed, selected by its labels, changed', async () => {
    await world.server.kill();
    await world.start();
    assert.ok((await world.ask('GET', `${secrets}/a`)).text.includes(base64('hunter2-a')));
    const selected = await world.ask('GET', `${secrets}?labelSelector=marked%3Dlabel-of-b`);
    assert.ok(selected.text.includes(base64('hunter2-b')));
    assert.ok(!selected.text.includes(base64('hunter2-a')));
    const changed = await world.ask('PUT', `${secrets}/b`, secret('b', 'hunter2-c'));
    assert.equal(changed.status, 200, changed.text);
  });

  it('is written with a new key, also where nothing changes, and no more than once', async () => {
    await world.save(configuration(['secrets'], secretbox, aesgcm));
    await world.reloaded('success', 1);
    const before = await world.ask('GET', `${secrets}/a`);
    const object = JSON.parse(before.text) as JsonObject;
    const tried = await world.ask('PUT', `${secrets}/a?dryRun=All`, object);
    assert.equal(versionOf(tried), versionOf(before), 'a dry run writes nothing');
    const written = await world.ask('PUT', `${secrets}/a`, object);
    assert.notEqual(versionOf(written), versionOf(before));
    const again = await world.ask('PUT', `${secrets}/a`, JSON.parse(written.text) as JsonObject);
    assert.equal(versionOf(again), versionOf(written));
    assert.ok((await world.bytes()).includes('k8s:enc:secretbox:v1:two:'));
  });

  it('stays in force where the file has become wrong', async () => {
    await world.save(configuration(['secrets'], { aesgcm: { keys: [] } }));
    await world.reloaded('failure', 1);
    assert.equal((await world.ask('POST', secrets, secret('d', 'hunter2-d'))).status, 201);
    assert.ok(!(await world.bytes()).includes(base64('hunter2-d')));
  });

  it('is unreadable without its key, and that fails nothing else', async () => {
    await world.save(configuration(['secrets'], aescbc, secretbox));
    await world.server.kill();
    await world.start();
    const gone = await world.ask('GET', `${secrets}/b`);
    assert.equal(gone.status, 500, gone.text);
    assert.match(gone.text, /decrypted/);
    assert.doesNotMatch(gone.text, /hunter2/);
    assert.equal((await world.ask('GET', secrets)).status, 500);
    assert.ok((await world.ask('GET', `${secrets}/a`)).text.includes(base64('hunter2-a')));
    assert.equal((await world.ask('GET', `${configMaps}/c`)).status, 200);
    assert.equal((await world.ask('POST', secrets, secret('e', 'hunter2-e'))).status, 201);
  });

  it('is there again with its key', async () => {
    await world.save(configuration(['secrets'], aescbc, secretbox, aesgcm));
    await world.server.stop();
    await world.start();
    const list = await world.ask('GET', secrets);
    for (const name of ['a', 'c', 'd', 'e']) {
      assert.ok(list.text.includes(base64(`hunter2-${name}`)), name);
    }
  });

  it('can be verified with and without keys, and exported as it is', async () => {
    await world.server.stop();
    const where = [`--data-dir=${world.dataDir}`];
    const without = await runToEnd(['verify', ...where]);
    assert.match(without.stderr, /is sound: .*; \d+ are encrypted and were not decrypted/);
    const withKeys = await runToEnd(['verify', ...where, `${flag}=${world.file}`]);
    assert.match(withKeys.stderr, /is sound: .*compactRevision=\d+$/m);
    await world.save(configuration(['secrets'], secretbox));
    const withOthers = await runToEnd(['verify', ...where, `${flag}=${world.file}`]);
    assert.equal(withOthers.code, 1);
    assert.match(withOthers.stderr, /secrets\/default\/b.*cannot be decrypted/);
    const copy = path.join(world.dataDir, 'export');
    assert.equal((await runToEnd(['export', ...where, `--output=${copy}`])).code, 0);
    assert.ok(!(await readFile(copy)).toString('latin1').includes(base64('hunter2-c')));
    await world.save(configuration(['secrets'], aescbc, secretbox, aesgcm));
    await world.start();
  });
});

describe('what is all encrypted', () => {
  it('holds addresses of services, too, which can be read, claimed and given back', async () => {
    const world = new EncryptedServer(directories.make());
    await world.save(configuration(['*.*'], aesgcm));
    await world.start();
    const services = '/api/v1/namespaces/default/services';
    const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
    const service = { kind: 'Service', spec: { clusterIP: '10.0.0.77', ports: [{ port: 80 }] } };
    const create = (name: string) =>
      world.ask('POST', services, { apiVersion: 'v1', metadata: { name }, ...service });
    assert.equal((await create('a')).status, 201);
    assert.equal((await create('b')).status, 422, 'it is taken');
    await world.server.kill();
    await world.start();
    assert.equal((await world.ask('GET', `${addresses}/10.0.0.77`)).status, 200);
    assert.ok(!(await world.bytes()).includes('"kind":"IPAddress"'));
    assert.equal((await world.ask('DELETE', `${services}/a`)).status, 200);
    assert.equal((await world.ask('GET', `${addresses}/10.0.0.77`)).status, 404);
    assert.equal((await create('b')).status, 201);
    await world.server.stop();
  });
});

describe('a file of keys', () => {
  it('that is wrong stops the start, and no secret of it is told', async () => {
    const directory = directories.make();
    const file = path.join(directory, 'keys.json');
    const short = { aesgcm: { keys: [{ name: 'one', secret: base64('hunter2') }] } };
    await writeFile(file, configuration(['secrets'], short));
    const end = await runToEnd([
      'serve',
      '--identity=kubernetes',
      `--data-dir=${directory}`,
      `${flag}=${file}`,
    ]);
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, /--encryption-provider-config: .*not of the expected length, got 7/);
    assert.ok(!end.stderr.includes(base64('hunter2')));
    const alone = await runToEnd(['serve', `--data-dir=${directory}`, `${flag}-automatic-reload`]);
    assert.equal(alone.code, 2);
    assert.match(alone.stderr, /--encryption-provider-config beside it/);
  });
});
