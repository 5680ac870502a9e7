/**
 * Workloads of extensions/v1beta1, apps/v1beta1 and apps/v1beta2 (spec 2, section 9.3): two fields
 * were removed, and are kept in annotations, as in the reference.
 */
import { part } from '../../apimachinery/members.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { annotationOf, inside, withAnnotations, without } from '../conversion/fields.ts';

const rollbackAnnotation = 'deprecated.deployment.rollback.to';

const generationAnnotation = 'deprecated.daemonset.template.generation';

/** `spec.rollbackTo: {revision: N}`. */
export const deploymentMaps: FieldMaps = {
  toHub(deployment) {
    const spec = deployment['spec'];
    const rollback = isJsonObject(spec) ? spec['rollbackTo'] : undefined;
    if (!isJsonObject(rollback)) return deployment;
    const revision = String(rollback['revision'] ?? 0);
    return withAnnotations(withoutInSpec(deployment, 'rollbackTo'), {
      [rollbackAnnotation]: revision,
    });
  },
  fromHub: (deployment) =>
    intoSpec(deployment, rollbackAnnotation, 'rollbackTo', (n) => ({
      revision: n,
    })),
};

/** `spec.templateGeneration: N`. */
export const daemonSetMaps: FieldMaps = {
  toHub(set) {
    const spec = set['spec'];
    const generation = isJsonObject(spec) ? spec['templateGeneration'] : undefined;
    if (typeof generation !== 'number' && typeof generation !== 'bigint') return set;
    return withAnnotations(withoutInSpec(set, 'templateGeneration'), {
      [generationAnnotation]: String(generation),
    });
  },
  fromHub: (set) => intoSpec(set, generationAnnotation, 'templateGeneration', (n) => n),
};

function withoutInSpec(object: JsonObject, field: string): JsonObject {
  return inside(object, ['spec'], (spec) => without(spec, field));
}

function intoSpec(
  object: JsonObject,
  annotation: string,
  field: string,
  make: (value: number) => JsonObject | number,
): JsonObject {
  const text = annotationOf(object, annotation);
  if (text === undefined || !/^-?\d{1,15}$/.test(text)) return object;
  const spec = part(object, 'spec');
  const changed = { ...object, spec: { ...spec, [field]: make(Number(text)) } };
  return withAnnotations(changed, { [annotation]: undefined });
}
