/** CSIStorageCapacities: how much room a class has, and where. */
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import { checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { nodeLabels } from '../core/nodes/node-labels.ts';
import { allErrors, each, givenForm, nonNegativeAmount, unchanged } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules } from '../validation/labels.ts';
import type { KindWarnings } from '../warnings/kind-warnings.ts';
import { allWarnings, onWrite } from '../warnings/kind-warnings.ts';
import type { KindDefinition } from '../kind-definition.ts';

const csiStorageCapacityRules: KindRules = {
  validate: (object) =>
    allErrors(
      labelSelectorRules(part(object, 'nodeTopology'), 'nodeTopology'),
      givenForm('storageClassName', text(object, 'storageClassName'), checkDns1123Subdomain),
      nonNegativeAmount('capacity', object['capacity']),
      nonNegativeAmount('maximumVolumeSize', object['maximumVolumeSize']),
    ),
  validateUpdate: (next, current) =>
    each(['nodeTopology', 'storageClassName'], (name) =>
      unchanged(name, next[name], current[name]),
    ),
};

function storageCapacityWarnings(identity: Identity): KindWarnings {
  const labels = nodeLabels(identity);
  return onWrite((capacity) => {
    const topology = part(capacity, 'nodeTopology');
    return allWarnings(
      labels.ofTerm(topology, 'nodeTopology'),
      labels.ofMap(part(topology, 'matchLabels'), (label) => `nodeTopology.matchLabels.${label}`),
    );
  });
}

export const csiStorageCapacities: KindDefinition = {
  resource: 'storage.{domain}/csistoragecapacities',
  conditionalUpdateOnly: true,
  validation: csiStorageCapacityRules,
  warnings: storageCapacityWarnings,
};
