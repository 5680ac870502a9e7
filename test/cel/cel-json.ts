/** Values, types and declarations of the vectors, which are in the JSON form of their messages. */
import type { FunctionDeclaration, VariableDeclaration } from '../../src/cel/declaration.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  uintType,
  wrapperType,
  anyType,
} from '../../src/cel/type.ts';
import { Type } from '../../src/cel/type.ts';
import { EntryMap } from '../../src/cel/evaluate/maps.ts';
import {
  canonicalInt,
  Double,
  Duration,
  ListValue,
  MapValue,
  Timestamp,
  Uint,
} from '../../src/cel/value.ts';
import type { Value } from '../../src/cel/value.ts';
import { parseDuration, parseTimestamp } from '../../src/cel/library/time-text.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

const primitives: Readonly<Record<string, Type>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};
const wellKnown: Readonly<Record<string, Type>> = {
  ANY: anyType,
  TIMESTAMP: timestampType,
  DURATION: durationType,
};

const object = (json: Json | undefined): JsonObject => json as JsonObject;

function typeFrom(json: JsonObject): Type {
  if (json['primitive'] !== undefined) return primitives[json['primitive'] as string] as Type;
  if (json['wellKnown'] !== undefined) return wellKnown[json['wellKnown'] as string] as Type;
  if (json['wrapper'] !== undefined) {
    return wrapperType(primitives[json['wrapper'] as string] as Type);
  }
  if (json['listType'] !== undefined) {
    const element = object(json['listType'])['elemType'];
    return listType(element === undefined ? dynType : typeFrom(object(element)));
  }
  if (json['mapType'] !== undefined) {
    const { keyType, valueType } = object(json['mapType']);
    return mapType(typeFrom(object(keyType)), typeFrom(object(valueType)));
  }
  if (json['messageType'] !== undefined) {
    const name = json['messageType'] as string;
    return [timestampType, durationType].find((type) => type.name === name) ?? objectType(name);
  }
  if (json['typeParam'] !== undefined) return typeParameter(json['typeParam'] as string);
  if (json['type'] !== undefined) {
    const inner = object(json['type']);
    return Object.keys(inner).length === 0 ? typeOfType(dynType) : typeOfType(typeFrom(inner));
  }
  if (json['abstractType'] !== undefined) {
    const { name, parameterTypes = [] } = object(json['abstractType']);
    const parameters = (parameterTypes as readonly JsonObject[]).map(typeFrom);
    return opaqueType(name as string, ...parameters);
  }
  return 'null' in json ? nullType : dynType;
}

const doubles: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity,
  '-Infinity': -Infinity,
};

/** A value of the language from the JSON form of its message; undefined: no vector has it. */
export function valueFrom(json: JsonObject): Value | undefined {
  const [kind, raw] = Object.entries(json)[0] as [string, Json];
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return raw;
    case 'int64Value':
      return canonicalInt(BigInt(raw as string));
    case 'uint64Value':
      return new Uint(canonicalInt(BigInt(raw as string)));
    case 'doubleValue':
      return new Double(typeof raw === 'string' ? (doubles[raw] as number) : (raw as number));
    case 'bytesValue':
      return new Uint8Array(Buffer.from(raw as string, 'base64'));
    case 'listValue':
      return ((object(raw)['values'] ?? []) as readonly JsonObject[]).map(
        (value) => valueFrom(value) as Value,
      );
    case 'mapValue': {
      const entries = (object(raw)['entries'] ?? []) as readonly JsonObject[];
      return EntryMap.of(
        entries.map(({ key, value }) => [
          valueFrom(object(key)) as Value,
          valueFrom(object(value)) as Value,
        ]),
      );
    }
    case 'typeValue':
      return new Type('opaque', raw as string, [], raw as string);
    case 'objectValue': {
      const { '@type': type, value } = object(raw);
      if (type === 'type.googleapis.com/google.protobuf.Timestamp') {
        return parseTimestamp(value as string);
      }
      if (type === 'type.googleapis.com/google.protobuf.Duration') {
        return parseDuration(value as string);
      }
      return undefined;
    }
    default:
      return undefined;
  }
}

interface Environment {
  readonly variables: readonly VariableDeclaration[];
  readonly functions: readonly FunctionDeclaration[];
}

export function declarationsFrom(typeEnv: readonly JsonObject[] = []): Environment {
  const variables: VariableDeclaration[] = [];
  const functions: FunctionDeclaration[] = [];
  for (const declaration of typeEnv) {
    const name = declaration['name'] as string;
    if (declaration['ident'] !== undefined) {
      variables.push({ name, type: typeFrom(object(object(declaration['ident'])['type'])) });
    } else {
      const { overloads } = object(declaration['function']);
      functions.push({
        name,
        overloads: (overloads as readonly JsonObject[]).map((overload) => ({
          id: overload['overloadId'] as string,
          args: ((overload['params'] ?? []) as readonly JsonObject[]).map(typeFrom),
          result: typeFrom(object(overload['resultType'])),
          member: overload['isInstanceFunction'] === true,
          implementation: () => null,
        })),
      });
    }
  }
  return { variables, functions };
}

/** Equal to the last bit: 1 and 1u are not, NaN and NaN are. */
export function isSame(a: Value, b: Value): boolean {
  if (a instanceof Double && b instanceof Double) return Object.is(a.value, b.value);
  if (a instanceof Uint && b instanceof Uint) return a.value === b.value;
  if (a instanceof Type && b instanceof Type) return a.name === b.name;
  if (a instanceof Timestamp && b instanceof Timestamp) {
    return a.seconds === b.seconds && a.nanos === b.nanos;
  }
  if (a instanceof Duration && b instanceof Duration) return a.nanos === b.nanos;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  const lists = [a, b].map((x) => (x instanceof ListValue ? listElements(x) : x));
  const [left, right] = lists as [Value, Value];
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length && left.every((x, i) => isSame(x as Value, right[i] as Value))
    );
  }
  if (a instanceof MapValue && b instanceof MapValue) {
    if (a.size() !== b.size()) return false;
    return [...a.keys()].every((key) => {
      const other = b.find(key);
      return other !== undefined && isSame(a.find(key) as Value, other);
    });
  }
  return a === b;
}

const listElements = (list: ListValue): Value[] =>
  Array.from({ length: list.size() }, (_, i) => list.get(i));
