/** Expressions are checked when the objects that hold them are written. */
import { runScenarios } from '../support/checks/scenario.ts';
import type { Step } from '../support/checks/scenario.ts';

const policies = '/apis/admissionregistration.$domain/v1/validatingadmissionpolicies';
const mutations = '/apis/admissionregistration.$domain/v1alpha1/mutatingadmissionpolicies';
const hooks = '/apis/admissionregistration.$domain/v1/validatingwebhookconfigurations';
const classes = '/apis/resource.$domain/v1beta1/deviceclasses';
const claims = '/apis/resource.$domain/v1beta1/namespaces/$ns/resourceclaims';
const definitions = '/apis/apiextensions.$domain/v1/customresourcedefinitions';

const matchConstraints = {
  resourceRules: [
    {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      operations: ['CREATE'],
      resources: ['deployments'],
    },
  ],
};

function policy(name: string, spec: object) {
  return {
    apiVersion: 'admissionregistration.$domain/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints, ...spec },
  };
}

const holds = [{ expression: 'object.spec.replicas <= 5' }];

function refusedPolicy(name: string, spec: object, message: RegExp): Step {
  return {
    request: `POST ${policies}`,
    body: policy(name, spec),
    status: 422,
    reason: 'Invalid',
    message,
  };
}

function mutation(name: string, own: object) {
  return {
    apiVersion: 'admissionregistration.$domain/v1alpha1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints, reinvocationPolicy: 'Never', mutations: [own] },
  };
}

function webhooks(name: string, matchConditions: readonly object[]) {
  return {
    apiVersion: 'admissionregistration.$domain/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { url: 'https://example.com/hook' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
        ],
        matchConditions,
      },
    ],
  };
}

function deviceClass(name: string, ...expressions: readonly string[]) {
  return {
    apiVersion: 'resource.$domain/v1beta1',
    kind: 'DeviceClass',
    metadata: { name },
    spec: { selectors: expressions.map((expression) => ({ cel: { expression } })) },
  };
}

function definition(plural: string, schema: object) {
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: 'apiextensions.$domain/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
        },
      ],
    },
  };
}

const ruled = (schema: object, ...rules: readonly object[]) => ({
  ...schema,
  'x-kubernetes-validations': rules,
});
const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } };

function refusedDefinition(plural: string, schema: object, message: RegExp): Step {
  return {
    request: `POST ${definitions}`,
    body: definition(plural, schema),
    status: 422,
    reason: 'Invalid',
    message,
  };
}

/** So many that they are judged in turns, with the last as it is given. */
const many = (last: string) => ({
  validations: [
    ...Array.from({ length: 40 }, (_none, i) => ({
      expression: `object.spec.replicas <= ${i} || object.metadata.name != 'name-${i}'`,
    })),
    { expression: last },
  ],
});
const ofVersion = { metadata: { name: 'applied', resourceVersion: '$rv' } };
const wrongLast = /spec\.validations\[40\]\.expression: .*undeclared reference to 'objec'/;
const refusedLast = { status: 422, reason: 'Invalid', message: wrongLast } as const;

