/** What is served under which identity, configuration, gates and release. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityNames, identityOf } from '../../src/apimachinery/identity.ts';
import type { IdentityName } from '../../src/apimachinery/identity.ts';
import type { Scheme } from '../../src/apimachinery/scheme.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { catalogue, resourceKey } from '../../src/apis/catalogue.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { compareVersions, storageVersionOf } from '../../src/apis/served-versions.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';

interface Case {
  readonly identity?: IdentityName;
  readonly config?: string;
  readonly gates?: readonly string[];
  readonly release?: number;
}

function build(row: Case = {}) {
  const parsed = parseRuntimeConfig(row.config ?? '');
  if (parsed.kind === 'invalid') return parsed;
  return buildScheme({
    identity: identityOf(row.identity ?? 'kubernetes'),
    runtimeConfig: parsed.value,
    featureGates: new Set(row.gates ?? []),
    release: row.release,
  });
}

function schemeOf(row: Case = {}): Scheme {
  const built = build(row);
  assert.equal(built.kind, 'ok', built.kind === 'invalid' ? built.errors.join('\n') : '');
  return (built as { scheme: Scheme }).scheme;
}

function serves(scheme: Scheme, name: string): boolean {
  const parts = name.split('/');
  const [group, version, resource] = parts.length === 2 ? ['', ...parts] : parts;
  return scheme.findResource(group as string, version as string, resource as string) !== undefined;
}

/** The vectors are of release 1.31. */
const absentStubs = [
  // Gone since 1.32.
  'admissionregistration.k8s.io/v1alpha1/validatingadmissionpolicybindings',
  'flowcontrol.apiserver.k8s.io/v1beta3/prioritylevelconfigurations',
];

const draGate = ['DynamicResourceAllocation'];

