/** Discovery against the documents of a reference server with every version switched on. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { IdentityName } from '../../src/apimachinery/identity.ts';
import { metaTypes } from '../../src/apimachinery/typed/meta-types.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { makeDiscovery } from '../../src/endpoints/discovery/discovery.ts';
import type { Discovery, DiscoveryResult } from '../../src/endpoints/discovery/discovery.ts';
import { versionInfo } from '../../src/endpoints/discovery/version.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { noAggregation } from '../support/doubles/no-aggregation.ts';

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
interface Subresource {
  readonly subresource: string;
  readonly responseKind: Kind;
  readonly verbs: readonly string[];
}
interface Resource {
  readonly resource: string;
  readonly responseKind: Kind;
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Subresource[];
}
interface Aggregated {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly freshness: string;
      readonly resources: readonly Resource[];
    }[];
  }[];
}
interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly verbs: readonly string[];
    readonly storageVersionHash?: string;
  }[];
}

/** What the reference lists and this server does not, and why. Each entry must be needed. */
const notServed: Readonly<Record<string, string>> = {};

/** What this server lists and the reference does not, and why. */
const alsoServed: Readonly<Record<string, string>> = {
  '/v1/pods/resize': 'newer than the reference',
};

function discoveryOf(identity: IdentityName = 'kubernetes', config = ''): Discovery {
  const runtimeConfig = parseRuntimeConfig(config);
  assert.equal(runtimeConfig.kind, 'ok');
  const built = buildScheme({
    identity: identityOf(identity),
    runtimeConfig: runtimeConfig.kind === 'ok' ? runtimeConfig.value : undefined,
    featureGates: new Set([
      'DynamicResourceAllocation',
      'DRADeviceTaints',
      'MutatingAdmissionPolicy',
    ]),
  });
  if (built.kind !== 'ok') throw new Error(built.errors.join('\n'));
  return makeDiscovery({
    scheme: built.scheme,
    identity: identityOf(identity),
    serverAddress: '127.0.0.1:8080',
    aggregation: noAggregation,
    turns: createTurns({ clock: systemClock, timers: systemTimers }),
  });
}

const everything = discoveryOf('kubernetes', 'api/all');

/** What is small is there at once. */
function findNow(discovery: Discovery, path: string, accept?: string): DiscoveryResult {
  const found = discovery.find(path, accept);
  assert.ok(!(found instanceof Promise));
  return found;
}

function fetchText(discovery: Discovery, path: string, accept?: string) {
  const found = findNow(discovery, path, accept);
  if (found.kind !== 'document') throw new Error(`${path}: ${found.kind}`);
  return { ...found.document, text: new TextDecoder().decode(found.document.body) };
}

function fetchJson<T>(discovery: Discovery, path: string, accept?: string): T {
  return JSON.parse(fetchText(discovery, path, accept).text) as T;
}

function aggregatedType(version: string, domain = 'k8s.io'): string {
  return `application/json;g=apidiscovery.${domain};v=${version};as=APIGroupDiscoveryList`;
}

/** kubectl 1.32 and 1.27 on the wire. */
const kubectl132 = `${aggregatedType('v2')},${aggregatedType('v2beta1')},application/json`;
const kubectl127 = `${aggregatedType('v2beta1')},application/json`;

/** One line per resource and subresource. */
function lines(document: Aggregated): Map<string, string> {
  const served = (verbs: readonly string[]) => verbs.join(' ');
  const result = new Map<string, string>();
  for (const group of document.items) {
    for (const version of group.versions) {
      for (const r of version.resources) {
        const name = `${group.metadata.name ?? ''}/${version.version}/${r.resource}`;
        const { kind, group: ownGroup, version: ownVersion } = r.responseKind;
        result.set(
          name,
          [kind, ownGroup, ownVersion, r.scope, r.singularResource, served(r.verbs)]
            .concat(r.shortNames ?? [], r.categories ?? [])
            .join('|'),
        );
        for (const s of r.subresources ?? []) {
          const own = s.responseKind;
          result.set(
            `${name}/${s.subresource}`,
            [own.group, own.version, own.kind, served(s.verbs)].join('|'),
          );
        }
      }
    }
  }
  return result;
}

