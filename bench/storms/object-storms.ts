/** Storms of objects of the kinds that clusters are made of. */
import type { Scene, Storm } from './storm.ts';
import {
  makeNamespace,
  readTogether,
  sendMany,
  sendOne,
  tables,
  until,
  untilEmpty,
} from './storm.ts';

const merge = 'application/merge-patch+json';
const filling = (bytes: number): string => 'x'.repeat(bytes);

const namespaces = '/api/v1/namespaces';
const manyNamespaces = 40_000;

const nameOf = (i: number): string => `n${i}`;

const namespacesMade: Storm = {
  title: '40,000 namespaces with three objects each are made under 20 watches',
  prepare: async (place) => void (await place.watch(`${namespaces}?watch=1`, 20)),
  async run(place) {
    const count = place.of(manyNamespaces);
    const post = { method: 'POST' } as const;
    const namespace = { apiVersion: 'v1', kind: 'Namespace' };
    const made = (i: number) => ({ ...namespace, metadata: { name: nameOf(i) } });
    await sendMany(place, count, (i) => ({ ...post, path: namespaces, body: made(i) }), 201);
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    const path = (i: number): string => `${namespaces}/${nameOf(i)}/configmaps`;
    await sendMany(place, count, (i) => ({ ...post, path: path(i), body: configMap }), 201);
  },
};

const namespacesRead: Storm = {
  title: 'eight tables of 40,000 namespaces',
  run: (place) => readTogether(place, 8, namespaces, tables),
};

const namespacesGone: Storm = {
  title: '40,000 namespaces are deleted under 20 watches, until all are gone',
  async run(place) {
    const remove = { method: 'DELETE', body: '' } as const;
    const path = (i: number): string => `${namespaces}/${nameOf(i)}`;
    await sendMany(place, place.of(manyNamespaces), (i) => ({ ...remove, path: path(i) }), 200);
    await until(async () => {
      const body = await sendOne(place, { method: 'GET', path: `${namespaces}?limit=50` }, 200);
      return !/"name":"n\d/.test(body.toString());
    });
    place.endWatches();
  },
};

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const events = '/apis/events.k8s.io/v1/namespaces/default/events';

const leaseStorm: Storm = {
  title: '8,000 Leases are made and renewed under 1,000 watches of one each',
  async prepare(place) {
    const one = (i: number): string => `${leases}?watch=1&fieldSelector=metadata.name%3Dl${i}`;
    await place.watch(one, place.of(1_000));
  },
  async run(place) {
    const count = place.of(8_000);
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const spec = { holderIdentity: 'h', leaseDurationSeconds: 40 };
    const made = (i: number): object => ({ ...lease, metadata: { name: `l${i}` }, spec });
    await sendMany(place, count, (i) => ({ method: 'POST', path: leases, body: made(i) }), 201);
    const body = { spec: { renewTime: '2026-01-01T00:00:00.000000Z' } };
    const renewed = (i: number) => ({
      method: 'PATCH',
      path: `${leases}/l${i}`,
      body,
      type: merge,
    });
    await sendMany(place, count, renewed, 200);
  },
};

const eventStorm: Storm = {
  title: '8,000 Events are made, and become series, under 200 watches of all',
  prepare: async (place) => void (await place.watch(`${events}?watch=1`, place.of(200))),
  async run(place) {
    const count = place.of(8_000);
    const at = '2026-01-01T00:00:00.000000Z';
    const made = (i: number): object => ({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `e${i}` },
      eventTime: at,
      action: 'Started',
      reason: 'Started',
      type: 'Normal',
      reportingController: 'example.org/kubelet',
      reportingInstance: 'node-1',
      regarding: { kind: 'Pod', namespace: 'default', name: `p${i}` },
      note: filling(200),
    });
    await sendMany(place, count, (i) => ({ method: 'POST', path: events, body: made(i) }), 201);
    const body = { series: { count: 2, lastObservedTime: at } };
    const again = (i: number) => ({ method: 'PATCH', path: `${events}/e${i}`, body, type: merge });
    await sendMany(place, count, again, 200);
    place.endWatches();
  },
};

const nodes = '/api/v1/nodes';
const pods = '/api/v1/namespaces/default/pods';

const nodeStorm: Storm = {
  title: '3,000 nodes are made under 100 watches; their status of 12 KB is written twice',
  prepare: async (place) => void (await place.watch(`${nodes}?watch=1`, place.of(100))),
  async run(place) {
    const count = place.of(3_000);
    const made = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `node-${i}` },
    });
    await sendMany(place, count, (i) => ({ method: 'POST', path: nodes, body: made(i) }), 201);
    const images = Array.from({ length: 50 }, (_, i) => ({
      names: [`registry.example.org/${filling(150)}/i${i}`],
      sizeBytes: i,
    }));
    for (const kubeletVersion of ['v1', 'v2']) {
      const body = { status: { images, nodeInfo: nodeInfo(kubeletVersion) } };
      const status = (i: number) => ({
        method: 'PATCH',
        path: `${nodes}/node-${i}/status`,
        body,
        type: merge,
      });
      await sendMany(place, count, status, 200);
    }
    place.endWatches();
  },
};