describe('scheme', () => {
  it('serves by default the stable versions alone, each kind once', () => {
    const scheme = schemeOf();
    for (const kind of scheme.kinds) assert.match(kind.version, /^v\d+$/, kind.resource);
    const expected = catalogue.filter(
      (kind) =>
        /^v\d+$/.test(kind.version) &&
        typeof builtInKinds.definitionOf(resourceKey(kind)).serving !== 'object',
    );
    const operations = scheme.kinds.filter((kind) => kind.operation === true);
    assert.deepEqual(
      operations.map((kind) => kind.resource),
      [
        'bindings',
        'selfsubjectreviews',
        'tokenreviews',
        'localsubjectaccessreviews',
        'selfsubjectaccessreviews',
        'selfsubjectrulesreviews',
        'subjectaccessreviews',
      ],
    );
    assert.equal(scheme.kinds.length, expected.length);
    // HorizontalPodAutoscaler and Event have two versions each; operations are not stored, nor is
    // what is worked out.
    const computed = scheme.kinds.filter((kind) => kind.computed === true);
    assert.deepEqual(
      computed.map((kind) => [kind.resource, ...kind.verbs]),
      [['componentstatuses', 'get', 'list']],
    );
    const stored = scheme.kinds.length - operations.length - computed.length;
    assert.equal(scheme.storageResources.length, stored - 2);
  });

  it(
    'serves every resource of the minimal-object vectors that is on by default',
    { skip: noVectors },
    () => {
      const { cases } = readCorpus<{
        cases: readonly { group: string; version: string; resource: string }[];
      }>('object-stubs/cases.json');
      const scheme = schemeOf();
      const names = cases.map(
        (row) => (row.group === '' ? '' : `${row.group}/`) + `${row.version}/${row.resource}`,
      );
      const off = names.filter((name) => !serves(scheme, name));
      const all = schemeOf({ config: 'api/all=true', gates: draGate });
      const absent = off.filter((name) => !serves(all, name));
      for (const name of off) {
        if (!absent.includes(name)) assert.match(name, /v\d+(alpha|beta)\d+/);
      }
      assert.deepEqual(new Set(absent), new Set(absentStubs));
    },
  );

  for (const name of identityNames) {
    it(`spells the domain of ${name} in every group and nowhere a template`, () => {
      const identity = identityOf(name);
      const scheme = schemeOf({ identity: name, config: 'api/all', gates: draGate });
      for (const kind of scheme.kinds) {
        // Types refer to themselves, and have their own test.
        const { schema: _schema, listSchema: _listSchema, subresources, ...rest } = kind;
        const { conversions, rulesVersion: _rulesVersion, ...names } = rest;
        for (const name of conversions?.keys() ?? []) assert.ok(!name.includes('{'));
        const shown = JSON.stringify([names, subresources.map((s) => s.kind)]);
        assert.ok(!shown.includes('{'.concat('domain')), kind.resource);
        if (kind.group.includes('.')) assert.ok(kind.group.endsWith(`.${identity.domain}`));
      }
      assert.ok(scheme.findGroup(identity.groups.flowcontrol));
      assert.ok(scheme.findGroup(identity.groups.rbac));
    });
  }

  const configs: readonly (Case & { serves?: string; omits?: string; error?: RegExp })[] = [
    { config: 'batch/v1=false', omits: 'batch/v1/jobs' },
    { config: 'batch/v1/jobs=false', omits: 'batch/v1/jobs', serves: 'batch/v1/cronjobs' },
    { config: 'v1/secrets=false', omits: 'v1/secrets', serves: 'v1/pods' },
    { config: 'v1=true', serves: 'v1/pods' },
    { config: 'api/beta', serves: 'networking.k8s.io/v1beta1/ipaddresses' },
    { config: 'api/beta', omits: 'coordination.k8s.io/v1alpha2/leasecandidates' },
    { config: 'api/alpha=true', serves: 'coordination.k8s.io/v1alpha2/leasecandidates' },
    {
      config: 'api/all=false,v1,apps/v1=true',
      serves: 'apps/v1/deployments',
      omits: 'batch/v1/jobs',
    },
    {
      config: 'networking.k8s.io/v1beta1/servicecidrs',
      serves: 'networking.k8s.io/v1beta1/servicecidrs',
      omits: 'networking.k8s.io/v1beta1/ipaddresses',
    },
    {
      config: 'apps/v1=false,apps/v1/deployments',
      serves: 'apps/v1/deployments',
      omits: 'apps/v1/replicasets',
    },
    { config: 'resource.k8s.io/v1alpha3', omits: 'resource.k8s.io/v1alpha3/resourceslices' },
    {
      config: 'resource.k8s.io/v1alpha3',
      gates: draGate,
      serves: 'resource.k8s.io/v1alpha3/resourceslices',
      omits: 'resource.k8s.io/v1beta1/resourceslices',
    },
    { gates: draGate, omits: 'resource.k8s.io/v1beta1/resourceslices' },
    {
      config: 'resource.k8s.io/v1beta2',
      gates: draGate,
      serves: 'resource.k8s.io/v1beta2/resourceslices',
    },
    {
      identity: 'svc',
      config: 'resource.svc.io/v1alpha3=true',
      gates: draGate,
      serves: 'resource.svc.io/v1alpha3/resourceslices',
    },
    { config: 'v1=false', error: /v1\/namespaces must stay enabled/ },
    { config: 'api/all=false', error: /v1\/namespaces must stay enabled/ },
    { config: 'apps/v9', error: /apps\/v9: no such API/ },
    { config: 'resource.svc.io/v1alpha3', error: /no such API/ },
    { config: 'batch/v1/nothing', error: /batch\/v1\/nothing: no such API/ },
    { config: 'batch/v1beta1', error: /not part of release 1\.33/ },
    { config: 'batch/v1beta1=false', serves: 'batch/v1/jobs' },
    { config: 'batch/v1=maybe', error: /must be true or false/ },
    { config: 'jobs', error: /expected api\/all/ },
    { config: 'a/b/c/d', error: /expected api\/all/ },
    { release: 21, serves: 'batch/v1beta1/cronjobs' },
    { release: 21, serves: 'extensions/v1beta1/ingresses' },
    { release: 25, omits: 'batch/v1beta1/cronjobs' },
    { release: 24, serves: 'policy/v1beta1/poddisruptionbudgets' },
    { release: 24, serves: 'autoscaling/v2beta2/horizontalpodautoscalers' },
    { release: 16, omits: 'extensions/v1beta1/deployments' },
    { release: 16, omits: 'apps/v1beta2/deployments' },
    { release: 16, serves: 'apps/v1/deployments', omits: 'batch/v1/cronjobs' },
    { release: 22, omits: 'networking.k8s.io/v1beta1/ingresses' },
    { release: 18, omits: 'networking.k8s.io/v1/ingresses' },
    { release: 19, serves: 'networking.k8s.io/v1/ingresses' },
    { release: 24, serves: 'policy/v1beta1/podsecuritypolicies' },
    { release: 25, omits: 'policy/v1beta1/podsecuritypolicies' },
    { release: 26, omits: 'autoscaling/v2beta2/horizontalpodautoscalers' },
    { release: 28, serves: 'flowcontrol.apiserver.k8s.io/v1beta3/flowschemas' },
    { release: 32, omits: 'flowcontrol.apiserver.k8s.io/v1beta3/flowschemas' },
    { release: 25, config: 'api/beta', serves: 'storage.k8s.io/v1beta1/csistoragecapacities' },
    {
      release: 27,
      config: 'api/all',
      gates: draGate,
      omits: 'storage.k8s.io/v1beta1/csistoragecapacities',
    },
    { release: 32, config: 'api/alpha', serves: 'networking.k8s.io/v1alpha1/ipaddresses' },
    { release: 31, omits: 'networking.k8s.io/v1alpha1/ipaddresses' },
    { release: 21, config: 'batch/v1beta1=false', omits: 'batch/v1beta1/cronjobs' },
    {
      release: 21,
      config: 'networking.k8s.io/v1beta1/ingresses=false',
      omits: 'networking.k8s.io/v1beta1/ingresses',
      serves: 'networking.k8s.io/v1beta1/ingressclasses',
    },
  ];
  for (const row of configs) {
    const title = [row.identity, row.config, row.gates?.join(), row.release && `1.${row.release}`];
    it(`follows the configuration: ${title.filter(Boolean).join(' ')}`, () => {
      if (row.error !== undefined) {
        const built = build(row);
        assert.equal(built.kind, 'invalid');
        assert.match((built as { errors: readonly string[] }).errors.join('\n'), row.error);
        return;
      }
      const scheme = schemeOf(row);
      if (row.serves !== undefined) assert.ok(serves(scheme, row.serves), row.serves);
      if (row.omits !== undefined) assert.ok(!serves(scheme, row.omits), row.omits);
    });
  }

  it('says which gate an enabled version waits for', () => {
    const built = build({ config: 'resource.k8s.io/v1alpha3' });
    assert.equal(built.kind, 'ok');
    const { warnings } = built as { warnings: readonly string[] };
    assert.ok(warnings.some((w) => w.includes('feature gate DynamicResourceAllocation')));
  });

  it('stores a kind in one version, whatever is enabled, that the release before knew', () => {
    const rows = catalogue.filter((kind) => kind.resource === 'ipaddresses');
    assert.equal(storageVersionOf(rows, 33), 'v1beta1');
    assert.equal(storageVersionOf(rows, 34), 'v1');
    const all = schemeOf({ config: 'api/all', gates: draGate });
    for (const kind of schemeOf({ gates: draGate }).kinds) {
      const same = all.findResource(kind.group, kind.version, kind.resource);
      assert.equal(same?.storageVersion, kind.storageVersion, kind.resource);
      assert.deepEqual(same.storage, kind.storage);
    }
    assert.equal(
      schemeOf().findResource('autoscaling', 'v1', 'horizontalpodautoscalers')?.storageVersion,
      'v2',
    );
  });

  it('finds a kind by resource, by kind and by storage', () => {
    const scheme = schemeOf();
    const deployment = scheme.findResource('apps', 'v1', 'deployments');
    assert.equal(deployment?.kind, 'Deployment');
    assert.equal(scheme.findKind('apps', 'v1', 'Deployment'), deployment);
    assert.equal(scheme.findStorage({ group: 'apps', resource: 'deployments' }), deployment);
    assert.equal(scheme.findResource('apps', 'v1', 'pods'), undefined);
    const autoscaler = { group: 'autoscaling', resource: 'horizontalpodautoscalers' };
    assert.equal(scheme.findStorage(autoscaler)?.version, 'v2');
    assert.equal(scheme.groups[0]?.group, '');
  });

  it('orders versions stable first, then newest first', () => {
    const versions = ['v1alpha1', 'v2', 'v1beta2', 'v1', 'v2beta1', 'v1beta1', 'v10'];
    assert.deepEqual(versions.sort(compareVersions), [
      'v10',
      'v2',
      'v1',
      'v2beta1',
      'v1beta2',
      'v1beta1',
      'v1alpha1',
    ]);
  });
});

