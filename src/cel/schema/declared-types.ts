/**
 * Types that the server itself declares, with names that users see in errors: the request of an
 * admission, the user of a token, a device. They are schema types without a schema behind them.
 *
 * Their sizes have no bound, and no estimate uses them.
 */
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from '../type.ts';
import type { Type } from '../type.ts';
import type { SchemaField, SchemaKind, SchemaType } from './schema-type.ts';

const noFields: ReadonlyMap<string, SchemaField> = new Map();

function declared(kind: SchemaKind, type: Type, parts: Partial<SchemaType> = {}): SchemaType {
  return {
    kind,
    schema: {},
    type,
    nullable: false,
    maxElements: 0,
    minSerializedSize: 0,
    fields: noFields,
    element: undefined,
    plain: true,
    keys: [],
    ...parts,
  };
}

export const declaredText = declared('string', stringType);
export const declaredBool = declared('boolean', boolType);
export const declaredInt = declared('integer', intType);
export const declaredTime = declared('date-time', timestampType, { plain: false });
/** Anything: its type is found out when it is used. */
export const declaredDynamic = declared('dynamic', dynType, { nullable: true });

/** A value of a library's own type, given as it is. */
export function declaredScalar(type: Type): SchemaType {
  return declared('dynamic', type);
}

export function declaredList(element: SchemaType): SchemaType {
  return declared('list', listType(element.type), { element, plain: element.plain });
}

export function declaredMap(element: SchemaType): SchemaType {
  return declared('map', mapType(stringType, element.type), { element, plain: element.plain });
}

export function declaredObject(
  name: string,
  fields: Readonly<Record<string, SchemaType>>,
): SchemaType {
  const named = Object.entries(fields).map(([property, type]): [string, SchemaField] => [
    property,
    { property, type },
  ]);
  return declared('object', objectType(name), { fields: new Map(named), plain: false });
}
