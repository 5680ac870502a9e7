/** Subresources that do something to the object: what each changes, and what it refuses. */
import assert from 'node:assert/strict';
import { absent, present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec } from '../support/data/valid-objects.ts';

const pods = '/api/v1/namespaces/$ns/pods';
const budgets = '/apis/policy/v1/namespaces/$ns/poddisruptionbudgets';
const merge = { 'content-type': 'application/merge-patch+json' };
const json = { 'content-type': 'application/json-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const applied = { 'content-type': 'application/apply-patch+yaml' };

function createPod(name: string, more: object = {}, metadata: object = {}): Step {
  return {
    request: `POST ${pods}`,
    body: { metadata: { name, labels: { app: 'a' }, ...metadata }, spec: podSpec(more) },
    status: 201,
    save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' },
  };
}

function setStatus(name: string, status: object): Step {
  return {
    request: `PATCH ${pods}/${name}/status`,
    headers: merge,
    body: { status },
    status: 200,
    save: { rv: 'metadata.resourceVersion' },
  };
}

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const unready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };

function createBudget(name: string, status: object, spec: object = {}): readonly Step[] {
  return [
    {
      request: `POST ${budgets}`,
      body: {
        metadata: { name },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } }, ...spec },
      },
      status: 201,
    },
    {
      request: `PATCH ${budgets}/${name}/status`,
      headers: merge,
      body: { status: { observedGeneration: 1, expectedPods: 2, ...status } },
      status: 200,
    },
  ];
}

function bind(name: string, node: string, more: object = {}): Step {
  return {
    request: `POST ${pods}/${name}/binding`,
    body: { metadata: { name, ...more }, target: { kind: 'Node', name: node } },
    status: 201,
    expect: { kind: 'Status', status: 'Success', code: 201 },
  };
}

function evict(name: string, more: object = {}, query = ''): Step {
  return {
    request: `POST ${pods}/${name}/eviction${query}`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more },
    status: 201,
    expect: { kind: 'Status', status: 'Success', code: 201 },
  };
}

/** What the server wrote has the form that any write gives it: this one is no change. */
function touchStatus(name: string, revision: string): Step {
  return {
    request: `PATCH ${pods}/${name}/status`,
    headers: merge,
    body: {},
    status: 200,
    expect: { metadata: { resourceVersion: revision } },
  };
}

/** Nobody owns what the server does for a request: only these subresources have been written. */
function assertOnlyWriters(text: string, subresources: readonly string[]): void {
  const written = [...text.matchAll(/"subresource":"([^"]*)"/g)].map(([, name]) => name);
  assert.deepEqual(written, subresources);
}

const violates = "Cannot evict pod as it would violate the pod's disruption budget.";

