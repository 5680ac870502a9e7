/**
 * Whether an object has come to hold more than the store takes. Policies and webhooks are many, and
 * each may add as much as a body holds to what the one before it has left: so each is asked for
 * here, and not only the last one where the object is written.
 *
 * Bounds: characters are counted as bytes and marks as in JSON, of which there are never fewer in
 * the record; no further than they may be, and in steps.
 */
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { storageLimits } from '../storage/storage.ts';
import type { Steps } from '../stdx/stepwise.ts';

export const objectBytesMax = storageLimits.valueBytesMax;

/** Lists, objects and what they hold between two steps. */
const valuesAtOnce = 20_000;

/** A value and the comma behind it; a name has two quotes and a colon, too. */
const bytesPerValue = 2;
const bytesPerName = 3;

export function* isOutgrown(object: JsonValue): Steps<boolean> {
  const open: JsonValue[] = [object];
  let bytes = 0;
  let values = 0;
  const add = (value: JsonValue): void => {
    bytes += bytesPerValue;
    values += 1;
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) open.push(value);
  };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const item of next as readonly JsonValue[]) add(item);
    else {
      for (const name in next as JsonObject) {
        bytes += bytesPerName + name.length;
        add((next as JsonObject)[name] ?? null);
      }
    }
    if (bytes > objectBytesMax) return true;
    if (values < valuesAtOnce) continue;
    values = 0;
    yield;
  }
  return false;
}
