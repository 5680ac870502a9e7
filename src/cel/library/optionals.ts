/**
 * Values that may be missing: optional.of(x), optional.none(), `.hasValue()`, `.value()`, `.or()`,
 * `.orValue()`, optMap and optFlatMap. The `?` of fields, indexes and literals is handled by the
 * parser and the planner.
 */
import type { Expr } from '../ast.ts';
import type {
  FunctionDeclaration,
  Implementation,
  Library,
  Macro,
  Overload,
} from '../declaration.ts';
import { evaluationError } from '../evaluation-error.ts';
import { indexOptional } from '../evaluate/access.ts';
import { elementsOf, isList, listSize } from '../evaluate/lists.ts';
import type { AnyList } from '../evaluate/lists.ts';
import { isMap, mapSize } from '../evaluate/maps.ts';
import { numberOf } from '../evaluate/equality.ts';
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  stringType,
  typeParameter,
} from '../type.ts';
import type { Type } from '../type.ts';
import { Duration, none, ObjectValue, OptionalValue, Timestamp } from '../value.ts';
import type { Value } from '../value.ts';

const v = typeParameter('V');
const k = typeParameter('K');
const optionalV = optionalType(v);

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '') return true;
  const number = numberOf(value);
  if (number !== undefined) return number === 0;
  if (isList(value)) return listSize(value) === 0;
  if (isMap(value)) return mapSize(value) === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof OptionalValue) return value.value === undefined;
  // The first second of the first year.
  if (value instanceof Timestamp) return value.seconds === -62_135_596_800 && value.nanos === 0;
  return value instanceof ObjectValue && 'isZero' in value && value.isZero === true;
}

const valueOf = (optional: OptionalValue): Value => {
  if (optional.value === undefined) throw evaluationError('optional.none() dereference');
  return optional.value;
};

const present = (list: AnyList): Value => {
  const values: Value[] = [];
  for (const element of elementsOf(list)) {
    if (!(element instanceof OptionalValue)) throw evaluationError('value is not optional');
    if (element.value !== undefined) values.push(element.value);
  }
  return values;
};

type Row = readonly [
  name: string,
  id: string,
  args: readonly Type[],
  result: Type,
  member: boolean,
  implementation: unknown,
];

const end = (list: AnyList, at: (size: number) => number): Value =>
  listSize(list) === 0 ? none : indexOptional(list, at(listSize(list)));

const rows: readonly Row[] = [
  ['optional.of', 'optional_of', [v], optionalV, false, (x: Value) => new OptionalValue(x)],
  [
    'optional.ofNonZeroValue',
    'optional_ofNonZeroValue',
    [v],
    optionalV,
    false,
    (x: Value) => (isZero(x) ? none : new OptionalValue(x)),
  ],
  ['optional.none', 'optional_none', [], optionalV, false, () => none],
  ['value', 'optional_value', [optionalV], v, true, valueOf],
  [
    'hasValue',
    'optional_hasValue',
    [optionalV],
    boolType,
    true,
    (x: OptionalValue) => x.value !== undefined,
  ],
  [
    'or',
    'optional_or_optional',
    [optionalV, optionalV],
    optionalV,
    true,
    (x: OptionalValue, y: OptionalValue) => (x.value === undefined ? y : x),
  ],
  [
    'orValue',
    'optional_orValue_value',
    [optionalV, v],
    v,
    true,
    (x: OptionalValue, y: Value) => (x.value === undefined ? y : x.value),
  ],
  ['optional.unwrap', 'optional_unwrap', [listType(optionalV)], listType(v), false, present],
  ['unwrapOpt', 'optional_unwrapOpt', [listType(optionalV)], listType(v), true, present],
  ['first', 'list_first', [listType(v)], optionalV, true, (x: AnyList) => end(x, () => 0)],
  ['last', 'list_last', [listType(v)], optionalV, true, (x: AnyList) => end(x, (n) => n - 1)],
  ['_?._', 'select_optional_field', [dynType, stringType], optionalV, false, indexOptional],
  ['_[?_]', 'list_optindex_optional_int', [listType(v), intType], optionalV, false, indexOptional],
  [
    '_[?_]',
    'optional_list_optindex_optional_int',
    [optionalType(listType(v)), intType],
    optionalV,
    false,
    indexOptional,
  ],
  ['_[?_]', 'map_optindex_optional_value', [mapType(k, v), k], optionalV, false, indexOptional],
  [
    '_[?_]',
    'optional_map_optindex_optional_value',
    [optionalType(mapType(k, v)), k],
    optionalV,
    false,
    indexOptional,
  ],
  // With a plain index, what is missing in an optional is none, too.
  [
    '_[_]',
    'optional_list_index_int',
    [optionalType(listType(v)), intType],
    optionalV,
    false,
    indexOptional,
  ],
  [
    '_[_]',
    'optional_map_index_value',
    [optionalType(mapType(k, v)), k],
    optionalV,
    false,
    indexOptional,
  ],
];

function functions(): FunctionDeclaration[] {
  const made = new Map<string, Overload[]>();
  for (const [name, id, args, result, member, implementation] of rows) {
    const overload: Overload = {
      ...{ id, args, result, member },
      implementation: implementation as Implementation,
    };
    made.set(name, [...(made.get(name) ?? []), overload]);
  }
  return [...made].map(([name, overloads]) => ({ name, overloads }));
}

/** `x.optMap(v, f)` is `x.hasValue() ? optional.of(v is x.value(): f) : optional.none()`. */
function optionalMacro(name: 'optMap' | 'optFlatMap'): Macro {
  return {
    name,
    argumentCount: 2,
    member: true,
    expand(context, target, [variable, mapped]) {
      const arg = variable as Expr;
      if (arg.kind !== 'ident') {
        return context.fail(arg, `${name}() variable name must be a simple identifier`);
      }
      const from = target as Expr;
      const hasValue = context.memberCall('hasValue', from);
      const bound = context.comprehension({
        ...{ range: context.list(), iterVar: '#unused', accuVar: arg.name },
        init: context.memberCall('value', context.copy(from)),
        condition: context.constant(false),
        step: context.ident(arg.name),
        result: mapped as Expr,
      });
      const some = name === 'optMap' ? context.call('optional.of', bound) : bound;
      return context.call('_?_:_', hasValue, some, context.call('optional.none'));
    },
  };
}

export const optionalLibrary: Library = {
  name: 'optional',
  functions: functions(),
  macros: [optionalMacro('optMap'), optionalMacro('optFlatMap')],
  types: [optionalType(v)],
};
