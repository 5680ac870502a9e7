/**
 * What one caller can have the server do with objects that it has stored before: rows like those of
 * attack-rows.ts, of several requests each.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './attack-rows.ts';
import type { AttackRow, SizeOf } from './attack-rows.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const admission = '/apis/admissionregistration.k8s.io/v1';
const policies = `${admission}/validatingadmissionpolicies`;
const bindings = `${admission}/validatingadmissionpolicybindings`;
const strategicMerge = 'application/strategic-merge-patch+json';

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const post = (port: number, path: string, body: object): Promise<number> =>
  send(port, { path, body: JSON.stringify(body) });

/** Fewer than a server takes at a time from one caller, and than a process may have open: what a
 * row needs to be there before it begins is not to be refused. */
const lanesCount = 100;

async function inLanes(count: number, make: (i: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) statuses.push(await make(next++));
  };
  await Promise.all(many(lanesCount, lane));
  return statuses;
}

const remove = (port: number, path: string): Promise<number> =>
  send(port, { method: 'DELETE', path });

/** ConfigMaps of some 450 KB at full size, all with one label. */
function largeConfigMaps(port: number, of: SizeOf, label: string): Promise<number[]> {
  const data = Object.fromEntries(many(of(900, 4_000), (i) => [`k${i}`, 'v'.repeat(100)]));
  const metadata = { generateName: `${label}-`, labels: { large: label } };
  return Promise.all(many(of(8, 60), () => post(port, configMaps, { metadata, data })));
}

function selectedParams(label: string): { policy: object; binding: object } {
  const metadata = { name: label };
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] };
  const paramRef = {
    selector: { matchLabels: { large: label } },
    namespace: 'default',
    parameterNotFoundAction: 'Allow',
  };
  const policy = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConstraints: { resourceRules: [{ ...rule, resources: ['secrets'] }] },
    validations: [{ expression: "params.data.k0 != ''" }],
  };
  const binding = { policyName: label, validationActions: ['Deny'], paramRef };
  return { policy: { metadata, spec: policy }, binding: { metadata, spec: binding } };
}

/** It compares each object's number with 127 others, and then asks for a label that none has. */
const costlySelector = [...many(127, (i) => `n>${i}`), 'none'].join(',');

const rbac = '/apis/rbac.authorization.k8s.io/v1';

export const attackStoreRows: readonly AttackRow[] = [
  {
    title: 'a selector of comparisons: lists, a stream, a deletion that is only tried',
    right: [200, 201],
    async run(port, of) {
      const labels = { n: '9223372036854775807' };
      const body = JSON.stringify({ metadata: { generateName: 'compared-', labels } });
      const path = `${configMaps}?labelSelector=${encodeURIComponent(costlySelector)}`;
      const statuses = await inLanes(of(100, 20_000), () => send(port, { path: configMaps, body }));
      const streamed =
        'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan' +
        '&allowWatchBookmarks=true&timeoutSeconds=1';
      for (const more of ['', '&limit=1', `&${streamed}`]) {
        statuses.push(await send(port, { method: 'GET', path: path + more }));
      }
      statuses.push(await remove(port, `${path}&dryRun=All`));
      return [...statuses, await remove(port, `${configMaps}?labelSelector=n`)];
    },
  },
  {
    title: 'bindings of one account to roles that are not there, and its requests',
    right: [200, 201, 403],
    async run(port, of) {
      const account = { kind: 'ServiceAccount', name: 'bound', namespace: 'default' };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role' };
      const bindings = `${rbac}/namespaces/default/rolebindings`;
      const metadata = { generateName: 'bound-', labels: { bound: 'attack' } };
      const bind = (i: number): Promise<number> =>
        post(port, bindings, {
          metadata,
          roleRef: { ...roleRef, name: `gone-${i}` },
          subjects: [account],
        });
      const statuses = await inLanes(of(100, 20_000), bind);
      const user = 'system:serviceaccount:default:bound';
      const resourceAttributes = { namespace: 'default', verb: 'get', resource: 'pods' };
      const asked = { spec: { user, resourceAttributes } };
      const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      for (let i = 0; i < 10; i += 1) {
        statuses.push(await post(port, reviews, asked), await bind(i));
      }
      return [...statuses, await remove(port, `${bindings}?labelSelector=bound`)];
    },
  },
  {
    title: 'default classes of many, and claims without one',
    right: [200, 201],
    async run(port, of) {
      const classes = '/apis/storage.k8s.io/v1/storageclasses';
      const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      const metadata = { generateName: 'attack-', labels: { attack: 'class' }, annotations };
      const statuses = await inLanes(of(50, 5_000), () =>
        post(port, classes, { metadata, provisioner: 'example.com/x' }),
      );
      const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
      const resources = { requests: { storage: '1Gi' } };
      const claim = {
        metadata: { generateName: 'attack-', labels: { attack: 'claim' } },
        spec: { accessModes: ['ReadWriteOnce'], resources },
      };
      for (let i = 0; i < 3; i += 1) statuses.push(await post(port, claims, claim));
      statuses.push(await remove(port, `${claims}?labelSelector=attack`));
      return [...statuses, await remove(port, `${classes}?labelSelector=attack`)];
    },
  },
  {
    title: 'a strategic merge that names one container again and again',
    right: [200, 201, 413],
    async run(port, of) {
      const labels = { again: 'x' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };
      const spec = { selector: { matchLabels: labels }, template };
      const made = await post(port, deployments, { metadata: { name: 'again' }, spec });
      const limits = (i: number) => ({ limits: { [`example.com/r${i}`]: '1' } });
      const containers = many(of(500, 4_800), (i) => ({ name: 'c', resources: limits(i) }));
      const body = JSON.stringify({ spec: { template: { spec: { containers } } } });
      const path = `${deployments}/again`;
      const patched = await send(port, { method: 'PATCH', path, type: strategicMerge, body });
      return [made, patched, await remove(port, path)];
    },
  },
  {
    title: 'roles of many rules, and one that is made of them',
    right: [200, 201],
    async run(port, of) {
      const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
      const labels = { part: 'attack' };
      const part = (at: number) => ({
        metadata: { name: `attack-${at}`, labels },
        rules: many(of(300, 2_400), (i) => ({ ...rule, resourceNames: [`n${at}-${i}`] })),
      });
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
      const whole = { metadata: { name: 'attack' }, aggregationRule };
      const statuses = [await post(port, clusterRoles, whole)];
      for (let at = 0; at < of(2, 10); at += 1) {
        statuses.push(await post(port, clusterRoles, part(at)));
      }
      await sleep(of(200, 2_000));
      statuses.push(await remove(port, `${clusterRoles}?labelSelector=part%3Dattack`));
      return [...statuses, await remove(port, `${clusterRoles}/attack`)];
    },
  },
  {
    title: 'a policy whose params are many and large, and their deletion',
    right: [200, 201],
    async run(port, of) {
      const { binding, policy } = selectedParams('attack-params');
      const statuses = await largeConfigMaps(port, of, 'attack-params');
      statuses.push(await post(port, policies, policy), await post(port, bindings, binding));
      await sleep(500);
      const secret = { metadata: { generateName: 'attacked-' } };
      statuses.push(...(await Promise.all(many(3, () => post(port, secrets, secret)))));
      statuses.push(await remove(port, `${bindings}/attack-params`));
      statuses.push(await remove(port, `${policies}/attack-params`));
      const those = `${configMaps}?labelSelector=large%3Dattack-params`;
      return [...statuses, await remove(port, those)];
    },
  },
];
