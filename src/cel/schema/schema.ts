/**
 * The parts of an OpenAPI schema (v3, structural) that types of expressions are made of. It is
 * plain JSON, as it stands in a definition of a custom resource.
 */
import { lookup } from '../../stdx/lookup.ts';

export interface Schema {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly items?: Schema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly maxLength?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-embedded-resource'?: boolean | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  readonly 'x-kubernetes-list-type'?: string | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
}

const text: Schema = { type: 'string' };

/** Every resource has these, whatever its schema says. */
const resourceProperties = lookup<Schema>({
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
});

/** The schema of a whole resource: one that says nothing of its metadata still has a name. */
export function withResourceProperties(schema: Schema): Schema {
  const { properties } = schema;
  const metadata = memberOf(properties, 'metadata');
  const complete =
    memberOf(properties, 'kind')?.type === 'string' &&
    memberOf(properties, 'apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    memberOf(metadata.properties, 'name')?.type === 'string' &&
    memberOf(metadata.properties, 'generateName')?.type === 'string';
  if (complete) return schema;
  return { ...schema, properties: { ...properties, ...resourceProperties } };
}

/** Properties are named by users: `constructor` may be one, and may be none. */
export function memberOf<T>(
  members: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Of the values of a map; undefined where the schema describes none. */
export function valueSchema(schema: Schema): Schema | undefined {
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
