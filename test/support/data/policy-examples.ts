/**
 * Policies of the kinds that the field's documentation teaches, in words and names of our own: what
 * is installed, and what each says of some objects.
 *
 * Objects are tried by dry runs, in the namespaces `try-test` and `try-prod`, which have a label
 * `stage` of `test` and `prod`.
 */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import {
  bindingOf,
  mutatingBindingOf,
  mutatingPolicyOf,
  policyOf,
  ruleOf,
} from './policy-objects.ts';

export interface Tried {
  readonly namespace: 'try-test' | 'try-prod';
  readonly object: JsonObject;
  /** Absent: it is let through. */
  readonly refused?: RegExp;
  readonly warned?: RegExp;
  /** Members of the object as it is then. */
  readonly becomes?: JsonObject;
}

export interface PolicyExample {
  readonly title: string;
  /** Configuration maps that policies are set up with, in `default`. */
  readonly params?: Readonly<Record<string, JsonObject>>;
  readonly install: readonly JsonObject[];
  readonly tries: readonly Tried[];
}

const inStage = (stage: string): JsonObject => ({
  namespaceSelector: { matchLabels: { stage } },
});

const deployment = (replicas: number, container: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'prod.images.example/web:1', ...container }] },
    },
  },
});

const map = (data: JsonObject, name = 'settings'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const deployments = 'apps/v1/deployments';

const limits: readonly PolicyExample[] = [
  {
    title: 'a limit in the expression, for the namespaces of one stage',
    install: [
      policyOf('few', deployments, { validations: [{ expression: 'object.spec.replicas <= 5' }] }),
      bindingOf('few', { matchResources: inStage('test') }),
    ],
    tries: [
      { namespace: 'try-test', object: deployment(5) },
      {
        namespace: 'try-test',
        object: deployment(6),
        refused: /denied request: failed expression: object\.spec\.replicas <= 5$/,
      },
      { namespace: 'try-prod', object: deployment(6) },
    ],
  },
  {
    title: 'one limit for each stage, as parameters, and a message that says it',
    params: { 'few-test': { most: '3' }, 'few-prod': { most: '100' } },
    install: [
      policyOf('most', deployments, {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [
          {
            expression: 'object.spec.replicas <= int(params.data.most)',
            messageExpression: "'there may be ' + params.data.most + ' of them at most'",
            reason: 'Invalid',
          },
        ],
      }),
      ...['test', 'prod'].map((stage) => ({
        ...bindingOf(`most-${stage}`),
        spec: {
          policyName: 'most',
          validationActions: ['Deny'],
          matchResources: inStage(stage),
          paramRef: {
            name: `few-${stage}`,
            namespace: 'default',
            parameterNotFoundAction: 'Deny',
          },
        },
      })),
    ],
    tries: [
      { namespace: 'try-test', object: deployment(3) },
      {
        namespace: 'try-test',
        object: deployment(4),
        refused: /'most' with binding 'most-test' denied request: there may be 3 of them at most$/,
      },
      { namespace: 'try-prod', object: deployment(100) },
      { namespace: 'try-prod', object: deployment(101), refused: /there may be 100 of them/ },
    ],
  },
  {
    title: 'a member of the parameters that may be missing',
    params: { open: {}, shut: { pattern: '^[a-z]+$' } },
    install: [
      policyOf('optional', '/v1/configmaps', {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [
          {
            expression:
              '!has(params.data) || !has(params.data.pattern) || ' +
              'object.data.all(k, object.data[k].matches(params.data.pattern))',
          },
        ],
      }),
      ...(['open', 'shut'] as const).map((name) => ({
        ...bindingOf(`optional-${name}`),
        spec: {
          policyName: 'optional',
          validationActions: ['Deny'],
          matchResources: inStage(name === 'open' ? 'test' : 'prod'),
          paramRef: { name, namespace: 'default', parameterNotFoundAction: 'Deny' },
        },
      })),
    ],
    tries: [
      { namespace: 'try-test', object: map({ a: 'A1' }) },
      { namespace: 'try-prod', object: map({ a: 'abc' }) },
      { namespace: 'try-prod', object: map({ a: 'abc', b: 'A1' }), refused: /'optional-shut'/ },
    ],
  },
];

const imageRule: JsonObject = {
  variables: [
    {
      name: 'stage',
      expression:
        "'stage' in namespaceObject.metadata.labels ? namespaceObject.metadata.labels.stage : 'prod'",
    },
    { name: 'all', expression: 'object.spec.template.spec.containers' },
    {
      name: 'judged',
      expression: "variables.all.filter(c, !has(c.env) || !c.env.exists(e, e.name == 'ANY_IMAGE'))",
    },
  ],
  validations: [
    {
      expression:
        "variables.judged.all(c, c.image.startsWith(variables.stage + '.images.example/'))",
      messageExpression: "'only images of ' + variables.stage + ' run in ' + request.namespace",
    },
  ],
};

const everything = {
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*'],
  operations: ['CREATE', 'UPDATE'],
};

const conditions: readonly PolicyExample[] = [
  {
    title: 'match conditions leave out leases, what nodes write, and roles',
    install: [
      policyOf('not-demo', '', {
        matchConstraints: { resourceRules: [everything] },
        matchConditions: [
          {
            name: 'no-leases',
            expression:
              "!(request.resource.group == 'coordination.k8s.io' && " +
              "request.resource.resource == 'leases')",
          },
          { name: 'no-nodes', expression: "!('system:nodes' in request.userInfo.groups)" },
          {
            name: 'no-roles',
            expression: "request.resource.group != 'rbac.authorization.k8s.io'",
          },
        ],
        validations: [
          { expression: "!object.metadata.name.contains('demo')", message: 'no demos' },
        ],
      }),
      bindingOf('not-demo', { matchResources: inStage('test') }),
    ],
    tries: [
      { namespace: 'try-test', object: map({}, 'a-demo'), refused: /denied request: no demos$/ },
      { namespace: 'try-test', object: map({}, 'no-show') },
      {
        namespace: 'try-test',
        object: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'a-demo' },
          spec: {},
        },
      },
      {
        namespace: 'try-test',
        object: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'a-demo' },
          rules: [],
        },
      },
    ],
  },
  {
    title: 'images belong to the stage of the namespace, but for containers that say otherwise',
    install: [policyOf('images', deployments, imageRule), bindingOf('images')],
    tries: [
      { namespace: 'try-prod', object: deployment(1) },
      {
        namespace: 'try-test',
        object: deployment(1),
        refused: /denied request: only images of test run in try-test$/,
      },
      { namespace: 'try-test', object: deployment(1, { image: 'test.images.example/web:1' }) },
      { namespace: 'try-test', object: deployment(1, { env: [{ name: 'ANY_IMAGE' }] }) },
    ],
  },
  {
    title: 'a warning and an annotation in place of a refusal',
    install: [
      policyOf('many', deployments, {
        validations: [{ expression: 'object.spec.replicas < 50', message: 'that is a lot' }],
        auditAnnotations: [
          {
            key: 'many',
            valueExpression: "object.spec.replicas > 50 ? string(object.spec.replicas) : ''",
          },
        ],
      }),
      bindingOf('many', { validationActions: ['Warn', 'Audit'] }),
    ],
    tries: [
      { namespace: 'try-prod', object: deployment(10) },
      { namespace: 'try-prod', object: deployment(60), warned: /'many': that is a lot/ },
    ],
  },
  {
    title: 'the idioms of the language: keys, lists, times, urls, quantities',
    install: [
      policyOf('idioms', '/v1/configmaps', {
        validations: [
          { expression: "'ready' in object.data", message: 'no ready' },
          {
            expression:
              "(object.?data['a'].orValue('') == '') != (object.?data['b'].orValue('') == '')",
            message: 'one of a and b',
          },
          {
            expression:
              "timestamp(object.data['until']) > timestamp(object.data['since']) + duration('1h')",
            message: 'too short',
          },
          {
            expression:
              "isURL(object.data['url']) && url(object.data['url']).getScheme() == 'https'",
            message: 'no https',
          },
          {
            expression:
              "quantity(object.data['size']).isLessThan(quantity('1Gi')) && " +
              "object.data['list'].split(',').isSorted()",
            message: 'too large, or in no order',
          },
          {
            expression:
              "object.data['id'].find('^[a-z]+') != '' && !object.data['id'].endsWith('-')",
            message: 'no id',
          },
        ],
      }),
      bindingOf('idioms'),
    ],
    tries: (() => {
      const good = {
        ready: '1',
        a: 'x',
        since: '2025-01-01T00:00:00Z',
        until: '2025-01-02T00:00:00Z',
        url: 'https://x.example/y',
        size: '512Mi',
        list: 'a,b,c',
        id: 'abc-1',
      };
      const bad: readonly (readonly [JsonObject, RegExp])[] = [
        [{ b: 'y' }, /: one of a and b$/],
        [{ until: '2025-01-01T00:30:00Z' }, /: too short$/],
        [{ url: 'http://x.example' }, /: no https$/],
        [{ size: '2Gi' }, /: too large, or in no order$/],
        [{ list: 'b,a' }, /: too large, or in no order$/],
        [{ id: '1abc' }, /: no id$/],
        [{ id: 'abc-' }, /: no id$/],
        [{ until: 'tomorrow' }, /resulted in error: /],
      ];
      return [
        { namespace: 'try-test' as const, object: map(good) },
        ...bad.map(([change, refused]) => ({
          namespace: 'try-test' as const,
          object: map({ ...good, ...change }),
          refused,
        })),
      ];
    })(),
  },
];