const bindings: readonly Scenario[] = [
  {
    title: 'a binding puts the pod on the node, with its annotations, once',
    steps: [
      createPod('p', {}, { annotations: { kept: 'yes' } }),
      bind('p', 'node-1', { annotations: { chosen: 'first' } }),
      {
        request: `GET ${pods}/p`,
        status: 200,
        expect: {
          metadata: { uid: '$uid', annotations: { kept: 'yes', chosen: 'first' } },
          spec: { nodeName: 'node-1' },
        },
        check: ({ body, text }) => {
          const { status } = body as unknown as { status: { conditions: unknown[] } };
          const [condition] = status.conditions as Record<string, unknown>[];
          assert.equal(status.conditions.length, 1);
          assert.equal(condition?.['type'], 'PodScheduled');
          assert.equal(condition['status'], 'True');
          assert.match(String(condition['lastTransitionTime']), /^\d{4}-.*Z$/);
          assertOnlyWriters(text, []);
        },
        save: { bound: 'metadata.resourceVersion' },
      },
      {
        ...bind('p', 'node-2'),
        status: 409,
        expect: undefined,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "node-1"',
      },
      {
        request: `GET ${pods}/p`,
        status: 200,
        expect: { metadata: { resourceVersion: '$bound' }, spec: { nodeName: 'node-1' } },
      },
      touchStatus('p', '$bound'),
    ],
  },
  {
    title: 'a binding is refused for a pod that goes, that waits, or that is another one',
    steps: [
      createPod('going', { nodeName: '' }, { finalizers: ['example.com/hold'] }),
      { request: `DELETE ${pods}/going`, status: 200 },
      { ...bind('going', 'n'), status: 409, expect: undefined, message: /is being deleted/ },
      createPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }),
      touchStatus('gated', '$rv'),
      { ...bind('gated', 'n'), status: 409, expect: undefined, message: /schedulingGates/ },
      createPod('p'),
      { ...bind('p', 'n', { uid: 'another' }), status: 409, expect: undefined, reason: 'Conflict' },
      {
        ...bind('p', 'n', { resourceVersion: '1' }),
        status: 409,
        expect: undefined,
        reason: 'Conflict',
      },
      bind('p', 'n', { uid: '$uid', resourceVersion: '$rv' }),
      { ...bind('absent', 'n'), status: 404, expect: undefined, reason: 'NotFound' },
    ],
  },
  {
    title: 'a binding names a node, and the pod of the URL; a dry run binds nothing',
    steps: [
      createPod('p'),
      {
        ...bind('p', ''),
        status: 422,
        expect: undefined,
        message: 'Binding "p" is invalid: target.name: Required value',
      },
      {
        request: `POST ${pods}/p/binding`,
        body: { metadata: { name: 'p' }, target: { kind: 'Pod', name: 'n' } },
        status: 422,
        message: /target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"/,
      },
      { ...bind('other', 'n'), request: `POST ${pods}/p/binding`, status: 400, expect: undefined },
      { ...bind('p', 'n'), request: `POST ${pods}/p/binding?dryRun=All` },
      { request: `GET ${pods}/p`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
      { request: `GET ${pods}/p/binding`, status: 405, reason: 'MethodNotAllowed' },
    ],
  },
  {
    title: 'the older form of a binding names the pod in its body',
    steps: [
      createPod('p'),
      {
        request: 'POST /api/v1/namespaces/$ns/bindings',
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { name: 'n' } },
        status: 201,
        expect: { kind: 'Status', status: 'Success' },
      },
      { request: `GET ${pods}/p`, status: 200, expect: { spec: { nodeName: 'n' } } },
      {
        request: 'POST /api/v1/namespaces/$ns/bindings',
        body: { target: { name: 'n' } },
        status: 422,
        message: /metadata.name: Required value/,
      },
      { request: 'GET /api/v1/namespaces/$ns/bindings', status: 405 },
      { request: 'GET /api/v1/bindings', status: 404 },
      { request: 'GET /api/v1/namespaces/$ns/bindings/p', status: 404 },
      { request: 'PUT /api/v1/namespaces/$ns/bindings/p', body: {}, status: 404 },
    ],
  },
];

