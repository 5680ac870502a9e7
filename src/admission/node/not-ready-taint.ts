/**
 * TaintNodesByCondition: a new node takes no pods until its kubelet reports that it is ready.
 *
 * What it is not: what takes the taint away, which is for who looks after nodes.
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
