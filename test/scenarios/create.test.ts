/** Create: names, what the server owns, agreement with the path, metadata rules (spec 1, 2.2, 4.6). */
import assert from 'node:assert/strict';
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec, workloadSpec } from '../support/data/valid-objects.ts';

const configmaps = '/api/v1/namespaces/$ns/configmaps';
const revisions = '/apis/apps/v1/namespaces/$ns/controllerrevisions';

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or " +
  "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " +
  "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** A create that is refused with 422, one cause for each field. */
function invalid(metadata: object, causes: readonly object[], name = 'a'): Step {
  return {
    request: `POST ${configmaps}`,
    body: { metadata: { name, ...metadata } },
    status: 422,
    reason: 'Invalid',
    message: /^ConfigMap "[^"]*" is invalid: /,
    expect: { details: { kind: 'ConfigMap', causes } },
  };
}

const serverOwned: Scenario = {
  title: 'a create drops what only the server may set',
  steps: [
    {
      request: `POST ${configmaps}`,
      body: {
        metadata: {
          name: 'a',
          uid: '11111111-1111-1111-1111-111111111111',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 7,
          generation: 77,
          selfLink: '/x',
          annotations: { kept: 'yes' },
        },
      },
      status: 201,
      expect: {
        metadata: {
          uid: /^(?!1111)/,
          creationTimestamp: /^2[0-9]{3}-(?!01-01T00:00:00Z)/,
          deletionTimestamp: absent,
          deletionGracePeriodSeconds: absent,
          generation: absent,
          selfLink: absent,
          annotations: { kept: 'yes' },
        },
      },
    },
    {
      request: 'POST /apis/apps/v1/namespaces/$ns/deployments',
      body: {
        metadata: { name: 'a', generation: 77 },
        spec: workloadSpec(),
        status: { replicas: 9 },
      },
      status: 201,
      expect: { metadata: { generation: 1 }, status: { replicas: absent } },
      save: { born: 'metadata.resourceVersion' },
    },
    {
      request: 'PATCH /apis/apps/v1/namespaces/$ns/deployments/a/status',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: {},
      status: 200,
      expect: { metadata: { resourceVersion: '$born' } },
    },
    {
      request: `POST ${configmaps}`,
      body: { metadata: { name: 'b', resourceVersion: '12' } },
      status: 400,
      reason: 'BadRequest',
      message: 'resourceVersion should not be set on objects to be created',
    },
    {
      request: `POST ${configmaps}`,
      body: { metadata: { name: 'b', resourceVersion: '' } },
      status: 201,
    },
  ],
};

const generated: Scenario = {
  title: 'generateName appends five characters to at most 58',
  steps: [
    {
      request: `POST ${configmaps}`,
      body: { metadata: { generateName: 'job-' } },
      status: 201,
      expect: {
        metadata: { name: /^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/, generateName: 'job-' },
      },
    },
    {
      request: `POST ${configmaps}`,
      body: { metadata: { generateName: 'x'.repeat(70) } },
      status: 201,
      expect: { metadata: { name: /^x{58}[b-z2-9]{5}$/ } },
    },
    {
      request: `POST ${configmaps}`,
      body: { metadata: { name: 'given', generateName: 'job-' } },
      status: 201,
      expect: { metadata: { name: 'given', generateName: 'job-' } },
    },
    {
      request: `POST ${configmaps}`,
      body: { metadata: {} },
      status: 422,
      reason: 'Invalid',
      message:
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      expect: { details: { causes: [{ reason: 'FieldValueRequired', field: 'metadata.name' }] } },
    },
    {
      request: `POST ${configmaps}`,
      body: { metadata: { generateName: 'UPPER-' } },
      status: 422,
      reason: 'Invalid',
      expect: { details: { causes: [{ field: 'metadata.generateName' }, {}] } },
    },
  ],
};

