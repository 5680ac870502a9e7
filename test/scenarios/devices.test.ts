/** Devices over HTTP: the status of claims, when taints were added, and features that are off. */
import assert from 'node:assert/strict';
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';

const group = '/apis/resource.$domain';
const claims = `${group}/v1beta2/namespaces/$ns/resourceclaims`;
const deviceClassName = 'c.example.com';
const which = { driver: 'd.example.com', pool: 'p', device: 'one' };
const allocated = { allocation: { devices: { results: [{ ...which, request: 'r' }] } } };
const toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute' };
const gated = { adminAccess: false, tolerations: [toleration] };

function createClaim(more: object = {}): Step {
  return {
    request: `POST ${claims}`,
    body: {
      metadata: { name: 'c' },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName, ...more } }] } },
    },
    status: 201,
  };
}

function writeStatus(status: object, more: Omit<Step, 'request'>): Step {
  return {
    request: `PATCH ${claims}/c/status`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { status },
    ...more,
  };
}

const taint = { key: 'k', effect: 'NoSchedule' };

function slice(version: string, device: object): Step {
  return {
    request: `POST ${group}/${version}/resourceslices`,
    body: {
      metadata: { generateName: 's-' },
      spec: {
        driver: 'd.example.com',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [device],
      },
    },
    status: 201,
  };
}

const statuses: readonly Scenario[] = [
  {
    title: 'a claim says what it has got; what is said of a device goes with it',
    steps: [
      createClaim(),
      writeStatus(
        { reservedFor: [{ resource: 'pods', name: 'a', uid: 'u' }] },
        { status: 422, reason: 'Invalid', message: /status\.reservedFor: Forbidden/ },
      ),
      writeStatus({ ...allocated, devices: [which] }, { status: 200 }),
      writeStatus(
        { allocation: { devices: { results: [] } } },
        { status: 422, message: /status\.allocation: .*field is immutable/ },
      ),
      writeStatus(
        { allocation: null },
        { status: 200, expect: { status: { allocation: absent, devices: absent } } },
      ),
    ],
  },
];

const onFeatures: readonly Scenario[] = [
  {
    title: 'who does not say when a taint was added means now, in every version',
    steps: [
      {
        ...slice('v1beta2', { name: 'a', taints: [taint] }),
        save: { name: 'metadata.name' },
        check: ({ body }) => {
          const { metadata, spec } = body as unknown as Slice;
          assert.equal(spec.devices[0]?.taints?.[0]?.timeAdded, metadata.creationTimestamp);
        },
      },
      {
        ...slice('v1beta1', { name: 'a', basic: { taints: [taint] } }),
        check: ({ body }) => {
          const { metadata, spec } = body as unknown as Slice;
          assert.equal(spec.devices[0]?.basic?.taints?.[0]?.timeAdded, metadata.creationTimestamp);
        },
      },
    ],
  },
  {
    title: 'fields of features that are on stay',
    steps: [
      {
        ...createClaim(gated),
        expect: { spec: { devices: { requests: [{ exactly: gated }] } } },
      },
    ],
  },
];

const forAdmins = { adminAccess: true };
const given = {
  allocation: { devices: { results: [{ ...which, request: 'r', ...forAdmins }] } },
};

function labelled(value: string | null): Step {
  return {
    request: 'PATCH /api/v1/namespaces/$ns',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { labels: { 'resource.$domain/admin-access': value } } },
    status: 200,
  };
}

const notHere = (field: RegExp): Omit<Step, 'request'> => ({
  status: 422,
  reason: 'Invalid',
  message: field,
});

const adminAccess: readonly Scenario[] = [
  {
    title: 'administrators have access to devices in use where the namespace says so, only there',
    steps: [
      { ...createClaim(forAdmins), ...notHere(/ spec\.devices\.requests\[0\]\.adminAccess: Forb/) },
      {
        request: `POST ${group}/v1beta1/namespaces/$ns/resourceclaimtemplates`,
        body: {
          metadata: { name: 't' },
          spec: {
            spec: { devices: { requests: [{ name: 'r', deviceClassName, ...forAdmins }] } },
          },
        },
        ...notHere(/ spec\.devices\.requests\[0\]\.adminAccess: Forbidden/),
      },
      labelled('True'),
      { ...createClaim(forAdmins), ...notHere(/ requires the `resource\.[^`]*: true` label/) },
      createClaim(),
      writeStatus(given, notHere(/ status\.allocation\.devices\.results\[0\]\.adminAccess: Forb/)),
      labelled('true'),
      writeStatus(given, { status: 200 }),
      {
        ...createClaim(forAdmins),
        request: `POST ${claims}?dryRun=All`,
        body: {
          metadata: { name: 'd' },
          spec: {
            devices: { requests: [{ name: 'r', exactly: { deviceClassName, ...forAdmins } }] },
          },
        },
      },
      labelled(null),
      writeStatus({ reservedFor: [{ resource: 'pods', name: 'a', uid: 'u' }] }, { status: 200 }),
    ],
  },
];

interface Taints {
  readonly taints?: readonly { readonly timeAdded?: string }[];
}

interface Slice {
  readonly metadata: { readonly creationTimestamp: string };
  readonly spec: { readonly devices: readonly (Taints & { readonly basic?: Taints })[] };
}

const dropped = { adminAccess: absent, tolerations: absent };

const offFeatures: readonly Scenario[] = [
  {
    title: 'fields of features that are off are not written, in any version',
    steps: [
      {
        ...createClaim(gated),
        expect: { spec: { devices: { requests: [{ exactly: dropped }] } } },
      },
      {
        request: `POST ${group}/v1beta1/namespaces/$ns/resourceclaims`,
        body: {
          metadata: { name: 'older' },
          spec: { devices: { requests: [{ name: 'r', deviceClassName, ...gated }] } },
        },
        status: 201,
        expect: { spec: { devices: { requests: [dropped] } } },
      },
      {
        ...slice('v1beta1', { name: 'a', basic: { taints: [taint] } }),
        expect: { spec: { devices: [{ basic: { taints: absent } }] } },
      },
      {
        request: `POST ${group}/v1beta2/namespaces/$ns/resourceclaimtemplates`,
        body: {
          metadata: { name: 't' },
          spec: {
            spec: {
              devices: {
                requests: [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName }] }],
              },
            },
          },
        },
        status: 422,
        message: /requests\[0\]: Required value/,
      },
    ],
  },
];

const served = { 'runtime-config': 'api/all=true' };

runScenarios('devices', [...statuses, ...offFeatures], {
  ...served,
  'feature-gates': 'DynamicResourceAllocation=true',
});
runScenarios('devices, all features', [...onFeatures, ...adminAccess], {
  ...served,
  'feature-gates': 'DynamicResourceAllocation=true,AllAlpha=true',
});
