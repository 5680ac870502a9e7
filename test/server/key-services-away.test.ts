/**
 * Starts while a key service is away: what needs it answers that it does, everything else is served,
 * and all is whole without a restart when the service is back.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configuration, EncryptedServer, versionOf } from '../support/servers/encrypted-server.ts';
import type { Answer } from '../support/servers/encrypted-server.ts';
import { startKeyService } from '../support/servers/key-service.ts';
import type { TestKeyService } from '../support/servers/key-service.ts';

const directories = testDirectories('kms-away');
after(() => directories.removeAll());

const provider = ({ socket }: TestKeyService, name: string): object => ({
  kms: { apiVersion: 'v2', name, endpoint: `unix://${socket}`, timeout: '1s' },
});
const service = (): Promise<TestKeyService> => startKeyService(path.join(directories.make(), 's'));

const core = '/api/v1/namespaces';
const secrets = `${core}/default/secrets`;
const configMaps = `${core}/default/configmaps`;
const named = (kind: string, name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});
const events = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } })
    .map(({ object, type }) => `${type} ${object.metadata.name}`);

class World extends EncryptedServer {
  async created(target: string, body: JsonObject): Promise<Answer> {
    const made = await this.ask('POST', target, body);
    assert.equal(made.status, 201, made.text);
    return made;
  }

  async codeOf(method: string, target: string, body?: JsonObject): Promise<number> {
    return (await this.ask(method, target, body)).status;
  }

  /** Until it is as it should be; guards against waiting for ever. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 1_200; tries += 1) {
      if (await isSo()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail('it is not as it should be');
  }

  async whole(): Promise<void> {
    await this.until(async () => (await this.codeOf('GET', secrets)) === 200);
  }

  async names(target: string): Promise<string[]> {
    const { text } = await this.ask('GET', target);
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  }
}

describe('a start while the key service is away', () => {
  const world = new World(directories.make());
  let vault: TestKeyService;
  let first: string;
  before(async () => {
    vault = await service();
    await world.save(configuration(['secrets'], provider(vault, 'vault'), { identity: {} }));
    await world.start('--watch-history=1h');
    await world.created(core, named('Namespace', 'going'));
    first = versionOf(await world.created(secrets, named('Secret', 'a')));
    await world.created(secrets, named('Secret', 'b'));
    await world.created(`${core}/going/secrets`, named('Secret', 'held'));
    await world.created(configMaps, named('ConfigMap', 'before'));
    await world.server.kill();
    vault.stop();
    await world.start('--watch-history=1h');
  });
  after(async () => {
    await world.server.stop();
    vault.stop();
  });

  it('serves the others, alive and not ready', async () => {
    assert.equal(await world.codeOf('GET', '/livez'), 200);
    const ready = await world.ask('GET', '/readyz?verbose');
    assert.equal(ready.status, 500);
    for (const name of ['kms-providers', 'informer-sync']) {
      assert.match(ready.text, new RegExp(`\\[-\\]${name} failed`));
    }
    assert.ok((await world.names(configMaps)).includes('before'));
    await world.created(configMaps, named('ConfigMap', 'meanwhile'));
    await world.created(core, named('Namespace', 'new'));
    const watched = `${configMaps}?watch=true&resourceVersion=${first}&timeoutSeconds=1`;
    const seen = events((await world.ask('GET', watched)).text);
    assert.deepEqual(seen, ['ADDED before', 'ADDED meanwhile']);
  });

  it('says of secrets that they cannot be read yet, and takes none for absent', async () => {
    const all = '/api/v1/secrets';
    for (const target of [secrets, all, `${all}?resourceVersion=0`, `${all}?limit=1`]) {
      const list = await fetch(`http://127.0.0.1:${world.server.port}${target}`);
      assert.equal(list.status, 429, target);
      assert.equal(list.headers.get('retry-after'), '2');
      assert.match(await list.text(), /some secrets cannot be read yet/);
    }
    for (const more of [`resourceVersion=${first}`, 'sendInitialEvents=true', '']) {
      const bookmarks = 'allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
      const query = more.startsWith('send') ? `${more}&${bookmarks}` : more;
      assert.equal(await world.codeOf('GET', `${secrets}?watch=true&${query}`), 429, more);
    }
    const one = await world.ask('GET', `${secrets}/a`);
    assert.equal(one.status, 500);
    assert.match(one.text, /secrets\/default\/a cannot be read yet: .*vault: is away/);
    assert.equal(await world.codeOf('GET', `${secrets}/none`), 404);
    assert.equal(await world.codeOf('POST', secrets, named('Secret', 'c')), 500);
    assert.equal(await world.codeOf('POST', secrets, named('Secret', 'a')), 500);
    assert.equal(await world.codeOf('PUT', `${secrets}/a`, named('Secret', 'a')), 500);
    assert.equal(await world.codeOf('DELETE', `${secrets}/a`), 500);
    assert.equal(await world.codeOf('DELETE', secrets), 429);
    const count = /apiserver_storage_objects\{resource="secrets"\} 3\n/;
    assert.match((await world.ask('GET', '/metrics')).text, count);
  });

  it('keeps a namespace that has some of them', async () => {
    assert.equal(await world.codeOf('DELETE', `${core}/going`), 200);
    await world.until(async () =>
      /secrets going\/held cannot be read/.test((await world.ask('GET', `${core}/going`)).text),
    );
  });

  it('is as before after another kill -9, and whole when the service is back', async () => {
    await world.server.kill();
    await world.start('--watch-history=1h');
    assert.equal(await world.codeOf('GET', secrets), 429);
    await vault.start();
    await world.whole();
    assert.deepEqual(await world.names(secrets), ['a', 'b']);
    await world.until(async () => (await world.codeOf('GET', '/readyz')) === 200);
    const watched = `${secrets}?watch=true&resourceVersion=${first}&timeoutSeconds=1`;
    assert.deepEqual(events((await world.ask('GET', watched)).text), ['ADDED b']);
    await world.created(secrets, named('Secret', 'c'));
    assert.deepEqual(events((await world.ask('GET', watched)).text), ['ADDED b', 'ADDED c']);
    await world.until(async () => (await world.codeOf('GET', `${core}/going`)) === 404);
  });

  it('goes on reading and writing when the service is away again', async () => {
    vault.stop();
    assert.deepEqual(await world.names(secrets), ['a', 'b', 'c']);
    await world.created(secrets, named('Secret', 'd'));
    assert.equal(await world.codeOf('DELETE', `${secrets}/d`), 200);
    await world.server.stop();
    await world.start('--workers=2');
    for (let tries = 0; tries < 6; tries += 1) {
      assert.equal(await world.codeOf('GET', secrets), 429);
      assert.equal(await world.codeOf('GET', configMaps), 200);
    }
    await vault.start();
    await world.until(async () => {
      const codes = await Promise.all([1, 2, 3, 4].map(() => world.codeOf('GET', secrets)));
      return codes.every((code) => code === 200);
    });
    assert.deepEqual(await world.names(secrets), ['a', 'b', 'c']);
  });
});

describe('a start while one of two key services is away', () => {
  const world = new World(directories.make());
  const system = `${core}/kube-system/secrets`;
  const token = 'abcdef.0123456789abcdef';
  const flags = ['--enable-bootstrap-token-auth', '--controllers=*'];
  let there: TestKeyService;
  let away: TestKeyService;
  const ownedBy = (kind: string, owner: Answer): JsonObject => {
    const { metadata } = JSON.parse(owner.text) as { metadata: { name: string; uid: string } };
    return { apiVersion: 'v1', kind, name: metadata.name, uid: metadata.uid };
  };
  const owned = (kind: string, name: string, owner: JsonObject): JsonObject => ({
    ...named(kind, name),
    metadata: { name, ownerReferences: [owner] },
  });
  const authenticated = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    const self = `http://127.0.0.1:${world.server.port}${configMaps}`;
    return (await fetch(self, { headers })).status;
  };
  before(async () => {
    [there, away] = [await service(), await service()];
    await world.save(configuration(['secrets'], provider(away, 'away')));
    await world.start(...flags);
    const owner = await world.created(configMaps, named('ConfigMap', 'owner'));
    const hidden = await world.created(secrets, named('Secret', 'hidden'));
    await world.created(secrets, owned('Secret', 'dependent', ownedBy('ConfigMap', owner)));
    await world.created(configMaps, owned('ConfigMap', 'of-hidden', ownedBy('Secret', hidden)));
    await world.created(system, {
      ...named('Secret', 'bootstrap-token-abcdef'),
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
      },
    });
    await world.save(configuration(['secrets'], provider(there, 'there'), provider(away, 'away')));
    await world.server.kill();
    away.stop();
    await world.start(...flags);
  });
  after(async () => {
    await world.server.stop();
    there.stop();
    away.stop();
  });

  it('shows what it can read, and no list', async () => {
    await world.created(secrets, named('Secret', 'shown'));
    assert.equal(await world.codeOf('GET', `${secrets}/shown`), 200);
    assert.equal(await world.codeOf('GET', secrets), 429);
    assert.equal(await world.codeOf('GET', `${core}/kube-public/secrets`), 429);
    assert.equal(await world.codeOf('GET', `${secrets}/hidden`), 500);
    const taken = await world.ask('POST', secrets, named('Secret', 'hidden'));
    assert.equal(taken.status, 500, 'it is there, and cannot be looked at');
    assert.equal(await world.codeOf('DELETE', `${secrets}/shown`), 200);
    assert.equal(await world.codeOf('POST', secrets, named('Secret', 'shown')), 201);
  });

  it('judges nothing by what it cannot read', async () => {
    assert.equal(await authenticated(), 429, 'nobody knows whether there is such a token');
    const orphaning = { propagationPolicy: 'Orphan' };
    assert.equal(await world.codeOf('DELETE', `${configMaps}/owner`, orphaning), 200);
    const hard = { secrets: '10', configmaps: '10' };
    const quotas = `${core}/default/resourcequotas`;
    await world.created(quotas, named('ResourceQuota', 'all', { spec: { hard } }));
    await world.created(quotas, named('ResourceQuota', 'maps', { spec: { hard: { pods: '1' } } }));
    await world.until(async () =>
      /"used":\{"pods":"0"\}/.test((await world.ask('GET', `${quotas}/maps`)).text),
    );
    assert.doesNotMatch((await world.ask('GET', `${quotas}/all`)).text, /"used"/);
    assert.equal(await world.codeOf('GET', `${configMaps}/of-hidden`), 200);
    assert.equal(await world.codeOf('GET', `${configMaps}/owner`), 200, 'who orphans waits');
  });

  it('is whole when that one is back, and then acts on what there is', async () => {
    await away.start();
    await world.whole();
    assert.deepEqual(await world.names(secrets), ['dependent', 'hidden', 'shown']);
    await world.until(async () => (await world.codeOf('GET', `${configMaps}/owner`)) === 404);
    assert.equal(await world.codeOf('GET', `${secrets}/dependent`), 200, 'it was orphaned');
    assert.equal(await world.codeOf('GET', `${configMaps}/of-hidden`), 200);
    const all = `${core}/default/resourcequotas/all`;
    await world.until(async () =>
      /"used":\{"secrets":"3","configmaps":"\d"\}/.test((await world.ask('GET', all)).text),
    );
    assert.notEqual(await authenticated(), 429);
  });
});

describe('a start while the service is away that has the keys of what the server decides by', () => {
  it('waits for it', async () => {
    const vault = await service();
    const world = new World(directories.make());
    await world.save(configuration(['namespaces'], provider(vault, 'vault')));
    await world.start();
    await world.server.stop();
    vault.stop();
    let isServing = false;
    const starting = world.start().then(() => (isServing = true));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    assert.equal(isServing, false);
    await vault.start();
    await starting;
    assert.equal(await world.codeOf('GET', `${core}/default`), 200);
    await world.server.stop();
    vault.stop();
  });
});
