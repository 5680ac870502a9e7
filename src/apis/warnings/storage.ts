/** Warnings of volumes, claims and classes of storage. */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { claimSpecWarnings } from './amounts.ts';
import { each, noWarnings, onWrite, together } from './kind-warnings.ts';
import type { KindWarnings, Warnings } from './kind-warnings.ts';
import { nodeLabels } from './node-labels.ts';
import { sourceWarnings } from './volumes.ts';

/** What an annotation said before there was a field for it. */
function replaced(object: ApiObject, annotation: string, message: string): Warnings {
  return object.metadata.annotations?.[annotation] === undefined
    ? noWarnings
    : [`metadata.annotations[${annotation}]: ${message}`];
}

const classAnnotation = 'volume.beta.{labelDomain}/storage-class';
const classMessage = 'deprecated since v1.8; use "storageClassName" attribute instead';

export function persistentVolumeWarnings(identity: Identity): KindWarnings {
  const { fill } = identity;
  const labels = nodeLabels(identity);
  const terms = 'spec.nodeAffinity.required.nodeSelectorTerms';
  return onWrite((volume) => {
    const spec = part(volume, 'spec');
    const required = part(part(spec, 'nodeAffinity'), 'required');
    return together(
      replaced(volume, fill(classAnnotation), classMessage),
      replaced(
        volume,
        fill('volume.beta.{labelDomain}/mount-options'),
        'deprecated since v1.31; use "mountOptions" attribute instead',
      ),
      text(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
        ? [
            'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ' +
              'Instead, the recommended approach is to use dynamic provisioning.',
          ]
        : noWarnings,
      each(objects(required, 'nodeSelectorTerms'), (term, at) =>
        labels.ofTerm(term, `${terms}[${at}]`),
      ),
      sourceWarnings(spec, 'spec'),
    );
  });
}

export function claimWarnings({ fill }: Identity): KindWarnings {
  return onWrite((claim) =>
    together(
      replaced(claim, fill(classAnnotation), classMessage),
      claimSpecWarnings(part(claim, 'spec'), 'spec'),
    ),
  );
}

export function storageClassWarnings(identity: Identity): KindWarnings {
  const { messageOf } = nodeLabels(identity);
  return onWrite((storageClass) =>
    each(objects(storageClass, 'allowedTopologies'), (topology, at) =>
      each(objects(topology, 'matchLabelExpressions'), (requirement, which) => {
        const message = messageOf(text(requirement, 'key'));
        const path = `allowedTopologies[${at}].matchLabelExpressions[${which}]`;
        return message === undefined ? noWarnings : [`${path}: ${message}`];
      }),
    ),
  );
}

export function storageCapacityWarnings(identity: Identity): KindWarnings {
  const labels = nodeLabels(identity);
  return onWrite((capacity) => {
    const topology = part(capacity, 'nodeTopology');
    return together(
      labels.ofTerm(topology, 'nodeTopology'),
      labels.ofMap(part(topology, 'matchLabels'), (label) => `nodeTopology.matchLabels.${label}`),
    );
  });
}
