/**
 * Whether the schemas of a definition are accepted, in two parts:
 *
 *     structureErrors    what they are made of: keywords, structure. Needs nothing else.
 *     expressionErrors   what they say with expressions and defaults, where structure is right
 *
 * A schema that an update leaves as it is has been accepted, and its rules are not compiled again.
 *
 * Bounds: linear in the definition; `expressionErrors` in steps of one rule or default, and
 * `prepareAcceptance` in those of a walk.
 */
import { invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Language } from '../../cel/language.ts';
import { ruleMemo } from '../../cel/schema/schema-rules.ts';
import type { RuleMemo } from '../../cel/schema/schema-rules.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { asSchema } from '../schema/structural-schema.ts';
import { defaultErrors, hasUnprunedDefaults, unprunedSteps } from './defaults.ts';
import { factsOf } from './schema-facts.ts';
import { strictSchemaOptions, schemaOptionsAfter } from './schema-options.ts';
import type { VersionSchema, SchemaValidationOptions } from './schema-options.ts';
import { keywordErrors, keywordSteps, rootErrors } from './keywords.ts';
import { versionSchemas, versionSchemaSteps, schemasByVersion } from './version-schemas.ts';
import { expressionsOf, expressionSteps, ruleErrors } from './rules.ts';
import { versionsOf } from './written-versions.ts';
import { isStructural, structuralErrors, structuralSteps } from './structural.ts';

function schemaOptionsOf(current: ApiObject | undefined): SchemaValidationOptions {
  if (current === undefined) return strictSchemaOptions;
  const before = versionSchemas(current).map(({ schema }) => schema);
  return schemaOptionsAfter(before, (schema) => isStructural(schema) && hasUnpruned(schema));
}

function mayBeUnpruned(schema: JsonObject): boolean {
  const { hasDefaults, isConvertible } = factsOf(schema);
  return isConvertible && hasDefaults;
}

function hasUnpruned(schema: JsonObject): boolean {
  return mayBeUnpruned(schema) && hasUnprunedDefaults(asSchema(schema));
}

/** Finds out, in steps, what is asked of the schemas of a large definition: whoever asks then is
 * answered at once. */
export function* prepareAcceptance(
  definition: ApiObject,
  current: ApiObject | undefined,
): Steps<void> {
  for (const { schema } of yield* versionSchemaSteps(current)) {
    yield;
    yield* structuralSteps(schema, '');
    if (mayBeUnpruned(schema)) yield* unprunedSteps(asSchema(schema));
    yield* expressionSteps(schema);
  }
  const placed = yield* versionSchemaSteps(definition);
  const options = schemaOptionsOf(current);
  const patterns = patternsRead(definition);
  for (const { path, schema } of placed) {
    yield;
    yield* expressionSteps(schema);
    if (factsOf(schema).isConvertible) yield* structuralSteps(schema, path, patterns);
    yield;
    yield* keywordSteps(schema, path, options);
  }
  yield;
}

function patternsRead(definition: ApiObject): 'read' | 'unread' {
  return versionsOf(definition).hasTooManyPatterns ? 'unread' : 'read';
}

/** Old definitions may have schemas without structure, while those say nothing that needs it. */
function mustBeStructural(definition: ApiObject, options: SchemaValidationOptions): boolean {
  if (options.requireStructural || part(definition, 'spec')['preserveUnknownFields'] !== true)
    return true;
  return versionSchemas(definition).some(({ schema }) => factsOf(schema).requiresStructural);
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
  const patterns = patternsRead(definition);
  return versionSchemas(definition).flatMap(({ hasStatus, path, schema }) => {
    const errors = [...rootErrors(schema, path, hasStatus)];
    const convertible = factsOf(schema).isConvertible;
    if (structural && convertible) errors.push(...structuralErrors(schema, path, patterns));
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
  if (!factsOf(schema).isConvertible) return [];
  yield;
  if (!isStructural(schema)) return [];
  yield;
  const pruned = options.requirePrunedDefaults;
  const ofDefaults = factsOf(schema).hasDefaults
    ? yield* defaultErrors(asSchema(schema), path, { language, pruned })
    : [];
  if (ofDefaults.length > 0) return ofDefaults;
  yield;
  const { faulty } = yield* keywordSteps(schema, path, options);
  yield;
  const isStored = (expression: string): boolean => stored.has(expression);
  return yield* ruleErrors(schema, path, { language, isStored, memo, faulty });
}
