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
import {
  strictSchemaOptions,
  schemaOptionsAfter,
  requiresStructuralSchema,
  someSubschema,
} from './schema-options.ts';
import type { VersionSchema, SchemaValidationOptions } from './schema-options.ts';
import { keywordErrors, rootErrors } from './keywords.ts';
import { isPlainScalar } from './plain-scalar.ts';
import { versionSchemas, schemasByVersion } from './version-schemas.ts';
import { expressionsOf, ruleErrors } from './rules.ts';
import { isStructural, structuralErrors } from './structural.ts';

function schemaOptionsOf(current: ApiObject | undefined): SchemaValidationOptions {
  if (current === undefined) return strictSchemaOptions;
  const before = versionSchemas(current).map(({ schema }) => schema);
  return schemaOptionsAfter(before, (schema) => isStructural(schema) && hasUnpruned(schema));
}

function hasUnpruned(schema: JsonObject): boolean {
  return isConvertible(schema) && hasUnprunedDefaults(asSchema(schema));
}

const unsupported = ['id', '$schema', '$ref'];
const unsupportedParts = ['patternProperties', 'dependencies', 'definitions'];

const convertible = new WeakMap<JsonObject, boolean>();

/** Whether it can be read as a structural schema at all. Computed once for each schema. */
function isConvertible(schema: JsonObject): boolean {
  const known = convertible.get(schema) ?? !someSubschema(schema, hasUnsupported);
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
function mustBeStructural(definition: ApiObject, options: SchemaValidationOptions): boolean {
  if (options.requireStructural || part(definition, 'spec')['preserveUnknownFields'] !== true)
    return true;
  return versionSchemas(definition).some(({ schema }) => requiresStructuralSchema(schema));
}

/** `always`: a schema is structural also where nothing in the definition needs it to be. */
export function structureErrors(
  definition: ApiObject,
  current: ApiObject | undefined,
  always = true,
): readonly FieldError[] {
  const asked = schemaOptionsOf(current);
  const options = always ? asked : { ...asked, requireStructural: false };
  const structural = mustBeStructural(definition, options);
  return versionSchemas(definition).flatMap(({ hasStatus, path, schema }) => {
    const errors = [...rootErrors(schema, path, hasStatus)];
    const convertible = isConvertible(schema);
    if (structural && convertible) errors.push(...structuralErrors(schema, path));
    errors.push(...keywordErrors(schema, path, options).errors);
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
  const options = schemaOptionsOf(current);
  if (!mustBeStructural(definition, options)) return [];
  const stored = new Set([...before.values()].flatMap((schema) => expressionsOf(schema)));
  const memo = ruleMemo();
  const errors: FieldError[] = [];
  for (const version of versionSchemas(definition)) {
    // What another version may say is judged when this one says it.
    if (deepEqual(before.get(version.version), version.schema)) continue;
    yield;
    errors.push(...(yield* versionErrors(version, { stored, memo, options, language })));
  }
  return errors;
}

interface SchemaContext {
  /** Expressions that were accepted before. */
  readonly stored: ReadonlySet<string>;
  readonly memo: RuleMemo;
  readonly options: SchemaValidationOptions;
  readonly language: Language;
}

function* versionErrors(
  { path, schema }: VersionSchema,
  { options, language, memo, stored }: SchemaContext,
): Steps<readonly FieldError[]> {
  if (!isConvertible(schema)) return [];
  yield;
  if (!isStructural(schema)) return [];
  yield;
  const pruned = options.requirePrunedDefaults;
  const ofDefaults = yield* defaultErrors(asSchema(schema), path, { language, pruned });
  if (ofDefaults.length > 0) return ofDefaults;
  yield;
  const { faulty } = keywordErrors(schema, path, options);
  yield;
  const isStored = (expression: string): boolean => stored.has(expression);
  return yield* ruleErrors(schema, path, { language, isStored, memo, faulty });
}
