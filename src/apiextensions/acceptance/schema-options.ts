/**
 * What a schema has to keep to, and what is let pass because the definition had it before: rules
 * that came later must not lock anybody out of a definition that is stored (spec 2, section 9.1).
 */
import { objects, part } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { factsOf } from './schema-facts.ts';
import { isStructural } from './structural.ts';

export interface SchemaValidationOptions {
  /** Types are those of the form. */
  readonly requireKnownTypes: boolean;
  readonly requireStructural: boolean;
  /** Defaults have no unknown fields. */
  readonly requirePrunedDefaults: boolean;
  /** Entries of a set are one value each. */
  readonly requireAtomicSets: boolean;
  /** Keys of lists are always there. */
  readonly requireListKeys: boolean;
}

export const strictSchemaOptions: SchemaValidationOptions = {
  requireKnownTypes: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  requireAtomicSets: true,
  requireListKeys: true,
};

/** `before`: the schemas of the stored definition. Where they kept to all, the very same options:
 * what is known of a schema is known by these. */
export function schemaOptionsAfter(
  before: readonly JsonObject[],
  hasUnprunedDefaults: (schema: JsonObject) => boolean,
): SchemaValidationOptions {
  const facts = before.map(factsOf);
  const options: SchemaValidationOptions = {
    requireKnownTypes: !facts.some((each) => each.hasUnknownType),
    requireStructural: before.every(isStructural),
    requirePrunedDefaults: !before.some(hasUnprunedDefaults),
    requireAtomicSets: !facts.some((each) => each.hasNonAtomicSet),
    requireListKeys: !facts.some((each) => each.hasOptionalKeys),
  };
  return Object.values(options).every(Boolean) ? strictSchemaOptions : options;
}

/** The schemas of a definition, with the path of each; where all versions agree it is one. */
export interface VersionSchema {
  readonly path: string;
  readonly schema: JsonObject;
  /** Of the version, or of the first. */
  readonly version: string;
  readonly hasStatus: boolean;
}

export function hasStatus(version: JsonObject): boolean {
  return isJsonObject(part(version, 'subresources')['status']);
}

export function versionsOf(definition: JsonObject | undefined): readonly JsonObject[] {
  return objects(part(definition, 'spec'), 'versions');
}
