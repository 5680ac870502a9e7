/**
 * A sample of the shared selector vectors through HTTP lists: what parses selects, what does not is
 * 400 and never widens the list (spec 1, section 4.2). The vectors in full are tested on the parser.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readCorpus } from '../support/data/corpora.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { podSpec } from '../support/data/valid-objects.ts';

interface LabelVectors {
  readonly parse: readonly { readonly selector: string; readonly valid: boolean }[];
  readonly matches: readonly {
    readonly selector?: string;
    /** The same as `key=value` joined with commas. */
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly labels: Readonly<Record<string, string>>;
    readonly match: boolean;
  }[];
}

interface FieldVectors {
  readonly parse: readonly { readonly selector: string; readonly valid: boolean }[];
}

const labels = readCorpus<LabelVectors>('selectors/labels.json');
const fields = readCorpus<FieldVectors>('selectors/fields.json');
const collection = '/api/v1/namespaces/default/configmaps';

describe('selectors over HTTP', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });

  const list = (name: string, selector: string) =>
    server.request('GET', `${collection}?${name}=${encodeURIComponent(selector)}`);

  for (const [i, row] of labels.matches.entries()) {
    const equalities = Object.entries(row.matchLabels ?? {}).map((pair) => pair.join('='));
    const selector = row.selector ?? equalities.join(',');
    test(`label row ${i}: ${selector} on ${JSON.stringify(row.labels)}`, async () => {
      const made = await server.request('POST', collection, {
        body: { metadata: { name: `row${i}`, labels: row.labels } },
      });
      assert.equal(made.status, 201, made.text);
      const reply = await list('labelSelector', selector);
      assert.equal(reply.status, 200, reply.text);
      assert.equal((reply.body['items'] as object[]).length, row.match ? 1 : 0);
      await server.request('DELETE', `${collection}/row${i}`);
    });
  }

  for (const [name, rows] of [
    ['labelSelector', labels.parse],
    ['fieldSelector', fields.parse],
  ] as const) {
    for (const row of rows) {
      test(`${name} ${JSON.stringify(row.selector)} is ${row.valid ? 'read' : '400'}`, async () => {
        const reply = await list(name, row.selector);
        // A field selector that parses may still name a field that the kind does not have.
        const unknownField = /known field selector|not supported/.test(reply.text);
        if (row.valid) assert(reply.status === 200 || unknownField, reply.text);
        else assert.equal(reply.status, 400, reply.text);
      });
    }
  }

  test("a kind's own fields select, with the value that stands for unset", async () => {
    const pods = '/api/v1/namespaces/default/pods';
    for (const [name, spec] of Object.entries({
      here: podSpec({ nodeName: 'n' }),
      nowhere: podSpec(),
    })) {
      await server.request('POST', pods, { body: { metadata: { name }, spec } });
    }
    const names = async (selector: string): Promise<unknown> => {
      const reply = await server.request(
        'GET',
        `${pods}?fieldSelector=${encodeURIComponent(selector)}`,
      );
      assert.equal(reply.status, 200, reply.text);
      const items = reply.body['items'] as unknown as { metadata: { name: string } }[];
      return items.map((item) => item.metadata.name);
    };
    assert.deepEqual(await names('spec.nodeName=n'), ['here']);
    assert.deepEqual(await names('spec.nodeName='), ['nowhere']);
    assert.deepEqual(await names('spec.nodeName!=n'), ['nowhere']);
    assert.deepEqual(await names('spec.restartPolicy=Always'), ['here', 'nowhere']);
    assert.deepEqual(await names('status.phase=Pending,metadata.name=here'), ['here']);
    const unknown = await server.request('GET', `${pods}?fieldSelector=spec.nope%3D1`);
    assert.equal(unknown.status, 400);
    assert.equal(unknown.body['message'], 'field label not supported: spec.nope');
  });

  test('selects what has no namespace by one only where the kind lists no fields', async () => {
    const statusOf = async (path: string): Promise<number> =>
      (await server.request('GET', `${path}?fieldSelector=metadata.namespace%3Dx`)).status;
    assert.equal(await statusOf('/api/v1/persistentvolumes'), 200);
    assert.equal(await statusOf('/api/v1/nodes'), 400);
    assert.equal(await statusOf('/api/v1/namespaces'), 400);
  });

  after(() => server.remove());
});