function nodeInfo(kubeletVersion: string): object {
  const names = 'machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion';
  const texts = [...names.split(' '), 'kubeProxyVersion', 'operatingSystem', 'architecture'];
  return { ...Object.fromEntries(texts.map((name) => [name, 'x'])), kubeletVersion };
}

const bindStorm: Storm = {
  title: '6,000 pods are made and bound under 3,000 watches of one node each',
  async prepare(place) {
    const one = (i: number): string =>
      `/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dnode-${i}`;
    await place.watch(one, place.of(3_000));
  },
  async run(place) {
    const count = place.of(6_000);
    const spec = { containers: [{ name: 'c', image: 'registry.example.org/c' }] };
    const made = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${i}` },
      spec,
    });
    await sendMany(place, count, (i) => ({ method: 'POST', path: pods, body: made(i) }), 201);
    const bound = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: `p${i}` },
      target: { kind: 'Node', name: `node-${i % place.of(3_000)}` },
    });
    const bind = (i: number) => ({ method: 'POST', path: `${pods}/p${i}/binding`, body: bound(i) });
    await sendMany(place, count, bind, 201);
    place.endWatches();
  },
};

// No config maps: each namespace has one of its own, which is made again.
const collection = `${namespaces}/stormy/secrets`;

const formats = [
  'application/json',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  tables,
];

const collectionStorm: Storm = {
  title: '40,000 objects are deleted as a collection under 60 watches in four formats, and listed',
  async prepare(place) {
    await makeNamespace(place, 'stormy');
    const made = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `c${i}` },
      stringData: { text: filling(600) },
    });
    const post = (i: number) => ({ method: 'POST', path: collection, body: made(i) });
    await sendMany(place, place.of(40_000), post, 201);
    for (const format of formats) await place.watch(`${collection}?watch=1`, 15, format);
  },
  async run(place) {
    const lists = formats.map((format) => format.replace('Metadata;', 'MetadataList;'));
    for (const format of lists) await readTogether(place, 4, collection, format);
    await sendOne(place, { method: 'DELETE', path: collection }, 200);
    await untilEmpty(place, collection);
    place.endWatches();
  },
};

const owned = `${namespaces}/default/secrets`;

const ownerStorm: Storm = {
  title: 'an owner of 60,000 dependents is deleted in the foreground, until all are gone',
  async prepare(place) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } };
    const path = `${namespaces}/default/configmaps`;
    const text = await sendOne(place, { method: 'POST', path, body }, 201);
    const { metadata } = JSON.parse(text.toString()) as { metadata: { uid: string } };
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid };
    const ownerReferences = [{ ...owner, blockOwnerDeletion: true }];
    const made = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `s${i}`, ownerReferences },
    });
    const post = (i: number) => ({ method: 'POST', path: owned, body: made(i) });
    await sendMany(place, place.of(60_000), post, 201);
  },
  async run(place) {
    const path = `${namespaces}/default/configmaps/owner?propagationPolicy=Foreground`;
    await sendOne(place, { method: 'DELETE', path }, 200);
    await untilEmpty(place, owned);
  },
};

const services = `${namespaces}/default/services`;

const serviceStorm: Storm = {
  title: '2,000 services get addresses and node ports, and are deleted as a collection',
  async run(place) {
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const made = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `s${i}` },
      spec,
    });
    const post = (i: number) => ({ method: 'POST', path: services, body: made(i) });
    await sendMany(place, place.of(2_000), post, 201);
    await sendOne(place, { method: 'DELETE', path: services }, 200);
  },
};

const applied = `${namespaces}/default/configmaps/applied`;

const conflictStorm: Storm = {
  title: '20,000 applies of 100 fields that another manager owns, a hundred at once',
  async run(place) {
    const data = (value: string) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, value]));
    const apply = (manager: string, value: string) => ({
      method: 'PATCH',
      path: `${applied}?fieldManager=${manager}`,
      type: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'applied' },
        data: data(value),
      },
    });
    await sendMany(place, 1, () => apply('first', 'a'), 201);
    await sendMany(place, place.of(20_000), () => apply('second', 'b'), 409);
  },
};

export const objectScenes: readonly Scene[] = [
  { storms: [namespacesMade, namespacesRead, namespacesGone] },
  { storms: [leaseStorm, eventStorm] },
  {
    storms: [nodeStorm, bindStorm],
    flags: ['--disable-admission-plugins=ServiceAccount'],
  },
  { storms: [collectionStorm, ownerStorm] },
  { storms: [conflictStorm, serviceStorm], flags: ['--service-cluster-ip-range=10.0.0.0/16'] },
];
