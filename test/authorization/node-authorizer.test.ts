import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { createNodeAuthorizer } from '../../src/authorization/node/node-authorizer.ts';
import { createNodeGraph } from '../../src/authorization/node/node-graph.ts';
import type { NodeGraph } from '../../src/authorization/node/node-graph.ts';
import { podReferences, volumeReferences } from '../../src/authorization/node/pod-references.ts';
import { resourceAttributes, userNamed } from '../support/data/access-attributes.ts';

const mirror = 'kubernetes.io/config.mirror';
const pod = (name: string, spec: JsonObject, annotations?: Record<string, string>): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', ...(annotations === undefined ? {} : { annotations }) },
  spec,
  status: { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'made-claim' }] },
});

const full: JsonObject = {
  serviceAccountName: 'account',
  imagePullSecrets: [{ name: 'pull' }],
  containers: [
    {
      env: [
        { valueFrom: { secretKeyRef: { name: 'env-secret' } } },
        { valueFrom: { configMapKeyRef: { name: 'env-map' } } },
      ],
      envFrom: [{ secretRef: { name: 'from-secret' } }, { configMapRef: { name: 'from-map' } }],
    },
  ],
  initContainers: [{ envFrom: [{ secretRef: { name: 'init-secret' } }] }],
  volumes: [
    { name: 'a', secret: { secretName: 'volume-secret' } },
    { name: 'b', configMap: { name: 'volume-map' } },
    { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'd', ephemeral: {} },
    {
      name: 'e',
      projected: {
        sources: [
          { secret: { name: 'projected-secret' } },
          { configMap: { name: 'projected-map' } },
        ],
      },
    },
    { name: 'f', csi: { nodePublishSecretRef: { name: 'csi-secret' } } },
    { name: 'g', azureFile: { secretName: 'azure-secret' } },
    { name: 'h', rbd: { secretRef: { name: 'rbd-secret' } } },
  ],
  ephemeralContainers: [{ envFrom: [{ secretRef: { name: 'debug-secret' } }] }],
  resourceClaims: [{ name: 'r' }, { name: 's', resourceClaimName: 'named-claim' }],
};

const volume = (claim: string, more: JsonObject = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv' },
  spec: {
    claimRef: { namespace: 'ns', name: claim },
    csi: {
      nodeStageSecretRef: { name: 'stage', namespace: 'other' },
      nodePublishSecretRef: { name: 'publish', namespace: 'other' },
      nodeExpandSecretRef: { name: 'expand', namespace: 'other' },
      controllerExpandSecretRef: { name: 'controller', namespace: 'other' },
    },
    ...more,
  },
});

function graph(): NodeGraph {
  const made = createNodeGraph();
  made.setPod('ns', 'p', 'n1', podReferences(pod('p', full), mirror));
  const azureFile = { secretName: 'share' };
  made.setVolume('pv', volumeReferences(volume('claim', { azureFile })));
  made.setOwner('volumeattachments', 'va', 'n1');
  made.setOwner('resourceslices', 'slice', 'n1');
  return made;
}

const rules = [
  {
    verbs: ['create'],
    apiGroups: [''],
    resources: ['events'],
    resourceNames: [],
    nonResourceURLs: [],
  },
];
const decide = (
  made: NodeGraph,
  node: string,
  what: string,
  name = '',
  namespace = '',
  fields?: Record<string, string>,
) =>
  createNodeAuthorizer(made, identityOf('kubernetes'), rules).authorize({
    ...resourceAttributes(what, name, namespace),
    user: userNamed(`system:node:${node}`, 'system:nodes'),
    selectedFields: fields === undefined ? undefined : new Map(Object.entries(fields)),
  }).kind;

