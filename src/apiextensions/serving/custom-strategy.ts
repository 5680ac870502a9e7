/**
 * The strategy of a kind that users define: what most kinds do, and what its schema requires.
 *
 * Elsewhere: the validation (custom-schema.ts). Objects come in the version of the request and are
 * validated by its schema alone, as in the reference: what the version that is stored requires
 * counts in writes through that one.
 *
 * Invariants: pure. What is said of a write that is accepted was found when it was validated, and
 * is not looked for again. A write that is not small is validated in steps before it is decided on,
 * and the decision finds what came of it; so is one of a schema with large patterns, which are
 * compiled when they are needed. Bounds: a part is at most `stepsPerPart` steps of the validation
 * (validate/).
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { finalizerWarnings } from '../../apimachinery/validation/object-meta.ts';
import { genericStrategy } from '../../registry/strategy.ts';
import type { KindStrategy } from '../../registry/strategy.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { CustomValidation, ValidatedPart } from '../custom-schema.ts';
import type { ServedKind } from './served-kind.ts';

const noWarnings: readonly string[] = [];

/** Values of an object that is validated at once, whatever rules there are. */
const smallMax = 64;
/** A step is a few thousand values, or a part of one rule: a millisecond or two at most. */
const stepsPerPart = 8;

export function customStrategy({ kind, version }: ServedKind): KindStrategy {
  const generic = genericStrategy(kind);
  const warned = new WeakMap<ApiObject, readonly string[]>();
  /** Found in parts, by the object that is written. */
  const found = new WeakMap<ApiObject, Found>();
  /** What a creation writes, by what was prepared for it. */
  const born = new WeakMap<ApiObject, ApiObject>();
  const validated = (
    next: ApiObject,
    current: ApiObject | undefined,
    part: ValidatedPart,
  ): readonly FieldError[] => {
    const known = found.get(next);
    const { errors, warnings } =
      known !== undefined && known.current === current && known.part === part
        ? known.validation
        : version.validate({ next, current, part });
    if (warnings.length > 0) warned.set(next, warnings);
    return errors;
  };
  const prepareForCreate: KindStrategy['prepareForCreate'] = (object, user) => {
    const known = born.get(object);
    if (known !== undefined) return known;
    // A status that was sent is dropped; one that there is by default comes when it is stored.
    return generic.prepareForCreate(object, user);
  };
  const isQuick = (next: ApiObject): boolean => isSmall(next) && !version.takesLong;
  function* validationSteps(
    next: ApiObject,
    current: ApiObject | undefined,
    part: ValidatedPart,
  ): Steps<void> {
    const steps = version.validateInSteps({ next, current, part });
    found.set(next, { current, part, validation: yield* inParts(steps) });
  }
  return {
    ...generic,
    prepareForCreate,
    prepareValidation(next, current) {
      if (isQuick(next)) return undefined;
      if (current !== undefined) return validationSteps(next, current, '');
      const object = prepareForCreate(next);
      born.set(next, object);
      return validationSteps(object, undefined, '');
    },
    prepareStatusValidation: (next, current) =>
      isQuick(next) ? undefined : validationSteps(next, current, 'status'),
    validate: (object) => validated(object, undefined, ''),
    validateUpdate: (next, current) => validated(next, current, ''),
    validateStatusUpdate: (next, current) => validated(next, current, 'status'),
    validationWarnings: (next) => warned.get(next) ?? noWarnings,
    warnings(next, current, subresource) {
      const found = warned.get(next) ?? noWarnings;
      if (subresource === 'status') return found;
      const ofFinalizers = finalizerWarnings(next.metadata, current?.metadata);
      return ofFinalizers.length === 0 ? found : [...found, ...ofFinalizers];
    },
  };
}

interface Found {
  readonly part: ValidatedPart;
  readonly current: ApiObject | undefined;
  readonly validation: CustomValidation;
}

function* inParts(steps: Steps<CustomValidation>): Steps<CustomValidation> {
  for (let done = 1; ; done += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (done % stepsPerPart === 0) yield;
  }
}

function isSmall(object: ApiObject): boolean {
  let left = smallMax;
  for (const name in object) {
    if (name !== 'metadata') left = valuesLeft(object[name] as JsonValue, left);
    if (left < 0) return false;
  }
  return true;
}

/** `values` less this value and all inside it. Stops counting once nothing is left. */
function valuesLeft(value: JsonValue, values: number): number {
  let left = values - 1;
  if (typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at += 1) {
      left = valuesLeft(value[at] as JsonValue, left);
    }
    return left;
  }
  const members = value as JsonObject;
  for (const name in members) {
    if (left < 0) return left;
    left = valuesLeft(members[name] as JsonValue, left);
  }
  return left;
}
