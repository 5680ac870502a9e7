/** What a scale may be: numbers that are no less than nothing, and a selector that is a text. */
import { invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { goTypeOf, goValue, isGoInteger } from '../schema/go-text.ts';

const replicasMax = 2 ** 31 - 1;

/** As the definition has it: `.spec.replicas`. */
export interface ScaleFields {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

export function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

export function scaleSpecErrors(object: JsonObject, scale: ScaleFields): readonly FieldError[] {
  return replicasErrors(object, scale.specReplicasPath);
}

export function scaleStatusErrors(object: JsonObject, scale: ScaleFields): readonly FieldError[] {
  const { labelSelectorPath, statusReplicasPath } = scale;
  const errors = replicasErrors(object, statusReplicasPath);
  if (labelSelectorPath === undefined) return errors;
  const found = valueAt(object, labelSelectorPath, (value) => typeof value === 'string', 'string');
  if (found.problem === undefined) return errors;
  return [...errors, invalid(labelSelectorPath, '', found.problem)];
}

function replicasErrors(object: JsonObject, path: string): readonly FieldError[] {
  const { problem, value } = valueAt(object, path, isInteger, 'int64');
  if (problem !== undefined) return [invalid(path, 0, problem)];
  if (value === undefined) return [];
  const count = Number(value);
  if (count < 0) return [invalid(path, value, 'should be a non-negative integer')];
  if (count <= replicasMax) return [];
  return [invalid(path, value, `should be less than or equal to ${replicasMax}`)];
}

function isInteger(value: JsonValue): boolean {
  return (typeof value === 'number' || typeof value === 'bigint') && isGoInteger(value);
}

interface Found {
  readonly value?: JsonValue | undefined;
  readonly problem?: string | undefined;
}

function valueAt(
  object: JsonObject,
  path: string,
  fits: (value: JsonValue) => boolean,
  type: string,
): Found {
  const steps = stepsOf(path);
  let place: JsonValue = object;
  for (const [at, step] of steps.entries()) {
    if (!isJsonObject(place)) {
      if (place === null) return {};
      return { problem: wrongType(steps.slice(0, at + 1), place, 'map[string]interface{}') };
    }
    const next: JsonValue | undefined = Object.hasOwn(place, step) ? place[step] : undefined;
    if (next === undefined) return {};
    place = next;
  }
  return fits(place) ? { value: place } : { problem: wrongType(steps, place, type) };
}

function wrongType(steps: readonly string[], value: JsonValue, type: string): string {
  const shown = goValue(value).slice(0, 1000);
  const found = `${shown} is of the type ${goTypeOf(value)}`;
  return `.${steps.join('.')} accessor error: ${found}, expected ${type}`;
}
