/**
 * PodTopologyLabels (feature gate PodTopologyLabelsAdmission): a pod that is created on a node or
 * bound to one gets the node's labels for zone and region.
 *
 * Invariants: a missing node, or one without these labels, changes nothing. A label of the pod with
 * the same key is replaced.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { AdmissionObjects, AdmissionPlugin } from '../admission.ts';

const nodes = { group: '', resource: 'nodes' } as const;

export function topologyLabels({ domain }: Identity, known: AdmissionObjects): AdmissionPlugin {
  const keys = ['zone', 'region'].map((name) => `topology.${domain}/${name}`);
  const withLabels = (object: ApiObject, node: string): ApiObject => {
    const labels = known.get(nodes, '', node)?.metadata.labels ?? {};
    const copied = keys.flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [[key, value] as const];
    });
    if (copied.length === 0) return object;
    const { metadata } = object;
    const merged = { ...metadata.labels, ...Object.fromEntries(copied) };
    return { ...object, metadata: { ...metadata, labels: merged } };
  };
  return {
    name: 'PodTopologyLabels',
    resources: ['/pods', '/pods/binding'],
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    current: () => known.current(),
    admits: ['CREATE'],
    admit({ bodyKind, next }) {
      if (bodyKind.kind !== 'Binding') return withLabels(next, nodeOf(next));
      const target = part(next, 'target');
      return text(target, 'kind') === 'Node' ? withLabels(next, text(target, 'name')) : next;
    },
  };
}

function nodeOf(pod: ApiObject): string {
  return text(part(pod, 'spec'), 'nodeName');
}
