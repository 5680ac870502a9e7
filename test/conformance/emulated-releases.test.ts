/**
 * Every release that can be emulated takes a minimal object of every kind it serves, through every
 * version it serves, and shows the same object in each.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { deprecationWarning } from '../../src/endpoints/warnings.ts';
import { toVersion } from '../../src/registry/versions.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { withoutFinalizers } from '../support/servers/open-access.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import { eventDemands } from '../support/data/event-requirements.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { kubernetes, versioned } from '../support/data/versioned-kinds.ts';

interface Row {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly stub: JsonObject;
}

const rbac = kubernetes.groups.rbac;

/** Stubs that name a namespace or a version of a subject name those they were written for, and
 * those of alpha versions leave out what only these have a default for. */
const rows = readCorpus<{ readonly cases: readonly Row[] }>('object-stubs/cases.json').cases.map(
  (row): Row => ({
    ...row,
    stub: JSON.parse(
      JSON.stringify(row.stub)
        .replaceAll('etcdstoragepathtestnamespace', 'default')
        .replaceAll(`"apiVersion":"${rbac}/v1alpha1"`, `"apiGroup":"${rbac}"`)
        .replace(/("paramRef":\{"name":"[^"]*")\}/, '$1,"parameterNotFoundAction":"Deny"}'),
    ) as JsonObject,
  }),
);

function collectionOf(kind: KindInfo): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = kind.namespaced ? '/namespaces/default' : '';
  return `${root}/${formatGroupVersion(kind)}${scope}/${kind.resource}`;
}

/** Without what a write has set. */
function contentOf(object: ApiObject): JsonObject {
  const { metadata, ...rest } = object;
  return { ...rest, metadata: { name: metadata.name, annotations: metadata.annotations } };
}

const events = 'events.k8s.io';

const newEvent = (event: ApiObject): ApiObject => ({ ...event, ...eventDemands });

/** Through one version in, through every version of the resource out. */
async function takes(server: TestServer, row: Row, kind: KindInfo, release: number): Promise<void> {
  const source = catalogue.find(
    (each) =>
      kubernetes.fill(each.group) === row.group &&
      each.version === row.version &&
      each.resource === row.resource,
  );
  assert.ok(source, row.resource);
  const apiVersion = formatGroupVersion(row);
  const stub = { metadata: {}, ...row.stub, apiVersion, kind: source.kind } as ApiObject;
  const converted = toVersion(stub, versioned(source), kind);
  const body = kind.group === events ? newEvent(converted) : converted;
  const title = `1.${release} ${collectionOf(kind)}`;
  const made = await server.request('POST', collectionOf(kind), { body });
  assert.equal(made.status, 201, `${title}: ${made.text}`);
  const warning = deprecationWarning(kind, release);
  const warnings = String(made.headers['warning'] ?? '');
  assert.equal(warnings.includes('is deprecated'), warning !== undefined, title);
  if (warning !== undefined) assert.ok(warnings.includes(warning), warnings);

  const object = made.body as unknown as ApiObject;
  const name = object.metadata.name ?? '';
  const { scheme } = server.running.parts.registry;
  const family = scheme.kinds.filter(
    (each) =>
      each.storage.group === kind.storage.group && each.storage.resource === kind.storage.resource,
  );
  for (const other of family) {
    const url = `${collectionOf(other)}/${name}`;
    const shown = await server.request('GET', url);
    assert.equal(shown.status, 200, url);
    const back = toVersion(shown.body as unknown as ApiObject, other, kind);
    assert.deepEqual(contentOf(back), contentOf(object), `${title} through ${url}`);
  }
  const gone = await server.request('DELETE', `${collectionOf(kind)}/${name}?gracePeriodSeconds=0`);
  assert.equal(gone.status, 200, title);
}

/** Releases in which a version came or went. */
const releases = [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 29, 31, 32, 33];

describe('an emulated release takes minimal objects of all it serves', { skip: noVectors }, () => {
  for (const release of releases) {
    it(`1.${release}`, async () => {
      const server = await startTestServer({
        'runtime-config': 'api/all=true',
        'feature-gates': 'AllAlpha=true,AllBeta=true',
        'emulated-version': `1.${release}`,
        ...withoutFinalizers,
      });
      try {
        const { scheme } = server.running.parts.registry;
        let taken = 0;
        for (const row of rows) {
          const source = catalogue.find(
            (each) => kubernetes.fill(each.group) === row.group && each.resource === row.resource,
          );
          // Namespaces stay until a controller has emptied them; there is nothing to convert.
          if (source === undefined || row.resource === 'namespaces') continue;
          const kinds = scheme.kinds.filter(
            (kind) => kind.kind === source.kind && kind.resource === row.resource,
          );
          for (const kind of kinds) {
            await takes(server, row, kind, release);
            taken += 1;
          }
        }
        assert.ok(taken >= 30, `${taken} versions of kinds`);
      } finally {
        await server.remove();
      }
    });
  }
});
