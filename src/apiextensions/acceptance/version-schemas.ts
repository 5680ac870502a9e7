/**
 * The schemas of a definition and where errors in them are said to be: the reference keeps what all
 * versions agree on in one place, and names that.
 *
 * Bounds: found once for each list of versions; in steps of a part of a schema, or of comparing
 * two.
 */
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { withPlainBounds } from '../schema/plain-bounds.ts';
import { factsSteps, keepFacts } from './schema-facts.ts';
import { hasStatus, versionsOf } from './schema-options.ts';
import type { VersionSchema } from './schema-options.ts';

/** Of each schema once: it is a walk over all of it. */
const plain = new WeakMap<JsonObject, JsonObject>();

/** plainSchema() in steps. */
export function* plainSteps(schema: JsonObject): Steps<JsonObject> {
  const known = plain.get(schema);
  if (known !== undefined) return known;
  const facts = yield* factsSteps(schema);
  const made = facts.hasLongNumbers ? withPlainBounds(schema) : schema;
  if (made !== schema) keepFacts(made, facts);
  plain.set(schema, made);
  return made;
}

/** The schema of a version, with bounds that can be compared. */
export function plainSchema(schema: JsonObject): JsonObject {
  return plain.get(schema) ?? finished(plainSteps(schema));
}

const sharedPath = 'spec.validation.openAPIV3Schema';

const placed = new WeakMap<readonly JsonObject[], readonly VersionSchema[]>();

export function versionSchemas(definition: JsonObject | undefined): readonly VersionSchema[] {
  const versions = versionsOf(definition);
  return placed.get(versions) ?? finished(versionSchemaSteps(definition));
}

/** versionSchemas() in steps. */
export function* versionSchemaSteps(
  definition: JsonObject | undefined,
): Steps<readonly VersionSchema[]> {
  const versions = versionsOf(definition);
  const known = placed.get(versions);
  if (known !== undefined) return known;
  const made = yield* placeSteps(versions);
  placed.set(versions, made);
  return made;
}

function* placeSteps(versions: readonly JsonObject[]): Steps<readonly VersionSchema[]> {
  const schemas: (JsonObject | undefined)[] = [];
  for (const version of versions) {
    const schema = part(version, 'schema')['openAPIV3Schema'];
    schemas.push(isJsonObject(schema) ? yield* plainSteps(schema) : undefined);
  }
  const [first] = schemas;
  if (first !== undefined && (yield* areAlike(schemas, first))) {
    const version = text(versions[0], 'name');
    return [{ path: sharedPath, schema: first, version, hasStatus: versions.some(hasStatus) }];
  }
  return schemas.flatMap((schema, at): VersionSchema[] => {
    const version = versions[at] as JsonObject;
    if (schema === undefined) return [];
    const path = `spec.versions[${at}].schema.openAPIV3Schema`;
    return [{ path, schema, version: text(version, 'name'), hasStatus: hasStatus(version) }];
  });
}

function* areAlike(
  schemas: readonly (JsonObject | undefined)[],
  first: JsonObject,
): Steps<boolean> {
  for (const schema of schemas) {
    if (schema === first) continue;
    yield;
    if (!deepEqual(schema, first)) return false;
  }
  return true;
}

/** By the names of versions; those that share a schema have the very same one. */
export function schemasByVersion(
  definition: JsonObject | undefined,
): ReadonlyMap<string, JsonObject> {
  const placed = versionSchemas(definition);
  const [first] = placed;
  const isShared = first?.path === sharedPath;
  const byVersion = new Map(placed.map(({ schema, version }) => [version, schema]));
  if (!isShared) return byVersion;
  return new Map(versionsOf(definition).map((each) => [text(each, 'name'), first.schema]));
}
