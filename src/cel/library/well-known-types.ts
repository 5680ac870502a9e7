/**
 * The Protobuf messages that correspond to values of the language. They can be constructed by name
 * in every environment, as in the reference's library.
 *
 *     google.protobuf.Int32Value{value: 5}      an int, or null where a wrapper is not set
 *     google.protobuf.Struct{fields: {...}}     a map
 *     google.protobuf.Value{string_value: 'a'}  whatever it holds; null where it holds nothing
 *
 * There are no messages defined by users, and so no packed messages (`Any`), which would need them.
 */
import type { TypeProvider } from '../declaration.ts';
import { lookup } from '../../stdx/lookup.ts';
import { evaluationError } from '../evaluation-error.ts';
import {
  anyType,
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  uintType,
  wrapperType,
} from '../type.ts';
import type { Type } from '../type.ts';
import { Double, Uint } from '../value.ts';
import type { Value } from '../value.ts';

interface WellKnown {
  /** As the check sees it. */
  readonly type: Type;
  readonly fields: Readonly<Record<string, Type>>;
  readonly make: (fields: ReadonlyMap<string, Value>) => Value;
}

const prefix = 'google.protobuf.';

function wrapper(scalar: Type, zero: Value, fit = (value: Value): Value => value): WellKnown {
  return {
    type: wrapperType(scalar),
    fields: lookup({ value: scalar }),
    make: (fields) => fit(fields.get('value') ?? zero),
  };
}

function within(least: number, most: number, what: string): (value: Value) => Value {
  return (value) => {
    const given = value instanceof Uint ? Number(value.value) : Number(value);
    if (given < least || given > most) throw evaluationError(`range error: no ${what}`);
    return value;
  };
}

const int32 = within(-(2 ** 31), 2 ** 31 - 1, 'int32');
const uint32 = within(0, 2 ** 32 - 1, 'uint32');
const float = (value: Value): Value =>
  value instanceof Double ? new Double(Math.fround(value.value)) : value;

const anyList = listType(dynType);
const anyMap = mapType(stringType, dynType);

/** One of them at most: the last that is given. */
const valueFields = lookup<Type>({
  null_value: intType,
  number_value: doubleType,
  string_value: stringType,
  bool_value: boolType,
  struct_value: anyMap,
  list_value: anyList,
});

function madeValue(fields: ReadonlyMap<string, Value>): Value {
  const [last] = [...fields].slice(-1);
  if (last === undefined || last[0] === 'null_value') return null;
  return last[1];
}

const messages: ReadonlyMap<string, WellKnown> = new Map([
  ['BoolValue', wrapper(boolType, false)],
  ['BytesValue', wrapper(bytesType, new Uint8Array(0))],
  ['DoubleValue', wrapper(doubleType, new Double(0))],
  ['FloatValue', wrapper(doubleType, new Double(0), float)],
  ['Int32Value', wrapper(intType, 0, int32)],
  ['Int64Value', wrapper(intType, 0)],
  ['StringValue', wrapper(stringType, '')],
  ['UInt32Value', wrapper(uintType, new Uint(0), uint32)],
  ['UInt64Value', wrapper(uintType, new Uint(0))],
  [
    'ListValue',
    {
      type: anyList,
      fields: lookup({ values: anyList }),
      make: (fields) => fields.get('values') ?? [],
    },
  ],
  [
    'Struct',
    { type: anyMap, fields: lookup({ fields: anyMap }), make: (f) => f.get('fields') ?? {} },
  ],
  ['Value', { type: dynType, fields: valueFields, make: madeValue }],
  [
    'Any',
    {
      type: anyType,
      fields: lookup({ type_url: stringType, value: bytesType }),
      make: () => {
        throw evaluationError('conversion error: no message of this type is known');
      },
    },
  ],
]);

function messageOf(name: string): WellKnown | undefined {
  return name.startsWith(prefix) ? messages.get(name.slice(prefix.length)) : undefined;
}

export const wellKnownTypes: TypeProvider = {
  findType: (name) => messageOf(name)?.type,
  findField: ({ kind, name }, field) => {
    const message = kind === 'object' ? messageOf(name) : undefined;
    return message?.fields[field];
  },
  findConstant: (name) => (name === `${prefix}NullValue.NULL_VALUE` ? 0 : undefined),
  create: ({ name }, fields) => {
    const message = messageOf(name);
    if (message === undefined) throw evaluationError(`unknown type: ${name}`);
    return message.make(fields);
  },
};
