/**
 * Owners and dependents on both sides of an aggregated API server: what is collected, by which
 * policy, and what is left alone while the server does not say whether an owner is there.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { sleep, systemTimers } from '../../src/stdx/clock.ts';
import { backendGroup } from '../support/servers/api-backend.ts';
import type { ApiBackend } from '../support/servers/api-backend.ts';
import { startWithWidgets } from '../support/servers/remote-widgets.ts';
import type { RemoteWidgets } from '../support/servers/remote-widgets.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const root = `/apis/${backendGroup}/v1`;

describe('owners and dependents on both sides of another server', () => {
  let server: TestServer;
  let backend: ApiBackend;
  let widgets: RemoteWidgets;
  let removeAll: () => Promise<void>;
  before(async () => {
    ({ server, backend, widgets, remove: removeAll } = await startWithWidgets('garbagecollector'));
    await until(() => backend.asked.some(({ url }) => url.includes('/gears?watch=true')));
  });
  after(() => removeAll());

  const widgetAt = (name: string): string => `${root}/namespaces/default/widgets/${name}`;
  const mapAt = (name: string): string => `/api/v1/namespaces/default/configmaps/${name}`;
  const widget = (name: string, owners: readonly JsonObject[] = []): JsonObject => {
    const { metadata } = widgets.put(
      widgetAt(name),
      owners.length > 0 ? { ownerReferences: owners } : {},
    );
    return ownerOf('Widget', `${backendGroup}/v1`, name, metadata.uid);
  };
  const configMap = async (name: string, owners: readonly JsonObject[] = []) => {
    const body = { metadata: { name, ownerReferences: owners } };
    const made = await server.request('POST', '/api/v1/namespaces/default/configmaps', { body });
    assert.equal(made.status, 201, made.text);
    const { uid } = made.body['metadata'] as { uid: string };
    return ownerOf('ConfigMap', 'v1', name, uid);
  };
  const isThere = async (path: string): Promise<boolean> =>
    (await server.request('GET', path)).status === 200;
  const gone = (path: string) => until(async () => !(await isThere(path)));
  const ownersOf = async (path: string): Promise<unknown> => {
    const { metadata } = (await server.request('GET', path)).body as { metadata: JsonObject };
    return metadata['ownerReferences'] ?? [];
  };
  const remove = (path: string, propagationPolicy = 'Background') =>
    server.request('DELETE', path, { body: { propagationPolicy } });

  it('what is stored here goes when its owner there has gone', async () => {
    const owner = widget('owner');
    await configMap('owned', [owner]);
    await configMap('kept', [owner, widget('other')]);
    await configMap('of-nobody', [{ ...owner, uid: 'another' }]);
    await gone(mapAt('of-nobody'));
    assert.ok(await isThere(mapAt('owned')));
    await remove(widgetAt('owner'));
    await gone(mapAt('owned'));
    await until(async () => JSON.stringify(await ownersOf(mapAt('kept'))).includes('"other"'));
    await until(async () => !JSON.stringify(await ownersOf(mapAt('kept'))).includes('"owner"'));
  });

  it('what is stored here stays while the server there does not say that its owner has gone', async () => {
    widgets.mode = 'silent';
    await configMap('unsure', [ownerOf('Widget', `${backendGroup}/v1`, 'nobody', 'u1')]);
    await configMap('sure', [ownerOf('ConfigMap', 'v1', 'nobody', 'u2')]);
    await gone(mapAt('sure'));
    assert.ok(await isThere(mapAt('unsure')));
    widgets.mode = 'well';
    backend.hangUp();
    await gone(mapAt('unsure'));
  });

  it('what is stored there goes, or forgets its owner, as the owner here is deleted', async () => {
    const [a, b, c] = [await configMap('a'), await configMap('b'), await configMap('c')];
    widget('of-a', [a]);
    widget('of-b', [b]);
    widget('of-c', [{ ...c, blockOwnerDeletion: true }]);
    widget('of-of-a', [ownerOf('Widget', `${backendGroup}/v1`, 'of-a', 'uid-of-of-a')]);
    await remove(mapAt('a'));
    await until(() => !widgets.objects.has(widgetAt('of-a')));
    await until(() => !widgets.objects.has(widgetAt('of-of-a')));
    await remove(mapAt('b'), 'Orphan');
    await gone(mapAt('b'));
    assert.deepEqual(widgets.objects.get(widgetAt('of-b'))?.metadata.ownerReferences ?? [], []);
    await remove(mapAt('c'), 'Foreground');
    await gone(mapAt('c'));
    assert.ok(!widgets.objects.has(widgetAt('of-c')));
  });

  it('an owner there waits for what is stored here, and is let go', async () => {
    const [first, second] = [widget('waits'), widget('orphans')];
    await configMap('blocks', [{ ...first, blockOwnerDeletion: true }]);
    await configMap('left', [second]);
    await remove(widgetAt('waits'), 'Foreground');
    await until(() => !widgets.objects.has(widgetAt('waits')));
    assert.ok(!(await isThere(mapAt('blocks'))));
    await remove(widgetAt('orphans'), 'Orphan');
    await until(() => !widgets.objects.has(widgetAt('orphans')));
    assert.deepEqual(await ownersOf(mapAt('left')), []);
  });

  it('what was deleted while nobody could watch is found out by the next list', async () => {
    const owner = widget('unseen');
    await configMap('of-unseen', [owner]);
    const isAsked = () => backend.asked.some(({ url }) => url.endsWith('/widgets/unseen'));
    await until(isAsked);
    widgets.objects.delete(widgetAt('unseen'));
    backend.hangUp();
    await gone(mapAt('of-unseen'));
  });
});

function ownerOf(kind: string, apiVersion: string, name: string, uid = ''): JsonObject {
  return { apiVersion, kind, name, uid };
}

async function until(look: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await look())) await sleep(systemTimers, 10);
}
