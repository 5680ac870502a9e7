/** APIServices: their bytes, their condition, and those of the versions that are served here. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeMessage } from '../../src/apimachinery/codecs/protobuf-encode.ts';
import { decodeProtobuf, sealEnvelope } from '../../src/apimachinery/codecs/protobuf.ts';
import { identityNames, identityOf } from '../../src/apimachinery/identity.ts';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { apiServiceStrategy } from '../../src/apis/apiregistration/strategy.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { localApiServices, prioritiesOf } from '../../src/apis/local-api-services.ts';
import { currentRelease, isKnown, oldestRelease } from '../../src/apis/served-versions.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';

const kubernetes = identityOf('kubernetes');
const types = fieldTypes(kubernetes);

const spec: JsonObject = {
  service: { namespace: 'n', name: 's', port: 443 },
  group: 'a',
  version: 'v1',
  insecureSkipTLSVerify: true,
  caBundle: 'AQI=',
  groupPriorityMinimum: 100,
  versionPriority: 15,
};
const status: JsonObject = {
  conditions: [
    {
      type: 'Available',
      status: 'True',
      lastTransitionTime: '1970-01-01T00:00:01Z',
      reason: 'R',
      message: 'M',
    },
  ],
};

/** Field number and wire type, length, content: as the public definition numbers them. */
const specBytes = [
  '0a09 0a016e 120173 18bb03',
  '1201 61',
  '1a02 7631',
  '2001',
  '2a02 0102',
  '3864',
  '400f',
].join('');
const statusBytes = '0a1d 0a09417661696c61626c65 120454727565 1a0408011000 220152 2a014d';
const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('APIServices in Protobuf', () => {
  for (const version of ['v1', 'v1beta1']) {
    const typeOf = (name: string) => types.object(`apiregistration/${version}.${name}`);

    it(`${version} are written field by field under the public numbers`, () => {
      const written = (name: string, value: JsonObject): string =>
        Buffer.from(encodeMessage(typeOf(name), value)).toString('hex');
      assert.equal(written('APIServiceSpec', spec), bytesOf(specBytes).toString('hex'));
      assert.equal(written('APIServiceStatus', status), bytesOf(statusBytes).toString('hex'));
    });

    it(`${version} are read from them, numbers that were given up passed over`, () => {
      // Number 6 was a priority once.
      const old = bytesOf('3005');
      const specPart = Buffer.concat([bytesOf(specBytes), old]);
      const statusPart = bytesOf(statusBytes);
      const raw = Buffer.concat([
        bytesOf('0a06 0a0476312e61'),
        Buffer.from([0x12, specPart.length]),
        specPart,
        Buffer.from([0x1a, statusPart.length]),
        statusPart,
      ]);
      const apiVersion = `apiregistration.k8s.io/${version}`;
      const bytes = sealEnvelope({ apiVersion, kind: 'APIService', raw });
      const decoded = decodeProtobuf(bytes, () => typeOf('APIService'));
      assert.ok(decoded.kind === 'value');
      const { metadata, ...rest } = JSON.parse(JSON.stringify(decoded.value)) as ApiObject;
      assert.equal(metadata.name, 'v1.a');
      assert.deepEqual(rest, { apiVersion, kind: 'APIService', spec, status });
    });
  }
});

describe('the condition of an APIService', () => {
  const strategy = apiServiceStrategy();
  const remote = { service: { namespace: 'n', name: 's' } };
  const [first, later] = ['1970-01-01T00:00:01Z', '1970-01-01T00:00:05Z'];
  const object = (own: JsonObject, conditions?: readonly JsonObject[]): ApiObject => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.a', creationTimestamp: first },
    spec: own,
    ...(conditions === undefined ? {} : { status: { conditions } }),
  });
  const local = (lastTransitionTime: string): JsonObject => ({
    type: 'Available',
    status: 'True',
    lastTransitionTime,
    reason: 'Local',
    message: 'Local APIServices are always available',
  });
  const lost = (lastTransitionTime: string): JsonObject => ({
    type: 'Available',
    status: 'False',
    lastTransitionTime,
    reason: 'ServiceNotFound',
    message: 'service/s in "n" is not present',
  });
  const other: JsonObject = { type: 'Other', status: 'True' };
  const false_ = { ...local(first), status: 'False', reason: 'Mine' };

  /** What is done, from what, to what; the conditions that come out. */
  const rows: readonly (readonly [
    string,
    'create' | 'update' | 'status',
    ApiObject | undefined,
    ApiObject,
    readonly JsonObject[],
  ])[] = [
    ['a local one is available', 'create', undefined, object({}), [local(first)]],
    ['of one behind a service nothing is known', 'create', undefined, object(remote), []],
    [
      'what a client says on creation is not kept',
      'create',
      undefined,
      object(remote, [other, false_]),
      [],
    ],
    [
      'an update keeps it',
      'update',
      object({}, [local(first), other]),
      object({ group: 'a' }, []),
      [local(first), other],
    ],
    [
      'of one that gets a service nothing is known any more',
      'update',
      object({}, [local(first), other]),
      object(remote),
      [other],
    ],
    [
      'one that loses its service changes back',
      'update',
      object(remote, [lost(first)]),
      object({}),
      [local(later)],
    ],
    [
      'an update leaves what was found out',
      'update',
      object(remote, [lost(first)]),
      object(remote, []),
      [lost(first)],
    ],
    [
      'a write to the status says what was found out',
      'status',
      object(remote, []),
      object(remote, [other, lost(later)]),
      [other, lost(later)],
    ],
    [
      'a write to the status does not take it away',
      'status',
      object({}, [local(first)]),
      object({}, []),
      [local(first)],
    ],
    [
      'another reason for the same keeps the time',
      'status',
      object({}, [{ ...local(first), reason: 'Mine' }]),
      object({}, [{ ...local(later), reason: 'Mine' }]),
      [local(first)],
    ],
  ];
  for (const [title, what, current, next, expected] of rows) {
    it(title, () => {
      const prepared =
        what === 'create' || current === undefined
          ? strategy.prepareForCreate?.(next)
          : what === 'update'
            ? strategy.prepareForUpdate?.(next, current, 5000)
            : strategy.prepareForStatusUpdate?.(next, current, 5000);
      assert.deepEqual(objects(part(prepared, 'status'), 'conditions'), expected);
    });
  }
});

interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

describe('the APIServices of what is served here', () => {
  const priorities = prioritiesOf(builtInKinds.groups);

  it('have a priority for every version that some release knows, and for no other', () => {
    const known = new Set<string>();
    for (let release = oldestRelease; release <= currentRelease; release += 1) {
      for (const kind of catalogue) {
        if (!isKnown(kind, release) || kind.group === 'apiregistration.{domain}') continue;
        const { serving } = builtInKinds.definitionOf(`${kind.group}/${kind.resource}`);
        if (typeof serving === 'object') continue;
        known.add(`${kind.group}/${kind.version}`);
      }
    }
    const missing = [...known].filter((name) => !priorities.has(name));
    assert.deepEqual(missing, []);
    const all = new Set(catalogue.map(({ group, version }) => `${group}/${version}`));
    assert.deepEqual(
      [...priorities.keys()].filter((name) => !all.has(name)),
      [],
    );
  });

  it(
    'stand, by their priorities, in the order in which the reference lists groups',
    { skip: noVectors },
    () => {
      const { items } = readCorpus<Discovered>('discovery/aggregated_v2.json');
      const listed = items
        .filter(({ metadata }) => metadata.name !== 'apiregistration.k8s.io')
        .map(({ metadata, versions }) => [metadata.name, ...versions.map((each) => each.version)]);
      const groups = new Map<string, { readonly place: number; readonly versions: Place[] }>();
      type Place = readonly [string, number];
      for (const [name, { groupPriorityMinimum, versionPriority }] of priorities) {
        const [template = '', version = ''] = name.split('/');
        const group = kubernetes.fill(template);
        const known = groups.get(group) ?? { place: groupPriorityMinimum, versions: [] };
        assert.equal(known.place, groupPriorityMinimum, name);
        groups.set(group, known);
        known.versions.push([version, versionPriority]);
      }
      const sorted = [...groups]
        .sort(([a, x], [b, y]) => y.place - x.place || (a < b ? -1 : 1))
        .map(([group, { versions }]) => [
          group,
          ...[...versions].sort(([, x], [, y]) => y - x).map(([version]) => version),
        ]);
      const shown = sorted.flatMap(([group, ...versions]) => {
        const wanted = listed.find(([name]) => name === group);
        return wanted === undefined
          ? []
          : [[group, ...versions.filter((each) => wanted.includes(each))]];
      });
      assert.deepEqual(shown, listed);
    },
  );

  it('are found without the lists of groups that users define', () => {
    const built = buildScheme({ identity: kubernetes });
    assert.ok(built.kind === 'ok');
    const { scheme } = built;
    const unlisted = Object.create(scheme, {
      findGroup: { value: (group: string) => scheme.findGroup(group) },
      groups: { get: () => assert.fail('all groups are asked for') },
    }) as typeof scheme;
    assert.deepEqual(localApiServices(unlisted, kubernetes), localApiServices(scheme, kubernetes));
  });

  for (const name of identityNames) {
    it(`are one for each version but their own, under the names of ${name}`, () => {
      const identity = identityOf(name);
      const built = buildScheme({ identity });
      assert.ok(built.kind === 'ok');
      const { scheme } = built;
      const made = localApiServices(scheme, identity);
      const own = `apiregistration.${identity.domain}`;
      const served = scheme.groups.flatMap(({ group, versions }) =>
        group === own ? [] : versions.map(({ version }) => `${version}.${group}`),
      );
      assert.deepEqual(
        made.map(({ metadata }) => metadata.name),
        served,
      );
      assert.ok(served.includes('v1.') && served.includes(`v1.storage.${identity.domain}`));
      for (const { apiVersion, metadata } of made) {
        assert.equal(apiVersion, `${own}/v1`);
        assert.deepEqual(metadata.labels, {
          [`kube-aggregator.${identity.labelDomain}/automanaged`]: 'onstart',
        });
      }
    });
  }
});
