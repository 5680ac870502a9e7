/** Texts of types and fields: each names what there is, and the common kinds have all of theirs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import { metaTypes } from '../../src/apimachinery/typed/meta-types.ts';
import { described, describe as texts } from '../../src/apis/descriptions/descriptions.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

const types = fieldTypes(kubernetes);

/** Every object type by its name without the version; several where there are several versions. */
const byName = new Map<string, ObjectSchema[]>();
for (const catalogue of [types, metaTypes]) {
  for (const name of catalogue.names()) {
    const type = catalogue.find(name);
    if (type?.kind !== 'object') continue;
    const key = name.replace(/\/[^.]+/, '');
    byName.set(key, [...(byName.get(key) ?? []), type]);
  }
}

const typesOf = (key: string): readonly ObjectSchema[] =>
  key.startsWith('*')
    ? [...byName].flatMap(([name, found]) => (name.endsWith(key.slice(1)) ? found : []))
    : (byName.get(key) ?? []);

/** Members of every object; they have texts of their own in the definitions. */
const typeMeta = new Set(['apiVersion', 'kind']);

/** Fields that one of several types named together must have. */
function hasField(key: string, field: string): boolean {
  return typesOf(key).some((type) => type.members.has(field) || typeMeta.has(field));
}

describe('descriptions', () => {
  it('are of types that there are', () => {
    assert.deepEqual(
      [...described.keys()].filter((key) => typesOf(key).length === 0),
      [],
    );
  });

  it('are of fields that their types have', () => {
    const unknown = [...described].flatMap(([key, { fields }]) =>
      [...fields.keys()].filter((field) => !hasField(key, field)).map((field) => `${key}.${field}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('are sentences, in one line', () => {
    for (const [key, { text, fields }] of described) {
      for (const said of [...(text === undefined ? [] : [text]), ...fields.values()]) {
        assert.match(said, /^[A-Z0].*\.$/, `${key}: ${said}`);
        assert.ok(!/\s{2}/.test(said), `${key}: ${said}`);
      }
    }
  });

  it('are there for every field of the kinds that people write', () => {
    const roots = ['core/v1.Pod', 'core/v1.Service', 'core/v1.ConfigMap', 'core/v1.Secret']
      .concat(['core/v1.ServiceAccount', 'core/v1.Namespace', 'core/v1.ResourceQuota'])
      .concat(['core/v1.LimitRange', 'core/v1.PersistentVolumeClaim', 'core/v1.Event'])
      .concat(['apps/v1.Deployment', 'apps/v1.ReplicaSet', 'apps/v1.StatefulSet'])
      .concat(['apps/v1.DaemonSet', 'batch/v1.Job', 'batch/v1.CronJob', 'policy/v1.Eviction'])
      .concat(['autoscaling/v1.Scale', 'autoscaling/v2.HorizontalPodAutoscaler'])
      .concat(['networking/v1.Ingress', 'networking/v1.IngressClass'])
      .concat(['networking/v1.NetworkPolicy', 'discovery/v1.EndpointSlice'])
      .concat(['rbac/v1.Role', 'rbac/v1.ClusterRole', 'rbac/v1.RoleBinding'])
      .concat(['storage/v1.StorageClass', 'policy/v1.PodDisruptionBudget'])
      .concat(['coordination/v1.Lease', 'scheduling/v1.PriorityClass']);
    const seen = new Set<string>();
    const missing: string[] = [];
    const walk = (type: ObjectSchema): void => {
      if (seen.has(type.name) || outOfUse.test(type.name)) return;
      seen.add(type.name);
      if (texts.type(type.name) === undefined) missing.push(type.name);
      for (const field of type.members.values()) {
        const owners = [type.name, ...type.fields.filter((f) => f.inline).map((f) => f.type)].map(
          (owner) => (typeof owner === 'string' ? owner : 'name' in owner ? owner.name : ''),
        );
        if (texts.field(owners, field) === undefined) missing.push(`${type.name}.${field.name}`);
        let inner = field.type;
        while (inner.kind === 'list' || inner.kind === 'map') {
          inner = inner.kind === 'list' ? inner.items : inner.values;
        }
        if (inner.kind === 'object') walk(inner);
      }
    };
    for (const root of roots) walk(types.object(root));
    assert.deepEqual(missing, []);
    assert.ok(seen.size > 200, `${seen.size} types`);
  });
});

/** Volumes that nobody makes any more. */
const outOfUse = new RegExp(
  '\\.(GCEPersistentDisk|AWSElasticBlockStore|GitRepo|Glusterfs|RBD|Flex|Cinder|CephFS|Flocker|FC|' +
    'Azure(File|Disk)|VsphereVirtualDisk|Quobyte|PhotonPersistentDisk|Portworx|ScaleIO|StorageOS)' +
    '\\w*Source$',
);
