/**
 * The schema of whole objects of a version for publication (spec 1, section 4.1).
 *
 *     v3   the schema as it is, with what every object has
 *     v2   without allOf, anyOf, oneOf and not; without the type of what may be null; without the
 *          members of what keeps unknown fields, which clients of that form would refuse
 *
 * A version without a structural schema is published as an object of which nothing is said.
 *
 * Invariants: the definition's own schema is not changed, and shared where nothing is to be done.
 * Bound: a definition may be a megabyte of schema, so the way through it is in steps.
 */
import { typeMetaProperties } from '../../apimachinery/openapi/definitions.ts';
import { items, part, texts } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue, ObjectDraft } from '../../apimachinery/unstructured.ts';
import { isJsonObject, without } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { setMember } from '../../stdx/lookup.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { isPlainScalar } from '../acceptance/plain-scalar.ts';
import type { OpenApiForm } from '../custom-schema.ts';

export interface PublishedSchema {
  /** Undefined: there is none that is structural. */
  readonly schema: JsonObject | undefined;
  /** The definition keeps unknown fields everywhere. */
  readonly preserveUnknownFields: boolean;
  /** Labels: `spec.color`. */
  readonly selectable: readonly string[];
}

const keepsUnknown = 'x-kubernetes-preserve-unknown-fields';

export function publishedSchema(of: PublishedSchema, form: OpenApiForm): JsonObject {
  return finished(publishedSteps(of, form));
}

/** publishedSchema() in steps. */
export function* publishedSteps(of: PublishedSchema, form: OpenApiForm): Steps<JsonObject> {
  const { selectable } = of;
  const fields = selectable.map((fieldPath) => ({ fieldPath }));
  const published = yield* publishedObject(of, form);
  return fields.length === 0
    ? published
    : { ...published, 'x-kubernetes-selectable-fields': fields };
}

function* publishedObject(
  { preserveUnknownFields, schema }: PublishedSchema,
  form: OpenApiForm,
): Steps<JsonObject> {
  if (schema === undefined) return { type: 'object' };
  const isV2 = form.version === 'v2';
  if (isV2 && (preserveUnknownFields || schema[keepsUnknown] === true)) return { type: 'object' };
  const own = yield* spine(schema, { form, isV2, left: nodesPerStep });
  const properties = { ...part(own, 'properties'), ...typeMetaProperties, metadata: form.metadata };
  return { ...own, properties };
}

/** One way through a schema. */
interface Walk {
  readonly form: OpenApiForm;
  readonly isV2: boolean;
  /** Nodes of this step. */
  left: number;
}

/** Of a walk in one step: some milliseconds, the first time in a process. */
const nodesPerStep = 500;

/** One node, and all below it on the spine. */
function* spine(schema: JsonObject, walk: Walk): Steps<JsonObject> {
  const { form, isV2 } = walk;
  const node = ofForm(schema, isV2);
  const below: ObjectDraft = {};
  if (node['properties'] !== undefined) {
    below['properties'] = yield* mapped(part(node, 'properties'), walk);
  }
  for (const name of ['items', 'additionalProperties']) {
    const inner = node[name];
    if (isJsonObject(inner)) below[name] = isEnd(inner) ? inner : yield* spine(inner, walk);
  }
  const isSame = Object.keys(below).every((name) => below[name] === node[name]);
  const made = isSame ? node : { ...node, ...below };
  return schema['x-kubernetes-embedded-resource'] === true ? asResource(made, form, isV2) : made;
}

/** Nothing is to be done with it, in any form. */
function isEnd(schema: JsonObject): boolean {
  return isPlainScalar(schema) && schema['nullable'] !== true;
}

function* mapped(members: JsonObject, walk: Walk): Steps<JsonObject> {
  const draft: ObjectDraft = {};
  let isSame = true;
  for (const name of Object.keys(members)) {
    walk.left -= 1;
    if (walk.left <= 0) {
      yield;
      walk.left = nodesPerStep;
    }
    const member = members[name];
    const next = !isJsonObject(member) || isEnd(member) ? member : yield* spine(member, walk);
    if (next !== member) isSame = false;
    if (isJsonObject(next)) setMember(draft, name, next);
  }
  return isSame ? members : draft;
}

const either: JsonValue = [{ type: 'integer' }, { type: 'string' }];

/** A number or a text: said in the words of the form, too. */
function withEitherType(schema: JsonObject): JsonObject {
  if (schema['x-kubernetes-int-or-string'] !== true) return schema;
  const { allOf, anyOf } = schema;
  const first = items(schema, 'allOf')[0];
  const isSaid =
    deepEqual(anyOf, either) || (isJsonObject(first) && deepEqual(first['anyOf'], either));
  if (isSaid) return schema;
  if (anyOf === undefined) return { ...schema, anyOf: either };
  const others = Array.isArray(allOf) ? (allOf as readonly JsonValue[]) : [];
  return { ...schema, allOf: [{ anyOf: either }, ...others] };
}

const junctors = ['allOf', 'anyOf', 'oneOf', 'not'];

/** Of the node alone. */
function ofForm(schema: JsonObject, isV2: boolean): JsonObject {
  return isV2 ? inV2(schema) : withEitherType(schema);
}

function inV2(schema: JsonObject): JsonObject {
  let node = without(schema, ...junctors);
  if (node['nullable'] === true) {
    node = without(node, 'type', 'nullable', 'items', 'properties');
  }
  const keeps = node[keepsUnknown] === true;
  if (keeps) node = without(node, 'items', 'properties');
  const { type } = node;
  if ((type === 'array' && node['items'] === undefined) || (keeps && type === 'object')) {
    node = without(node, 'type');
  }
  return withoutNullable(node);
}

/** What may be null need not be there. */
function withoutNullable(node: JsonObject): JsonObject {
  const values = node['additionalProperties'];
  if (isJsonObject(values) && values['nullable'] === true) return without(node, 'required');
  const required = texts(node, 'required');
  const properties = part(node, 'properties');
  const left = required.filter((name) => part(properties, name)['nullable'] !== true);
  if (left.length === required.length) return node;
  return left.length === 0 ? without(node, 'required') : { ...node, required: left };
}

function asResource(node: JsonObject, form: OpenApiForm, isV2: boolean): JsonObject {
  if (isV2 && node[keepsUnknown] === true) return node;
  const required = texts(node, 'required');
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  const properties = {
    ...part(node, 'properties'),
    ...typeMetaProperties,
    metadata: form.metadata,
  };
  return { ...node, properties, required: [...required, ...missing] };
}
