/**
 * A namespace that is deleted takes along what other servers have in it, and stays for as long as
 * one of them does not answer, or does not let it go.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { objects, part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { sleep, systemTimers } from '../../src/stdx/clock.ts';
import { backendGroup } from '../support/servers/api-backend.ts';
import type { ApiBackend } from '../support/servers/api-backend.ts';
import { startWithWidgets } from '../support/servers/remote-widgets.ts';
import type { RemoteWidgets } from '../support/servers/remote-widgets.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const merge = { 'content-type': 'application/merge-patch+json' };

describe('a namespace with objects of another server', () => {
  let server: TestServer;
  let backend: ApiBackend;
  let widgets: RemoteWidgets;
  let removeAll: () => Promise<void>;
  before(async () => {
    ({ server, backend, widgets, remove: removeAll } = await startWithWidgets('namespace'));
    await until(async () => (await reply(`/apis/${backendGroup}/v1/widgets`)).status === 200);
  });
  after(() => removeAll());
  afterEach(() => void (widgets.mode = 'well'));

  const reply = (target: string) => server.request('GET', target);
  const pathIn = (namespace: string): string =>
    `/apis/${backendGroup}/v1/namespaces/${namespace}/widgets/w`;
  const create = async (name: string, metadata: JsonObject = {}): Promise<void> => {
    await server.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    const body = { metadata: { name: 'c' } };
    await server.request('POST', `/api/v1/namespaces/${name}/configmaps`, { body });
    widgets.put(pathIn(name), metadata);
  };
  const remove = (name: string) => server.request('DELETE', `/api/v1/namespaces/${name}`);
  const gone = (name: string): Promise<true> =>
    until(async () => (await reply(`/api/v1/namespaces/${name}`)).status === 404);
  const conditions = async (name: string): Promise<Record<string, string>> => {
    const { body } = await reply(`/api/v1/namespaces/${name}`);
    const said = objects(part(body, 'status'), 'conditions').filter(
      ({ status }) => status === 'True',
    );
    return Object.fromEntries(said.map((each) => [text(each, 'type'), text(each, 'message')]));
  };

  it('takes them along, and asks in the name of the controller', async () => {
    await create('first');
    widgets.put(pathIn('second'), {});
    await remove('first');
    await gone('first');
    assert.deepEqual([...widgets.objects.keys()], [pathIn('second')]);
    const deletions = backend.asked.filter(({ method }) => method === 'DELETE');
    assert.equal(deletions.length, 1);
    assert.deepEqual(
      [deletions[0]?.headers['x-remote-user'], deletions[0]?.body],
      [
        'system:serviceaccount:kube-system:namespace-controller',
        '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}',
      ],
    );
    widgets.objects.clear();
  });

  it('stays for as long as one of them is held, and says so', async () => {
    await create('held', { finalizers: ['example.com/own'] });
    await remove('held');
    const said = await until(async () => {
      const found = await conditions('held');
      return 'NamespaceFinalizersRemaining' in found ? found : undefined;
    });
    assert.deepEqual(said, {
      NamespaceContentRemaining: `Some resources are remaining: widgets.${backendGroup} has 1 resource instances`,
      NamespaceFinalizersRemaining:
        'Some content in the namespace has finalizers remaining: example.com/own in 1 resource instances',
    });
    assert.equal((await reply('/api/v1/namespaces/held/configmaps/c')).status, 404);
    const body = { metadata: { finalizers: null } };
    await server.request('PATCH', pathIn('held'), { headers: merge, body });
    await gone('held');
  });

  it('stays while a server gives no end of a list, which holds up nothing else', async () => {
    widgets.mode = 'endless list';
    await create('endless');
    await remove('endless');
    const said = await until(async () => {
      const found = await conditions('endless');
      return 'NamespaceDeletionContentFailure' in found ? found : undefined;
    });
    const why = 'error trying to reach service: the answer is too long';
    assert.deepEqual(said, {
      NamespaceDeletionContentFailure: `Failed to delete all resource types, 1 remaining: ${why}`,
    });
    assert.equal((await reply('/api/v1/namespaces/endless/configmaps/c')).status, 404);
    widgets.mode = 'well';
    await gone('endless');
  });

  it('stays while a server is not available, and names its versions', async () => {
    await create('unknown');
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/backend-1';
    const ready = (isReady: boolean) => {
      const endpoints = [{ addresses: ['10.1.2.3'], conditions: { ready: isReady } }];
      return server.request('PATCH', slices, { headers: merge, body: { endpoints } });
    };
    await ready(false);
    await until(async () => (await reply(`/apis/${backendGroup}/v1/widgets`)).status === 503);
    await remove('unknown');
    const said = await until(async () => {
      const found = await conditions('unknown');
      return 'NamespaceDeletionDiscoveryFailure' in found ? found : undefined;
    });
    const version = `${backendGroup}/v1`;
    assert.deepEqual(said, {
      NamespaceDeletionDiscoveryFailure:
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of ' +
        `server APIs: ${version}: stale GroupVersion discovery: ${version}`,
    });
    assert.ok(widgets.objects.has(pathIn('unknown')));
    await ready(true);
    await gone('unknown');
    assert.ok(!widgets.objects.has(pathIn('unknown')));
  });
});

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(systemTimers, 10);
  }
}
