/**
 * PodTopologyLabels (feature gate PodTopologyLabelsAdmission): a pod that is bound to a node gets
 * the node's labels for zone and region.
 *
 * Invariants: a node that there is not, or that has no such labels, changes nothing. A label of the
 * pod by the same name is replaced: it says where the pod is.
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
    resources: ['/pods', '/pods/binding', '/bindings'],
    concerns: (_user, { operations }) => !operations.includes('DELETE'),
    current: () => known.current(),
    admits: ['CREATE', 'UPDATE'],
    admit({ bodyKind, current, next }) {
      if (bodyKind.kind === 'Binding') return withLabels(next, text(part(next, 'target'), 'name'));
      const [before, after] = [nodeOf(current), nodeOf(next)];
      return after === '' || after === before ? next : withLabels(next, after);
    },
  };
}

function nodeOf(pod: ApiObject | undefined): string {
  return text(part(pod, 'spec'), 'nodeName');
}