runScenarios(
  'expressions in objects',
  [
    {
      title: 'many expressions are judged however they are written',
      steps: [
        { request: `POST ${policies}`, body: policy('many', many('true')), status: 201 },
        {
          request: `POST ${policies}`,
          body: policy('others', many('objec.spec')),
          ...refusedLast,
        },
        {
          request: `PATCH ${policies}/many`,
          headers: { 'content-type': 'application/merge-patch+json' },
          body: { spec: many('objec.spec') },
          ...refusedLast,
        },
        {
          request: `PATCH ${policies}/many`,
          headers: { 'content-type': 'application/json-patch+json' },
          body: [
            { op: 'replace', path: '/spec/validations/40/expression', value: 'object.x > 3' },
            { op: 'add', path: '/spec/validations/-', value: { expression: "'a' < 'b'" } },
          ],
          status: 200,
        },
        {
          request: `PATCH ${policies}/many?fieldManager=a&force=true`,
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: policy('many', many('objec.spec')),
          ...refusedLast,
        },
        {
          request: `PATCH ${policies}/applied?fieldManager=a`,
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: policy('applied', many('objec.spec')),
          ...refusedLast,
        },
        {
          request: `PATCH ${policies}/applied?fieldManager=a`,
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: policy('applied', many('false')),
          status: 201,
          save: { rv: 'metadata.resourceVersion' },
        },
        {
          request: `PUT ${policies}/applied`,
          body: { ...policy('applied', many('objec.spec')), ...ofVersion },
          ...refusedLast,
        },
        {
          request: `PUT ${policies}/applied`,
          body: { ...policy('applied', many('true')), ...ofVersion },
          status: 200,
        },
        {
          request: `POST ${policies}`,
          body: policy('long', many(`true${' || true'.repeat(1500)}`)),
          status: 422,
          message: /an expression may have at most 10240 characters/,
        },
      ],
    },
    {
      title: 'validations of a policy are compiled with what they may name',
      steps: [
        {
          request: `POST ${policies}`,
          body: policy('good', {
            paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
            matchConditions: [{ name: 'a', expression: "request.userInfo.username != 'x'" }],
            variables: [
              { name: 'limit', expression: 'int(params.data.limit)' },
              { name: 'over', expression: 'object.spec.replicas > variables.limit' },
            ],
            validations: [
              {
                expression: '!variables.over',
                messageExpression: "'at most ' + string(variables.limit)",
              },
              { expression: "authorizer.group('').resource('pods').check('get').allowed()" },
            ],
            auditAnnotations: [{ key: 'k', valueExpression: 'namespaceObject.metadata.name' }],
          }),
          status: 201,
        },
        refusedPolicy(
          'syntax',
          { validations: [{ expression: 'object.spec.replicas <' }] },
          /spec\.validations\[0\]\.expression: Invalid value: "object\.spec\.replicas <": compilation failed: ERROR: <input>:1:23: Syntax error/,
        ),
        refusedPolicy(
          'type',
          { validations: [{ expression: "'text'" }] },
          /spec\.validations\[0\]\.expression: .*: must evaluate to bool but got string/,
        ),
        refusedPolicy(
          'params',
          { validations: [{ expression: 'params.data.x == object.x' }] },
          /undeclared reference to 'params'/,
        ),
        refusedPolicy(
          'request',
          { validations: [{ expression: "request.user == 'x'" }] },
          /spec\.validations\[0\]\.expression: .*undefined field 'user'/,
        ),
        refusedPolicy(
          'message',
          { validations: [{ expression: 'true', messageExpression: '1' }] },
          /spec\.validations\[0\]\.messageExpression: .*must evaluate to string but got int/,
        ),
        refusedPolicy(
          'variable',
          {
            variables: [
              { name: 'a', expression: 'variables.b' },
              { name: 'b', expression: '1' },
            ],
            validations: holds,
          },
          /spec\.variables\[0\]\.expression: .*undefined field 'b'/,
        ),
        refusedPolicy(
          'variable-type',
          {
            variables: [{ name: 'a', expression: "'x'" }],
            validations: [{ expression: 'variables.a > 1' }],
          },
          /found no matching overload for '_>_' applied to '\(string, int\)'/,
        ),
        refusedPolicy(
          'annotation',
          { auditAnnotations: [{ key: 'k', valueExpression: '1' }] },
          /spec\.auditAnnotations\[0\]\.valueExpression: .*must evaluate to one of/,
        ),
        refusedPolicy(
          'condition',
          { matchConditions: [{ name: 'a', expression: 'request.name' }], validations: holds },
          /spec\.matchConditions\[0\]\.expression: .*must evaluate to bool but got string/,
        ),
      ],
    },
    {
      title: 'a function of the release itself is not yet for new expressions',
      steps: [
        refusedPolicy(
          'semver',
          { validations: [{ expression: "isSemver('1.0.0')" }] },
          /undeclared reference to 'isSemver'/,
        ),
      ],
    },
    {
      title: 'expressions of one object have a limit together',
      steps: [
        refusedPolicy(
          'long',
          {
            validations: Array.from({ length: 400 }, (_none, at) => ({
              expression: `object.metadata.name != '${'x'.repeat(400)}${at}'`,
            })),
          },
          /spec: Forbidden: expressions may have at most 131072 characters together/,
        ),
      ],
    },
    {
      title: 'mutations give an object or a list of patches',
      steps: [
        {
          request: `POST ${mutations}`,
          body: mutation('apply', {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 3}}' },
          }),
          status: 201,
        },
        {
          request: `POST ${mutations}`,
          body: mutation('patch', {
            patchType: 'JSONPatch',
            jsonPatch: {
              expression:
                '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "c"}]',
            },
          }),
          status: 201,
        },
        {
          request: `POST ${mutations}`,
          body: mutation('wrong', {
            patchType: 'JSONPatch',
            jsonPatch: { expression: 'Object{spec: Object.spec{replicas: 3}}' },
          }),
          status: 422,
          message:
            /spec\.mutations\[0\]\.jsonPatch\.expression: .*must evaluate to list\(JSONPatch\) but got Object/,
        },
        {
          request: `POST ${mutations}`,
          body: mutation('field', {
            patchType: 'JSONPatch',
            jsonPatch: { expression: '[JSONPatch{operation: "add"}]' },
          }),
          status: 422,
          message: /undefined field 'operation'/,
        },
      ],
    },
    {
      title: 'match conditions of webhooks are compiled',
      steps: [
        {
          request: `POST ${hooks}`,
          body: webhooks('good', [
            { name: 'a', expression: "request.resource.group != 'coordination.k8s.io'" },
            { name: 'b', expression: "authorizer.requestResource.check('get').allowed()" },
          ]),
          status: 201,
        },
        {
          request: `POST ${hooks}`,
          body: webhooks('bad', [{ name: 'a', expression: 'object.x ==' }]),
          status: 422,
          message:
            /webhooks\[0\]\.matchConditions\[0\]\.expression: .*compilation failed: ERROR: <input>:1:12/,
        },
        {
          request: `POST ${hooks}`,
          body: webhooks('params', [{ name: 'a', expression: 'params == null' }]),
          status: 422,
          message: /undeclared reference to 'params'/,
        },
      ],
    },
    {
      title: 'selectors of devices are compiled, give a bool, and cannot cost too much',
      steps: [
        {
          request: `POST ${classes}`,
          body: deviceClass(
            'good',
            'device.driver == "gpu.example.com"',
            'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0',
            'device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.0.0"))',
            'cel.bind(a, device.attributes["gpu.example.com"], a.model == "x" && a.cores > 4)',
          ),
          status: 201,
        },
        {
          request: `POST ${classes}`,
          body: deviceClass('bad', 'device.name == "x"'),
          status: 422,
          message:
            /spec\.selectors\[0\]\.cel\.expression: .*compilation failed: ERROR: <input>:1:7: undefined field 'name'/,
        },
        {
          request: `POST ${classes}`,
          body: deviceClass('type', 'device.driver'),
          status: 422,
          message: /must evaluate to bool or the unknown type, not string/,
        },
        {
          request: `POST ${classes}`,
          body: deviceClass(
            'dear',
            'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, ' +
              'device.attributes.all(d, device.attributes.all(e, a + b + c + d + e == "")))))',
          ),
          status: 422,
          message:
            /spec\.selectors\[0\]\.cel\.expression: Forbidden: too complex, exceeds cost limit/,
        },
        {
          request: `POST ${claims}`,
          body: {
            apiVersion: 'resource.$domain/v1beta1',
            kind: 'ResourceClaim',
            metadata: { name: 'c', namespace: '$ns' },
            spec: {
              devices: {
                requests: [
                  {
                    name: 'r',
                    deviceClassName: 'gpu',
                    selectors: [{ cel: { expression: 'true' } }, { cel: { expression: '1' } }],
                  },
                ],
              },
            },
          },
          status: 422,
          message: /selectors\[1\]\.cel\.expression: .*must evaluate to bool/,
        },
      ],
    },
    {
      title: 'rules of a schema are compiled against its types',
      steps: [
        {
          request: `POST ${definitions}`,
          body: definition(
            'goods',
            ruled(
              replicas,
              { rule: 'self.replicas <= 5', message: 'too many' },
              {
                rule: '!has(oldSelf.replicas) || self.replicas >= oldSelf.replicas',
                messageExpression: "self.replicas > 3 ? 'fewer than before' : 'too few'",
                fieldPath: '.replicas',
                reason: 'FieldValueForbidden',
              },
            ),
          ),
          status: 201,
        },
        refusedDefinition(
          'fields',
          ruled(replicas, { rule: 'self.replica <= 5' }),
          new RegExp(
            'validations\\[0\\]\\.rule: Invalid value: \\{"Rule":"self\\.replica \\\\u003c= 5",.*' +
              "compilation failed: ERROR: <input>:1:5: undefined field 'replica'",
          ),
        ),
        refusedDefinition(
          'bools',
          ruled(replicas, { rule: 'self.replicas' }),
          /cel expression must evaluate to a bool/,
        ),
        refusedDefinition(
          'messages',
          ruled(replicas, { rule: 'true', messageExpression: 'self.replicas' }),
          /messageExpression: .*messageExpression must evaluate to a string/,
        ),
        refusedDefinition(
          'paths',
          ruled(replicas, { rule: 'true', fieldPath: '.other' }),
          /x-kubernetes-validations\[0\]\.fieldPath: .*must be a valid path/,
        ),
        refusedDefinition(
          'olds',
          { type: 'array', items: ruled({ type: 'string' }, { rule: 'self == oldSelf' }) },
          /oldSelf cannot be used on the uncorrelatable portion of the schema within .*properties\[spec\]/,
        ),
        refusedDefinition(
          'costs',
          ruled(
            { type: 'array', items: { type: 'array', items: { type: 'string' } } },
            { rule: "self.all(x, x.all(y, y.contains('a')))" },
          ),
          /estimated rule cost exceeds budget by factor of more than 100x \(try simplifying the rule/,
        ),
        refusedDefinition(
          'optionals',
          ruled(replicas, { rule: 'true', optionalOldSelf: true }),
          /optionalOldSelf: .*may not be set if oldSelf is not used in rule/,
        ),
      ],
    },
  ],
  {
    'runtime-config': 'api/all=true',
    'feature-gates': 'DynamicResourceAllocation=true,MutatingAdmissionPolicy=true',
  },
);
