/** Devices: what a claim has got, what devices share, and what is stored of taints. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { withoutFreedDevices } from '../../src/apis/resource/claim-status-rules.ts';
import { sliceCounterRules } from '../../src/apis/resource/slice-counter-rules.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';
import { rulesByResource } from './rules-by-resource.ts';

const rules = rulesByResource(kubernetes);
const claimRules = rules['resource.{domain}/resourceclaims'];

const which = { driver: 'd.example.com', pool: 'p', device: 'one' };
const result = { ...which, request: 'r' };
const allocation = (...results: JsonObject[]): JsonObject => ({ devices: { results } });
const user = { resource: 'pods', name: 'a', uid: 'u' };
const said = (more: JsonObject = {}): JsonObject => ({
  allocation: allocation(result),
  devices: [{ ...which, ...more }],
});
const long = 'x'.repeat(10 * 1024);

function claim(status: JsonObject, metadata: JsonObject = {}, version = 'v1beta2'): ApiObject {
  const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
  return {
    apiVersion: `resource.k8s.io/${version}`,
    kind: 'ResourceClaim',
    metadata: { name: 'c', ...metadata },
    spec: { devices: { requests } },
    status,
  };
}

type Row = readonly [title: string, status: JsonObject, before: JsonObject, errors: string[]];

const statusRows: readonly Row[] = [
  [
    'an allocated device, a user, and what is said of it',
    { ...said(), reservedFor: [user] },
    {},
    [],
  ],
  [
    'a user without an allocation',
    { reservedFor: [user] },
    {},
    ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
  ],
  [
    'a user that is none, and one twice',
    { allocation: {}, reservedFor: [{ uid: 'u' }, user] },
    {},
    [
      'status.reservedFor[0].resource: Required value',
      'status.reservedFor[0].name: Required value',
      'status.reservedFor[1].uid: Duplicate value: "u"',
    ],
  ],
  [
    'more users than a claim has',
    {
      allocation: {},
      reservedFor: Array.from({ length: 257 }, (_, at) => ({ ...user, uid: `${at}` })),
    },
    {},
    ['status.reservedFor: Too many: 257: must have at most 256 items'],
  ],
  [
    'another allocation',
    { allocation: allocation() },
    { allocation: allocation(result) },
    ['status.allocation: Invalid value: {"devices":{"results":[]}}: field is immutable'],
  ],
  ['an allocation that is taken away', {}, { allocation: allocation(result) }, []],
  [
    'a device of no request, driver and pool',
    { allocation: allocation({ request: 's', device: 'one' }) },
    {},
    [
      'status.allocation.devices.results[0].request: Invalid value: "s": must be the name of a ' +
        "request in the claim or the name of a request and a subrequest separated by '/'",
      'status.allocation.devices.results[0].driver: Required value',
      'status.allocation.devices.results[0].pool: Required value',
    ],
  ],
  [
    'more devices than a claim gets',
    { allocation: allocation(...Array.from({ length: 33 }, () => result)) },
    {},
    ['status.allocation.devices.results: Too many: 33: must have at most 32 items'],
  ],
  [
    'configurations from nowhere, and longer than they may be',
    {
      allocation: {
        devices: {
          config: [
            { opaque: { driver: 'd', parameters: { a: long } } },
            { source: 'FromPod', opaque: { driver: 'd', parameters: { a: 1 } } },
          ],
        },
      },
    },
    {},
    [
      'status.allocation.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes',
      'status.allocation.devices.config[0].source: Required value',
      'status.allocation.devices.config[1].source: Unsupported value: "FromPod": supported ' +
        'values: "FromClaim", "FromClass"',
    ],
  ],
  [
    'words of a device that is not allocated, twice',
    { devices: [which, which] },
    {},
    [
      ...[0, 1].map(
        (at) =>
          `status.devices[${at}]: Invalid value: "d.example.com/p/one": must be an allocated device in the claim`,
      ),
      'status.devices[1]: Duplicate value: "d.example.com/p/one"',
    ],
  ],
  [
    'data that are too long, or no object',
    said({ data: long }),
    {},
    ['status.devices[0].data: Too long: may not be more than 10240 bytes'],
  ],
  [
    'data that are no object',
    said({ data: [1] }),
    {},
    ['status.devices[0].data: Invalid value: "<value omitted>": must be a valid JSON object'],
  ],
  [
    'addresses that are none, that others write otherwise, and twice',
    said({ networkData: { ips: ['a', '10.0.0.01/24', '2001:db8::1/64', '2001:db8::1/64'] } }),
    {},
    [
      'status.devices[0].networkData.ips[0]: Invalid value: "a": must be a valid address in CIDR ' +
        'form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
      'status.devices[0].networkData.ips[1]: Invalid value: "10.0.0.01/24": must be in canonical ' +
        'form ("10.0.0.1/24")',
      'status.devices[0].networkData.ips[3]: Duplicate value: "2001:db8::1/64"',
    ],
  ],
  [
    'more conditions than a device has',
    said({ conditions: Array.from({ length: 9 }, (_, at) => ({ type: `C${at}` })) }),
    {},
    ['status.devices[0].conditions: Too many: 9: must have at most 8 items'],
  ],
];

const sortedTexts = (errors: readonly string[]): readonly string[] => [...errors].sort();

describe('the status of a claim for devices', () => {
  for (const [title, status, before, errors] of statusRows) {
    it(title, () => {
      const found = claimRules?.validateStatusUpdate?.(claim(status), claim(before)) ?? [];
      assert.deepEqual(sortedTexts(found.map(formatFieldError)), sortedTexts(errors));
    });
  }

  it('gets no new users while it is deleted, and keeps those that it has', () => {
    const deleted = { deletionTimestamp: '2024-01-01T00:00:00Z' };
    const base = { allocation: allocation(result) };
    const used = claim({ ...base, reservedFor: [user] }, deleted);
    assert.deepEqual(claimRules?.validateStatusUpdate?.(used, used), []);
    const found = claimRules?.validateStatusUpdate?.(used, claim(base, deleted)) ?? [];
    assert.deepEqual(
      found.map(({ type, field }) => `${type} ${field}`),
      ['FieldValueForbidden status.reservedFor'],
    );
  });

  it('says nothing more of a device that is given back', () => {
    const other = { ...which, device: 'two' };
    const before = claim({
      allocation: allocation(result, { ...result, device: 'two' }),
      devices: [which, other],
    });
    const next = claim({ allocation: allocation(result), devices: [which, other] });
    assert.deepEqual(withoutFreedDevices(next, before)['status'], {
      allocation: allocation(result),
      devices: [which],
    });
    assert.deepEqual(withoutFreedDevices(claim({ devices: [which] }), before)['status'], {});
  });
});

describe('parameters for drivers', () => {
  const configured = (parameters: JsonObject): ApiObject => ({
    apiVersion: 'resource.k8s.io/v1beta2',
    kind: 'DeviceClass',
    metadata: { name: 'c' },
    spec: { config: [{ opaque: { driver: 'd', parameters } }] },
  });
  const classRules = rules['resource.{domain}/deviceclasses'];
  const tooLong = ['spec.config[0].opaque.parameters: Too long: may not be more than 10240 bytes'];

  it('are at most 10 KiB when they are new', () => {
    const exact = { a: 'x'.repeat(10 * 1024 - 8) };
    assert.equal(JSON.stringify(exact).length, 10 * 1024);
    assert.deepEqual(classRules?.validateCreate?.(configured(exact)), []);
    for (const parameters of [{ a: long }, { [long]: 1 }, { a: Array(6000).fill(1) }]) {
      const found: readonly FieldError[] =
        classRules?.validateCreate?.(configured(parameters)) ?? [];
      assert.deepEqual(found.map(formatFieldError), tooLong);
    }
  });

  it('stay when they are stored, and are at most 10 KiB when they change', () => {
    const stored = configured({ a: long });
    assert.deepEqual(classRules?.validateUpdate?.(stored, stored), []);
    const found = classRules?.validateUpdate?.(configured({ b: long }), stored) ?? [];
    assert.deepEqual(found.map(formatFieldError), tooLong);
  });
});

const counters = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, { value: '1' }]));
const set = { name: 's', counters: counters(2) };
const taking = (counterSet: string, taken: JsonObject): JsonObject => ({
  consumesCounters: [{ counterSet, counters: taken }],
});
const from = 'defined in the ResourceSlice sharedCounters';

type SliceRow = readonly [title: string, spec: JsonObject, device: JsonObject, errors: string[]];

const sliceRows: readonly SliceRow[] = [
  ['a device that takes of a set', { sharedCounters: [set] }, taking('s', counters(1)), []],
  [
    'sets without a name and without counters',
    { sharedCounters: [{ name: '' }] },
    {},
    [
      'spec.sharedCounters[0].name: Required value',
      'spec.sharedCounters[0].counters: Required value',
    ],
  ],
  [
    'more counters than slices share',
    { sharedCounters: [{ name: 's', counters: counters(33) }] },
    {},
    [
      'spec.sharedCounters: Invalid value: 33: the total number of shared counters must not exceed 32',
    ],
  ],
  [
    'a set and a counter that are not there',
    { sharedCounters: [set] },
    {
      consumesCounters: [
        { counterSet: 't', counters: counters(1) },
        { counterSet: 's', counters: counters(3) },
      ],
    },
    [
      `spec.devices[0].consumesCounters[0].counterSet: Invalid value: "t": must reference a counterSet ${from}`,
      `spec.devices[0].consumesCounters[1].counters: Invalid value: "c2": must reference a counter ${from}`,
    ],
  ],
  [
    'more counters than a device takes',
    { sharedCounters: [set] },
    taking('s', counters(33)),
    ['spec.devices[0]: Invalid value: 33: the total number of counters must not exceed 32'],
  ],
  ['a place of each device', { perDeviceNodeSelection: true }, { nodeName: 'n' }, []],
  [
    'a place of a device where all have one',
    {},
    { allNodes: true },
    [
      'spec.devices[0]: Invalid value: `nodeName`, `nodeSelector` and `allNodes` can only ' +
        'be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
  ],
  [
    'two places, and none',
    { perDeviceNodeSelection: true },
    { nodeName: 'n', allNodes: true },
    [
      'spec.devices[0]: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, ' +
        '`nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true ' +
        'in the ResourceSlice spec',
    ],
  ],
];

describe('a slice whose devices share counters or have places of their own', () => {
  for (const [title, spec, device, errors] of sliceRows) {
    it(title, () => {
      const slice = (version: string, devices: JsonObject[]): ApiObject => ({
        apiVersion: `resource.k8s.io/${version}`,
        kind: 'ResourceSlice',
        metadata: { name: 's' },
        spec: { ...spec, devices },
      });
      const found = sliceCounterRules(slice('v1beta2', [{ name: 'd', ...device }]));
      assert.deepEqual(found.map(formatFieldError), errors);
      const older = sliceCounterRules(slice('v1beta1', [{ name: 'd', basic: device }]));
      assert.deepEqual(
        older.map(({ field }) => field),
        found.map(({ field }) => field.replace('devices[0]', 'devices[0].basic')),
      );
    });
  }
});
