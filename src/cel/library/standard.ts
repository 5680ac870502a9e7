/**
 * The standard library: operators, sizes, conversions, strings, timestamps and durations.
 *
 * Operators are declared here with all their overloads, so that the check knows them; most of them
 * run as the planner's own closures (plan-logic.ts, plan-comparison.ts).
 */
import { lookup } from '../../stdx/lookup.ts';
import type { FunctionDeclaration, Implementation, Library, Overload } from '../declaration.ts';
import { noSuchOverload } from '../evaluation-error.ts';
import {
  addInts,
  divideInts,
  doubleArithmetic,
  durationOf,
  joinBytes,
  joinText,
  multiplyInts,
  negateInt,
  remainderInts,
  subtractInts,
  timestampDifference,
  timestampPlus,
  uintArithmetic,
} from '../evaluate/arithmetic.ts';
import { index } from '../evaluate/access.ts';
import { compare } from '../evaluate/comparison.ts';
import { equals, unequal } from '../evaluate/equality.ts';
import { isInList } from '../evaluate/list-membership.ts';
import { concatLists } from '../evaluate/lists.ts';
import { mapFind } from '../evaluate/maps.ts';
import { sizeOf } from '../evaluate/size.ts';
import { typeOf } from '../evaluate/run-time-type.ts';
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
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  typeType,
  uintType,
} from '../type.ts';
import type { Type } from '../type.ts';
import { Double } from '../value.ts';
import type { Duration, MapValue, Timestamp, Uint, Value } from '../value.ts';
import {
  toBool,
  toBytes,
  toDouble,
  toDuration,
  toInt,
  toText,
  toTimestamp,
  toUint,
} from './conversions.ts';
import { standardMacros } from './macros.ts';
import { matches } from './regular-expression.ts';
import { standardCosts } from './standard-costs.ts';
import { timeFunctions } from './time-functions.ts';

const a = typeParameter('A');
const b = typeParameter('B');
const listOfA = listType(a);
const mapOfAB = mapType(a, b);

/** A function of exactly the declared types. */
type Typed = (...args: never[]) => Value;

type Row = readonly [id: string, args: readonly Type[], result: Type, implementation: Typed];

const overloads = (rows: readonly Row[], member: boolean): Overload[] =>
  rows.map(([id, args, result, run]) => {
    const implementation = run as unknown as Implementation;
    return { id, args, result, member, implementation, cost: standardCosts[id] };
  });

const functionOf = (name: string, ...rows: readonly Row[]): FunctionDeclaration => ({
  name,
  overloads: overloads(rows, false),
});

/** The planner has its own way to run this. */
const planned: Typed = () => {
  throw noSuchOverload();
};

type Int = number | bigint;
const ints =
  (run: (x: Int, y: Int) => Int): Typed =>
  (x: Int, y: Int) =>
    run(x, y);
const uints =
  (operator: '+' | '-' | '*' | '/' | '%'): Typed =>
  (x: Uint, y: Uint) =>
    uintArithmetic(operator, x, y);
const doubles =
  (operator: '+' | '-' | '*' | '/'): Typed =>
  (x: Double, y: Double) =>
    doubleArithmetic(operator, x, y);
const durations =
  (sign: 1n | -1n): Typed =>
  (x: Duration, y: Duration) =>
    durationOf(x.nanos + sign * y.nanos);
const later = (x: Timestamp, y: Duration) => timestampPlus(x, y.nanos);
const earlier = (x: Timestamp, y: Duration) => timestampPlus(x, -y.nanos);

const pair = (type: Type): readonly Type[] => [type, type];

