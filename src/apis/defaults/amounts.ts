/**
 * Amounts of resources: a thousandth is the smallest part that is kept, so smaller ones are rounded
 * up to it. Canonical texts are expected: only few can need it, and those show it by their suffix.
 */
import { formatQuantity, parseQuantity, roundUpQuantity } from '../../apimachinery/quantity.ts';
import type { Complete } from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

const milli = -3;

const mayBeFine = /[nu]$|e-/;

function rounded(amount: JsonValue | undefined): JsonValue | undefined {
  if (typeof amount !== 'string' || !mayBeFine.test(amount)) return amount;
  const quantity = parseQuantity(amount);
  return quantity === undefined ? amount : formatQuantity(roundUpQuantity(quantity, milli));
}

function mayNeedRounding(list: JsonObject): boolean {
  for (const name in list) {
    const amount = list[name];
    if (typeof amount === 'string' && mayBeFine.test(amount)) return true;
  }
  return false;
}

/** Rounds the amounts in these fields; the same object when there is nothing to round. */
export function roundResources(object: JsonObject, fields: readonly string[]): JsonObject {
  let result: Record<string, JsonValue | undefined> | undefined;
  for (const field of fields) {
    const list = object[field];
    if (!isJsonObject(list) || !mayNeedRounding(list)) continue;
    const entries = Object.entries(list).map(([name, amount]) => [name, rounded(amount)] as const);
    if (entries.every(([name, amount]) => list[name] === amount)) continue;
    result ??= { ...object };
    result[field] = Object.fromEntries(entries);
  }
  return result ?? object;
}

export function roundingOf(...fields: readonly string[]): Complete {
  return (object) => roundResources(object, fields);
}