const agreement: Scenario = {
  title: 'a body that does not agree with the path is refused',
  steps: [
    {
      request: `POST ${configmaps}`,
      body: { metadata: { name: 'a', namespace: 'other' } },
      status: 400,
      reason: 'BadRequest',
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    },
    {
      request: `POST ${configmaps}`,
      body: { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
      status: 400,
      reason: 'BadRequest',
      message: 'the API version in the data (v2) does not match the expected API version (v1)',
    },
    {
      request: `POST ${configmaps}`,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      status: 400,
      reason: 'BadRequest',
      message: 'the kind in the data (Secret) does not match the expected kind (ConfigMap)',
    },
    {
      request: `POST ${configmaps}`,
      body: { metadata: { name: 'a', namespace: '$ns' } },
      status: 201,
    },
    {
      request: 'POST /api/v1/nodes',
      body: { metadata: { name: 'n-$ns', namespace: 'dropped' } },
      status: 201,
      expect: { metadata: { namespace: absent } },
    },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'b' } },
      status: 400,
      reason: 'BadRequest',
      message: 'the name of the object (b) does not match the name on the URL (a)',
    },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a', namespace: 'other' } },
      status: 400,
      reason: 'BadRequest',
      message:
        'the namespace of the object (other) does not match the namespace on the request ($ns)',
    },
    { request: `PUT ${configmaps}/a`, body: { metadata: { name: 'a' } }, status: 200 },
  ],
};

const bodies: Scenario = {
  title: 'a body that is no object is refused, and changes nothing',
  steps: [
    ...['', '{', '[]', '"a"', 'null', '{"metadata":{"name":"a"}}x'].map((body): Step => ({
      request: `POST ${configmaps}`,
      body,
      headers: { 'content-type': 'application/json' },
      status: 400,
      reason: 'BadRequest',
    })),
    ...[
      { metadata: [] },
      { metadata: { name: 7 } },
      { metadata: { name: 'a', labels: { a: 1 } } },
      { metadata: { name: 'a', labels: ['a'] } },
      { metadata: { name: 'a', finalizers: 'a' } },
      { metadata: { name: 'a', ownerReferences: [1] } },
      { apiVersion: 1, metadata: { name: 'a' } },
    ].map((body): Step => ({
      request: `POST ${configmaps}`,
      body,
      status: 400,
      reason: 'BadRequest',
    })),
    { request: `GET ${configmaps}`, status: 200, expect: { items: [] } },
  ],
};

const metadataRules: Scenario = {
  title: 'metadata that breaks a rule is 422 with one cause for each field',
  steps: [
    {
      ...invalid({}, [{ reason: 'FieldValueInvalid', field: 'metadata.name' }], 'Bad_Name'),
      message:
        'ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": ' +
        subdomainRule,
    },
    invalid({}, [{ field: 'metadata.name', message: /must be no more than 253/ }], 'a'.repeat(254)),
    invalid({ labels: { 'a b': 'x' } }, [
      { reason: 'FieldValueInvalid', field: 'metadata.labels', message: /name part must consist/ },
    ]),
    invalid({ labels: { a: 'x y', b: '-' } }, [
      { field: 'metadata.labels', message: /a valid label must be an empty string/ },
      { field: 'metadata.labels' },
    ]),
    invalid({ annotations: { 'a/b/c': '' } }, [{ field: 'metadata.annotations' }]),
    invalid({ annotations: { a: 'x'.repeat(256 * 1024) } }, [
      { reason: 'FieldValueTooLong', field: 'metadata.annotations' },
    ]),
    invalid({ finalizers: ['unqualified'] }, [
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.finalizers[0]',
        message: /name is neither a standard finalizer name nor is it fully qualified/,
      },
    ]),
    invalid({ finalizers: ['orphan', 'foregroundDeletion'] }, [{ field: 'metadata.finalizers' }]),
    invalid({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: '', uid: '' }] }, [
      { reason: 'FieldValueInvalid', field: 'metadata.ownerReferences.name' },
      { reason: 'FieldValueInvalid', field: 'metadata.ownerReferences.uid' },
    ]),
    invalid({ ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }] }, [
      { message: /Kind=Event is disallowed from being an owner/ },
    ]),
    invalid(
      {
        ownerReferences: ['a', 'b'].map((name) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          name,
          uid: name,
          controller: true,
        })),
      },
      [{ message: /Only one reference can have Controller set to true/ }],
    ),
    { request: `GET ${configmaps}`, status: 200, expect: { items: [] } },
  ],
};

