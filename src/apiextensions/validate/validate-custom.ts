/**
 * Validates a write of a custom resource, without its metadata, in the reference's order: values,
 * replicas, embedded resources, unique lists, and last the rules (spec 1, section 4.8).
 *
 * Rules are not asked of an object whose values are wrong in a way that rules could trip over; it
 * is said that they were not.
 *
 * Most writes are small and obey their schemas: that is asked first (sound-value.ts).
 *
 * Invariants: pure; errors of an update that its parts had before are dropped (correlation.ts).
 */
import { FieldErrorType, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { isMetadataIncomplete } from '../../apimachinery/validation/object-meta.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { CustomValidation, CustomWrite } from '../custom-schema.ts';
import { hasEmbeddedResources, propertyOf } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import type { Correlation } from './correlation.ts';
import { correlate } from './correlation.ts';
import { embeddedErrors } from './embedded-resources.ts';
import { hasUniqueLists, listTypeErrors } from './list-types.ts';
import type { RulePlan } from './rule-plan.ts';
import { runRules } from './run-rules.ts';
import { scaleSpecErrors, scaleStatusErrors } from './scale-errors.ts';
import type { ScaleFields } from './scale-errors.ts';
import { isSoundValue } from './sound-value.ts';
import { validateValue } from './validate-value.ts';
import type { ValuePlanner } from './value-plan.ts';
import { noField } from './value-walk.ts';

export interface CustomValidator {
  /** Undefined: the version has none. */
  readonly schema: StructuralSchema | undefined;
  readonly scale: ScaleFields | undefined;
  readonly values: ValuePlanner;
  /** Undefined: there are no rules. */
  readonly rules: RulePlan | undefined;
  /** Beside its values and rules there is nothing to validate: see `isValuesOnly`. */
  readonly valuesOnly: boolean;
}

/** No replicas are counted, no resources embedded, and no list has entries that must differ. */
export function isValuesOnly({
  scale,
  schema,
}: Pick<CustomValidator, 'scale' | 'schema'>): boolean {
  return (
    scale === undefined &&
    schema !== undefined &&
    !hasEmbeddedResources(schema) &&
    !hasUniqueLists(schema)
  );
}

const noErrors: readonly FieldError[] = [];
const nothingWrong: CustomValidation = { errors: noErrors, warnings: [] };

/** validateCustom() in this turn, for what is small. */
export function validateAtOnce(validator: CustomValidator, write: CustomWrite): CustomValidation {
  if (!isSound(validator, write)) return finished(validateCustom(validator, write, false));
  if (validator.rules === undefined) return nothingWrong;
  const correlation = correlationOf(validator, write);
  return finished(askRules(validator.rules, write, correlation, noErrors, false));
}

function isSound({ schema, values, valuesOnly }: CustomValidator, write: CustomWrite): boolean {
  if (!valuesOnly || schema === undefined) return false;
  const { next, part } = write;
  if (part !== 'status') return isSoundValue(values.planOf(schema), next);
  const below = propertyOf(schema, 'status');
  const status = next['status'];
  return below === undefined || status === undefined || isSoundValue(values.planOf(below), status);
}

function correlationOf(
  { schema }: CustomValidator,
  { current, next }: CustomWrite,
): Correlation | undefined {
  return current === undefined || schema === undefined
    ? undefined
    : correlate(next, current, schema);
}

/** `inSteps` false: it is taken to its end at once, and need not stop between rules. */
export function* validateCustom(
  validator: CustomValidator,
  write: CustomWrite,
  inSteps: boolean,
): Steps<CustomValidation> {
  const { rules } = validator;
  const correlation = correlationOf(validator, write);
  const errors = yield* schemaErrors(validator, write, correlation);
  if (rules === undefined) return { errors, warnings: [] };
  return yield* askRules(rules, write, correlation, errors, inSteps);
}

/** `errors`: of the values. */
function* askRules(
  plan: RulePlan,
  { current, next }: CustomWrite,
  correlation: Correlation | undefined,
  errors: readonly FieldError[],
  inSteps: boolean,
): Steps<CustomValidation> {
  const isBlocked =
    errors.some(({ type }) => blocking.has(type)) ||
    isMetadataIncomplete(next.metadata, current === undefined);
  if (isBlocked) return { errors: [...errors, notChecked], warnings: [] };
  yield;
  const asked = yield* runRules({ plan, value: next, old: current, correlation, inSteps });
  return { errors: [...errors, ...asked.errors], warnings: asked.warnings };
}

const blocking: ReadonlySet<FieldErrorType> = new Set([
  FieldErrorType.notSupported,
  FieldErrorType.required,
  FieldErrorType.tooLong,
  FieldErrorType.tooMany,
  FieldErrorType.typeInvalid,
]);

const notChecked = invalid(
  noField,
  null,
  'some validation rules were not checked because the object was invalid; ' +
    'correct the existing errors to complete validation',
);

function* schemaErrors(
  validator: CustomValidator,
  { current, next, part }: CustomWrite,
  correlation: Correlation | undefined,
): Steps<readonly FieldError[]> {
  const { scale, schema } = validator;
  const errors: FieldError[] = [];
  if (schema !== undefined) {
    const found =
      part === 'status'
        ? yield* statusErrors(validator, schema, next, correlation)
        : yield* validateValue({
            value: next,
            plan: validator.values.planOf(schema),
            old: correlation,
          });
    errors.push(...found);
    yield;
  }
  if (scale !== undefined && part === '') errors.push(...scaleSpecErrors(next, scale));
  if (scale !== undefined) errors.push(...scaleStatusErrors(next, scale));
  if (part === '') errors.push(...embeddedErrors(next, schema));
  const repeated = yield* listTypeErrors(next, schema);
  if (repeated.length === 0) return errors;
  // An object that had duplicates before may keep them, and be changed elsewhere.
  const before = current === undefined ? [] : yield* listTypeErrors(current, schema);
  return before.length > 0 ? errors : [...errors, ...repeated];
}

function* statusErrors(
  { values }: CustomValidator,
  schema: StructuralSchema,
  next: ApiObject,
  correlation: Correlation | undefined,
): Steps<readonly FieldError[]> {
  const below = propertyOf(schema, 'status');
  const status = next['status'];
  if (below === undefined || status === undefined) return [];
  return yield* validateValue({
    value: status,
    plan: values.planOf(below),
    old: correlation?.member('status'),
    prefix: 'status',
  });
}