const arithmetic: readonly FunctionDeclaration[] = [
  functionOf(
    '_+_',
    ['add_bytes', pair(bytesType), bytesType, joinBytes],
    ['add_double', pair(doubleType), doubleType, doubles('+')],
    ['add_duration_duration', pair(durationType), durationType, durations(1n)],
    [
      'add_duration_timestamp',
      [durationType, timestampType],
      timestampType,
      (x: Duration, y: Timestamp) => timestampPlus(y, x.nanos),
    ],
    ['add_timestamp_duration', [timestampType, durationType], timestampType, later],
    ['add_int64', pair(intType), intType, ints(addInts)],
    ['add_list', pair(listOfA), listOfA, concatLists],
    ['add_string', pair(stringType), stringType, joinText],
    ['add_uint64', pair(uintType), uintType, uints('+')],
  ),
  functionOf(
    '_-_',
    ['subtract_double', pair(doubleType), doubleType, doubles('-')],
    ['subtract_duration_duration', pair(durationType), durationType, durations(-1n)],
    ['subtract_int64', pair(intType), intType, ints(subtractInts)],
    ['subtract_timestamp_duration', [timestampType, durationType], timestampType, earlier],
    ['subtract_timestamp_timestamp', pair(timestampType), durationType, timestampDifference],
    ['subtract_uint64', pair(uintType), uintType, uints('-')],
  ),
  functionOf(
    '_*_',
    ['multiply_double', pair(doubleType), doubleType, doubles('*')],
    ['multiply_int64', pair(intType), intType, ints(multiplyInts)],
    ['multiply_uint64', pair(uintType), uintType, uints('*')],
  ),
  functionOf(
    '_/_',
    ['divide_double', pair(doubleType), doubleType, doubles('/')],
    ['divide_int64', pair(intType), intType, ints(divideInts)],
    ['divide_uint64', pair(uintType), uintType, uints('/')],
  ),
  functionOf(
    '_%_',
    ['modulo_int64', pair(intType), intType, ints(remainderInts)],
    ['modulo_uint64', pair(uintType), uintType, uints('%')],
  ),
  functionOf(
    '-_',
    ['negate_double', [doubleType], doubleType, (x: Double) => new Double(-x.value)],
    ['negate_int64', [intType], intType, negateInt],
  ),
];

const notStrictlyFalse = (value: Value): Value => (typeof value === 'boolean' ? value : true);

const logic: readonly FunctionDeclaration[] = [
  functionOf('_?_:_', ['conditional', [boolType, a, a], a, planned]),
  functionOf('_&&_', ['logical_and', pair(boolType), boolType, planned]),
  functionOf('_||_', ['logical_or', pair(boolType), boolType, planned]),
  functionOf('!_', ['logical_not', [boolType], boolType, planned]),
  functionOf('@not_strictly_false', ['not_strictly_false', [boolType], boolType, notStrictlyFalse]),
  functionOf('_==_', ['equals', pair(a), boolType, (x: Value, y: Value) => equals(x, y)]),
  functionOf('_!=_', ['not_equals', pair(a), boolType, unequal]),
];

/** Ids of the overloads that compare numbers of two types. */
export const crossTypeOverloads: ReadonlySet<string> = new Set(
  ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) =>
    ['int64_double', 'int64_uint64', 'uint64_double', 'uint64_int64', 'double_int64']
      .concat('double_uint64')
      .map((types) => `${name}_${types}`),
  ),
);

function order(name: string, id: string, decide: (order: number) => boolean): FunctionDeclaration {
  const implementation = (x: Value, y: Value) => decide(compare(x, y));
  const number: Readonly<Record<string, Type>> = lookup({
    int64: intType,
    uint64: uintType,
    double: doubleType,
  });
  const mixed = Object.entries(number).flatMap(([left, leftType]): Row[] => [
    [`${id}_${left}`, pair(leftType), boolType, implementation],
    ...Object.entries(number)
      .filter(([right]) => right !== left)
      .map(([right, rightType]): Row => {
        return [`${id}_${left}_${right}`, [leftType, rightType], boolType, implementation];
      }),
  ]);
  const rest: readonly (readonly [string, Type])[] = [
    ['string', stringType],
    ['bytes', bytesType],
    ['timestamp', timestampType],
    ['duration', durationType],
  ];
  return functionOf(
    name,
    [`${id}_bool`, pair(boolType), boolType, implementation],
    ...mixed,
    ...rest.map(([kind, type]): Row => [`${id}_${kind}`, pair(type), boolType, implementation]),
  );
}

const inMap = (key: Value, map: MapValue) => mapFind(map, key) !== undefined;

const membership = (name: string): FunctionDeclaration =>
  functionOf(
    name,
    ['in_list', [a, listOfA], boolType, isInList],
    ['in_map', [a, mapOfAB], boolType, inMap],
  );

const size = (value: Value): Value => sizeOf(value);
const sized: readonly (readonly [string, Type])[] = [
  ['bytes', bytesType],
  ['list', listOfA],
  ['map', mapOfAB],
  ['string', stringType],
];

