/** What objects take of quotas, and which scopes they are in, as rows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inScope, scopeTest } from '../../../src/admission/quota/scopes.ts';
import { usageNames, usageOf } from '../../../src/admission/quota/usage.ts';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import type { GroupResource } from '../../../src/apimachinery/schema.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

const names = usageNames(identityOf('kubernetes'));
const pods: GroupResource = { group: '', resource: 'pods' };
const claims: GroupResource = { group: '', resource: 'persistentvolumeclaims' };
const devices: GroupResource = { group: 'resource.k8s.io', resource: 'resourceclaims' };

const usage = (resource: GroupResource, content: JsonObject) =>
  usageOf(resource, { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, ...content }, names);

const container = (name: string, requests: JsonObject, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
});
const sidecar = (name: string, requests: JsonObject): JsonObject => ({
  ...container(name, requests),
  restartPolicy: 'Always',
});
const has = (name: string, requests: JsonObject, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
});
const infeasible = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];
const onePod = { 'count/pods': '1', pods: '1' };
const cpu = (amount: string): JsonObject => ({ cpu: amount, 'requests.cpu': amount });

interface PodRow {
  readonly title: string;
  readonly pod: JsonObject;
  readonly amounts: JsonObject;
  readonly missing?: JsonObject;
}

const podRows: readonly PodRow[] = [
  {
    title: 'a container that has more than it asks for takes what it has',
    pod: {
      spec: { containers: [container('c', { cpu: '100m' }, { cpu: '200m' })] },
      status: { containerStatuses: [has('c', { cpu: '150m' }, { cpu: '300m' })] },
    },
    amounts: { ...onePod, ...cpu('150m'), 'limits.cpu': '300m' },
  },
  {
    title: 'a container that has less than it asks for takes what it asks for',
    pod: {
      spec: { containers: [container('c', { cpu: '200m' }, { cpu: '400m' })] },
      status: { containerStatuses: [has('c', { cpu: '150m' })] },
    },
    amounts: { ...onePod, ...cpu('200m'), 'limits.cpu': '400m' },
  },
  {
    title: 'a container takes what has been allocated to it, once it is known what it has',
    pod: {
      spec: { containers: [container('a', { cpu: '1' }), container('b', { cpu: '1' })] },
      status: {
        containerStatuses: [
          { ...has('a', { cpu: '1' }), allocatedResources: { cpu: '3' } },
          { name: 'b', allocatedResources: { cpu: '3' } },
        ],
      },
    },
    amounts: { ...onePod, ...cpu('4') },
  },
  {
    title: 'of a resize that no node can do only what there is counts',
    pod: {
      spec: { containers: [container('c', { cpu: '9' }, { cpu: '9' })] },
      status: {
        conditions: infeasible,
        containerStatuses: [
          { ...has('c', { cpu: '1' }, { cpu: '2' }), allocatedResources: { cpu: '1500m' } },
        ],
      },
    },
    amounts: { ...onePod, ...cpu('1500m'), 'limits.cpu': '2' },
  },
  {
    title: 'an init container takes what it has only if it goes on',
    pod: {
      spec: {
        containers: [container('c', { cpu: '1' })],
        initContainers: [sidecar('s', { cpu: '1' }), container('i', { cpu: '1' })],
      },
      status: { initContainerStatuses: [has('s', { cpu: '2' }), has('i', { cpu: '9' })] },
    },
    amounts: { ...onePod, ...cpu('3') },
    missing: {},
  },
  {
    title: 'the init container that needs most is more than all others together',
    pod: {
      spec: {
        containers: [
          container('a', { cpu: '1', 'example.com/dongle': '1' }),
          container('b', { cpu: '2', 'example.com/dongle': '2' }),
        ],
        initContainers: [
          container('i', { cpu: '4', 'example.com/dongle': '4' }),
          container('j', { cpu: '1', 'example.com/dongle': '2' }),
        ],
      },
    },
    amounts: { ...onePod, ...cpu('4'), 'requests.example.com/dongle': '4' },
  },
  {
    title: 'extended resources count by what is requested, huge pages by both names',
    pod: {
      spec: {
        containers: [
          container(
            'c',
            { 'example.com/a': '3', 'hugepages-2Mi': '100Mi', 'ephemeral-storage': '32Mi' },
            { 'example.com/a': '3', 'hugepages-2Mi': '100Mi', 'ephemeral-storage': '64Mi' },
          ),
        ],
      },
    },
    amounts: {
      ...onePod,
      'requests.example.com/a': '3',
      'hugepages-2Mi': '100Mi',
      'requests.hugepages-2Mi': '100Mi',
      'ephemeral-storage': '32Mi',
      'requests.ephemeral-storage': '32Mi',
      'limits.ephemeral-storage': '64Mi',
    },
  },
  {
    title: 'names of the project, and those that begin as in quotas, are no extended resources',
    pod: {
      spec: {
        containers: [container('c', { 'notkubernetes.io/a': '1', 'requests.example.com/a': '1' })],
      },
    },
    amounts: onePod,
  },
  {
    title: 'overhead counts, and is added to limits that are not nothing',
    pod: {
      spec: {
        overhead: { cpu: '1', memory: '1Gi' },
        containers: [container('c', { cpu: '1' }, { cpu: '2', memory: '0' })],
      },
    },
    amounts: {
      ...onePod,
      ...cpu('2'),
      memory: '1Gi',
      'requests.memory': '1Gi',
      'limits.cpu': '3',
      'limits.memory': '0',
    },
  },
  {
    title: 'what a pod asks for as a whole counts instead, and nothing more is asked of containers',
    pod: {
      spec: {
        resources: { requests: { memory: '1Mi' }, limits: { memory: '2Mi' } },
        containers: [container('c', { 'ephemeral-storage': '32Mi', memory: '512Ki' })],
      },
    },
    amounts: {
      ...onePod,
      memory: '1Mi',
      'requests.memory': '1Mi',
      'limits.memory': '2Mi',
      'ephemeral-storage': '32Mi',
      'requests.ephemeral-storage': '32Mi',
    },
    missing: {},
  },
  {
    title: 'a pod that has ended is one object, and nothing is asked of it',
    pod: {
      spec: { containers: [container('c', { cpu: '1' })] },
      status: { phase: 'Succeeded' },
    },
    amounts: { 'count/pods': '1' },
    missing: {},
  },
];

describe('what pods take of quotas', () => {
  for (const { amounts, missing, pod, title } of podRows) {
    it(title, () => {
      const found = usage(pods, pod);
      assert.deepEqual(found.amounts, amounts);
      if (missing !== undefined && Object.keys(missing).length === 0) {
        assert.equal(found.missing['cpu'], undefined);
      }
    });
  }

  it('all that is not said is told of each container by name', () => {
    const spec = { containers: [container('b', {}), container('a', { cpu: '1' })] };
    assert.deepEqual(usage(pods, { spec }).missing, {
      cpu: ['b'],
      memory: ['a', 'b'],
      'requests.cpu': ['b'],
      'requests.memory': ['a', 'b'],
      'limits.cpu': ['a', 'b'],
      'limits.memory': ['a', 'b'],
    });
  });
});

describe('what claims take of quotas', () => {
  const exactly = (deviceClassName: string, more: JsonObject): JsonObject => ({
    exactly: { deviceClassName, ...more },
  });
  const rows: readonly (readonly [string, GroupResource, JsonObject, JsonObject])[] = [
    [
      'devices of each class, in any of the forms of a request',
      devices,
      {
        spec: {
          devices: {
            requests: [
              exactly('gpu', { allocationMode: 'ExactCount', count: 5 }),
              { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 },
              exactly('net', { allocationMode: 'All' }),
              exactly('odd', { allocationMode: 'Other', count: 3 }),
            ],
          },
        },
      },
      {
        'count/resourceclaims.resource.k8s.io': '1',
        'gpu.deviceclass.resource.k8s.io/devices': '7',
        'net.deviceclass.resource.k8s.io/devices': '32',
        'odd.deviceclass.resource.k8s.io/devices': '0',
      },
    ],
    [
      'of alternatives the one of a class that takes most',
      devices,
      {
        spec: {
          devices: {
            requests: [
              {
                firstAvailable: [
                  { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 },
                  { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
                  { deviceClassName: 'net', allocationMode: 'ExactCount', count: 2 },
                ],
              },
            ],
          },
        },
      },
      {
        'count/resourceclaims.resource.k8s.io': '1',
        'gpu.deviceclass.resource.k8s.io/devices': '2',
        'net.deviceclass.resource.k8s.io/devices': '2',
      },
    ],
    [
      'storage that has been allocated, where it is more than is asked for',
      claims,
      {
        spec: { resources: { requests: { storage: '10Gi' } }, storageClassName: 'fast' },
        status: { allocatedResources: { storage: '11Gi' } },
      },
      {
        'count/persistentvolumeclaims': '1',
        persistentvolumeclaims: '1',
        'requests.storage': '11Gi',
        'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
        'fast.storageclass.storage.k8s.io/requests.storage': '11Gi',
      },
    ],
  ];
  for (const [title, resource, content, amounts] of rows) {
    it(title, () => assert.deepEqual(usage(resource, content).amounts, amounts));
  }
});

describe('scopes of claims', () => {
  const claim = (asked: string, current = '', target = ''): JsonObject => ({
    spec: { ...(asked === '' ? {} : { volumeAttributesClassName: asked }) },
    status: {
      ...(current === '' ? {} : { currentVolumeAttributesClassName: current }),
      ...(target === '' ? {} : { modifyVolumeStatus: { targetVolumeAttributesClassName: target } }),
    },
  });
  const rows: readonly (readonly [string, JsonObject, string, readonly string[], boolean])[] = [
    ['the class that is asked for', claim('a'), 'In', ['a'], true],
    ['the class that it has', claim('a', 'b'), 'In', ['b'], true],
    ['the class that it is about to have', claim('a', 'b', 'c'), 'In', ['c'], true],
    ['no other class', claim('a', 'b', 'c'), 'In', ['d'], false],
    ['one class of several that is not named is enough', claim('a', 'b'), 'NotIn', ['a'], true],
    ['all of its classes are named', claim('a', 'b'), 'NotIn', ['a', 'b'], false],
    ['no class is none of those named', claim(''), 'NotIn', ['a'], true],
    ['a class exists', claim('', 'b'), 'Exists', [], true],
    ['no class exists', claim(''), 'Exists', [], false],
    ['a class that should not exist', claim('', '', 'c'), 'DoesNotExist', [], false],
    ['no class, as there should be none', claim(''), 'DoesNotExist', [], true],
  ];
  for (const [title, content, operator, values, expected] of rows) {
    it(`${title}: ${operator} ${values.join(',')} is ${expected}`, () => {
      const selector = { scopeName: 'VolumeAttributesClass', operator, values };
      const spec = { scopeSelector: { matchExpressions: [selector] } };
      const { scopes } = usage(claims, content);
      assert.equal(inScope(spec, scopes), expected);
      assert.equal(scopeTest(spec)(scopes), expected);
    });
  }
});
