/**
 * Everything that the server sends in Protobuf, read by a library that nobody here wrote, from
 * descriptors of the reference's types: it says what the JSON of the same answer says.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import type { CatalogueKind } from '../../src/apis/catalogue.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { corpusPath, noVectors, readCorpus } from '../support/data/corpora.ts';
import { isKnownType, readDocument, readFrames } from '../support/clients/protobuf-reader.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

/** Texts that JSON always has; those that are empty Protobuf leaves out. */
const alwaysThere: ReadonlySet<string> = new Set(['reportingComponent', 'reportingInstance']);

/** Without what is empty: Protobuf has no word for it. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => said(item) ?? {});
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const kept = Object.entries(value)
    .map(([name, each]) => [name, said(each)] as const)
    .filter(([, each]) => each !== undefined && !(Array.isArray(each) && each.length === 0))
    .filter(([name, each]) => each !== '' || !alwaysThere.has(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function alike(one: unknown, other: unknown, what: string): void {
  assert.deepEqual(said(one), said(other), what);
}

/** Items of lists say their kind in JSON only; its version is of the moment. */
function contentOf(list: JsonObject): JsonObject {
  const items = (list['items'] as readonly JsonObject[]).map(
    ({ apiVersion: _version, kind: _kind, ...rest }) => rest,
  );
  const { resourceVersion, ...metadata } = list['metadata'] as JsonObject;
  assert.match(String(resourceVersion), /^[1-9]\d*$/);
  return { ...list, metadata, items };
}

describe('the second reader', () => {
  const folder = path.dirname(corpusPath('fixtures-1.33/core.v1.Pod.json'));
  const fixtures = readdirSync(folder)
    .filter((file) => file.endsWith('.pb'))
    .map((file) => file.slice(0, -'.pb'.length));

  for (const name of fixtures) {
    const fixture = JSON.parse(
      readFileSync(path.join(folder, `${name}.json`), 'utf8'),
    ) as JsonObject;
    const kind = kindOf(fixture);
    if (kind?.type === undefined) continue;
    const { type } = kind;
    it(`reads the reference's ${name}`, () => {
      alike(readDocument(readFileSync(path.join(folder, `${name}.pb`)), type), fixture, name);
    });
  }
});

function kindOf({ apiVersion, kind }: JsonObject): CatalogueKind | undefined {
  return catalogue.find(
    (row) =>
      row.kind === kind &&
      apiVersion === (row.group === '' ? '' : `${kubernetes.fill(row.group)}/`) + row.version,
  );
}

interface Stub {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly stub: JsonObject;
}

function bodyOf({ stub }: Stub, domain: string): JsonObject {
  const text = JSON.stringify(stub)
    .replaceAll('etcdstoragepathtestnamespace', 'default')
    .replaceAll('.k8s.io', `.${domain}`);
  return JSON.parse(text) as JsonObject;
}

const partialType = 'meta/v1.PartialObjectMetadata';

