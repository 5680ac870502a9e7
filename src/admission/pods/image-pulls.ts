/**
 * AlwaysPullImages: nodes ask the registry for every image, so a pod cannot use a private image
 * just because another pod has pulled it.
 *
 * Invariants: an update without new images is left as it is.
 */
import { notSupported } from '../../apimachinery/field-error.ts';
import { formatFieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { newForbidden, newUnknownError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { AdmissionPlugin, Refusal, Review } from '../admission.ts';

const always = 'Always';
const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  resources: ['/pods'],
  concerns: () => true,
  admits: ['CREATE', 'UPDATE'],
  admit: (proposed) => (bringsImages(proposed) ? pulling(proposed.next) : proposed.next),
  validate: (review) => (bringsImages(review) ? policyRefusal(review) : undefined),
};

function bringsImages({ current, next, operation }: Review): boolean {
  if (operation === 'CREATE') return true;
  if (next === undefined) return false;
  const known = new Set(imagesOf(current));
  return imagesOf(next).some((image) => !known.has(image));
}

function imagesOf(pod: ApiObject | undefined): readonly string[] {
  const spec = part(pod, 'spec');
  const volumes = objects(spec, 'volumes').filter(({ image }) => image !== undefined);
  return [
    ...lists.flatMap((list) => objects(spec, list).map((container) => text(container, 'image'))),
    ...volumes.map((volume) => text(part(volume, 'image'), 'reference')),
  ];
}

function pulling(pod: ApiObject): ApiObject {
  const spec = part(pod, 'spec');
  const changed: Record<string, readonly JsonObject[]> = {};
  for (const list of lists) {
    if (spec[list] === undefined) continue;
    changed[list] = objects(spec, list).map((each) => ({ ...each, imagePullPolicy: always }));
  }
  if (spec['volumes'] !== undefined) {
    changed['volumes'] = objects(spec, 'volumes').map((volume) =>
      volume['image'] === undefined
        ? volume
        : { ...volume, image: { ...part(volume, 'image'), pullPolicy: always } },
    );
  }
  return { ...pod, spec: { ...spec, ...changed } };
}

/** For what was changed behind it. The reference says all of it at once, so without a reason. */
function policyRefusal({ name, next, resource }: Review): Refusal {
  const spec = part(next, 'spec');
  const wrong: string[] = [];
  const check = (field: string, policy: string): void => {
    if (policy === always) return;
    const why = formatFieldError(notSupported(field, policy, [always]));
    wrong.push(newForbidden(resource, name, why).message);
  };
  for (const list of lists) {
    for (const [at, container] of objects(spec, list).entries()) {
      check(`spec.${list}[${at}].imagePullPolicy`, text(container, 'imagePullPolicy'));
    }
  }
  for (const [at, volume] of objects(spec, 'volumes').entries()) {
    if (volume['image'] === undefined) continue;
    check(`spec.volumes[${at}].image.pullPolicy`, text(part(volume, 'image'), 'pullPolicy'));
  }
  if (wrong.length === 0) return undefined;
  return newUnknownError(wrong.length === 1 ? (wrong[0] ?? '') : `[${wrong.join(', ')}]`);
}
