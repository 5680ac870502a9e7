/**
 * NodeRestriction over HTTP: what the agent of node n1 may write, where the authorizers would let it
 * write everything. A row that is refused has changed nothing.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { asAdmin } from '../support/clients/access-setup.ts';
import {
  claims,
  csiNodes,
  leases,
  named,
  nodes,
  pods,
  prepareNodes,
  slice,
  slices,
  tokenPath,
} from '../support/servers/node-cluster.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureReply, SecureServer } from '../support/servers/secure-server.ts';
import { podSpec } from '../support/data/valid-objects.ts';

interface Row {
  /** `POST /path`; a PATCH is a merge patch. */
  readonly request: string;
  readonly body?: object;
  /** The 403 after "is forbidden: "; absent: it is allowed. */
  readonly refused?: string;
}

let made = 0;
/** A pod as an agent mirrors it. `$uid` is that of its Node. */
function mirror(spec: object = {}, owner: object | undefined = {}, more: object = {}): object {
  const reference = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: '$uid', controller: true };
  return {
    metadata: {
      name: `mirror-${(made += 1)}`,
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, ...owner }] }),
      ...more,
    },
    spec: podSpec({ nodeName: 'n1', ...spec }),
  };
}
const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] });
const projected = (source: object) => volume({ projected: { sources: [source] } });
const env = (valueFrom: object) => ({
  containers: [{ name: 'c', image: 'i', env: [{ name: 'E', valueFrom }] }],
});
const reference = (what: string): string => `node "n1" can not create pods that reference ${what}`;
const owners = (what: string): string => `node "n1" can only create pods with ${what}`;

const mirrorPods: readonly Row[] = [
  { request: `POST ${pods}`, body: mirror() },
  { request: `POST ${pods}`, body: mirror({}, { blockOwnerDeletion: false }) },
  {
    request: `POST ${pods}`,
    body: { ...named('plain'), spec: podSpec({ nodeName: 'n1' }) },
    refused:
      'pod does not have "kubernetes.io/config.mirror" annotation, ' +
      'node "n1" can only create mirror pods',
  },
  {
    request: `POST ${pods}`,
    body: mirror({ nodeName: 'n2' }),
    refused: 'node "n1" can only create pods with spec.nodeName set to itself',
  },
  {
    request: `POST ${pods}`,
    body: mirror({ nodeName: undefined }),
    refused: 'node "n1" can only create pods with spec.nodeName set to itself',
  },
  {
    request: `POST ${pods}`,
    body: mirror({}, {}, { ownerReferences: [] }),
    refused: owners('an owner reference set to itself'),
  },
  {
    request: `POST ${pods}`,
    body: mirror({}, { name: 'n2' }),
    refused: owners('an owner reference set to itself'),
  },
  {
    request: `POST ${pods}`,
    body: mirror(
      {},
      {},
      {
        ownerReferences: ['1', '2'].map((uid) => ({
          apiVersion: 'v1',
          kind: 'Node',
          name: 'n1',
          uid,
        })),
      },
    ),
    refused: owners('a single owner reference set to itself'),
  },
  {
    request: `POST ${pods}`,
    body: mirror({}, { controller: false }),
    refused: owners('a controller owner reference set to itself'),
  },
  {
    request: `POST ${pods}`,
    body: mirror({}, { blockOwnerDeletion: true }),
    refused: 'node "n1" must not set blockOwnerDeletion on an owner reference',
  },
  {
    request: `POST ${pods}`,
    body: mirror({}, { uid: 'another' }),
    refused: 'node n1 UID mismatch: expected another got $uid',
  },
  {
    request: `POST ${pods}`,
    body: mirror({ serviceAccountName: 'account' }),
    refused: reference('a service account'),
  },
  {
    request: `POST ${pods}`,
    body: mirror(volume({ secret: { secretName: 's' } })),
    refused: reference('secrets'),
  },
  {
    request: `POST ${pods}`,
    body: mirror(env({ secretKeyRef: { name: 's', key: 'k' } })),
    refused: reference('secrets'),
  },
  {
    request: `POST ${pods}`,
    body: mirror({ imagePullSecrets: [{ name: 's' }] }),
    refused: reference('secrets'),
  },
  {
    request: `POST ${pods}`,
    body: mirror(projected({ configMap: { name: 'c' } })),
    refused: reference('configmaps'),
  },
  {
    request: `POST ${pods}`,
    body: mirror(projected({ clusterTrustBundle: { name: 'b', path: 'p' } })),
    refused: reference('clustertrustbundles'),
  },
  {
    request: `POST ${pods}`,
    body: mirror(volume({ persistentVolumeClaim: { claimName: 'c' } })),
    refused: reference('persistentvolumeclaims'),
  },
  {
    request: `POST ${pods}`,
    body: mirror({ resourceClaims: [{ name: 'r', resourceClaimName: 'r' }] }),
    refused: reference('resourceclaims'),
  },
];

