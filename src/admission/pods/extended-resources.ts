/**
 * ExtendedResourceToleration: nodes with special resources have taints with the names of these, and
 * a pod that requests one tolerates its taint.
 *
 * Invariant: every resource name outside the system's own domains counts, known or not.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { isExtendedResource } from '../../apimachinery/extended-resource-names.ts';

export function extendedResources({ labelDomain }: Identity): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    resources: ['/pods'],
    concerns: () => true,
    admits: ['CREATE', 'UPDATE'],
    admit: ({ next }) => tolerating(next, labelDomain),
  };
}

function tolerating(pod: ApiObject, labelDomain: string): ApiObject {
  const spec = part(pod, 'spec');
  const names = new Set<string>();
  for (const list of ['containers', 'initContainers']) {
    for (const container of objects(spec, list)) {
      const requests = part(part(container, 'resources'), 'requests');
      for (const name of Object.keys(requests)) {
        if (isExtendedResource(name, labelDomain)) names.add(name);
      }
    }
  }
  const own = objects(spec, 'tolerations');
  const tolerated = new Set(own.filter(isToleration).map(({ key }) => key));
  const missing = [...names].sort().filter((name) => !tolerated.has(name));
  if (missing.length === 0) return pod;
  const more = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
  return { ...pod, spec: { ...spec, tolerations: [...own, ...more] } };
}

/** Of the very form that is added. */
function isToleration({ effect, operator, tolerationSeconds, value }: JsonObject): boolean {
  const isPlain = (value ?? '') === '' && tolerationSeconds === undefined;
  return operator === 'Exists' && effect === 'NoSchedule' && isPlain;
}
