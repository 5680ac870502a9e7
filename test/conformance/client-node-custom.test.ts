/**
 * The JavaScript client of the field on a kind that its user defines: calls, and an informer that
 * lives through a restart of the server.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ApiextensionsV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
} from '@kubernetes/client-node';
import type { KubernetesListObject, KubernetesObject } from '@kubernetes/client-node';
import { definition } from '../support/data/custom-definitions.ts';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { freePort } from '../support/servers/free-port.ts';

const directories = testDirectories('sluice-informer');

const place = { group: 'shop.example', version: 'v1', namespace: 'default', plural: 'widgets' };

function configOf(server: ChildServer): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return config;
}

async function until(what: () => string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 4000; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`never: ${what()}`);
}

test('an informer on a custom type survives a restart without a relist, a loss or a repeat', async () => {
  const dataDir = directories.make();
  const port = await freePort();
  const flags = [
    `--http-port=${port}`,
    `--data-dir=${dataDir}`,
    '--identity=kubernetes',
    '--shutdown-timeout=2s',
  ];
  let server = await startChildServer(flags);
  const config = configOf(server);
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  await definitions.createCustomResourceDefinition({
    body: definition({ plural: 'widgets', kind: 'Widget' }) as never,
  });
  await until(
    () => 'it is established',
    async () => {
      const name = 'widgets.shop.example';
      const { status } = await definitions.readCustomResourceDefinition({ name });
      return (
        status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') === true
      );
    },
  );
  const api = config.makeApiClient(CustomObjectsApi);
  const create = (name: string): Promise<unknown> =>
    api.createNamespacedCustomObject({
      ...place,
      body: {
        apiVersion: 'shop.example/v1',
        kind: 'Widget',
        metadata: { name },
        spec: { size: 1 },
      },
    });
  await create('before');
  let listsCount = 0;
  const events: string[] = [];
  const informer = makeInformer<KubernetesObject>(
    config,
    '/apis/shop.example/v1/namespaces/default/widgets',
    async () => {
      listsCount += 1;
      const list: unknown = await api.listNamespacedCustomObject(place);
      return list as KubernetesListObject<KubernetesObject>;
    },
  );
  for (const verb of ['add', 'update', 'delete'] as const) {
    informer.on(verb, (object) => events.push(`${verb} ${object.metadata?.name}`));
  }
  let stopping = false;
  informer.on('error', () => {
    if (!stopping) setTimeout(() => void informer.start().catch(() => undefined), 100);
  });
  await informer.start();
  const expected = ['add before', 'add seen', 'add late', 'delete before', 'add after'];
  await create('seen');
  await until(
    () => `seen: ${events.join()}`,
    () => events.length === 2,
  );
  await create('late');
  await api.deleteNamespacedCustomObject({ ...place, name: 'before' });
  assert.equal(await server.stop('SIGKILL'), 'SIGKILL');
  server = await startChildServer(flags);
  await create('after');
  await until(
    () => `all: ${events.join()}`,
    () => events.length >= expected.length,
  );
  assert.deepEqual(events, expected);
  assert.equal(listsCount, 1, 'one list for the whole life');
  stopping = true;
  await informer.stop();
  assert.equal(await server.stop('SIGTERM'), 0);
  await directories.removeAll();
});
