/**
 * The schemas of a definition and where errors in them are said to be: the reference keeps what all
 * versions agree on in one place, and names that.
 */
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { withPlainBounds } from '../schema/plain-bounds.ts';
import { hasStatus, versionsOf } from './schema-options.ts';
import type { VersionSchema } from './schema-options.ts';

/** Of each schema once: it is a walk over all of it. */
const plain = new WeakMap<JsonObject, JsonObject>();

function plainOf(schema: JsonObject): JsonObject {
  const known = plain.get(schema);
  if (known !== undefined) return known;
  const made = withPlainBounds(schema);
  plain.set(schema, made);
  return made;
}

const sharedPath = 'spec.validation.openAPIV3Schema';

export function versionSchemas(definition: JsonObject | undefined): readonly VersionSchema[] {
  const versions = versionsOf(definition);
  const schemas = versions.map((version) => {
    const schema = part(version, 'schema')['openAPIV3Schema'];
    return isJsonObject(schema) ? plainOf(schema) : schema;
  });
  const [first] = schemas;
  if (isJsonObject(first) && schemas.every((schema) => deepEqual(schema, first))) {
    const version = text(versions[0], 'name');
    return [{ path: sharedPath, schema: first, version, hasStatus: versions.some(hasStatus) }];
  }
  return schemas.flatMap((schema, at): VersionSchema[] => {
    const version = versions[at] as JsonObject;
    if (!isJsonObject(schema)) return [];
    const path = `spec.versions[${at}].schema.openAPIV3Schema`;
    return [{ path, schema, version: text(version, 'name'), hasStatus: hasStatus(version) }];
  });
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