describe('selectable fields', () => {
  const scheme = schemeOf({ config: 'api/all', gates: draGate });
  const rows: readonly [string, string, object, Record<string, string>][] = [
    [
      '',
      'pods',
      {},
      {
        'spec.nodeName': '',
        'spec.restartPolicy': 'Always',
        'spec.schedulerName': 'default-scheduler',
        'spec.serviceAccountName': '',
        'spec.hostNetwork': 'false',
        'status.phase': 'Pending',
        'status.podIP': '',
        'status.podIPs': '',
        'status.nominatedNodeName': '',
      },
    ],
    [
      '',
      'pods',
      { spec: { hostNetwork: true, serviceAccount: 'old', nodeName: 'n' } },
      {
        'spec.hostNetwork': 'true',
        'spec.serviceAccountName': 'old',
        'spec.nodeName': 'n',
      },
    ],
    [
      '',
      'events',
      { involvedObject: { kind: 'Pod' }, reportingComponent: 'c', type: 'Normal' },
      {
        'involvedObject.kind': 'Pod',
        source: 'c',
        type: 'Normal',
      },
    ],
    ['', 'events', { source: { component: 's' }, reportingComponent: 'c' }, { source: 's' }],
    ['', 'namespaces', { metadata: { name: 'n' } }, { name: 'n', 'status.phase': 'Active' }],
    ['', 'nodes', { spec: { unschedulable: true } }, { 'spec.unschedulable': 'true' }],
    ['', 'secrets', {}, { type: 'Opaque' }],
    ['', 'services', {}, { 'spec.type': 'ClusterIP', 'spec.clusterIP': '' }],
    ['batch', 'jobs', { status: { succeeded: 3 } }, { 'status.successful': '3' }],
    [
      'resource.k8s.io',
      'resourceslices',
      { spec: { driver: 'd', nodeName: 'n' } },
      {
        'spec.driver': 'd',
        'spec.nodeName': 'n',
      },
    ],
  ];
  for (const [group, resource, object, expected] of rows) {
    it(`of ${resource} ${JSON.stringify(object)}`, () => {
      const fields = scheme.fieldsOf({ group, resource }, object as ApiObject);
      for (const [label, value] of Object.entries(expected)) assert.equal(fields[label], value);
    });
  }

  it('are none for a kind without them, and for an unknown resource', () => {
    const object = { apiVersion: 'v1', kind: 'X', metadata: {} };
    assert.deepEqual(scheme.fieldsOf({ group: '', resource: 'configmaps' }, object), {});
    assert.deepEqual(scheme.fieldsOf({ group: 'apps', resource: 'replicasets' }, object), {});
    assert.deepEqual(scheme.fieldsOf({ group: 'x', resource: 'y' }, object), {});
  });
});
