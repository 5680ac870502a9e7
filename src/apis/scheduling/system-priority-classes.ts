/**
 * The two priority classes that parts of the control plane name without making them.
 *
 * A scheduler enforces priorities. The same names and values under every identity: manifests name
 * them.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';

/** Where the numbers of user-made classes end, the system's begin. */
const systemValue = 2_000_000_000;

const rows = [
  {
    name: 'system-node-critical',
    value: systemValue + 1000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: systemValue,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another ' +
      'node if necessary.',
  },
];

export function systemPriorityClasses(identity: Identity): readonly ApiObject[] {
  const apiVersion = identity.fill('scheduling.{domain}/v1');
  return rows.map(({ name, value, description }) => ({
    apiVersion,
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  }));
}
