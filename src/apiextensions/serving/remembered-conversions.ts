/**
 * What conversion webhooks have answered for objects that are being decided on, for all definitions
 * together: an object and a version, and the object in that version.
 *
 * A decision that misses one asks the webhook, and is made again.
 *
 * Invariants: what was asked for longest ago goes first; the newest one stays, however large.
 * Bounds: `countMax` of them, and `charsMax` of JSON of what they were made from.
 */
import type { ApiObject } from '../../apimachinery/unstructured.ts';

const limits = { countMax: 1_024, charsMax: 24 * 1024 * 1024 } as const;

export interface RememberedConversions {
  get(name: string): ApiObject | undefined;
  set(name: string, converted: ApiObject): void;
}

export function createRememberedConversions(): RememberedConversions {
  const known = new Map<string, ApiObject>();
  let chars = 0;
  const remove = (name: string): void => {
    if (known.delete(name)) chars -= name.length;
  };
  const set = (name: string, converted: ApiObject): void => {
    remove(name);
    known.set(name, converted);
    chars += name.length;
    for (const oldest of known.keys()) {
      if (oldest === name) break;
      if (known.size <= limits.countMax && chars <= limits.charsMax) break;
      remove(oldest);
    }
  };
  return {
    set,
    get(name) {
      const found = known.get(name);
      if (found !== undefined) set(name, found);
      return found;
    },
  };
}
