/**
 * Whether the schemas of a definition are accepted, in two parts:
 *
 *     structureErrors    what they are made of: keywords, structure. Needs nothing else.
 *     expressionErrors   what they say with expressions and defaults, where structure is right
 *
 * A schema that an update leaves as it is has been accepted, and its rules are not compiled again.
 *
 * Bounds: linear in the definition; `expressionErrors` in steps of one rule or default.
 */
import { invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { items, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Language } from '../../cel/language.ts';
import { ruleMemo } from '../../cel/schema/schema-rules.ts';
import type { RuleMemo } from '../../cel/schema/schema-rules.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { asSchema } from '../schema/structural-schema.ts';
import { defaultErrors, hasUnprunedDefaults } from './defaults.ts';
import { allDemands, demandsAfter, needsStructure, somewhere } from './demands.ts';
import type { PlacedSchema, SchemaDemands } from './demands.ts';
import { keywordErrors, rootErrors } from './keywords.ts';
import { isPlainScalar } from './plain-scalar.ts';
import { placedSchemas, schemasByVersion } from './placed-schemas.ts';
import { expressionsOf, ruleErrors } from './rules.ts';
import { isStructural, structuralErrors } from './structural.ts';

function demandsOf(current: ApiObject | undefined): SchemaDemands {
  if (current === undefined) return allDemands;
  const before = placedSchemas(current).map(({ schema }) => schema);
  return demandsAfter(before, (schema) => isStructural(schema) && hasUnpruned(schema));
}

function hasUnpruned(schema: JsonObject): boolean {
  return isConvertible(schema) && hasUnprunedDefaults(asSchema(schema));
}

const unsupported = ['id', '$schema', '$ref'];
const unsupportedParts = ['patternProperties', 'dependencies', 'definitions'];

const convertible = new WeakMap<JsonObject, boolean>();

/** Whether it can be read as a structural schema at all. Told once for each schema. */
function isConvertible(schema: JsonObject): boolean {
  const known = convertible.get(schema) ?? !somewhere(schema, hasUnsupported);
  convertible.set(schema, known);
  return known;
}

function hasUnsupported(each: JsonObject): boolean {
  return (
    !isPlainScalar(each) &&
    (unsupported.some((name) => text(each, name) !== '') ||
      unsupportedParts.some((name) => Object.keys(part(each, name)).length > 0) ||
      isJsonObject(each['additionalItems']) ||
      typeof each['additionalItems'] === 'boolean' ||
      items(each, 'items').length > 0 ||
      each['x-kubernetes-preserve-unknown-fields'] === false)
  );
}

/** Old definitions may have schemas without structure, while those say nothing that needs it. */
function mustBeStructural(definition: ApiObject, demands: SchemaDemands): boolean {
  if (demands.structural || part(definition, 'spec')['preserveUnknownFields'] !== true) return true;
  return placedSchemas(definition).some(({ schema }) => needsStructure(schema));
}

/** `always`: a schema is structural also where nothing in the definition needs it to be. */
export function structureErrors(
  definition: ApiObject,
  current: ApiObject | undefined,
  always = true,
): readonly FieldError[] {
  const asked = demandsOf(current);
  const demands = always ? asked : { ...asked, structural: false };
  const structural = mustBeStructural(definition, demands);
  return placedSchemas(definition).flatMap(({ hasStatus, path, schema }) => {
    const errors = [...rootErrors(schema, path, hasStatus)];
    const convertible = isConvertible(schema);
    if (structural && convertible) errors.push(...structuralErrors(schema, path));
    errors.push(...keywordErrors(schema, path, demands).errors);
    if (structural && !convertible && errors.length === 0) {
      errors.push(invalid(path, '', "OpenAPIV3Schema 'schema' is not supported"));
    }
    return errors;
  });
}

export function* expressionErrors(
  definition: ApiObject,
  current: ApiObject | undefined,
  language: Language,
): Steps<readonly FieldError[]> {
  const before = schemasByVersion(current);
  const demands = demandsOf(current);
  if (!mustBeStructural(definition, demands)) return [];
  const stored = new Set([...before.values()].flatMap((schema) => expressionsOf(schema)));
  const memo = ruleMemo();
  const errors: FieldError[] = [];
  for (const placed of placedSchemas(definition)) {
    // What another version may say is judged when this one says it.
    if (deepEqual(before.get(placed.version), placed.schema)) continue;
    yield;
    errors.push(...(yield* placedErrors(placed, { stored, memo, demands, language })));
  }
  return errors;
}

interface Surroundings {
  /** Expressions that were accepted before. */
  readonly stored: ReadonlySet<string>;
  readonly memo: RuleMemo;
  readonly demands: SchemaDemands;
  readonly language: Language;
}

function* placedErrors(
  { path, schema }: PlacedSchema,
  { demands, language, memo, stored }: Surroundings,
): Steps<readonly FieldError[]> {
  if (!isConvertible(schema)) return [];
  yield;
  if (!isStructural(schema)) return [];
  yield;
  const pruned = demands.prunedDefaults;
  const ofDefaults = yield* defaultErrors(asSchema(schema), path, { language, pruned });
  if (ofDefaults.length > 0) return ofDefaults;
  yield;
  const { faulty } = keywordErrors(schema, path, demands);
  yield;
  const isStored = (expression: string): boolean => stored.has(expression);
  return yield* ruleErrors(schema, path, { language, isStored, memo, faulty });
}
