/**
 * All kinds of maps: plain objects, maps made by expressions, and those of libraries.
 *
 * Numeric keys of all types are looked up by their numeric value: the int 1, the uint 1 and the
 * double 1.0 are the same key.
 */
import { evaluationError } from '../evaluation-error.ts';
import { adapt, canonicalInt, Double, MapValue, Uint } from '../value.ts';
import type { PlainMap, Value } from '../value.ts';
import { Boxed } from '../boxed.ts';
import { spendSteps } from './step-allowance.ts';

/** Of an object that is walked, whatever it costs. */
const workPerName = 32;

type Canonical = string | number | bigint | boolean;

/** What equal keys have in common; undefined: this cannot be equal to any key. */
function canonicalKey(key: Value): Canonical | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (key instanceof Uint) return key.value;
  if (key instanceof Double && Number.isInteger(key.value)) {
    return Number.isSafeInteger(key.value) ? key.value + 0 : canonicalInt(BigInt(key.value));
  }
  return undefined;
}

interface Entry {
  readonly key: Value;
  readonly value: Value;
}

/** Text of a key as errors show it. */
function keyText(key: Value): string {
  if (key instanceof Uint || key instanceof Double) return String(key.value);
  if (key instanceof Boxed || (typeof key === 'object' && key !== null)) return 'value';
  return String(key);
}

export const noSuchKey = (key: Value): Error => evaluationError(`no such key: ${keyText(key)}`);

/** A map that an expression made. Entries are shared by the maps that grew from each other. */
export class EntryMap extends MapValue {
  readonly #entries: Map<Canonical, Entry>;
  readonly #size: number;

  constructor(entries: Map<Canonical, Entry>) {
    super();
    this.#entries = entries;
    this.#size = entries.size;
  }

  static of(pairs: Iterable<readonly [key: Value, value: Value]>): EntryMap {
    let map = new EntryMap(new Map());
    for (const [key, value] of pairs) {
      const grown = map.with(key, value);
      if (grown === undefined) throw evaluationError(`Failed with repeated key`);
      map = grown;
    }
    return map;
  }

  size(): number {
    return this.#size;
  }

  find(key: Value): Value | undefined {
    const canonical = canonicalKey(key);
    if (canonical === undefined) return undefined;
    const entry = this.#entries.get(canonical);
    if (entry === undefined || this.#size === this.#entries.size) return entry?.value;
    // Another map grew from this one: what came after is not in this one.
    for (const [name, own] of this.#own()) if (name === canonical) return own.value;
    return undefined;
  }

  *#own(): Iterable<[Canonical, Entry]> {
    let count = 0;
    for (const entry of this.#entries) {
      if (count === this.#size) return;
      count += 1;
      yield entry;
    }
  }

  *keys(): Iterable<Value> {
    for (const [, { key }] of this.#own()) yield key;
  }

  *entries(): Iterable<Entry> {
    for (const [, entry] of this.#own()) yield entry;
  }

  /** This map and one more entry; undefined when the key is there already. */
  with(key: Value, value: Value): EntryMap | undefined {
    const canonical = canonicalKey(key);
    if (canonical === undefined || key instanceof Double) {
      throw evaluationError('unsupported key type');
    }
    const isLatest = this.#size === this.#entries.size;
    const entries = isLatest ? this.#entries : new Map(this.#own());
    if (entries.has(canonical)) return undefined;
    entries.set(canonical, { key, value });
    return new EntryMap(entries);
  }
}

export const isPlainMap = (value: Value): value is PlainMap =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Boxed) &&
  !(value instanceof Uint8Array);

export const isMap = (value: Value): value is PlainMap | MapValue =>
  value instanceof MapValue || isPlainMap(value);

export function plainMember(map: PlainMap, name: string): Value | undefined {
  // Own members only: `constructor` is no key of data that does not have it.
  if (!Object.hasOwn(map, name)) return undefined;
  const member = map[name];
  return member === undefined ? undefined : adapt(member);
}

export function mapFind(map: PlainMap | MapValue, key: Value): Value | undefined {
  if (map instanceof MapValue) return map.find(key);
  return typeof key === 'string' ? plainMember(map, key) : undefined;
}

export function mapSize(map: PlainMap | MapValue): number {
  if (map instanceof MapValue) return map.size();
  return namesOf(map).length;
}

/** In the order of insertion, which is the same for the same data. */
export function mapKeys(map: PlainMap | MapValue): Iterable<Value> {
  if (map instanceof MapValue) return map.keys();
  return namesOf(map);
}

/** The names of a large object are sorted each time that they are asked for. */
let lastLarge: PlainMap | undefined;
let lastNames: readonly string[] = [];
const largeFrom = 64;

function namesOf(map: PlainMap): readonly string[] {
  if (map === lastLarge) return lastNames;
  const names = Object.keys(map).filter((name) => map[name] !== undefined);
  if (names.length < largeFrom) return names;
  spendSteps(names.length * workPerName);
  [lastLarge, lastNames] = [map, names];
  return names;
}

/** A map and one entry more, or all entries of another map. */
export function insertInto(target: Value, added: Value, value?: Value): Value {
  if (!isMap(target)) throw evaluationError('no such overload');
  let map =
    target instanceof EntryMap
      ? target
      : EntryMap.of(
          Array.from(mapKeys(target), (key) => [key, mapFind(target, key) as Value] as const),
        );
  const insert = (key: Value, inserted: Value): void => {
    const grown = map.with(key, inserted);
    if (grown === undefined) {
      throw evaluationError(`insert failed: key ${keyText(key)} already exists`);
    }
    map = grown;
  };
  if (value !== undefined) {
    insert(added, value);
  } else {
    if (!isMap(added)) throw evaluationError('no such overload');
    for (const key of mapKeys(added)) insert(key, mapFind(added, key) as Value);
  }
  return map;
}
