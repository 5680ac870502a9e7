/**
 * Two servers over one store, each with a key service of its own beside it that holds the same keys:
 * what one writes the other reads, also where its service is away when it comes by.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { testDirectories } from '../support/data/test-directories.ts';
import { configuration } from '../support/servers/encrypted-server.ts';
import { startKeyService } from '../support/servers/key-service.ts';
import type { TestKeyService } from '../support/servers/key-service.ts';
import { startServersOverFdb } from '../support/servers/servers-over-fdb.ts';
import type { ServerOverFdb, ServersOverFdb } from '../support/servers/servers-over-fdb.ts';

const directories = testDirectories('kms');
after(() => directories.removeAll());

const secrets = '/api/v1/namespaces/default/secrets';
interface Listed {
  readonly metadata: { readonly resourceVersion: string };
}

const stale = '?resourceVersion=0';

describe('key services of several servers', () => {
  let servers: ServersOverFdb;
  let one: ServerOverFdb;
  let two: ServerOverFdb;
  let services: readonly TestKeyService[];

  before(async () => {
    const sockets = [1, 2].map(() => path.join(directories.make(), 's'));
    services = await Promise.all(sockets.map(startKeyService));
    const file = path.join(directories.make(), 'keys.json');
    servers = await startServersOverFdb(2, (number) => {
      const endpoint = `unix://${sockets[number - 1]}`;
      const kms = { apiVersion: 'v2', name: 'vault', endpoint, timeout: '200ms' };
      writeFileSync(`${file}.${number}`, configuration(['secrets'], { kms }, { identity: {} }));
      return { 'encryption-provider-config': `${file}.${number}` };
    });
    [one, two] = servers.all as [ServerOverFdb, ServerOverFdb];
  });
  after(async () => {
    await servers.removeAll();
    for (const each of services) each.stop();
  });

  const create = async (at: ServerOverFdb, name: string): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { name } };
    const made = await at.request('POST', secrets, { body });
    assert.equal(made.status, 201, made.text);
  };

  it('let each read what the other wrote, with one seed', async () => {
    assert.equal(services.flatMap((each) => each.seeds).length, 1);
    await create(one, 'a');
    await create(two, 'b');
    for (const each of servers.all) {
      for (const name of ['a', 'b']) {
        const read = await each.request('GET', `${secrets}/${name}`);
        assert.equal(read.status, 200, read.text);
      }
    }
  });

  it('that are away end watches, and nothing is missing when they are back', async () => {
    // The first server takes another key, and so a seed that the second one has not met.
    const watch = await two.openWatch(`${secrets}?watch=true&fieldSelector=metadata.name%3Dc`);
    const list = JSON.parse((await two.request('GET', secrets)).text) as Listed;
    const before = list.metadata.resourceVersion;
    services[1]?.stop();
    for (const each of services) each.keyId = 'key-2';
    const isThere = async (): Promise<boolean> => {
      const { text } = await one.request('GET', '/metrics');
      return /dek_source_cache_size\{provider_name="vault"[^}]*\} 2/.test(text);
    };
    while (!(await isThere())) {
      await one.request('GET', '/healthz');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await create(one, 'c');
    const last = await watch.next();
    assert.deepEqual([last?.type, last?.object.code], ['ERROR', 429]);
    const unread = await two.request('GET', `${secrets}/c`);
    assert.equal(unread.status, 500, 'it is there, and cannot be read yet');
    assert.equal((await two.request('GET', `${secrets}${stale}`)).status, 429);
    assert.equal((await two.request('GET', '/readyz')).status, 500);
    await create(one, 'd');
    const others = await two.request('GET', '/api/v1/namespaces');
    assert.equal(others.status, 200, 'the log is followed');
    await services[1]?.start();
    const isWhole = async (): Promise<boolean> =>
      (await two.request('GET', secrets)).status === 200;
    while (!(await isWhole())) await new Promise((resolve) => setTimeout(resolve, 100));
    const again = await two.openWatch(`${secrets}?watch=true&resourceVersion=${before}`);
    const events = [await again.next(), await again.next()];
    assert.deepEqual(
      events.map((event) => [event?.type, event?.object.metadata.name]),
      [
        ['ADDED', 'c'],
        ['ADDED', 'd'],
      ],
    );
    again.close();
    watch.close();
  });
});
