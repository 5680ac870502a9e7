/**
 * The shared minimal objects: every resource that is served takes one, shows it in every way and
 * lets it go (spec 1, sections 1.5, 2.6, 4.1). PATCH and Protobuf rows wait for those features.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { readCorpus } from '../support/data/corpora.ts';
import { withoutFinalizers } from '../support/servers/open-access.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

interface Row {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly stub: { readonly metadata: { readonly name: string } };
}

/** Stubs that name a namespace name the one they were written for. */
const rows = readCorpus<{ readonly cases: readonly Row[] }>('object-stubs/cases.json').cases.map(
  (row): Row => ({
    ...row,
    stub: JSON.parse(
      JSON.stringify(row.stub).replaceAll('etcdstoragepathtestnamespace', 'default'),
    ) as Row['stub'],
  }),
);

interface Shown {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** Fields that the stubs of older versions still have; the version that is served drops them. */
const dropped: ReadonlySet<string> = new Set(['protocol', 'subjects[0].apiVersion']);

/** What the server says it has dropped. */
function unknownFields(warnings: string | string[] | undefined): readonly string[] {
  const text = String(warnings ?? '');
  return [...text.matchAll(/unknown field \\"([^\\]+)\\"/g)].map((found) => found[1] ?? '');
}

/** The row's object with everything in it, as far as the server does not own it. */
function carries(stub: object, shown: object, path = ''): void {
  for (const [name, value] of Object.entries(stub) as [string, unknown][]) {
    const found = (shown as Record<string, unknown>)[name];
    if (name === 'status' && path === '') continue;
    // null is the same as not said.
    if (value === null) continue;
    if (dropped.has(`${path}.${name}`.slice(1).replace(/\.(\d+)/g, '[$1]'))) continue;
    if (Array.isArray(value)) {
      // Items have gained what their types always have; none has come or gone.
      const items = (found ?? []) as readonly unknown[];
      assert.equal(items.length, value.length, `${path}.${name}`);
      carries({ ...value }, { ...items }, `${path}.${name}`);
    } else if (typeof value === 'object' && value !== null) {
      carries(value, found ?? {}, `${path}.${name}`);
    } else assert.deepEqual(found, value, `${path}.${name}`);
  }
}

async function lives(server: TestServer, row: Row, kind: KindInfo): Promise<void> {
  const root = row.group === '' ? '/api' : `/apis/${row.group}`;
  const scope = kind.namespaced ? '/namespaces/default' : '';
  const collection = `${root}/${row.version}${scope}/${row.resource}`;
  const { name } = row.stub.metadata;
  const created = await server.request('POST', collection, { body: row.stub });
  assert.equal(created.status, 201, created.text);
  const object = created.body as unknown as Shown;
  const apiVersion = row.group === '' ? row.version : `${row.group}/${row.version}`;
  assert.equal(object.apiVersion, apiVersion);
  assert.equal(object.kind, kind.kind);
  carries(row.stub, object);
  for (const field of unknownFields(created.headers['warning'])) assert(dropped.has(field), field);

  const one = await server.request('GET', `${collection}/${name}`);
  assert.equal(one.status, 200);
  assert.deepEqual(one.body, created.body);
  const list = await server.request('GET', `${collection}?fieldSelector=metadata.name%3D${name}`);
  assert.equal(list.body['kind'], `${kind.kind}List`);
  assert.deepEqual(list.body['items'], [one.body]);
  const dry = await server.request('POST', `${collection}?dryRun=All`, { body: row.stub });
  assert.equal(dry.status, 409);

  const table = await server.request('GET', collection, {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  const rowsShown = table.body['rows'] as { object: ApiObject }[];
  assert(
    rowsShown.some((each) => each.object.metadata.name === name),
    table.text,
  );

  const watch = await server.openWatch(
    `${collection}?watch=1&fieldSelector=metadata.name%3D${name}`,
  );
  const added = await watch.next();
  assert.deepEqual(added, { type: 'ADDED', object: one.body });
  const deleted = await server.request('DELETE', `${collection}/${name}?gracePeriodSeconds=0`);
  assert.equal(deleted.status, 200, deleted.text);
  let last = await watch.next();
  // A namespace is marked first and goes when it is empty.
  while (last?.type === 'MODIFIED') last = await watch.next();
  assert.equal(last?.type, 'DELETED');
  assert.equal(last.object.metadata.name, name);
  watch.close();
  assert.equal((await server.request('GET', `${collection}/${name}`)).status, 404);
}

describe('object stubs', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      'runtime-config': 'api/all=true',
      'feature-gates': 'DynamicResourceAllocation=true',
      ...withoutFinalizers,
    });
  });
  for (const row of rows) {
    test(`row: ${row.group}/${row.version}/${row.resource}`, async (context) => {
      const { scheme } = server.running.parts.registry;
      const kind = scheme.findResource(row.group, row.version, row.resource);
      if (kind === undefined) {
        return context.skip(
          `${row.group}/${row.version} ${row.resource} ended before the release that is served`,
        );
      }
      await lives(server, row, kind);
    });
  }
  after(() => server.remove());
});
