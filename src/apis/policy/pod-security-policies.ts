/** PodSecurityPolicies: stored but not enforced. The pod security standards replace them. */
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';

const podSecurityPolicyDefaults: DefaultTable = {
  fields: { 'policy/v1beta1.PodSecurityPolicySpec': { allowPrivilegeEscalation: true } },
};

export const podSecurityPolicies: KindDefinition = {
  resource: 'policy/podsecuritypolicies',
  returnsDeletedObject: true,
  defaults: podSecurityPolicyDefaults,
  unserved: [
    {
      says:
        'this server does not apply pod security policies: no pod is refused ' +
        'because of this one',
    },
  ],
};
