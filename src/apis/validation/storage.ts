/** Rules of volumes, claims, storage classes and volume attachments. */
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { compareAmounts, items, notMoreThanOne, part, text, unchanged } from './checks.ts';
import type { Problems } from './checks.ts';
import { withoutBacksteps } from './containers.ts';
import { labelSelectorRules } from './labels.ts';
import type { KindRules } from './kind-rules.ts';

/** Members of a volume's spec that are not its source. */
const notSources: ReadonlySet<string> = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

function sourcesOf(spec: JsonObject): readonly string[] {
  return Object.keys(spec).filter((name) => !notSources.has(name));
}

export const persistentVolumeRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const sources = sourcesOf(spec);
    const capacity = part(spec, 'capacity');
    return [
      ...(items(spec, 'accessModes').length === 0 ? [required('spec.accessModes')] : []),
      ...(Object.keys(capacity).length === 0 ? [required('spec.capacity')] : []),
      ...Object.keys(capacity).flatMap((name) => positive(capacity, 'spec.capacity', name)),
      ...(sources.length === 0 ? [required('spec', 'must specify a volume type')] : []),
      ...notMoreThanOne(sources, 'spec', 'may not specify more than 1 volume type'),
      ...withoutBacksteps('spec.hostPath.path', text(part(spec, 'hostPath'), 'path')),
    ];
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    const source = (of: JsonObject): JsonObject =>
      Object.fromEntries(sourcesOf(of).map((name) => [name, of[name]]));
    const detail = 'spec.persistentvolumesource is immutable after creation';
    return [
      ...(deepEqual(source(spec), source(before))
        ? []
        : [forbidden('spec.persistentvolumesource', detail)]),
      ...unchanged('spec.volumeMode', spec['volumeMode'], before['volumeMode']),
    ];
  },
};

function positive(list: JsonObject, path: string, name: string): Problems {
  const order = compareAmounts(list[name], '0') ?? 1;
  return order > 0 ? [] : [invalid(`${path}[${name}]`, list[name], 'must be greater than zero')];
}

const claimMessage =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName ' +
  'for bound claims';

export const persistentVolumeClaimRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const requests = part(part(spec, 'resources'), 'requests');
    return [
      ...(items(spec, 'accessModes').length === 0
        ? [required('spec.accessModes', 'at least 1 access mode is required')]
        : []),
      ...labelSelectorRules(part(spec, 'selector'), 'spec.selector'),
      ...(requests['storage'] === undefined
        ? [required('spec.resources[storage]')]
        : positive(requests, 'spec.resources.requests', 'storage')),
    ];
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    const bound = text(part(current, 'status'), 'phase') === 'Bound';
    return deepEqual(fixedOfClaim(spec, before, bound), fixedOfClaim(before, before, bound))
      ? []
      : [forbidden('spec', claimMessage)];
  },
};

/** What was empty when the claim was made is filled in once, by binding. */
function fixedOfClaim(spec: JsonObject, before: JsonObject, bound: boolean): JsonObject {
  const fixed: Record<string, JsonObject[string]> = { ...spec };
  for (const name of ['volumeName', 'storageClassName']) {
    if (before[name] === undefined) delete fixed[name];
  }
  if (bound) {
    delete fixed['volumeAttributesClassName'];
    const { requests: _requests, ...resources } = part(spec, 'resources');
    fixed['resources'] = resources;
  }
  return fixed;
}

export const storageClassRules: KindRules = {
  validateUpdate: (next: ApiObject, current: ApiObject) => [
    ...['parameters', 'provisioner', 'reclaimPolicy']
      .filter((name) => !deepEqual(next[name], current[name]))
      .map((name) => forbidden(name, `updates to ${name} are forbidden.`)),
    ...unchanged('volumeBindingMode', next['volumeBindingMode'], current['volumeBindingMode']),
  ],
};

export const volumeAttachmentRules: KindRules = {
  validate: (object) => {
    const source = part(part(object, 'spec'), 'source');
    const path = 'spec.source';
    const given = Object.keys(source).length;
    if (given === 0) {
      const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
      return [required(path, detail)];
    }
    return [];
  },
  validateUpdate: (next, current) => unchanged('spec', next['spec'], current['spec']),
};
