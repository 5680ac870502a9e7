/** Two nodes and what each may write: the objects that tests of NodeRestriction begin with. */
import assert from 'node:assert/strict';
import { asAdmin } from '../clients/access-setup.ts';
import { podSpec } from '../data/valid-objects.ts';
import type { SecureServer } from './secure-server.ts';

export const pods = '/api/v1/namespaces/default/pods';
export const nodes = '/api/v1/nodes';
export const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
export const csiNodes = '/apis/storage.k8s.io/v1/csinodes';
export const slices = '/apis/resource.k8s.io/v1beta1/resourceslices';
export const tokenPath = '/api/v1/namespaces/default/serviceaccounts/account/token';
export const claims = '/api/v1/namespaces/default/persistentvolumeclaims';

export const named = (name: string, more: object = {}) => ({ metadata: { name, ...more } });

export const slice = (name: string, nodeName: string) => ({
  metadata: { name },
  spec: {
    nodeName,
    driver: 'd.example',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices: [],
  },
});

/** The uids of n1 and of two pods, by the names that rows have for them. */
export async function prepareNodes(server: SecureServer): Promise<Map<string, string>> {
  const uids = new Map<string, string>();
  const make = async (path: string, body: object, key = ''): Promise<void> => {
    const reply = await asAdmin(server, 'POST', path, body);
    assert.equal(reply.status, 201, reply.text);
    uids.set(key, (reply.body as unknown as { metadata: { uid: string } }).metadata.uid);
  };
  const worker = { 'node-role.kubernetes.io/worker': '' };
  const taints = [{ key: 'a', effect: 'NoSchedule' }];
  await make(nodes, { ...named('n1', { labels: worker }), spec: { taints } }, '$uid');
  await make(nodes, named('n2'));
  await make('/api/v1/namespaces/default/serviceaccounts', named('account'));
  const driver = (name: string, audience: string) => ({
    ...named(name),
    spec: { tokenRequests: [{ audience }] },
  });
  await make('/apis/storage.k8s.io/v1/csidrivers', driver('d.example', 'of-driver'));
  await make('/apis/storage.k8s.io/v1/csidrivers', driver('e.example', 'of-claim'));
  const size = { storage: '1Gi' };
  const modes = ['ReadWriteOnce'];
  await make('/api/v1/persistentvolumes', {
    ...named('volume'),
    spec: { capacity: size, accessModes: modes, csi: { driver: 'e.example', volumeHandle: 'h' } },
  });
  await make(claims, {
    ...named('claim'),
    spec: { accessModes: modes, resources: { requests: size }, volumeName: 'volume' },
  });
  const token = (audience: string) => ({ serviceAccountToken: { audience, path: audience } });
  const plain = { serviceAccountToken: { path: 'token' } };
  const volumes = [
    { name: 'v', projected: { sources: [token('vault'), plain] } },
    { name: 'd', csi: { driver: 'd.example' } },
    { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
  ];
  const spec = podSpec({ nodeName: 'n1', serviceAccountName: 'account', volumes });
  await make(pods, { ...named('own'), spec }, '$own');
  await make(pods, { ...named('evicted'), spec: podSpec({ nodeName: 'n1' }) });
  const labels = { one: 'of-n2' };
  const otherSpec = podSpec({ nodeName: 'n2', serviceAccountName: 'account' });
  await make(pods, { ...named('other', { labels }), spec: otherSpec }, '$other');
  await make(pods, { ...named('unbound'), spec: podSpec() });
  await make(leases, named('n2'));
  await make(csiNodes, { ...named('n2'), spec: { drivers: [] } });
  await make(slices, slice('s2', 'n2'));
  return uids;
}
