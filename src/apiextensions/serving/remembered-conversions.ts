/**
 * What conversion webhooks have answered for objects that are being decided on, for all definitions
 * together: an object and a version, and the object in that version.
 *
 * A decision that misses one asks the webhook, and is made again. It holds what it asked for until
 * it is made, and finds it here as long: decisions about large objects that are made at once would
 * otherwise push out, again and again, what the others are about to need.
 *
 * Invariants: what was asked for longest ago goes first; the newest one stays, however large.
 * Bounds: `countMax` of them, and `charsMax` of JSON of what they were made from; beyond, and up to
 * `held...Max`, what somebody holds. Policy: the oldest go, and are asked for again.
 */
import type { ApiObject } from '../../apimachinery/unstructured.ts';

const mebi = 1024 * 1024;
const limits = {
  countMax: 1_024,
  charsMax: 24 * mebi,
  heldCountMax: 1_024,
  heldCharsMax: 256 * mebi,
} as const;

export interface RememberedConversions {
  get(name: string): ApiObject | undefined;
  set(name: string, converted: ApiObject): void;
}

export function createRememberedConversions(): RememberedConversions {
  const known = new Map<string, ApiObject>();
  let chars = 0;
  const held = createHeldConversions();
  const remove = (name: string): void => {
    if (known.delete(name)) chars -= name.length;
  };
  const set = (name: string, converted: ApiObject): void => {
    remove(name);
    held.remove(name);
    known.set(name, converted);
    chars += name.length;
    for (const [oldest, its] of known) {
      if (oldest === name) break;
      if (known.size <= limits.countMax && chars <= limits.charsMax) break;
      remove(oldest);
      held.add(oldest, its);
    }
  };
  return {
    set,
    get(name) {
      const found = known.get(name);
      if (found === undefined) return held.get(name);
      set(name, found);
      return found;
    },
  };
}

/** For as long as somebody else keeps them. */
function createHeldConversions() {
  const weak = new Map<string, WeakRef<ApiObject>>();
  let chars = 0;
  const remove = (name: string): void => {
    if (weak.delete(name)) chars -= name.length;
  };
  const gone = new FinalizationRegistry<string>((name) => {
    if (weak.get(name)?.deref() === undefined) remove(name);
  });
  return {
    add(name: string, converted: ApiObject): void {
      remove(name);
      weak.set(name, new WeakRef(converted));
      chars += name.length;
      gone.register(converted, name);
      for (const oldest of weak.keys()) {
        if (weak.size <= limits.heldCountMax && chars <= limits.heldCharsMax) break;
        remove(oldest);
      }
    },
    get: (name: string): ApiObject | undefined => weak.get(name)?.deref(),
    remove,
  };
}