describe('aggregated discovery', () => {
  const reference = readCorpus<Aggregated>('discovery/aggregated_v2.json');
  const own = fetchJson<Aggregated>(everything, '/apis', kubectl132);

  it(
    'lists what the reference lists, but for what is not served, each with a reason',
    { skip: noVectors },
    () => {
      const expected = lines(reference);
      for (const name of Object.keys(notServed)) expected.delete(name);
      const actual = lines(own);
      for (const name of Object.keys(alsoServed)) actual.delete(name);
      assert.deepEqual([...actual].sort(), [...expected].sort());
    },
  );

  it(
    'has the documents of the reference, member by member, but for what is not served',
    { skip: noVectors },
    () => {
      const served = (verbs: readonly string[]) => verbs;
      const items = reference.items.flatMap((group) => {
        const versions = group.versions.flatMap((version) => {
          const prefix = `${group.metadata.name ?? ''}/${version.version}`;
          const resources = version.resources
            .filter((r) => notServed[`${prefix}/${r.resource}`] === undefined)
            .map(({ subresources, ...r }) => {
              const kept = subresources
                ?.filter((s) => notServed[`${prefix}/${r.resource}/${s.subresource}`] === undefined)
                .map((s) => ({ ...s, verbs: served(s.verbs) }));
              const parts = kept === undefined || kept.length === 0 ? {} : { subresources: kept };
              return { ...r, verbs: served(r.verbs), ...parts };
            });
          return resources.length === 0 ? [] : [{ ...version, resources }];
        });
        return versions.length === 0 ? [] : [{ ...group, versions }];
      });
      assert.deepEqual(own, { ...reference, items });
    },
  );

  it(
    'has the groups, and the versions of each group, in the order of the reference',
    { skip: noVectors },
    () => {
      const order = (document: Aggregated) =>
        document.items
          .filter((group) => own.items.some((g) => g.metadata.name === group.metadata.name))
          .map((group) => [group.metadata.name, ...group.versions.map((v) => v.version)].join(' '));
      assert.deepEqual(order(own), order(reference));
    },
  );

  it('carries the digest of its JSON as ETag, the same for the same JSON', () => {
    const first = fetchText(everything, '/apis', aggregatedType('v2'));
    assert.ok(first.text.endsWith('}\n'));
    const digest = createHash('sha512').update(first.text.slice(0, -1)).digest('hex').toUpperCase();
    assert.equal(first.etag, `"${digest}"`);
    assert.equal(fetchText(everything, '/apis/', kubectl132).etag, first.etag);
    assert.notEqual(fetchText(discoveryOf(), '/apis', kubectl132).etag, first.etag);
  });

  const choices: readonly [string, string | undefined, string][] = [
    ['/apis', kubectl132, aggregatedType('v2')],
    ['/apis', kubectl127, aggregatedType('v2beta1')],
    ['/api', kubectl132, aggregatedType('v2')],
    ['/apis', `${aggregatedType('v3')},application/json`, 'application/json'],
    ['/apis', aggregatedType('v2', 'svc.io') + ',*/*', 'application/json'],
    ['/apis', undefined, 'application/json'],
    ['/apis', 'application/json, */*', 'application/json'],
    ['/apis', 'application/yaml', 'application/yaml'],
    ['/apis/apps', kubectl132, 'application/json'],
    ['/api/v1', kubectl132, 'application/json'],
  ];
  for (const [path, accept, contentType] of choices) {
    it(`at ${path} answers Accept ${accept} with ${contentType}`, () => {
      assert.equal(fetchText(everything, path, accept).contentType, contentType);
    });
  }

  it('names its version and the core group at /api', () => {
    for (const version of ['v2', 'v2beta1']) {
      const core = fetchJson<Aggregated>(everything, '/api', aggregatedType(version));
      assert.equal(core.apiVersion, `apidiscovery.k8s.io/${version}`);
      assert.equal(core.items.length, 1);
      assert.equal(core.items[0]?.metadata.name, undefined);
      assert.equal(core.items[0]?.versions[0]?.version, 'v1');
    }
  });

  it('speaks the names of the other identity', () => {
    const type = aggregatedType('v2', 'svc.io');
    const document = fetchText(discoveryOf('svc'), '/apis', type);
    assert.equal(document.contentType, type);
    assert.ok(!document.text.includes('k8s.io'));
    assert.ok(document.text.includes('"rbac.authorization.svc.io"'));
  });
});

