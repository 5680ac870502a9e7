/** Server-side apply where a type has become atomic, or no longer is (spec 1, section 4.5). */
import { runScenarios } from '../support/checks/scenario.ts';
import type { Step } from '../support/checks/scenario.ts';

type Data = Readonly<Record<string, string>>;

const core = '/api/v1/namespaces/$ns';
const rest = { headers: { 'content-type': 'application/apply-patch+yaml' }, status: 200 };

/** An apply of the selector of a Service, which is atomic. */
const service = (manager: string, selector: Data, more: Partial<Step>): Step => ({
  ...rest,
  request: `PATCH ${core}/services/m?fieldManager=${manager}`,
  body: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'm' },
    spec: { selector, ports: [{ port: 80 }] },
  },
  ...more,
});

/** An apply of the data of a ConfigMap, of which each key has owners of its own. */
const map = (manager: string, data: Data, more: Partial<Step>): Step => ({
  ...rest,
  request: `PATCH ${core}/configmaps/m?fieldManager=${manager}`,
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data },
  ...more,
});

/** Gives an object the owners that it may have from when its type was another one. */
function ownedBefore(plural: string, owners: readonly (readonly [string, object])[]): Step {
  const managedFields = owners.map(([manager, fieldsV1]) => ({
    manager,
    operation: 'Apply',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  }));
  return {
    request: `PATCH ${core}/${plural}/m`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { managedFields } },
    status: 200,
  };
}

runScenarios('apply after a change of the type', [
  {
    title: 'owners of parts of what is atomic now own the whole, and conflict on it',
    steps: [
      service('a', { x: '1' }, { status: 201 }),
      ownedBefore('services', [
        ['a', { 'f:spec': { 'f:selector': { 'f:x': {} } } }],
        ['b', { 'f:spec': { 'f:selector': { 'f:y': {} } } }],
      ]),
      service(
        'c',
        { x: '1', z: '1' },
        { status: 409, message: /"a":\n- .spec.selector\n.*"b":\n- .spec.selector$/ },
      ),
    ],
  },
  {
    title: 'the owner of a whole whose parts have owners now is in the way of nobody',
    steps: [
      map('a', { x: '1' }, { status: 201 }),
      ownedBefore('configmaps', [['a', { 'f:data': {} }]]),
      map('b', { x: '2' }, { expect: { data: { x: '2' } } }),
    ],
  },
]);
