/**
 * TaintNodesByCondition: a new node gets a taint that keeps pods away until it is ready.
 *
 * Removing the taint is up to a controller of nodes, which is not part of this server.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part } from '../../apimachinery/members.ts';
import type { AdmissionPlugin } from '../admission.ts';

export function notReadyTaint({ labelDomain }: Identity): AdmissionPlugin {
  const taint = { key: `node.${labelDomain}/not-ready`, effect: 'NoSchedule' } as const;
  return {
    name: 'TaintNodesByCondition',
    resources: ['/nodes'],
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    admits: ['CREATE'],
    admit({ next }) {
      const spec = part(next, 'spec');
      const taints = objects(spec, 'taints');
      const { effect, key } = taint;
      const isThere = taints.some((each) => each['key'] === key && each['effect'] === effect);
      if (isThere) return next;
      return { ...next, spec: { ...spec, taints: [...taints, taint] } };
    },
  };
}