const containers: readonly FunctionDeclaration[] = [
  functionOf(
    '_[_]',
    ['index_list', [listOfA, intType], a, index],
    ['index_map', [mapOfAB, a], b, index],
  ),
  membership('@in'),
  {
    name: 'size',
    overloads: [
      ...overloads(
        sized.map(([kind, type]): Row => [`size_${kind}`, [type], intType, size]),
        false,
      ),
      ...overloads(
        sized.map(([kind, type]): Row => [`${kind}_size`, [type], intType, size]),
        true,
      ),
    ],
  },
];

const same = (value: Value): Value => value;

const from = (id: string, type: Type, to: Type, run: Typed): Row => [id, [type], to, run];

const conversions: readonly FunctionDeclaration[] = [
  functionOf(
    'type',
    from('type', a, typeOfType(a), (x: Value) => typeOf(x)),
  ),
  functionOf('dyn', from('to_dyn', a, dynType, same)),
  functionOf(
    'bool',
    from('bool_to_bool', boolType, boolType, same),
    from('string_to_bool', stringType, boolType, toBool),
  ),
  functionOf(
    'bytes',
    from('bytes_to_bytes', bytesType, bytesType, same),
    from('string_to_bytes', stringType, bytesType, toBytes),
  ),
  functionOf(
    'double',
    from('double_to_double', doubleType, doubleType, same),
    from('int64_to_double', intType, doubleType, toDouble),
    from('string_to_double', stringType, doubleType, toDouble),
    from('uint64_to_double', uintType, doubleType, toDouble),
  ),
  functionOf(
    'duration',
    from('duration_to_duration', durationType, durationType, same),
    from('string_to_duration', stringType, durationType, toDuration),
  ),
  functionOf(
    'int',
    from('int64_to_int64', intType, intType, same),
    from('double_to_int64', doubleType, intType, toInt),
    from('duration_to_int64', durationType, intType, toInt),
    from('string_to_int64', stringType, intType, toInt),
    from('timestamp_to_int64', timestampType, intType, toInt),
    from('uint64_to_int64', uintType, intType, toInt),
  ),
  functionOf(
    'string',
    from('string_to_string', stringType, stringType, same),
    from('bool_to_string', boolType, stringType, toText),
    from('bytes_to_string', bytesType, stringType, toText),
    from('double_to_string', doubleType, stringType, toText),
    from('duration_to_string', durationType, stringType, toText),
    from('int64_to_string', intType, stringType, toText),
    from('timestamp_to_string', timestampType, stringType, toText),
    from('uint64_to_string', uintType, stringType, toText),
  ),
  functionOf(
    'timestamp',
    from('timestamp_to_timestamp', timestampType, timestampType, same),
    from('int64_to_timestamp', intType, timestampType, toTimestamp),
    from('string_to_timestamp', stringType, timestampType, toTimestamp),
  ),
  functionOf(
    'uint',
    from('uint64_to_uint64', uintType, uintType, same),
    from('double_to_uint64', doubleType, uintType, toUint),
    from('int64_to_uint64', intType, uintType, toUint),
    from('string_to_uint64', stringType, uintType, toUint),
  ),
];

type TextTest = (text: string, other: string) => boolean;
const textRow = (id: string, test: TextTest): Row => [id, pair(stringType), boolType, test];

const textMethod = (name: string, id: string, test: TextTest): FunctionDeclaration => ({
  name,
  overloads: overloads([textRow(id, test)], true),
});

const text: readonly FunctionDeclaration[] = [
  textMethod('contains', 'contains_string', (s, part) => s.includes(part)),
  textMethod('endsWith', 'ends_with_string', (s, end) => s.endsWith(end)),
  textMethod('startsWith', 'starts_with_string', (s, start) => s.startsWith(start)),
  {
    name: 'matches',
    overloads: [
      ...overloads([textRow('matches', matches)], false),
      ...overloads([textRow('matches_string', matches)], true),
    ],
  },
];

export const standardLibrary: Library = {
  name: 'standard',
  macros: standardMacros,
  functions: [
    ...arithmetic,
    ...logic,
    order('_<_', 'less', (result) => result < 0),
    order('_<=_', 'less_equals', (result) => result <= 0),
    order('_>_', 'greater', (result) => result > 0),
    order('_>=_', 'greater_equals', (result) => result >= 0),
    ...containers,
    ...conversions,
    ...text,
    ...timeFunctions,
  ],
  types: [
    ...[boolType, bytesType, doubleType, durationType, intType, stringType, timestampType],
    ...[typeType, uintType, nullType],
    listType(dynType),
    mapType(dynType, dynType),
  ],
};