describe('a node', () => {
  const reads: readonly [string, string, string][] = [
    ...[
      'pull',
      'env-secret',
      'from-secret',
      'init-secret',
      'volume-secret',
      'projected-secret',
      'csi-secret',
      'azure-secret',
      'rbd-secret',
      'debug-secret',
      'share',
    ].map((name): [string, string, string] => ['get /secrets', name, 'ns']),
    ...['stage', 'publish', 'expand'].map((name): [string, string, string] => [
      'get /secrets',
      name,
      'other',
    ]),
    ['get resource.k8s.io/resourceclaims', 'named-claim', 'ns'],
    ['get resource.k8s.io/resourceclaims', 'made-claim', 'ns'],
    ['watch /secrets', 'pull', 'ns'],
    ...['env-map', 'from-map', 'volume-map', 'projected-map'].map(
      (name): [string, string, string] => ['get /configmaps', name, 'ns'],
    ),
    ['get /persistentvolumeclaims', 'claim', 'ns'],
    ['get /persistentvolumeclaims', 'p-d', 'ns'],
    ['update /persistentvolumeclaims/status', 'claim', 'ns'],
    ['get /persistentvolumes', 'pv', ''],
    ['create /serviceaccounts/token', 'account', 'ns'],
    ['get storage.k8s.io/volumeattachments', 'va', ''],
    ['get resource.k8s.io/resourceslices', 'slice', ''],
    ['delete resource.k8s.io/resourceslices', 'slice', ''],
    ['get /pods', 'p', 'ns'],
    ['patch /pods/status', 'p', 'ns'],
    ['create /pods/eviction', 'p', 'ns'],
    ['get /nodes', 'n1', ''],
    ['patch /nodes/status', 'n1', ''],
    ['update coordination.k8s.io/leases', 'n1', 'kube-node-lease'],
    ['update storage.k8s.io/csinodes', 'n1', ''],
  ];
  for (const [what, name, namespace] of reads) {
    it(`may ${what} ${name}, and no other node may`, () => {
      assert.equal(decide(graph(), 'n1', what, name, namespace), 'allow');
      assert.equal(decide(graph(), 'n2', what, name, namespace), 'no-opinion');
    });
  }

  const refused: readonly [string, string, string][] = [
    ['list /secrets', '', 'ns'],
    ['list /secrets', '', ''],
    ['get /secrets', 'pull', 'other'],
    ['get /secrets', 'controller', 'other'],
    ['update /secrets', 'pull', 'ns'],
    ['get /secrets/status', 'pull', 'ns'],
    ['delete /configmaps', 'env-map', 'ns'],
    ['watch resource.k8s.io/resourceclaims', 'named-claim', 'ns'],
    ['update resource.k8s.io/resourceclaims', 'named-claim', 'ns'],
    ['get /persistentvolumeclaims/status', 'claim', 'ns'],
    ['delete /persistentvolumeclaims/status', 'claim', 'ns'],
    ['update /persistentvolumeclaims/status', '', 'ns'],
    ['list /persistentvolumes', 'pv', ''],
    ['get /persistentvolumes/status', 'pv', ''],
    ['update storage.k8s.io/volumeattachments', 'va', ''],
    ['get storage.k8s.io/volumeattachments/status', 'va', ''],
    ['create /serviceaccounts', 'account', 'ns'],
    ['get /serviceaccounts', 'account', 'ns'],
    ['get /nodes/status', 'n1', ''],
    ['get /serviceaccounts/token', 'account', 'ns'],
    ['create /serviceaccounts/token', '', 'ns'],
    ['list /persistentvolumeclaims', 'claim', 'ns'],
    ['update /persistentvolumeclaims', 'claim', 'ns'],
    ['delete /nodes', 'n1', ''],
    ['list /nodes', '', ''],
    ['create /nodes', 'n2', ''],
    ['list /pods', '', ''],
    ['update /pods', 'p', 'ns'],
    ['update coordination.k8s.io/leases', 'n1', 'ns'],
    ['create coordination.k8s.io/leases', '', 'ns'],
    ['list coordination.k8s.io/leases', 'n1', 'kube-node-lease'],
    ['update coordination.k8s.io/leases/status', 'n1', 'kube-node-lease'],
    ['update coordination.k8s.io/leases', '', 'kube-node-lease'],
    ['list storage.k8s.io/csinodes', 'n1', ''],
    ['update storage.k8s.io/csinodes/status', 'n1', ''],
    ['update storage.k8s.io/csinodes', '', ''],
    ['update resource.k8s.io/resourceslices/status', 'slice', ''],
    ['approve resource.k8s.io/resourceslices', 'slice', ''],
    ['list resource.k8s.io/resourceslices', '', ''],
    ['create apps/deployments', '', 'ns'],
  ];
  for (const [what, name, namespace] of refused) {
    it(`may not ${what} ${name} in "${namespace}"`, () => {
      assert.equal(decide(graph(), 'n1', what, name, namespace), 'no-opinion');
    });
  }

  it('lists pods and slices of its own by a field selector', () => {
    const slices = ['list', 'watch', 'deletecollection'].map(
      (verb) => `${verb} resource.k8s.io/resourceslices`,
    );
    for (const what of ['list /pods', 'watch /pods', ...slices]) {
      assert.equal(decide(graph(), 'n1', what, '', '', { 'spec.nodeName': 'n1' }), 'allow', what);
      assert.equal(
        decide(graph(), 'n1', what, '', '', { 'spec.nodeName': 'n2' }),
        'no-opinion',
        what,
      );
    }
  });

  it('creates what is named inside, and what the static rules say', () => {
    for (const what of [
      'create /nodes',
      'create /pods',
      'create storage.k8s.io/csinodes',
      'create resource.k8s.io/resourceslices',
      'create /events',
    ]) {
      assert.equal(decide(graph(), 'n1', what), 'allow', what);
    }
    assert.equal(
      decide(graph(), 'n1', 'create coordination.k8s.io/leases', '', 'kube-node-lease'),
      'allow',
    );
  });

  it('loses what a pod gave it when the pod goes, moves, or refers to it no more', () => {
    const made = graph();
    made.setPod(
      'ns',
      'q',
      'n1',
      podReferences(pod('q', { imagePullSecrets: [{ name: 'pull' }] }), mirror),
    );
    made.removePod('ns', 'p');
    assert.equal(decide(made, 'n1', 'get /secrets', 'pull', 'ns'), 'allow');
    assert.equal(decide(made, 'n1', 'get /secrets', 'env-secret', 'ns'), 'no-opinion');
    assert.equal(decide(made, 'n1', 'get /persistentvolumes', 'pv'), 'no-opinion');
    made.setPod(
      'ns',
      'q',
      'n2',
      podReferences(pod('q', { imagePullSecrets: [{ name: 'pull' }] }), mirror),
    );
    assert.equal(decide(made, 'n1', 'get /secrets', 'pull', 'ns'), 'no-opinion');
    assert.equal(decide(made, 'n2', 'get /secrets', 'pull', 'ns'), 'allow');
  });

  it('loses what a volume, an attachment or a slice gave it when it goes or is of another', () => {
    const ofVolume = (made: NodeGraph) =>
      (['pv', 'stage', 'share'] as const).map((name) =>
        name === 'pv'
          ? decide(made, 'n1', 'get /persistentvolumes', name)
          : decide(made, 'n1', 'get /secrets', name, name === 'stage' ? 'other' : 'ns'),
      );
    const [yes, no] = ['allow', 'no-opinion'] as const;
    const made = graph();
    assert.deepEqual(ofVolume(made), [yes, yes, yes]);
    made.setVolume('pv', volumeReferences(volume('claim')));
    assert.deepEqual(ofVolume(made), [yes, yes, no], 'it names one secret less');
    made.setVolume('second', volumeReferences(volume('claim')));
    made.setVolume('pv', volumeReferences(volume('claim-of-nobody')));
    assert.deepEqual(ofVolume(made), [no, yes, no], 'another volume has the same secret');
    made.removeVolume('second');
    assert.deepEqual(ofVolume(made), [no, no, no]);
    made.setVolume('pv', volumeReferences(volume('claim')));
    made.removeVolume('pv');
    assert.deepEqual(ofVolume(made), [no, no, no]);
    made.setVolume('pv', volumeReferences(volume('claim')));
    made.clear('persistentvolumes');
    assert.deepEqual(ofVolume(made), [no, no, no]);
    for (const [resource, what, name] of [
      ['volumeattachments', 'get storage.k8s.io/volumeattachments', 'va'],
      ['resourceslices', 'get resource.k8s.io/resourceslices', 'slice'],
    ] as const) {
      for (const node of ['n2', '', 'n1']) {
        made.setOwner(resource, name, node);
        assert.equal(decide(made, 'n1', what, name), node === 'n1' ? yes : no, what);
      }
      made.clear(resource);
      assert.equal(decide(made, 'n1', what, name), no, what);
    }
    made.clear('pods');
    assert.equal(decide(made, 'n1', 'get /secrets', 'pull', 'ns'), no);
    assert.equal(decide(made, 'n1', 'get /pods', 'p', 'ns'), no);
  });

  // A kubelet took "forbidden" for a fault, and tried again; what is gone it takes for done.
  it('may report on, delete and evict a pod that is gone, and not read it', () => {
    const made = graph();
    made.setPod('ns', 'pending', '', new Set());
    const late = ['update /pods/status', 'patch /pods/status', 'delete /pods'];
    for (const what of [...late, 'create /pods/eviction']) {
      assert.equal(decide(made, 'n1', what, 'gone', 'ns'), 'allow', what);
      assert.equal(decide(made, 'n1', what, 'p', 'ns'), 'allow', what);
      assert.equal(decide(made, 'n2', what, 'p', 'ns'), 'no-opinion', what);
      assert.equal(decide(made, 'n1', what, 'pending', 'ns'), 'no-opinion', what);
      assert.equal(decide(made, 'n1', what, '', 'ns'), 'no-opinion', what);
    }
    for (const what of ['get /pods', 'update /pods', 'get /pods/status']) {
      assert.equal(decide(made, 'n1', what, 'gone', 'ns'), 'no-opinion', what);
    }
  });

  it('gains nothing by a mirror pod that it wrote itself', () => {
    const made = createNodeGraph();
    made.setPod('ns', 'm', 'n1', podReferences(pod('m', full, { [mirror]: 'x' }), mirror));
    assert.equal(decide(made, 'n1', 'get /secrets', 'pull', 'ns'), 'no-opinion');
    assert.equal(decide(made, 'n1', 'get /pods', 'm', 'ns'), 'allow');
  });

  it('is known by name and group together', () => {
    const node = createNodeAuthorizer(graph(), identityOf('kubernetes'), rules);
    const ask = (user: ReturnType<typeof userNamed>) =>
      node.authorize({ ...resourceAttributes('get /secrets', 'pull', 'ns'), user });
    assert.equal(ask(userNamed('system:node:n1')).kind, 'no-opinion');
    assert.equal(ask(userNamed('n1', 'system:nodes')).kind, 'no-opinion');
    assert.match(ask(userNamed('system:node:', 'system:nodes')).reason, /unknown node/);
  });
});