const evictions: readonly Scenario[] = [
  {
    title: 'an eviction without a budget deletes the pod; a dry run does not',
    steps: [
      createPod('p'),
      setStatus('p', ready),
      evict('p', {}, '?dryRun=All'),
      evict('p', { deleteOptions: { dryRun: ['All'] } }),
      { request: `GET ${pods}/p`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
      evict('p'),
      { request: `GET ${pods}/p`, status: 404 },
      { ...evict('p'), status: 404, expect: undefined },
    ],
  },
  {
    title: 'an evicted pod that has grace says why it goes',
    steps: [
      createPod('p', { nodeName: 'n' }),
      setStatus('p', ready),
      evict('p', { apiVersion: 'policy/v1beta1', deleteOptions: { gracePeriodSeconds: 7 } }),
      {
        request: `GET ${pods}/p`,
        status: 200,
        expect: { metadata: { deletionTimestamp: present, deletionGracePeriodSeconds: 7 } },
        check: ({ text }) => {
          assert.match(text, /"type":"DisruptionTarget","status":"True"/);
          assert.match(text, /"reason":"EvictionByEvictionAPI"/);
          assertOnlyWriters(text, ['status']);
        },
        save: { evicted: 'metadata.resourceVersion' },
      },
      touchStatus('p', '$evicted'),
    ],
  },
  {
    title: 'a budget allows as many evictions as it says, then 429 with its cause',
    steps: [
      createPod('one'),
      setStatus('one', ready),
      createPod('two'),
      setStatus('two', ready),
      ...createBudget('b', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 }),
      evict('one', {}, '?dryRun=All'),
      { request: `GET ${budgets}/b`, status: 200, expect: { status: { disruptionsAllowed: 1 } } },
      evict('one'),
      {
        request: `GET ${budgets}/b`,
        status: 200,
        expect: { status: { disruptionsAllowed: 0, disruptedPods: { one: present } } },
        check: ({ text }) => assert.match(text, /"type":"DisruptionAllowed","status":"False"/),
        save: { rv: 'metadata.resourceVersion' },
      },
      {
        ...evict('two'),
        status: 429,
        reason: 'TooManyRequests',
        message: violates,
        expect: {
          details: {
            causes: [
              {
                reason: 'DisruptionBudget',
                message: 'The disruption budget b needs 1 healthy pods and has 2 currently',
              },
            ],
          },
        },
      },
      {
        request: `GET ${budgets}/b`,
        status: 200,
        expect: { metadata: { resourceVersion: '$rv' } },
      },
      {
        request: `GET ${pods}/two`,
        status: 200,
        expect: { metadata: { deletionTimestamp: absent } },
      },
    ],
  },
  {
    title: 'a budget whose status is behind its spec allows nothing',
    steps: [
      createPod('p'),
      setStatus('p', ready),
      ...createBudget('b', { observedGeneration: 0, disruptionsAllowed: 5 }),
      {
        ...evict('p'),
        status: 429,
        message: violates,
        expect: {
          details: {
            retryAfterSeconds: 10,
            causes: [
              { message: 'The disruption budget b is still being processed by the server.' },
            ],
          },
        },
      },
    ],
  },
  {
    title:
      'a pod that has not begun or has ended goes without asking; so does one that goes already',
    steps: [
      ...createBudget('b', { disruptionsAllowed: 0 }),
      createPod('pending'),
      setStatus('pending', { phase: 'Pending' }),
      evict('pending'),
      createPod('done'),
      setStatus('done', { phase: 'Succeeded' }),
      evict('done'),
      createPod('held', {}, { finalizers: ['example.com/hold'] }),
      setStatus('held', ready),
      { request: `DELETE ${pods}/held`, status: 200 },
      evict('held'),
      { request: `GET ${pods}/pending`, status: 404 },
      { request: `GET ${pods}/done`, status: 404 },
    ],
  },
  {
    title: 'two budgets for one pod are more than an eviction can keep',
    steps: [
      createPod('p'),
      setStatus('p', ready),
      ...createBudget('b', { disruptionsAllowed: 1 }),
      ...createBudget('c', { disruptionsAllowed: 1 }),
      {
        ...evict('p'),
        status: 500,
        expect: undefined,
        message: /more than one PodDisruptionBudget/,
      },
    ],
  },
  {
    title: 'a pod that is not ready goes as its budget says',
    steps: [
      createPod('kept'),
      setStatus('kept', unready),
      ...createBudget('b', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 }),
      { ...evict('kept'), status: 429, expect: undefined },
      {
        request: `PATCH ${budgets}/b/status`,
        headers: merge,
        body: { status: { currentHealthy: 2 } },
        status: 200,
      },
      evict('kept'),
      createPod('always'),
      setStatus('always', unready),
      {
        request: `PATCH ${budgets}/b`,
        headers: merge,
        body: { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
        status: 200,
      },
      {
        request: `PATCH ${budgets}/b/status`,
        headers: merge,
        body: { status: { currentHealthy: 0, observedGeneration: 2 } },
        status: 200,
      },
      evict('always'),
      { request: `GET ${pods}/always`, status: 404 },
      { request: `GET ${budgets}/b`, status: 200, expect: { status: { disruptedPods: absent } } },
    ],
  },
  {
    title: 'preconditions of an eviction hold',
    steps: [
      createPod('p'),
      {
        ...evict('p', { deleteOptions: { preconditions: { uid: 'another, not running' } } }),
        status: 409,
        expect: undefined,
        reason: 'Conflict',
      },
      setStatus('p', ready),
      {
        ...evict('p', { deleteOptions: { preconditions: { uid: 'another' } } }),
        status: 409,
        expect: undefined,
        reason: 'Conflict',
      },
      {
        ...evict('p', { deleteOptions: { preconditions: { resourceVersion: '1' } } }),
        status: 409,
        expect: undefined,
        reason: 'Conflict',
      },
      { ...evict('other'), request: `POST ${pods}/p/eviction`, status: 400, expect: undefined },
      {
        ...evict('p', { deleteOptions: { propagationPolicy: 'Sideways' } }),
        status: 422,
        expect: undefined,
      },
      { request: `GET ${pods}/p`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
      evict('p', { deleteOptions: { preconditions: { uid: '$uid', resourceVersion: '$rv' } } }),
      { request: `GET ${pods}/p`, status: 404 },
    ],
  },
];

const debug = { name: 'debug', image: 'example.io/debug:1' };

const ephemeral: readonly Scenario[] = [
  {
    title: 'ephemeral containers are added, nothing else is changed',
    steps: [
      createPod('p'),
      { request: `GET ${pods}/p/ephemeralcontainers`, status: 200, expect: { kind: 'Pod' } },
      {
        request: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: strategic,
        body: {
          metadata: { labels: { app: 'changed' } },
          spec: { ephemeralContainers: [{ ...debug, targetContainerName: 'c' }] },
        },
        status: 200,
        expect: { metadata: { labels: { app: 'a' } } },
        check: ({ text }) => assert.match(text, /"ephemeralContainers":\[\{"name":"debug"/),
      },
      {
        request: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: strategic,
        body: { spec: { ephemeralContainers: [{ name: 'more', image: 'b:1' }] } },
        status: 200,
        check: ({ body }) => {
          const { spec } = body as unknown as { spec: { ephemeralContainers: { name: string }[] } };
          assert.deepEqual(spec.ephemeralContainers.map((each) => each.name).sort(), [
            'debug',
            'more',
          ]);
        },
      },
      {
        request: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: json,
        body: [{ op: 'replace', path: '/spec/containers/0/image', value: 'changed' }],
        status: 200,
      },
      {
        request: `GET ${pods}/p`,
        status: 200,
        check: ({ text }) => assert.doesNotMatch(text, /changed/),
      },
    ],
  },
  {
    title: 'what was added once stays, and is what such a container can be',
    steps: [
      createPod('p'),
      {
        request: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: merge,
        body: { spec: { ephemeralContainers: [debug] } },
        status: 200,
        save: { rv: 'metadata.resourceVersion' },
      },
      ...(
        [
          [[], /may not be removed/],
          [[{ ...debug, image: 'other' }], /may not be changed/],
          [[debug, { ...debug }], /Duplicate value: "debug"/],
          [[debug, { name: 'c', image: 'x' }], /Duplicate value: "c"/],
          [[debug, { name: 'n', image: 'x', targetContainerName: 'z' }], /Not found: "z"/],
          [[debug, { name: 'n', image: 'x', ports: [{ containerPort: 1 }] }], /Forbidden/],
          [[debug, { name: 'A_b', image: 'x' }], /name: Invalid value: "A_b"/],
          [[debug, { name: 'n' }], /image: Required value/],
          [
            [debug, { name: 'n', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/' }] }],
            /"v"/,
          ],
          [
            [debug, { name: 'n', image: 'x', volumeMounts: [{ mountPath: '/', subPath: 's' }] }],
            /volumeMounts\[0\].subPath: Forbidden/,
          ],
        ] as const
      ).map(([containers, message]): Step => ({
        request: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: merge,
        body: { spec: { ephemeralContainers: containers } },
        status: 422,
        message,
      })),
      { request: `GET ${pods}/p`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
      {
        request: `PATCH ${pods}/p/ephemeralcontainers?fieldManager=me`,
        headers: applied,
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { ephemeralContainers: [{ name: 'applied', image: 'x' }] },
        },
        status: 200,
        check: ({ text }) => assert.match(text, /"subresource":"ephemeralcontainers"/),
      },
    ],
  },
];

function sized(cpu: string, memory: string, more: object = {}): object {
  return { requests: { cpu, memory }, limits: { cpu: '2', memory: '1Gi' }, ...more };
}

function resize(resources: object, more: object = {}): object {
  return { spec: { containers: [{ name: 'c', resources, ...more }] } };
}

const resizes: readonly Scenario[] = [
  {
    title: 'a resize changes cpu and memory of containers, nothing else',
    steps: [
      createPod('p', {
        containers: [{ name: 'c', image: 'x:1', resources: sized('1', '512Mi') }],
      }),
      {
        request: `PATCH ${pods}/p/resize`,
        headers: strategic,
        body: {
          metadata: { labels: { app: 'changed' } },
          ...resize(sized('1500m', '256Mi'), { image: 'changed' }),
        },
        status: 200,
        expect: { metadata: { labels: { app: 'a' } } },
        check: ({ body }) => {
          const { spec } = body as unknown as { spec: { containers: Record<string, object>[] } };
          const [container] = spec.containers;
          assert.equal(container?.['image'], 'x:1');
          assert.deepEqual(container['resources'], sized('1500m', '256Mi'));
        },
        save: { rv: 'metadata.resourceVersion' },
      },
      ...(
        [
          [resize({ limits: { memory: '512Mi' } }), /memory limits cannot be decreased/],
          [resize({ requests: { cpu: null }, limits: { cpu: null } }), /cannot be removed/],
          [resize({ limits: { 'example.com/gpu': '1' } }), /spec: Forbidden: only cpu and memory/],
          [
            resize(sized('1', '256Mi'), {
              resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
            }),
            /spec: Forbidden: only cpu and memory/,
          ],
          [resize({ requests: { cpu: '2', memory: '1Gi' } }), /QOS Class may not change/],
          [{ spec: { containers: [{ name: 'new', image: 'x' }] } }, /added, removed or renamed/],
        ] as const
      ).map(([body, message]): Step => ({
        request: `PATCH ${pods}/p/resize`,
        headers: strategic,
        body,
        status: 422,
        message,
      })),
      { request: `GET ${pods}/p`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
    ],
  },
  {
    title: 'a pod of windows is not resized',
    steps: [
      createPod('w', { os: { name: 'windows' } }),
      {
        request: `PATCH ${pods}/w/resize`,
        headers: strategic,
        body: resize({ requests: { cpu: '2' } }),
        status: 422,
        message: /windows pods cannot be resized/,
      },
    ],
  },
];

runScenarios('subresources', [...bindings, ...evictions, ...ephemeral, ...resizes]);
