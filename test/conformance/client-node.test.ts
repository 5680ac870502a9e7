/**
 * The JavaScript client of the field against the executable: plain calls, a watch, and an informer
 * that lives through restarts (spec 1, section 6; the design's promises P2 and P4).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiException, CoreV1Api, KubeConfig, Watch, makeInformer } from '@kubernetes/client-node';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { freePort } from '../support/servers/free-port.ts';

const namespace = 'default';

function configOf(server: ChildServer): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return config;
}

function start(dataDir: string, port: number): Promise<ChildServer> {
  return startChildServer([
    `--http-port=${port}`,
    `--data-dir=${dataDir}`,
    '--identity=kubernetes',
    '--shutdown-timeout=2s',
  ]);
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 4000; attempt += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`never: ${what}`);
}

describe('client-node: calls and watch', () => {
  const directories = testDirectories('sluice-client');
  let dataDir = '';
  let server: ChildServer;
  let config: KubeConfig;
  let api: CoreV1Api;

  before(async () => {
    dataDir = directories.make();
    server = await start(dataDir, 0);
    config = configOf(server);
    api = config.makeApiClient(CoreV1Api);
  });

  test('create, read, list, replace, delete', async () => {
    const created = await api.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'a' }, data: { k: '1' } },
    });
    assert.equal(created.metadata?.name, 'a');
    assert(created.metadata.creationTimestamp instanceof Date);
    const read = await api.readNamespacedConfigMap({ namespace, name: 'a' });
    assert.deepEqual(read, created);
    const replaced = await api.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: { ...read, data: { k: '2' } },
    });
    assert.deepEqual(replaced.data, { k: '2' });
    const stale = api.replaceNamespacedConfigMap({ namespace, name: 'a', body: read });
    await assert.rejects(stale, (error) => error instanceof ApiException && error.code === 409);
    const list = await api.listNamespacedConfigMap({ namespace, limit: 1 });
    assert.deepEqual(
      list.items.map((item) => item.metadata?.name),
      ['a'],
    );
    const deleted = await api.deleteNamespacedConfigMap({ namespace, name: 'a' });
    assert.equal(deleted.status, 'Success');
    const gone = api.readNamespacedConfigMap({ namespace, name: 'a' });
    await assert.rejects(gone, (error) => error instanceof ApiException && error.code === 404);
  });

  test('a Watch sees each change once', async () => {
    const seen: string[] = [];
    let ended: unknown = 'open';
    const watch = new Watch(config);
    const controller = await watch.watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { allowWatchBookmarks: true },
      (type: string, object: V1ConfigMap) => seen.push(`${type} ${object.metadata?.name ?? ''}`),
      (error: unknown) => (ended = error),
    );
    await until('the initial bookmark', () => seen.length === 1);
    await api.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'w' } } });
    await api.deleteNamespacedConfigMap({ namespace, name: 'w' });
    await until('both events', () => seen.length === 3);
    assert.deepEqual(seen, ['BOOKMARK ', 'ADDED w', 'DELETED w']);
    controller.abort();
    await until('the end', () => ended !== 'open');
  });

  after(async () => {
    assert.equal(await server.stop('SIGTERM'), 0);
    await directories.removeAll();
  });
});

test('an informer survives restarts without a relist, a loss or a repeat', async () => {
  const directories = testDirectories('sluice-informer');
  const dataDir = directories.make();
  const port = await freePort();
  let server = await start(dataDir, port);
  const api = configOf(server).makeApiClient(CoreV1Api);
  const create = (name: string): Promise<unknown> =>
    api.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { k: '1' } } });
  const remove = (name: string): Promise<unknown> =>
    api.deleteNamespacedConfigMap({ namespace, name });
  await create('before');

  let listsCount = 0;
  const events: string[] = [];
  const informer = makeInformer<V1ConfigMap>(
    configOf(server),
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => {
      listsCount += 1;
      return api.listNamespacedConfigMap({ namespace });
    },
  );
  for (const verb of ['add', 'update', 'delete'] as const) {
    informer.on(verb, (object) => events.push(`${verb} ${object.metadata?.name}`));
  }
  // The client gives up at the first failure; going on is the application's affair.
  let stopping = false;
  informer.on('error', () => {
    if (!stopping) setTimeout(() => void informer.start().catch(() => undefined), 100);
  });
  await informer.start();
  const expected = ['add before'];
  await until('the state', () => events.length === 1);

  for (const [round, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
    await create(`seen${round}`);
    expected.push(`add seen${round}`);
    await until('the event', () => events.length === expected.length);
    // What happens around the end: written, perhaps not seen before it.
    await create(`late${round}`);
    await remove('before').catch(() => undefined);
    expected.push(`add late${round}`);
    if (round === 0) expected.push('delete before');
    const ended = await server.stop(signal);
    assert.equal(ended, signal === 'SIGTERM' ? 0 : 'SIGKILL');
    server = await start(dataDir, port);
    await create(`after${round}`);
    expected.push(`add after${round}`);
    await until(`everything of round ${round}: ${events.join(', ')}`, () => {
      return events.length >= expected.length;
    });
    assert.deepEqual(events, expected);
  }
  await remove('seen0');
  expected.push('delete seen0');
  await until('the last event', () => events.length >= expected.length);
  assert.deepEqual(events, expected);
  assert.equal(listsCount, 1, 'one list for the whole life');

  stopping = true;
  await informer.stop();
  assert.equal(await server.stop('SIGTERM'), 0);
  await directories.removeAll();
});
