/** PodNodeSelector over HTTP: which nodes the pods of a namespace may run on. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { startConfigured } from '../../support/servers/configured-server.ts';
import type { Reply, TestServer } from '../../support/servers/test-server.ts';

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
const conflict = 'pod node label selector conflicts with its namespace node label selector';
const notListed = 'pod node label selector labels conflict with its namespace whitelist';

describe('the nodes of a namespace', () => {
  let server: TestServer;
  const post = (target: string, body: object): Promise<Reply> =>
    server.request('POST', target, { body });

  before(async () => {
    server = await startConfigured(
      { 'enable-admission-plugins': 'PodNodeSelector' },
      {
        PodNodeSelector: {
          podNodeSelectorPluginConfig: {
            clusterDefaultNodeSelector: 'pool=usual',
            listed: 'env=test, tier=a',
          },
        },
      },
    );
    const make = (name: string, selector?: string) =>
      post('/api/v1/namespaces', {
        metadata: { name, annotations: selector === undefined ? {} : { [annotation]: selector } },
      });
    await make('plain');
    await make('test', 'env=test');
    await make('listed', 'env=test');
    await make('anywhere', '');
    await make('broken', 'env');
  });
  after(() => server.remove());

  const rows: readonly (readonly [
    string,
    JsonObject | undefined,
    JsonObject | string | undefined,
  ])[] = [
    ['plain', undefined, { pool: 'usual' }],
    ['plain', { disk: 'ssd' }, { pool: 'usual', disk: 'ssd' }],
    ['plain', { pool: 'other' }, conflict],
    ['test', undefined, { env: 'test' }],
    ['test', { env: 'test', pool: 'other' }, { env: 'test', pool: 'other' }],
    ['test', { env: 'Test' }, conflict],
    ['listed', { tier: 'a' }, { env: 'test', tier: 'a' }],
    ['listed', { tier: 'b' }, notListed],
    ['listed', { disk: 'ssd' }, notListed],
    ['anywhere', undefined, undefined],
    ['broken', undefined, 'invalid selector: env'],
  ];
  for (const [at, [namespace, nodeSelector, expected]] of rows.entries()) {
    it(`${JSON.stringify(nodeSelector ?? {})} in ${namespace}`, async () => {
      const reply = await post(`/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: `p${at}` },
        spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector },
      });
      if (typeof expected === 'string') {
        assert.equal(reply.status, 403, reply.text);
        assert.equal(reply.body['message'], `pods "p${at}" is forbidden: ${expected}`);
        return;
      }
      assert.equal(reply.status, 201, reply.text);
      assert.deepEqual((reply.body['spec'] as JsonObject)['nodeSelector'], expected);
    });
  }
});
