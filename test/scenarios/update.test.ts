/** Update: PUT of objects, status and scale (spec 1, 4.4). */
import { absent, present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec, workloadSpec } from '../support/data/valid-objects.ts';

const leases = '/apis/coordination.$domain/v1/namespaces/$ns/leases';
const configmaps = '/api/v1/namespaces/$ns/configmaps';
const deployments = '/apis/apps/v1/namespaces/$ns/deployments';
const stale =
  'the object has been modified; please apply your changes to the latest version and try again';

function create(collection: string, body: object, save: Record<string, string> = {}): Step {
  return {
    request: `POST ${collection}`,
    body,
    status: 201,
    save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion', ...save },
  };
}

const versions: Scenario = {
  title: 'a stale resourceVersion is a conflict, none is unconditional',
  steps: [
    create(configmaps, { metadata: { name: 'a' }, data: { k: '1' } }),
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a', resourceVersion: '$rv' }, data: { k: '2' } },
      status: 200,
      expect: { data: { k: '2' }, metadata: { uid: '$uid' } },
      save: { rv2: 'metadata.resourceVersion' },
    },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a', resourceVersion: '$rv' }, data: { k: '3' } },
      status: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on configmaps "a": ${stale}`,
      expect: { details: { name: 'a', kind: 'configmaps' } },
    },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a', resourceVersion: 'abc' }, data: { k: '3' } },
      status: 409,
      reason: 'Conflict',
    },
    { request: `GET ${configmaps}/a`, status: 200, expect: { data: { k: '2' } } },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a' }, data: { k: '4' } },
      status: 200,
    },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a', resourceVersion: '0' }, data: { k: '5' } },
      status: 200,
    },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a', uid: 'other' }, data: { k: '6' } },
      status: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": Precondition failed: ' +
        'UID in precondition: other, UID in object meta: $uid',
    },
    {
      request: `PUT ${configmaps}/a`,
      body: { metadata: { name: 'a', uid: '$uid' }, data: { k: '6' } },
      status: 200,
    },
  ],
};

const noOp: Scenario = {
  title: 'a PUT that changes nothing writes nothing',
  steps: [
    create(configmaps, { metadata: { name: 'a', labels: { l: '1' } }, data: { k: '1' } }),
    {
      request: `PUT ${configmaps}/a`,
      body: { data: { k: '1' }, metadata: { labels: { l: '1' }, name: 'a' } },
      status: 200,
      expect: { metadata: { resourceVersion: '$rv' } },
    },
    {
      request: `PUT ${configmaps}/a`,
      body: {
        data: { k: '1' },
        metadata: {
          labels: { l: '1' },
          name: 'a',
          creationTimestamp: '2001-01-01T00:00:00Z',
          generation: 4,
          selfLink: 'x',
          managedFields: [{ manager: 'm', operation: 'Update' }],
        },
      },
      status: 200,
      expect: { metadata: { resourceVersion: '$rv' } },
    },
    {
      request: `GET ${configmaps}?watch=1&resourceVersion=$rv&timeoutSeconds=1`,
      status: 200,
      check: (reply) => {
        if (reply.text.trim() !== '') throw new Error(`an event for a no-op: ${reply.text}`);
      },
    },
    { request: `GET ${configmaps}`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
  ],
};

const conditional: Scenario = {
  title: 'some kinds demand a resourceVersion',
  steps: [
    create('/apis/storage.$domain/v1/csidrivers', { metadata: { name: 'd-$ns' }, spec: {} }),
    {
      request: 'PUT /apis/storage.$domain/v1/csidrivers/d-$ns',
      body: { metadata: { name: 'd-$ns' }, spec: { attachRequired: true } },
      status: 422,
      reason: 'Invalid',
      message:
        'csidrivers.storage.$domain "d-$ns" is invalid: metadata.resourceVersion: ' +
        'Invalid value: 0x0: must be specified for an update',
      expect: {
        details: { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion' }] },
      },
    },
    {
      request: 'PUT /apis/storage.$domain/v1/csidrivers/d-$ns',
      body: { metadata: { name: 'd-$ns', resourceVersion: '$rv' }, spec: { attachRequired: true } },
      status: 200,
    },
  ],
};

const conditionalCreate: Scenario = {
  title: 'a kind that demands a resourceVersion is created by PUT without one',
  steps: [
    {
      request: `PUT ${leases}/l`,
      body: { metadata: { name: 'l' }, spec: { holderIdentity: 'a' } },
      status: 201,
      save: { rv: 'metadata.resourceVersion' },
    },
    {
      request: `PUT ${leases}/l`,
      body: { metadata: { name: 'l' }, spec: { holderIdentity: 'b' } },
      status: 422,
      reason: 'Invalid',
      message: /metadata\.resourceVersion: Invalid value: 0x0: must be specified for an update/,
    },
    {
      request: `PUT ${leases}/l`,
      body: { metadata: { name: 'l', resourceVersion: '$rv' }, spec: { holderIdentity: 'b' } },
      status: 200,
    },
    {
      request: 'PUT /apis/storage.$domain/v1/csidrivers/none-$ns',
      body: { metadata: { name: 'none-$ns' }, spec: {} },
      status: 404,
      reason: 'NotFound',
    },
  ],
};

const service = { spec: { ports: [{ port: 80 }] } };

const createOnUpdate: Scenario = {
  title: 'PUT creates where the kind allows it',
  steps: [
    ...['/api/v1/namespaces/$ns/services/s', '/api/v1/namespaces/$ns/endpoints/e'].map(
      (path): Step => ({
        request: `PUT ${path}`,
        body: { metadata: { name: path.at(-1) }, ...(path.endsWith('s') ? service : {}) },
        status: 201,
        expect: { metadata: { namespace: '$ns', uid: /./ } },
      }),
    ),
    {
      request: 'PUT /apis/rbac.authorization.$domain/v1/clusterroles/r-$ns',
      body: { metadata: { name: 'r-$ns' }, rules: [] },
      status: 201,
      expect: { metadata: { name: 'r-$ns' } },
    },
    {
      request: 'PUT /apis/rbac.authorization.$domain/v1/clusterroles/r-$ns',
      body: { metadata: { name: 'r-$ns' }, rules: [] },
      status: 200,
    },
    {
      request: 'PUT /api/v1/namespaces/missing-$ns/services/s',
      body: { metadata: { name: 's' }, ...service },
      status: 404,
      reason: 'NotFound',
      message: 'namespaces "missing-$ns" not found',
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/services/other',
      body: { metadata: { name: 'other', resourceVersion: '3' }, ...service },
      status: 404,
      reason: 'NotFound',
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/services/other',
      body: { metadata: { name: 'other', uid: 'x' }, ...service },
      status: 409,
      reason: 'Conflict',
      message: /Precondition failed: UID in precondition: x, UID in object meta: $/,
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/services/Bad',
      body: { metadata: { name: 'Bad' } },
      status: 422,
      reason: 'Invalid',
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/pods/p',
      body: { metadata: { name: 'p' } },
      status: 404,
      reason: 'NotFound',
      message: 'pods "p" not found',
    },
  ],
};

const generation: Scenario = {
  title: 'generation counts changes of the desired state, and of nothing else',
  steps: [
    create(deployments, { metadata: { name: 'd' }, spec: workloadSpec({ replicas: 1 }) }),
    {
      request: `PUT ${deployments}/d`,
      body: { metadata: { name: 'd', labels: { a: 'b' } }, spec: workloadSpec({ replicas: 1 }) },
      status: 200,
      expect: { metadata: { generation: 1, labels: { a: 'b' } } },
    },
    {
      request: `PUT ${deployments}/d`,
      body: { metadata: { name: 'd', generation: 40 }, spec: workloadSpec({ replicas: 2 }) },
      status: 200,
      expect: { metadata: { generation: 2 } },
    },
    {
      request: `PUT ${deployments}/d/status`,
      body: { metadata: { name: 'd' }, spec: { replicas: 9 }, status: { replicas: 2 } },
      status: 200,
      expect: { metadata: { generation: 2 }, spec: { replicas: 2 }, status: { replicas: 2 } },
    },
    {
      request: `PUT ${deployments}/d`,
      body: {
        metadata: { name: 'd' },
        spec: workloadSpec({ replicas: 2 }),
        status: { replicas: 77 },
      },
      status: 200,
      expect: { metadata: { generation: 2 }, status: { replicas: 2 } },
    },
    {
      request: `GET ${deployments}/d/status`,
      status: 200,
      expect: { kind: 'Deployment', status: { replicas: 2 } },
    },
    {
      request: `PUT ${deployments}/none/status`,
      body: { metadata: { name: 'none' }, status: {} },
      status: 404,
      reason: 'NotFound',
    },
  ],
};

const statusRules: Scenario = {
  title: 'a status write keeps spec and owners, and obeys resourceVersion',
  steps: [
    // An owner that there is: whoever names one that is not is collected.
    {
      request: 'POST /api/v1/nodes',
      body: { metadata: { name: '$ns-owner' } },
      status: 201,
      save: { owner: 'metadata.uid' },
    },
    create('/api/v1/namespaces/$ns/pods', {
      metadata: {
        name: 'p',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: '$ns-owner', uid: '$owner' }],
      },
      spec: podSpec({ nodeName: 'n' }),
      status: { phase: 'Running' },
    }),
    {
      request: 'GET /api/v1/namespaces/$ns/pods/p',
      status: 200,
      expect: { status: { phase: 'Pending', message: absent } },
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/pods/p/status',
      body: { metadata: { name: 'p', resourceVersion: '$rv' }, status: { phase: 'Running' } },
      status: 200,
      expect: {
        spec: { nodeName: 'n' },
        status: { phase: 'Running' },
        metadata: { ownerReferences: [{ name: '$ns-owner' }] },
      },
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/pods/p/status',
      body: { metadata: { name: 'p', resourceVersion: '$rv' }, status: { phase: 'Failed' } },
      status: 409,
      reason: 'Conflict',
    },
  ],
};

const labels = { app: 'x', 'tier.io/a': 'b' };
const scaleSelector: Scenario = {
  title: 'scale shows the selector as text: by key, each with its values in order',
  steps: [
    create(deployments, {
      metadata: { name: 'd' },
      spec: workloadSpec({
        selector: {
          matchLabels: { 'tier.io/a': 'b' },
          matchExpressions: [
            { key: 'zone', operator: 'DoesNotExist' },
            { key: 'app', operator: 'In', values: ['y', 'x'] },
            { key: 'tier', operator: 'NotIn', values: ['back', 'a'] },
            { key: 'app', operator: 'Exists' },
          ],
        },
        template: { metadata: { labels }, spec: podSpec() },
      }),
    }),
    {
      request: `GET ${deployments}/d/scale`,
      status: 200,
      expect: {
        status: { selector: 'app in (x,y),app,tier notin (a,back),tier.io/a=b,!zone' },
      },
    },
  ],
};

const scale: Scenario = {
  title: 'scale shows and sets the replicas of another object',
  steps: [
    create(deployments, {
      metadata: { name: 'd' },
      spec: workloadSpec({ replicas: 3 }),
    }),
    {
      request: `GET ${deployments}/d/scale`,
      status: 200,
      expect: {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'd', namespace: '$ns', uid: '$uid', resourceVersion: '$rv' },
        spec: { replicas: 3 },
        status: { replicas: 0, selector: 'app=x' },
      },
    },
    {
      request: `GET ${deployments}/d/scale`,
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.$domain' },
      status: 200,
      expect: {
        kind: 'Table',
        columnDefinitions: [
          { name: 'Name' },
          { name: 'Desired', type: 'integer' },
          { name: 'Available', type: 'integer' },
          { name: 'Age' },
        ],
        rows: [{ cells: ['d', 3, 0, present], object: { metadata: { name: 'd' } } }],
      },
    },
    {
      request: `PUT ${deployments}/d/scale`,
      body: { metadata: { name: 'd' }, spec: { replicas: 5 } },
      status: 200,
      expect: { kind: 'Scale', spec: { replicas: 5 } },
      save: { rv2: 'metadata.resourceVersion' },
    },
    {
      request: `GET ${deployments}/d`,
      status: 200,
      expect: { spec: { replicas: 5 }, metadata: { generation: 2, resourceVersion: '$rv2' } },
    },
    {
      request: `PUT ${deployments}/d/scale`,
      body: { metadata: { name: 'd', resourceVersion: '$rv' }, spec: { replicas: 6 } },
      status: 409,
      reason: 'Conflict',
    },
    {
      request: `PUT ${deployments}/d/scale`,
      body: { metadata: { name: 'd' }, spec: { replicas: -1 } },
      status: 422,
      reason: 'Invalid',
      message: /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/,
    },
    {
      request: `PUT ${deployments}/d/scale`,
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
      status: 400,
      reason: 'BadRequest',
    },
    { request: `GET ${deployments}/none/scale`, status: 404, reason: 'NotFound' },
    { request: `GET ${configmaps}/none/scale`, status: 404, reason: 'NotFound' },
  ],
};

runScenarios('update', [
  versions,
  noOp,
  conditional,
  conditionalCreate,
  createOnUpdate,
  generation,
  statusRules,
  scale,
  scaleSelector,
]);