export const validatingExamples: readonly PolicyExample[] = [...limits, ...conditions];

const pod = (spec: JsonObject = {}, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

const applied = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patched = (expression: string): JsonObject => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});
const newPods = { matchConstraints: { resourceRules: [ruleOf('/v1/pods', ['CREATE'])] } };
const withoutProxy = [
  {
    name: 'without-proxy',
    expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'proxy')",
  },
];
const proxies = (path: string): JsonObject => ({ [path]: [{ name: 'proxy' }] });

export const mutatingExamples: readonly PolicyExample[] = [
  {
    title: 'a proxy in every pod that has none, as an apply configuration',
    install: [
      mutatingPolicyOf('proxy', '/v1/pods', {
        ...newPods,
        matchConditions: withoutProxy,
        reinvocationPolicy: 'IfNeeded',
        mutations: [
          applied(`Object{spec: Object.spec{initContainers: [Object.spec.initContainers{
            name: 'proxy', image: 'proxy:1', restartPolicy: 'Always'}]}}`),
        ],
      }),
      mutatingBindingOf('proxy'),
    ],
    tries: [
      { namespace: 'try-test', object: pod(), becomes: proxies('initContainers') },
      {
        namespace: 'try-test',
        object: pod({ initContainers: [{ name: 'proxy', image: 'own' }] }),
        becomes: { initContainers: [{ name: 'proxy', image: 'own' }] },
      },
    ],
  },
  {
    title: 'the same as a JSON patch, which makes the list first where there is none',
    install: [
      mutatingPolicyOf('proxy-patch', '/v1/pods', {
        ...newPods,
        matchConditions: withoutProxy,
        mutations: [
          patched(`(has(object.spec.initContainers) ? [] :
              [JSONPatch{op: 'add', path: '/spec/initContainers', value: []}]) +
            [JSONPatch{op: 'add', path: '/spec/initContainers/-',
              value: Object.spec.initContainers{
                name: 'proxy', image: 'proxy:1', restartPolicy: 'Always'}}]`),
        ],
      }),
      mutatingBindingOf('proxy-patch'),
    ],
    tries: [
      { namespace: 'try-test', object: pod(), becomes: proxies('initContainers') },
      {
        namespace: 'try-test',
        object: pod({ initContainers: [{ name: 'own', image: 'i' }] }),
        becomes: { initContainers: [{ name: 'own' }, { name: 'proxy' }] },
      },
    ],
  },
  {
    title: 'a label whose name has a slash, and a change behind a test',
    install: [
      mutatingPolicyOf('labels', '/v1/pods', {
        ...newPods,
        mutations: [
          patched(
            "[JSONPatch{op: 'add', path: '/metadata/labels/' + " +
              "jsonpatch.escapeKey('shop.example/stage'), value: namespaceObject.metadata.labels.stage}]",
          ),
          patched(
            "[JSONPatch{op: 'test', path: '/metadata/labels/colour', value: 'red'}, " +
              "JSONPatch{op: 'replace', path: '/metadata/labels/colour', value: 'green'}]",
          ),
        ],
      }),
      mutatingBindingOf('labels'),
    ],
    tries: [
      {
        namespace: 'try-test',
        object: pod({}, { colour: 'red' }),
        becomes: { labels: { 'shop.example/stage': 'test', colour: 'green' } },
      },
      {
        namespace: 'try-prod',
        object: pod({}, { colour: 'blue' }),
        becomes: { labels: { 'shop.example/stage': 'prod', colour: 'blue' } },
      },
    ],
  },
];