const kindNames: Scenario = {
  title: 'each kind has its own rule for names',
  steps: [
    {
      request: 'POST /api/v1/namespaces',
      body: { metadata: { name: 'has.dots' } },
      status: 422,
      reason: 'Invalid',
      message:
        'Namespace "has.dots" is invalid: metadata.name: Invalid value: "has.dots": must not contain dots',
    },
    {
      request: 'POST /api/v1/namespaces/$ns/services',
      body: { metadata: { name: '1a' } },
      status: 422,
      reason: 'Invalid',
      message: /a DNS-1035 label must consist of/,
    },
    {
      request: 'POST /apis/rbac.authorization.$domain/v1/namespaces/$ns/roles',
      body: { metadata: { name: 'system:Any_thing' } },
      status: 201,
    },
    {
      request: 'POST /apis/rbac.authorization.$domain/v1/namespaces/$ns/roles',
      body: { metadata: { name: 'a/b' } },
      status: 422,
      reason: 'Invalid',
      message: /may not contain '\/'/,
    },
    {
      request: 'POST /apis/batch/v1/namespaces/$ns/cronjobs',
      body: { metadata: { name: 'c'.repeat(53) } },
      status: 422,
      reason: 'Invalid',
      message: /must be no more than 52 characters/,
    },
  ],
};

const oddities: Scenario = {
  title: 'what may be any JSON keeps its numbers, key order, nulls and odd names',
  steps: [
    {
      request: `POST ${revisions}`,
      body:
        '{"metadata":{"name":"odd"},"revision":9007199254740993,"data":' +
        '{"zeta":1,"alpha":[1.0,1e3,-0,0.1,123456789012345678901234567890],' +
        '"\u00e9\u{1f600}":"\\u0000\\n\\"","":"","n":null,"o":{},"l":[],"__proto__":{"x":1}}}',
      headers: { 'content-type': 'application/json' },
      status: 201,
      headersExpected: { warning: null },
    },
    {
      request: `GET ${revisions}/odd`,
      status: 200,
      check: (reply) => {
        for (const part of [
          '123456789012345678901234567890',
          '"revision":9007199254740993',
          '"__proto__":{"x":1}',
          '"n":null,"o":{},"l":[]',
        ]) {
          assert(reply.text.includes(part), `${part} in ${reply.text}`);
        }
        assert(reply.text.indexOf('"zeta"') < reply.text.indexOf('"alpha"'), 'key order');
        const data = reply.body['data'] as Record<string, unknown>;
        assert.equal(data['\u00e9\u{1f600}'], '\u0000\n"');
        assert.equal(data[''], '');
      },
    },
    {
      request: `POST ${configmaps}`,
      body: {
        metadata: {
          name: 'own',
          ownerReferences: [1, 1].map(() => ({
            apiVersion: 'v1',
            kind: 'Pod',
            name: 'p',
            uid: 'u',
          })),
        },
      },
      status: 201,
      headersExpected: {
        warning: /^299 - "\.metadata\.ownerReferences contains duplicate entries; .* observed: u"$/,
      },
      check: (reply) => assert.equal(reply.text.split('"uid":"u"').length, 2),
    },
  ],
};

const jobs = '/apis/batch/v1/namespaces/$ns/jobs';
const jobTemplate = podSpec({ restartPolicy: 'Never' });

/** An owner who leaves the selector out of an apply would otherwise change what is immutable. */
const jobOwners: Scenario = {
  title: 'what the server writes into a new job is owned by no writer',
  steps: [
    {
      request: `POST ${jobs}?fieldManager=a`,
      body: { metadata: { name: 'j' }, spec: { template: { spec: jobTemplate } } },
      status: 201,
      check: ({ body }) => {
        const { metadata, spec } = body as unknown as {
          metadata: { managedFields: { fieldsV1: { 'f:spec': Record<string, object> } }[] };
          spec: { selector: object };
        };
        assert.notEqual(spec.selector, undefined);
        const owned = metadata.managedFields[0]?.fieldsV1['f:spec'] ?? {};
        assert.equal(owned['f:selector'], undefined);
        assert.ok(owned['f:template'] !== undefined && !('f:metadata' in owned['f:template']));
      },
    },
  ],
};

runScenarios('create', [
  jobOwners,
  serverOwned,
  generated,
  agreement,
  bodies,
  metadataRules,
  kindNames,
  oddities,
]);