const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const otherPods: readonly Row[] = [
  { request: `PATCH ${pods}/own/status`, body: ready },
  {
    request: `PATCH ${pods}/other/status`,
    body: ready,
    refused: 'node "n1" can only update pod status for pods with spec.nodeName set to itself',
  },
  {
    request: `PATCH ${pods}/own/status`,
    body: { metadata: { labels: { a: 'b' } } },
    refused: 'node "n1" cannot update labels through pod status',
  },
  {
    request: `PATCH ${pods}/own/status`,
    body: { status: { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 's' }] } },
    refused: 'node "n1" cannot update resource claim statues',
  },
  {
    request: `PATCH ${pods}/own`,
    body: { metadata: { labels: { a: 'b' } } },
    refused: 'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
  },
  {
    request: `POST ${pods}/unbound/binding`,
    body: { ...named('unbound'), target: { name: 'n1' } },
    refused: `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
  },
  // It was taken, and the node could have read whatever the pod names.
  {
    request: `POST ${pods.replace(/pods$/, 'bindings')}`,
    body: { ...named('unbound'), target: { name: 'n1' } },
    refused: 'node "n1" is not allowed to bind pods',
  },
  {
    request: `POST ${pods}/other/eviction`,
    body: named('other'),
    refused: 'node n1 can only evict pods with spec.nodeName set to itself',
  },
  { request: `POST ${pods}/evicted/eviction`, body: named('evicted') },
  {
    request: `DELETE ${pods}/other`,
    refused: 'node "n1" can only delete pods with spec.nodeName set to itself',
  },
  {
    request: `DELETE ${pods}?labelSelector=one%3Dof-n2`,
    refused: 'node "n1" can only delete pods with spec.nodeName set to itself',
  },
  { request: `DELETE ${pods}/own` },
];

const label = (name: string, value: string | null = 'x') => ({
  metadata: { labels: { [name]: value } },
});
const forbiddenLabel = (name: string): string => `is not allowed to modify labels: ${name}`;
const nodeObjects: readonly Row[] = [
  { request: `PATCH ${nodes}/n1`, body: label('example.com/any') },
  { request: `PATCH ${nodes}/n1`, body: label('kubernetes.io/hostname', 'n1') },
  ...[
    'kubernetes.io/os',
    'kubernetes.io/arch',
    'topology.kubernetes.io/zone',
    'topology.kubernetes.io/region',
    'failure-domain.beta.kubernetes.io/zone',
    'failure-domain.beta.kubernetes.io/region',
    'node.kubernetes.io/instance-type',
    'beta.kubernetes.io/instance-type',
    'beta.kubernetes.io/os',
    'beta.kubernetes.io/arch',
  ].map((name): Row => ({ request: `PATCH ${nodes}/n1`, body: label(name) })),
  { request: `PATCH ${nodes}/n1`, body: label('kubelet.kubernetes.io/any') },
  { request: `PATCH ${nodes}/n1`, body: label('sub.node.kubernetes.io/any') },
  { request: `PATCH ${nodes}/n1/status`, body: { status: { phase: 'Running' } } },
  ...[
    'node-restriction.kubernetes.io/a',
    'sub.node-restriction.kubernetes.io/a',
    'kubernetes.io/a',
    'node-role.kubernetes.io/master',
    'k8s.io/a',
    'sub.k8s.io/a',
  ].flatMap((name): Row[] => [
    { request: `PATCH ${nodes}/n1`, body: label(name), refused: forbiddenLabel(name) },
    { request: `PATCH ${nodes}/n1/status`, body: label(name), refused: forbiddenLabel(name) },
  ]),
  {
    request: `PATCH ${nodes}/n1`,
    body: label('node-role.kubernetes.io/worker', null),
    refused: forbiddenLabel('node-role.kubernetes.io/worker'),
  },
  {
    request: `PATCH ${nodes}/n1`,
    body: { spec: { taints: [] } },
    refused: 'node "n1" is not allowed to modify taints',
  },
  ...['n1', 'nowhere'].map((name): Row => {
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid: 'of-nobody' };
    return {
      request: `PATCH ${nodes}/n1`,
      body: { metadata: { ownerReferences: [owner] } },
      refused: 'node "n1" is not allowed to modify ownerReferences',
    };
  }),
  // What nothing would come of is refused all the same: the field has gone, a status has no taints.
  {
    request: `PATCH ${nodes}/n1`,
    body: {
      spec: { configSource: { configMap: { name: 'c', namespace: 'n', kubeletConfigKey: 'k' } } },
    },
    refused: 'node "n1" is not allowed to update configSource to a new non-nil configSource',
  },
  {
    request: `PATCH ${nodes}/n1/status`,
    body: { spec: { taints: [{ key: 'mine', effect: 'NoSchedule' }] } },
    refused: 'node "n1" is not allowed to modify taints',
  },
  {
    request: `PATCH ${nodes}/n2`,
    body: label('example.com/any'),
    refused: 'node "n1" is not allowed to modify node "n2"',
  },
  { request: `DELETE ${nodes}/n2`, refused: 'node "n1" is not allowed to modify node "n2"' },
  {
    request: `POST ${nodes}`,
    body: named('n3'),
    refused: 'node "n1" is not allowed to modify node "n3"',
  },
  { request: `DELETE ${nodes}/n1` },
  {
    request: `POST ${nodes}`,
    body: named('n1', { labels: { 'kubernetes.io/a': 'b', 'k8s.io/b': 'c', c: 'd' } }),
    refused: 'node "n1" is not allowed to set the following labels: k8s.io/b, kubernetes.io/a',
  },
  {
    request: `POST ${nodes}`,
    body: {
      ...named('n1', { labels: { 'kubernetes.io/os': 'linux', c: 'd' } }),
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
    },
  },
];

const onlyOwnLease = 'can only access node lease with the same name as the requesting node';
const onlyOwnCsi = 'can only access CSINode with the same name as the requesting node';
const others: readonly Row[] = [
  { request: `POST ${leases}`, body: { ...named('n1'), spec: { leaseDurationSeconds: 40 } } },
  { request: `PATCH ${leases}/n1`, body: { spec: { holderIdentity: 'n1' } } },
  { request: `POST ${leases}`, body: named('n3'), refused: onlyOwnLease },
  {
    request: `PATCH ${leases}/n2`,
    body: { spec: {}, metadata: { labels: { a: 'b' } } },
    refused: onlyOwnLease,
  },
  { request: `DELETE ${leases}/n2`, refused: onlyOwnLease },
  {
    request: `POST ${leases.replace('kube-node-lease', 'default')}`,
    body: named('n1'),
    refused: 'can only access leases in the "kube-node-lease" system namespace',
  },
  { request: `POST ${csiNodes}`, body: { ...named('n1'), spec: { drivers: [] } } },
  {
    request: `POST ${csiNodes}`,
    body: { ...named('n3'), spec: { drivers: [] } },
    refused: onlyOwnCsi,
  },
  { request: `DELETE ${csiNodes}/n2`, refused: onlyOwnCsi },
  { request: `POST ${slices}`, body: slice('s1', 'n1') },
  {
    request: `POST ${slices}`,
    body: slice('s3', 'n2'),
    refused: 'can only create ResourceSlice with the same NodeName as the requesting node',
  },
  {
    request: `DELETE ${slices}/s2`,
    refused: 'can only delete ResourceSlice with the same NodeName as the requesting node',
  },
  { request: `DELETE ${slices}/s1` },
  {
    request: `DELETE ${slices}`,
    refused: 'can only delete ResourceSlice with the same NodeName as the requesting node',
  },
  { request: `PATCH ${claims}/claim/status`, body: { status: { capacity: { storage: '2Gi' } } } },
  {
    request: `PATCH ${claims}/claim/status`,
    body: { status: { phase: 'Bound' } },
    refused:
      'node "n1" is not allowed to update fields other than ' +
      'status.quantity and status.conditions',
  },
  {
    request: `PATCH ${claims}/claim/status`,
    body: { spec: { volumeName: 'other' } },
    refused:
      'node "n1" is not allowed to update fields other than ' +
      'status.quantity and status.conditions',
  },
  {
    request: `PATCH ${claims}/claim`,
    body: { metadata: { labels: { a: 'b' } } },
    refused: 'may only update PVC status',
  },
];

const bound = (more: object = {}, audiences: readonly string[] = []) => ({
  spec: {
    audiences,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'own', uid: '$own', ...more },
  },
});
const notPermitted = (audience: string): string =>
  `audience "${audience}" not found in pod spec volume, ` +
  'n1 is not authorized to request tokens for this audience';
const unbound = 'node requested token not bound to a pod';
const tokensOfPods: readonly Row[] = [
  { request: `POST ${tokenPath}`, body: bound({}, ['vault']) },
  { request: `POST ${tokenPath}`, body: bound() },
  { request: `POST ${tokenPath}`, body: bound({}, ['of-driver']) },
  { request: `POST ${tokenPath}`, body: bound({}, ['of-claim']) },
  {
    request: `POST ${tokenPath}`,
    body: bound({}, ['vault', 'of-driver']),
    refused: 'node may only request 0 or 1 audiences',
  },
  { request: `POST ${tokenPath}`, body: { spec: { audiences: [] } }, refused: unbound },
  {
    request: `POST ${tokenPath}`,
    body: {
      spec: { audiences: [], boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'n1' } },
    },
    refused: unbound,
  },
  {
    request: `POST ${tokenPath}`,
    body: bound({ uid: '' }),
    refused: 'node requested token with a pod binding without a uid',
  },
  {
    request: `POST ${tokenPath}`,
    body: bound({ uid: 'another' }),
    refused:
      'the UID in the bound object reference (another) does not match the UID in record. ' +
      'The object might have been deleted and then recreated',
  },
  {
    request: `POST ${tokenPath}`,
    body: bound({ name: 'other', uid: '$other' }),
    refused: 'node requested token bound to a pod scheduled on a different node',
  },
];

const featured = {
  'runtime-config': 'api/all=true',
  // Nothing is written but by the rows: a server's own Lease is renewed every ten seconds, and the
  // garbage collector, which runs unasked, takes what an agent's Node owned.
  'feature-gates':
    'DynamicResourceAllocation=true,ClusterTrustBundleProjection=true,APIServerIdentity=false',
  controllers: '-garbagecollector',
};

describe("NodeRestriction, of a node's agent", () => {
  let server: SecureServer;
  let agent: KeyPair;
  let uids: ReadonlyMap<string, string>;
  before(async () => {
    const options = { 'authorization-mode': 'AlwaysAllow', ...featured };
    server = await startSecureServer(options);
    agent = await server.clientCertificate('system:node:n1', ['system:nodes']);
    uids = await prepareNodes(server);
  });
  after(() => server.remove());

  const filled = (text: string): string =>
    [...uids].reduce((all, [key, uid]) => (key === '' ? all : all.replaceAll(key, uid)), text);

  function send(row: Row, as: KeyPair, more = ''): Promise<SecureReply> {
    const [method = '', target = ''] = row.request.split(' ');
    const body = JSON.parse(filled(JSON.stringify(row.body ?? null))) as object | null;
    const headers: Record<string, string> =
      method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const asked = `${target}${more === '' ? '' : `${target.includes('?') ? '&' : '?'}${more}`}`;
    return server.secure(asked, { method, headers, as, ...(body === null ? {} : { body }) });
  }

  const revision = async (): Promise<string> => {
    const list = await asAdmin(server, 'GET', '/api/v1/namespaces');
    return (list.body as unknown as { metadata: { resourceVersion: string } }).metadata
      .resourceVersion;
  };

  async function checkRow(row: Row): Promise<void> {
    const before = await revision();
    const dry = await send(row, agent, 'dryRun=All');
    assert.equal(await revision(), before, 'a dry run changes nothing');
    const reply = await send(row, agent);
    if (row.refused === undefined) {
      assert([200, 201].includes(dry.status), dry.text);
      assert([200, 201].includes(reply.status), reply.text);
      return;
    }
    const expected = `is forbidden: ${filled(row.refused)}`;
    for (const each of [dry, reply]) {
      assert.equal(each.status, 403, each.text);
      const message = String(each.body['message']);
      assert(message.endsWith(expected), `${message}\nis not\n${expected}`);
    }
    assert.equal(await revision(), before);
  }

  const tables: readonly [string, readonly Row[]][] = [
    ['its claims, leases, CSINodes and slices', others],
    ['tokens of its pods', tokensOfPods],
    ['the pods that it mirrors', mirrorPods],
    ['pods that are there', otherPods],
    ['Nodes', nodeObjects],
  ];
  for (const [title, rows] of tables) {
    rows.forEach((row, index) => {
      const verdict = row.refused === undefined ? 'allowed' : `refused: ${row.refused}`;
      it(`${title}, ${index + 1}: ${row.request} is ${verdict}`, () => checkRow(row));
    });
  }

  it('applies and PUTs are held to the same', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', ...named('n1', label('k8s.io/x').metadata) };
    const reply = await server.secure(`${nodes}/n1?fieldManager=m`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: node,
      as: agent,
    });
    assert.equal(reply.status, 403, reply.text);
    const put = await server.secure(`${nodes}/n1`, { method: 'PUT', body: node, as: agent });
    assert.equal(put.status, 403, put.text);
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...named('n9') };
    const made = await server.secure(`${leases}/n9`, { method: 'PUT', body: lease, as: agent });
    assert.equal(made.status, 403, made.text);
  });

  it('an agent without a name of its own may write none of it', async () => {
    const nameless = await server.clientCertificate('system:node:', ['system:nodes']);
    const reply = await send({ request: `PATCH ${nodes}/n1`, body: label('a') }, nameless);
    assert.match(
      String(reply.body['message']),
      /could not determine node from user "system:node:"/,
    );
  });

  it('nobody else is held to it', async () => {
    const rows: readonly [string, readonly string[]][] = [
      ['system:node:n1', []],
      ['n1', ['system:nodes']],
    ];
    for (const [name, groups] of rows) {
      const other = await server.clientCertificate(name, groups);
      const reply = await send(
        { request: `PATCH ${nodes}/n2`, body: label(`k8s.io/${name.length}`) },
        other,
      );
      assert.equal(reply.status, 200, reply.text);
    }
  });
});

describe('a right to an audience', () => {
  it('lets a node have a token that the pod does not name', async () => {
    const server = await startSecureServer({ 'authorization-mode': 'Node,RBAC', ...featured });
    const agent = await server.clientCertificate('system:node:n1', ['system:nodes']);
    const uids = await prepareNodes(server);
    const group = 'rbac.authorization.k8s.io';
    const rbac = `/apis/${group}/v1/namespaces/default`;
    const rule = {
      verbs: ['request-serviceaccounts-token-audience'],
      apiGroups: [''],
      resources: ['granted'],
      resourceNames: ['account'],
    };
    const roleRef = { apiGroup: group, kind: 'Role', name: 'audience' };
    const subjects = [{ apiGroup: group, kind: 'Group', name: 'system:nodes' }];
    await asAdmin(server, 'POST', `${rbac}/roles`, { ...named('audience'), rules: [rule] });
    await asAdmin(server, 'POST', `${rbac}/rolebindings`, { ...named('a'), roleRef, subjects });
    const ask = (audience: string): Promise<SecureReply> => {
      const text = JSON.stringify(bound({}, [audience])).replace('$own', uids.get('$own') ?? '');
      return server.secure(tokenPath, {
        method: 'POST',
        body: JSON.parse(text) as object,
        as: agent,
      });
    };
    let reply = await ask('granted');
    for (let tries = 0; reply.status !== 201 && tries < 20_000; tries += 1) {
      // The graph and the binding are seen a moment after they are written.
      await new Promise((resolve) => setTimeout(resolve, 10));
      reply = await ask('granted');
    }
    assert.equal(reply.status, 201, reply.text);
    const other = await ask('other');
    assert.equal(other.status, 403, other.text);
    assert(String(other.body['message']).endsWith(notPermitted('other')), other.text);
    await server.remove();
  });
});
