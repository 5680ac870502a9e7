/**
 * What drivers are told about devices, and what they tell of them: objects that nobody else
 * understands. They are small.
 *
 * Invariant: what is measured of one is bounded, whatever it holds.
 */
import { invalid, tooLong } from '../../apimachinery/field-error.ts';
import { objects, part } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { each, noProblems } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';

const bytesMax = 10 * 1024;

export function opaqueRules(value: JsonValue, field: string): Problems {
  if (bytesLeft(value, bytesMax) < 0) return [tooLong(field, bytesMax)];
  if (isJsonObject(value)) return noProblems;
  return [invalid(field, '<value omitted>', 'must be a valid JSON object')];
}

/** Of new configurations: what is stored keeps its parameters. */
export function parametersRules(configs: readonly JsonObject[], field: string): Problems {
  return each(configs, (config, at) => {
    const parameters = part(config, 'opaque')['parameters'];
    if (parameters === undefined) return noProblems;
    return opaqueRules(parameters, `${field}[${at}].opaque.parameters`);
  });
}

export function configsOf(holder: JsonObject): readonly JsonObject[] {
  return objects(holder, 'config');
}

/** What is left of so many bytes behind the value as JSON; below zero: it does not fit. */
function bytesLeft(value: JsonValue, bytes: number): number {
  if (bytes < 0) return bytes;
  if (typeof value === 'string') {
    return value.length > bytes ? -1 : bytes - Buffer.byteLength(JSON.stringify(value), 'utf8');
  }
  if (value === null || typeof value !== 'object') return bytes - String(value).length;
  let left = bytes - 2;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      left = bytesLeft(item, left) - 1;
      if (left < 0) return left;
    }
    return left + Math.min(1, value.length);
  }
  let isFirst = true;
  for (const name in value) {
    if (!isFirst) left -= 1;
    isFirst = false;
    left = bytesLeft((value as JsonObject)[name] as JsonValue, bytesLeft(name, left) - 1);
    if (left < 0) return left;
  }
  return left;
}
