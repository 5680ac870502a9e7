/**
 * The strategy of a kind that users define: what most kinds do, and what its schema demands.
 *
 * What it is not: the validation (custom-schema.ts). Objects are judged in the version of the
 * request, as the reference judges them.
 *
 * Invariants: pure. What is said of a write that is accepted was found when it was judged, and is
 * not looked for again.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { genericStrategy } from '../../registry/strategy.ts';
import type { KindStrategy } from '../../registry/strategy.ts';
import { atVersionOf } from '../../registry/versions.ts';
import type { ValidatedPart } from '../custom-schema.ts';
import type { ServedKind } from './served-kind.ts';

const noWarnings: readonly string[] = [];

export function customStrategy({ kind, stored, version }: ServedKind): KindStrategy {
  const generic = genericStrategy(kind);
  const isStored = kind.version === kind.storageVersion;
  const shown = (object: ApiObject): ApiObject => (isStored ? object : atVersionOf(object, kind));
  const warned = new WeakMap<ApiObject, readonly string[]>();
  const judged = (
    next: ApiObject,
    current: ApiObject | undefined,
    part: ValidatedPart,
  ): readonly FieldError[] => {
    const before = current === undefined ? undefined : shown(current);
    const { errors, warnings } = version.validate({ next: shown(next), current: before, part });
    if (warnings.length > 0) warned.set(next, warnings);
    return errors;
  };
  return {
    ...generic,
    prepareForCreate(object, user) {
      const bare = generic.prepareForCreate(object, user);
      // A status that was sent is dropped; one that there is by default comes back.
      return bare === object ? object : stored.readStored(bare);
    },
    validate: (object) => judged(object, undefined, ''),
    validateUpdate: (next, current) => judged(next, current, ''),
    validateStatusUpdate: (next, current) => judged(next, current, 'status'),
    warnings: (next) => warned.get(next) ?? noWarnings,
  };
}