describe('what the server sends', { skip: noVectors }, () => {
  const stubs = readCorpus<{ readonly cases: readonly Stub[] }>('object-stubs/cases.json').cases;

  for (const [identity, transport] of [
    ['kubernetes', 'uws'],
    ['kubernetes', 'node'],
    ['svc', 'node'],
  ] as const) {
    describe(`under the ${identity} identity, by ${transport}`, () => {
      const names = identityOf(identity);
      const protobuf = names.mediaTypes.protobuf;
      let server: TestServer;
      const options = {
        identity,
        transport,
        store: 'lmdb',
        'runtime-config': 'api/all=true',
        'feature-gates': 'AllAlpha=true,AllBeta=true',
      };
      before(async () => {
        server = await startTestServer(options);
      });
      after(() => server.remove());

      const read = (target: string, form = ''): Promise<Reply> => {
        const as = form === '' ? '' : `;as=${form};g=meta.${names.domain};v=v1`;
        return server.request('GET', target, { headers: { accept: `${protobuf}${as}` } });
      };
      const readJson = async (target: string, form = ''): Promise<JsonObject> => {
        const as = form === '' ? '' : `;as=${form};g=meta.${names.domain};v=v1`;
        const headers = { accept: `application/json${as}` };
        return (await server.request('GET', target, { headers })).body;
      };

      const one = async (kind: CatalogueKind, url: string, name: string): Promise<void> => {
        const { type } = kind;
        assert.ok(type !== undefined);
        const own = `${url}/${name}`;
        alike(readDocument((await read(own)).bytes, type), await readJson(own), own);
        alike(
          contentOf(readDocument((await read(url)).bytes, `${type}List`)),
          contentOf(await readJson(url)),
          `the list ${url}`,
        );
        const part = 'PartialObjectMetadata';
        alike(
          readDocument((await read(own, part)).bytes, partialType),
          await readJson(own, part),
          `the metadata of ${own}`,
        );
        alike(
          contentOf(readDocument((await read(url, `${part}List`)).bytes, `${partialType}List`)),
          contentOf(await readJson(url, `${part}List`)),
          `the metadata of ${url}`,
        );
        const watch =
          `${url}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true` +
          `&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name=${name}`;
        const forms = [
          ['', type],
          [part, partialType],
        ] as const;
        await Promise.all(
          forms.map(async ([form, shown]) => {
            const [first, mark] = readFrames((await read(watch, form)).bytes);
            assert.ok(first !== undefined && mark !== undefined);
            assert.equal(first.type, 'ADDED');
            alike(readDocument(first.object, shown), await readJson(own, form), `${own} watched`);
            assert.equal(mark.type, 'BOOKMARK');
            const { metadata } = readDocument(mark.object, shown);
            const { annotations } = metadata as { annotations: JsonObject };
            assert.deepEqual(annotations, { [names.annotations.initialEventsEnd]: 'true' });
          }),
        );
      };

      /** Makes the object, reads it in every form, deletes it; false where it is not served. */
      const tryStub = async (stub: Stub): Promise<boolean> => {
        const { version, resource } = stub;
        const kind = catalogue.find(
          (row) =>
            kubernetes.fill(row.group) === stub.group &&
            row.version === version &&
            row.resource === resource,
        );
        if (kind?.type === undefined || !isKnownType(kind.type)) return false;
        const group = names.fill(kind.group);
        const served = server.running.parts.registry.scheme.kinds.some(
          (each) => each.group === group && each.version === version && each.resource === resource,
        );
        if (!served) return false;
        const root = group === '' ? '/api' : `/apis/${group}`;
        const scope = kind.namespaced ? '/namespaces/default' : '';
        const url = `${root}/${version}${scope}/${resource}`;
        const made = await server.request('POST', url, { body: bodyOf(stub, names.domain) });
        assert.equal(made.status, 201, `${url}: ${made.text}`);
        const { name } = made.body['metadata'] as { name: string };
        await one(kind, url, name);
        await server.request('DELETE', `${url}/${name}?gracePeriodSeconds=0`);
        return true;
      };

      it('of each kind: objects, lists, events and metadata', async () => {
        let tried = 0;
        // Versions of one resource show each other's objects, so they take turns.
        const tryInTurn = async (resource: string): Promise<void> => {
          for (const stub of stubs.filter((each) => each.resource === resource)) {
            if (await tryStub(stub)) tried += 1;
          }
        };
        await Promise.all([...new Set(stubs.map((each) => each.resource))].map(tryInTurn));
        assert.ok(tried >= 20, `${tried} kinds`);
      });

      it('when something is wrong: a Status, alone and as the last event', async () => {
        const url = '/api/v1/namespaces/default/configmaps';
        alike(
          readDocument((await read(`${url}/none`)).bytes, 'meta/v1.Status'),
          await readJson(`${url}/none`),
          'NotFound',
        );
        const wrong = await server.request('POST', url, {
          body: { metadata: { name: 'No' }, data: { 'not a key': '' } },
          headers: { accept: protobuf },
        });
        const status = readDocument(wrong.bytes, 'meta/v1.Status');
        assert.equal(status['reason'], 'Invalid');
        assert.equal((status['details'] as { causes: unknown[] }).causes.length, 2);
        await server.request('POST', url, { body: { metadata: { name: 'last' } } });
        const { metadata } = await readJson(url);
        const { resourceVersion: last } = metadata as { resourceVersion: string };
        await server.running.parts.storage.compact(BigInt(last) as Revision);
        await server.stop();
        server = await startTestServer({ ...options, 'data-dir': server.dataDir });
        const { bytes } = await read(`${url}?watch=true&resourceVersion=1`);
        const [event, ...more] = readFrames(bytes);
        assert.ok(event !== undefined);
        assert.equal(event.type, 'ERROR');
        assert.deepEqual(more, []);
        const gone = readDocument(event.object, 'meta/v1.Status');
        assert.deepEqual([gone['reason'], gone['code']], ['Expired', 410]);
      });
    });
  }
});
