/**
 * Conversion of older priority levels: shares had another name, and shares of 0 are marked by an
 * annotation.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { annotationOf, inside, renamed, swapped, withAnnotations } from '../conversion/fields.ts';

export function renamedFieldsAt(
  path: readonly string[],
  names: readonly (readonly [string, string])[],
): FieldMaps {
  return {
    toHub: (object) => inside(object, path, (inner) => renamed(inner, names)),
    fromHub: (object) => inside(object, path, (inner) => renamed(inner, swapped(names))),
  };
}

/** PriorityLevelConfiguration of flowcontrol/v1beta1 and v1beta2. */
export const priorityLevelMaps: FieldMaps = renamedFieldsAt(
  ['spec', 'limited'],
  [['assuredConcurrencyShares', 'nominalConcurrencyShares']],
);

/** v1beta3 takes no shares for 30; with this mark it takes none for none, as v1 does. */
export function keepsZeroShares(annotation: string): FieldMaps {
  return {
    toHub(level) {
      const spec = level['spec'];
      const limited = isJsonObject(spec) ? spec['limited'] : undefined;
      if (!isJsonObject(spec) || !isJsonObject(limited)) return level;
      // v1beta3 does not write what is zero: the mark alone says that it was said.
      const said = limited['nominalConcurrencyShares'] !== undefined;
      if (said || annotationOf(level, annotation) === undefined) return level;
      return { ...level, spec: { ...spec, limited: { ...limited, nominalConcurrencyShares: 0 } } };
    },
    fromHub(level) {
      const spec = level['spec'];
      const limited = isJsonObject(spec) ? spec['limited'] : undefined;
      const zero = isJsonObject(limited) && limited['nominalConcurrencyShares'] === 0;
      if (!zero || annotationOf(level, annotation) !== undefined) return level;
      return withAnnotations(level, { [annotation]: '' });
    },
  };
}

/** On a v1beta3 priority level: no shares are no shares. */
export function zeroSharesAnnotation(identity: Identity): string {
  return identity.fill('flowcontrol.{domain}/v1beta3-preserve-zero-concurrency-shares');
}
