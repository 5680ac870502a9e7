/** The size of a value: what `size()` gives, and what prices are counted by. */
import { noSuchOverload } from '../evaluation-error.ts';
import { ObjectValue, OptionalValue } from '../value.ts';
import type { Value } from '../value.ts';
import { scalarSize } from './arithmetic.ts';
import { isList, listSize } from './lists.ts';
import { isMap, mapSize } from './maps.ts';

/** 1 for everything that has no size. */
export function sizeForCost(value: Value): number {
  if (typeof value === 'string') return scalarSize(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (isList(value)) return listSize(value);
  if (isMap(value)) return mapSize(value);
  if (value instanceof ObjectValue) return value.size();
  if (value instanceof OptionalValue && value.value !== undefined) return sizeForCost(value.value);
  return scalarSize(value);
}

export function sizeOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return scalarSize(value);
  if (isList(value)) return listSize(value);
  if (isMap(value)) return mapSize(value);
  throw noSuchOverload();
}
