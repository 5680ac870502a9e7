/** Watches of objects whose frames are made in parts, in every representation. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const as = (form: string): string => `application/json;as=${form};v=v1;g=meta.k8s.io`;
const cbor = 'application/cbor';
const protobuf = 'application/vnd.kubernetes.protobuf';
const merge = 'application/merge-patch+json';

const annotations = { note: 'ü'.repeat(40_000) };
const container = { name: 'c', image: 'i', env: [{ name: 'E', value: 'v'.repeat(80_000) }] };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
const scaleTargetRef = { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' };

/** `written`: where it is made and changed; `shown`: where it is watched. */
const kinds = [
  {
    what: 'a kind whose columns read all of it',
    written: '/apis/apps/v1/namespaces/default/deployments',
    shown: '/apis/apps/v1/namespaces/default/deployments',
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  },
  {
    what: 'a kind that is shown in another version',
    written: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    shown: '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    spec: { maxReplicas: 3, scaleTargetRef },
  },
] as const;

describe('a watch of large objects', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ 'feature-gates': 'CBORServingAndStorage=true' });
    for (const { spec, written } of kinds) {
      const body = { metadata: { name: 'large', annotations, labels: { app: 'x' } }, spec };
      const made = await server.request('POST', written, { body });
      assert.equal(made.status, 201, made.text.slice(0, 500));
    }
  });
  after(() => server.remove());

  const get = (path: string, accept: string): Promise<Reply> =>
    server.request('GET', path, { headers: { accept } });

  /** What of this answer is in an event: of a row its object, for it grows older. */
  function shownIn(accept: string, reply: Reply): string {
    const bytes = Buffer.from(reply.bytes);
    // A frame goes on where a body of JSON ends its line.
    if (!accept.includes('Table')) return bytes.toString('latin1').replace(/}\n$/, '}');
    const [row] = reply.body['rows'] as JsonObject[];
    return Buffer.from(JSON.stringify(row?.['object'])).toString('latin1');
  }

  for (const { shown, what, written } of kinds) {
    for (const [accept, query] of [
      ['application/json', ''],
      [cbor, ''],
      [protobuf, ''],
      [as('Table'), ''],
      [as('Table'), '&includeObject=Object'],
      [as('PartialObjectMetadata'), ''],
      [`${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`, ''],
    ] as const) {
      it(`shows ${what} as reads do: ${accept}${query}`, async () => {
        const first = await get(`${shown}/large?x=y${query}`, accept);
        const { metadata } = (await get(`${shown}/large`, 'application/json')).body;
        const from = String((metadata as JsonObject)['resourceVersion']);
        const watch = `${shown}?watch=true&timeoutSeconds=1${query}`;
        const [initial, live] = [
          get(watch, accept),
          get(`${watch}&resourceVersion=${from}`, accept),
        ];
        await initial;
        const body = { metadata: { labels: { at: `r${from}` } } };
        const headers = { 'content-type': merge };
        const patched = await server.request('PATCH', `${written}/large`, { headers, body });
        assert.equal(patched.status, 200);
        const second = await get(`${shown}/large?x=y${query}`, accept);
        const late = await get(`${watch}&resourceVersion=${from}`, accept);
        const selected = await get(`${watch}&labelSelector=at`, accept);
        const text = (reply: Reply): string => Buffer.from(reply.bytes).toString('latin1');
        assert.ok(text(await initial).includes(shownIn(accept, first)), 'initial events');
        assert.ok(text(late).includes(shownIn(accept, second)), 'what was missed');
        assert.ok(text(selected).includes(shownIn(accept, second)), 'a selection');
        assert.ok((await live).status === 200);
      });
    }
  }

  it('shows it once more as it leaves a selection, in its last state', async () => {
    const { metadata } = (await get(`${kinds[0].shown}/large`, 'application/json')).body;
    const from = String((metadata as JsonObject)['resourceVersion']);
    const body = { metadata: { labels: { app: null } } };
    const headers = { 'content-type': merge };
    await server.request('PATCH', `${kinds[0].written}/large`, { headers, body });
    const query = `watch=true&timeoutSeconds=1&labelSelector=app&resourceVersion=${from}`;
    const plain = await get(`${kinds[0].shown}?${query}`, 'application/json');
    const event = JSON.parse(plain.text) as { type: string; object: JsonObject };
    assert.deepEqual([event.type, event.object['kind']], ['DELETED', 'Deployment']);
    const table = await get(`${kinds[0].shown}?${query}&includeObject=Object`, as('Table'));
    const row = JSON.parse(table.text) as { type: string; object: { rows: JsonObject[] } };
    assert.deepEqual([row.type, row.object.rows[0]?.['object']], ['DELETED', event.object]);
  });
});
