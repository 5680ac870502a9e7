/**
 * What mutations make: `Object{spec: Object.spec{replicas: 3}}` and
 * `JSONPatch{op: "replace", path: "/spec/replicas", value: 3}`.
 *
 * An object has any field there is a name for; what it holds is found out when it is applied. The
 * type of a nested object says where it stands, and has to stand there.
 */
import type { TypeProvider } from '../../cel/declaration.ts';
import { evaluationError } from '../../cel/evaluation-error.ts';
import { equals } from '../../cel/evaluate/equality.ts';
import { dynType, objectType, stringType } from '../../cel/type.ts';
import type { Type } from '../../cel/type.ts';
import { ObjectValue, OptionalValue } from '../../cel/value.ts';
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
  create: (type, fields) => {
    if (isObjectName(type.name)) checkPlaces(type.name, fields);
    return new MadeObject(type, fields);
  },
};

function isObjectName(name: string): boolean {
  return name === mutationObjectType.name || name.startsWith(`${mutationObjectType.name}.`);
}

function checkPlaces(name: string, fields: ReadonlyMap<string, Value>): void {
  for (const [field, value] of fields) {
    const given = value instanceof OptionalValue ? value.value : value;
    const items: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (const item of items) {
      const wanted = `${name}.${field}`;
      if (!(item instanceof MadeObject) || item.type.name === wanted) continue;
      const found = `unexpected type name "${item.type.name}", expected "${wanted}"`;
      throw evaluationError(`${found}, which matches field name path from root Object type`);
    }
  }
}
