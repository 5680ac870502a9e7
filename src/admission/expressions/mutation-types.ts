/**
 * The types that mutations construct: `Object{spec: Object.spec{replicas: 3}}` and `JSONPatch{op:
 * "replace", path: "/spec/replicas", value: 3}`.
 *
 * An object may have any field name; the mutation is checked against the schema when it is applied.
 * The type of a nested object names its path, and misplacedTypes() checks that it stands there.
 */
import type { TypeProvider } from '../../cel/declaration.ts';
import { equals } from '../../cel/evaluate/equality.ts';
import { dynType, objectType, stringType } from '../../cel/type.ts';
import type { Type } from '../../cel/type.ts';
import { ListValue, MapValue, ObjectValue, OptionalValue } from '../../cel/value.ts';
import type { Value } from '../../cel/value.ts';

export const mutationObjectType = objectType('Object');
export const jsonPatchType = objectType('JSONPatch');

const patchFields: ReadonlyMap<string, Type> = new Map([
  ['op', stringType],
  ['path', stringType],
  ['from', stringType],
  ['value', dynType],
]);

export class MadeObject extends ObjectValue {
  readonly #type: Type;
  readonly fields: ReadonlyMap<string, Value>;
  constructor(type: Type, fields: ReadonlyMap<string, Value>) {
    super();
    this.#type = type;
    this.fields = fields;
  }
  override get type(): Type {
    return this.#type;
  }
  override field(name: string): Value | undefined {
    return this.fields.get(name);
  }
  override isSet(name: string): boolean {
    return this.fields.has(name);
  }
  override equalTo(other: Value): boolean {
    if (!(other instanceof MadeObject) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => {
      const theirs = other.fields.get(name);
      return theirs !== undefined && equals(value, theirs);
    });
  }
}

/** `JSONPatch` is a type of its own; of `Object` there is one for each path. */
export const mutationTypes: TypeProvider = {
  findType: (name) => {
    if (name === jsonPatchType.name) return jsonPatchType;
    return isObjectName(name) ? objectType(name) : undefined;
  },
  findField: (type, field) => {
    if (type.name === jsonPatchType.name) return patchFields.get(field);
    return isObjectName(type.name) ? dynType : undefined;
  },
  create: (type, fields) => new MadeObject(type, fields),
};

function isObjectName(name: string): boolean {
  return name === mutationObjectType.name || name.startsWith(`${mutationObjectType.name}.`);
}

/** What stands where its type does not say: all of it, one a line. Undefined: nothing does. Asked
 * of what an expression came to, since what it made on the way may be no part of that. */
export function misplacedTypes(made: MadeObject): string | undefined {
  const problems: string[] = [];
  collectMisplaced(made, made.type.name, problems);
  return problems.length === 0 ? undefined : problems.join('\n');
}

function collectMisplaced(value: Value | undefined, wanted: string, problems: string[]): void {
  if (value instanceof OptionalValue) return collectMisplaced(value.value, wanted, problems);
  if (value instanceof MadeObject) {
    const { name } = value.type;
    if (name !== wanted) {
      const found = `unexpected type name "${name}", expected "${wanted}"`;
      problems.push(`${found}, which matches field name path from root Object type`);
    }
    for (const [field, member] of value.fields) {
      collectMisplaced(member, `${wanted}.${field}`, problems);
    }
  } else if (value instanceof ListValue) {
    for (let at = 0; at < value.size(); at += 1) collectMisplaced(value.get(at), wanted, problems);
  } else if (value instanceof MapValue) {
    for (const key of value.keys()) collectMisplaced(value.find(key), wanted, problems);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      if (item instanceof MadeObject) collectMisplaced(item, wanted, problems);
    }
  }
}
