/**
 * Rules of embedded resources: apiVersion and kind are there and have their form, metadata obey
 * what metadata of objects do (spec 1, section 2.2). They hold on create and update alike.
 *
 * Bounds: linear in the value; schemas without embedded resources cost nothing; `errorsMax` errors.
 */
import { invalid, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { checkMetaShape } from '../../apimachinery/validation/meta-shape.ts';
import { checkDns1035Label, pathSegmentName } from '../../apimachinery/validation/names.ts';
import { validateObjectMeta } from '../../apimachinery/validation/object-meta.ts';
import { metadataProblem } from '../prepare/metadata-problem.ts';
import { shownAsJson } from '../schema/go-text.ts';
import {
  hasEmbeddedResources,
  isEmbedded,
  propertyOf,
  valuesOf,
} from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

const errorsMax = 1000;

/** `isResource`: the value is a whole resource itself, and validated too. */
export function embeddedErrors(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  isResource = false,
  path = '',
): readonly FieldError[] {
  const errors: FieldError[] = [];
  check(value, schema, isResource, path, errors);
  return errors;
}

function check(
  value: JsonValue | undefined,
  schema: StructuralSchema | undefined,
  isResource: boolean,
  path: string,
  errors: FieldError[],
): void {
  if (typeof value !== 'object' || value === null || errors.length >= errorsMax) return;
  if (!isResource && (schema === undefined || !hasEmbeddedResources(schema))) return;
  if (Array.isArray(value)) {
    const items = schema?.items;
    if (items === undefined) return;
    const embedded = isEmbedded(items);
    for (let at = 0; at < value.length; at += 1) {
      check(value[at] as JsonValue, items, embedded, `${path}[${at}]`, errors);
    }
    return;
  }
  const members = value as JsonObject;
  if (isResource) checkResource(members, path, errors);
  if (schema === undefined) return;
  for (const name in members) {
    const declared = propertyOf(schema, name);
    const below = declared ?? valuesOf(schema);
    if (below === undefined) continue;
    const within = declared === undefined ? `${path}[${name}]` : child(path, name);
    check(members[name], below, isEmbedded(below), within, errors);
  }
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function checkResource(resource: JsonObject, path: string, errors: FieldError[]): void {
  const report = (error: FieldError): number => errors.push(shownAsJson(error));
  for (const name of ['apiVersion', 'kind'] as const) {
    const field = child(path, name);
    const value = resource[name];
    if (value === undefined) report(required(field));
    else if (typeof value !== 'string') report(invalid(field, value, 'must be a string'));
    else if (value === '') report(invalid(field, value, 'must not be empty'));
    else for (const problem of formProblems[name](value)) report(invalid(field, value, problem));
  }
  const { metadata } = resource;
  if (metadata === undefined) return;
  const field = child(path, 'metadata');
  const shape = checkMetaShape({ metadata });
  if (shape.kind === 'refused') {
    report(invalid(field, metadata, metadataProblem(metadata) ?? shape.problem));
    return;
  }
  const meta = shape.object.metadata;
  const named = meta.name === undefined ? { ...meta, name: 'named-later' } : meta;
  const namespaced = (meta.namespace ?? '') !== '';
  const rules = { namespaced, nameValidator: pathSegmentName, anyFinalizer: true };
  for (const error of validateObjectMeta(named, rules)) {
    report({ ...error, field: `${field}${error.field.slice('metadata'.length)}` });
  }
}

const mixedCase = 'may have mixed case, but should otherwise match: ';

const formProblems = {
  apiVersion: (value: string): readonly string[] =>
    value.split('/', 3).length > 2 ? [`unexpected GroupVersion string: ${value}`] : [],
  kind: (value: string): readonly string[] => {
    const problems = checkDns1035Label(value.toLowerCase());
    return problems.length === 0 ? [] : [mixedCase + problems.join(',')];
  },
};