describe('plain discovery', () => {
  it(
    'lists the core resources of the reference, with the same storage version hashes',
    { skip: noVectors },
    () => {
      const reference = readCorpus<ResourceList>('discovery/api__v1.json');
      const own = fetchJson<ResourceList>(everything, '/api/v1');
      const keep = reference.resources.filter((r) => notServed[`/v1/${r.name}`] === undefined);
      const more = Object.keys(alsoServed).map((name) => name.slice('/v1/'.length));
      const listed = [...keep.map((r) => r.name), ...more].sort();
      assert.deepEqual(own.resources.map((r) => r.name).sort(), listed);
      for (const expected of keep) {
        const actual = own.resources.find((r) => r.name === expected.name);
        assert.deepEqual(actual, expected);
      }
    },
  );

  it('names every group, its versions and the preferred one', () => {
    interface Group {
      readonly name: string;
      readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
      readonly preferredVersion: { readonly groupVersion: string };
    }
    const { groups } = fetchJson<{ groups: readonly Group[] }>(everything, '/apis');
    const autoscaling = groups.find((group) => group.name === 'autoscaling');
    assert.deepEqual(
      autoscaling?.versions.map((v) => v.groupVersion),
      ['autoscaling/v2', 'autoscaling/v1'],
    );
    assert.equal(autoscaling.preferredVersion.groupVersion, 'autoscaling/v2');
    for (const group of groups) {
      const alone = fetchJson<Group & { kind: string }>(everything, `/apis/${group.name}`);
      assert.deepEqual(alone, { kind: 'APIGroup', apiVersion: 'v1', ...group });
      for (const { groupVersion } of group.versions) {
        const list = fetchJson<ResourceList>(everything, `/apis/${groupVersion}`);
        assert.equal(list.groupVersion, groupVersion);
        assert.ok(list.resources.length > 0);
      }
    }
  });

  it('shows Scale under its own group and version', () => {
    const list = fetchJson<ResourceList>(everything, '/apis/apps/v1');
    const scale = list.resources.find((r) => r.name === 'deployments/scale');
    assert.deepEqual(
      { ...scale, verbs: undefined },
      {
        name: 'deployments/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: undefined,
      },
    );
  });

  it('says where the server is', () => {
    assert.deepEqual(fetchJson(everything, '/api'), {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:8080' }],
    });
  });

  for (const path of [
    '/apis/none',
    '/apis/apps/v9',
    '/api/v2',
    '/api/v1/x',
    '/apis/apps/v1/x',
    '/',
  ]) {
    it(`has nothing at ${path}`, () => {
      assert.equal(findNow(everything, path).kind, 'not-found');
    });
  }

  it('comes in Protobuf where that is asked for, but not aggregated', () => {
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const schemaOf = (_apiVersion: string, kind: string) => metaTypes.object(`meta/v1.${kind}`);
    for (const path of ['/api', '/apis', '/apis/apps', '/apis/apps/v1', '/api/v1']) {
      const document = fetchText(everything, path, protobuf);
      assert.equal(document.contentType, protobuf);
      const decoded = decodeProtobuf(document.body, schemaOf);
      const value = decoded.kind === 'value' ? (decoded.value as JsonObject) : {};
      const json = fetchJson<JsonObject>(everything, path);
      assert.deepEqual(JSON.parse(JSON.stringify(value)), { apiVersion: 'v1', ...json });
    }
    const aggregated = `${aggregatedType('v2').replace('json', 'vnd.kubernetes.protobuf')},${kubectl132}`;
    assert.equal(fetchText(everything, '/apis', aggregated).contentType, aggregatedType('v2'));
  });

  it('refuses a form that it does not have', () => {
    assert.equal(findNow(everything, '/apis', 'text/html').kind, 'not-acceptable');
    assert.equal(findNow(everything, '/api/v1', aggregatedType('v2')).kind, 'not-acceptable');
  });
});

describe('version', () => {
  it('is a release with this program as build', () => {
    const info = versionInfo({
      release: 33,
      emulated: 24,
      programVersion: '0.1.0',
      runtimeVersion: 'v20.0.0',
      platform: 'linux/x64',
    });
    assert.equal(info['major'], '1');
    assert.equal(info['minor'], '33');
    assert.match(String(info['gitVersion']), /^v1\.33\.0\+sluice\.\d+\.\d+\.\d+$/);
  });
});
