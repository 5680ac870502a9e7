/**
 * Finds schema types that differ only in their names, such as those of two versions of a
 * definition, so that their rules are compiled once.
 *
 * Invariant: with types of one identity an expression has the same check and the same estimate;
 * texts of errors, which have names in them, may differ. Linear in the types that are asked about.
 */
import type { SchemaType } from './schema-type.ts';

/** Numbers are the same for the same types, as long as this function is kept. */
export function typeIdentities(): (type: SchemaType) => number {
  const known = new WeakMap<SchemaType, number>();
  const numbers = new Map<string, number>();
  const identityOf = (type: SchemaType): number => {
    const before = known.get(type);
    if (before !== undefined) return before;
    const text = describe(type, identityOf);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    known.set(type, number);
    return number;
  };
  return identityOf;
}

function describe(type: SchemaType, identityOf: (type: SchemaType) => number): string {
  const { element, fields, key, keys, kind, maxElements, minSerializedSize, nullable } = type;
  const named = Array.from(fields, ([name, field]) => [name, identityOf(field.type)]);
  return JSON.stringify([
    kind,
    kind === 'dynamic' ? type.type.text : '',
    nullable,
    String(maxElements),
    String(minSerializedSize),
    keys,
    element === undefined ? -1 : identityOf(element),
    key === undefined ? -1 : identityOf(key),
    named,
  ]);
}
