/** One object above the size from which an answer is written in steps, in every representation. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const all = '/api/v1/namespaces/default/configmaps';
const as = (form: string): string => `application/json;as=${form};v=v1;g=meta.k8s.io`;

describe('a large object', () => {
  let server: TestServer;
  let stored: JsonObject;
  before(async () => {
    server = await startTestServer({ 'feature-gates': 'CBORServingAndStorage=true' });
    const data = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`key-${i}`, `ü${'"x"\n'.repeat(25)}: ${i}`]),
    );
    const body = { metadata: { name: 'large', labels: { app: 'x' } }, data };
    stored = (await server.request('POST', all, { body })).body;
  });
  after(() => server.remove());

  const shown = (accept: string, query = ''): Promise<Reply> =>
    server.request('GET', `${all}/large${query}`, { headers: { accept } });
  const versionOf = (object: JsonObject): unknown =>
    (object['metadata'] as JsonObject)['resourceVersion'];

  it('is the same in JSON, in JSON with line breaks and in YAML', async () => {
    const plain = await shown('application/json');
    assert.ok(plain.bytes.length > 200_000);
    assert.deepEqual(plain.body, stored);
    const pretty = await shown('application/json', '?pretty=true');
    assert.match(pretty.text, /^\{\n {2}"/);
    assert.deepEqual(pretty.body, stored);
    const yaml = await shown('application/yaml');
    assert.equal(yaml.headers['content-type'], 'application/yaml');
    assert.deepEqual(parse(yaml.text), stored);
  });

  // Whatever was lost, or was there twice, would be a change.
  for (const format of ['yaml', 'cbor', 'vnd.kubernetes.protobuf']) {
    it(`written back as ${format} is unchanged`, async () => {
      const accept = `application/${format}`;
      const { bytes, headers, status } = await shown(accept);
      assert.deepEqual([status, headers['content-type']], [200, accept]);
      const put = await server.request('PUT', `${all}/large`, {
        headers: { accept, 'content-type': accept },
        body: bytes,
      });
      assert.equal(put.status, 200, put.text.slice(0, 500));
      assert.deepEqual(put.bytes, bytes);
      assert.equal(versionOf((await shown('application/json')).body), versionOf(stored));
    });
  }

  it('is one row of a table, and its metadata alone is small', async () => {
    const table = await shown(as('Table'));
    const [row, ...others] = table.body['rows'] as { cells: unknown[]; object: JsonObject }[];
    assert.deepEqual([row?.cells.slice(0, 2), others], [['large', 2_000], []]);
    assert.deepEqual(row?.object['metadata'], stored['metadata']);
    const { body } = await shown(as('PartialObjectMetadata'));
    assert.deepEqual(body, {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: stored['metadata'],
    });
  });

  it('as the answer to the write that made it is as it is when it is read', async () => {
    const data = { text: 'y'.repeat(100_000) };
    for (const accept of ['application/yaml', 'application/cbor']) {
      const name = accept.slice(-4);
      const body = { metadata: { name }, data };
      const made = await server.request('POST', all, { headers: { accept }, body });
      const read = await server.request('GET', `${all}/${name}`, { headers: { accept } });
      assert.deepEqual(made.bytes, read.bytes);
    }
  });
});
