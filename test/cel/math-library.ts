/**
 * math.greatest, math.least, rounding, signs and bits. Not part of the Kubernetes libraries; here
 * because the language's own suite has it.
 */
import type { Expr } from '../../src/cel/ast.ts';
import type { Implementation, Library, Macro, Overload } from '../../src/cel/declaration.ts';
import { evaluationError, noSuchOverload } from '../../src/cel/evaluation-error.ts';
import { compare } from '../../src/cel/evaluate/comparison.ts';
import { elementsOf } from '../../src/cel/evaluate/lists.ts';
import type { AnyList } from '../../src/cel/evaluate/lists.ts';
import { boolType, doubleType, dynType, intType, listType, uintType } from '../../src/cel/type.ts';
import type { Type } from '../../src/cel/type.ts';
import { canonicalInt, Double, Uint } from '../../src/cel/value.ts';
import type { Value } from '../../src/cel/value.ts';
import { functions, overload } from '../../src/cel/library/declare.ts';

type Typed = (...args: never[]) => Value;
const row = (id: string, args: readonly Type[], result: Type, run: Typed): Overload =>
  overload(id, args, result, run as unknown as Implementation);

const numbers: readonly (readonly [string, Type])[] = [
  ['double', doubleType],
  ['int', intType],
  ['uint', uintType],
];

const pick =
  (sign: 1 | -1) =>
  (a: Value, b: Value): Value =>
    compare(b, a) * sign > 0 ? b : a;

function extreme(name: 'min' | 'max'): Overload[] {
  const better = pick(name === 'max' ? 1 : -1);
  const ofList = (list: AnyList): Value => {
    let best: Value | undefined;
    for (const value of elementsOf(list)) best = best === undefined ? value : better(best, value);
    if (best === undefined) throw evaluationError(`math.@${name}(list) argument must not be empty`);
    return best;
  };
  const id = `math_@${name}`;
  return [
    ...numbers.map(([kind, type]) => row(`${id}_${kind}`, [type], type, (x: Value) => x)),
    ...numbers.flatMap(([left, a]) =>
      numbers.map(([right, b]) =>
        row(`${id}_${left}_${right}`, [a, b], a === b ? a : dynType, better),
      ),
    ),
    ...numbers.map(([kind, type]) => row(`${id}_list_${kind}`, [listType(type)], type, ofList)),
    row(`${id}_list_dyn`, [listType(dynType)], dynType, ofList),
  ];
}

/** With one argument, two, or more; more are a list. */
function extremeMacro(name: 'greatest' | 'least', called: string): Macro {
  const isBad = (arg: Expr): boolean =>
    ['struct', 'map'].includes(arg.kind) || (arg.kind === 'constant' && !isNumber(arg.value));
  return {
    name,
    argumentCount: undefined,
    member: true,
    expand(context, target, args) {
      if (target?.kind !== 'ident' || target.name !== 'math') return undefined;
      const says = `math.${name}()`;
      if (args.length === 0) {
        return context.fail(target, `${says} requires at least one argument`);
      }
      if (args.length === 1) {
        const only = args[0] as Expr;
        if (only.kind !== 'list' && isBad(only)) {
          return context.fail(only, `${says} invalid single argument value`);
        }
        return context.call(called, only);
      }
      const bad = args.find((arg) => isBad(arg) || arg.kind === 'list');
      if (bad !== undefined) {
        return context.fail(bad, `${says} simple literal arguments must be numeric`);
      }
      return args.length === 2
        ? context.call(called, ...args)
        : context.call(called, context.list(...args));
    },
  };
}

const isNumber = (value: Value): boolean =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  value instanceof Double ||
  value instanceof Uint;

const rounding = (name: string, run: (x: number) => number): Overload[] => [
  row(`math_${name}_double`, [doubleType], doubleType, (x: Double) => new Double(run(x.value))),
];

const test = (name: string, run: (x: number) => boolean): Overload[] => [
  row(`math_${name}_double`, [doubleType], boolType, (x: Double) => run(x.value)),
];

/** Away from zero at a half. */
const round = (x: number): number => Math.sign(x) * Math.round(Math.abs(x));

type Int = number | bigint;
const int = (value: bigint): Int => canonicalInt(BigInt.asIntN(64, value));
const uint = (value: bigint): Uint => new Uint(canonicalInt(BigInt.asUintN(64, value)));

function bits(name: string, run: (a: bigint, b: bigint) => bigint): Overload[] {
  return [
    row(`math_${name}_int_int`, [intType, intType], intType, (a: Int, b: Int) =>
      int(run(BigInt(a), BigInt(b))),
    ),
    row(`math_${name}_uint_uint`, [uintType, uintType], uintType, (a: Uint, b: Uint) =>
      uint(run(BigInt(a.value), BigInt(b.value))),
    ),
  ];
}

/** By more than all bits nothing is left; right shifts of ints bring in zeros. */
function shift(name: string, run: (a: bigint, by: bigint) => bigint): Overload[] {
  const shifted = (value: Int, by: Int): bigint => {
    if (by < 0) throw evaluationError(`math.${name}() negative offset: ${by}`);
    return by > 63 ? 0n : run(BigInt.asUintN(64, BigInt(value)), BigInt(by));
  };
  return [
    row(`math_${name}_int_int`, [intType, intType], intType, (a: Int, by: Int) =>
      int(shifted(a, by)),
    ),
    row(`math_${name}_uint_int`, [uintType, intType], uintType, (a: Uint, by: Int) =>
      uint(shifted(a.value, by)),
    ),
  ];
}

function absolute(value: Value): Value {
  if (value instanceof Double) return new Double(Math.abs(value.value));
  if (value instanceof Uint) return value;
  if (typeof value === 'number') return Math.abs(value);
  if (typeof value !== 'bigint') throw noSuchOverload();
  if (value === -(2n ** 63n)) throw evaluationError('integer overflow');
  return value < 0n ? -value : value;
}

function sign(value: Value): Value {
  if (value instanceof Double) return new Double(Math.sign(value.value));
  if (value instanceof Uint) return new Uint(value.value === 0 ? 0 : 1);
  return (value as Int) > 0 ? 1 : (value as Int) < 0 ? -1 : 0;
}

const ofEach = (name: string, run: (value: Value) => Value): Overload[] =>
  numbers.map(([kind, type]) => row(`math_${name}_${kind}`, [type], type, run));

export const mathLibrary: Library = {
  name: 'math',
  macros: [extremeMacro('greatest', 'math.@max'), extremeMacro('least', 'math.@min')],
  functions: functions({
    'math.@max': extreme('max'),
    'math.@min': extreme('min'),
    'math.ceil': rounding('ceil', Math.ceil),
    'math.floor': rounding('floor', Math.floor),
    'math.round': rounding('round', round),
    'math.trunc': rounding('trunc', Math.trunc),
    'math.isInf': test('isInf', (x) => Math.abs(x) === Infinity),
    'math.isNaN': test('isNaN', Number.isNaN),
    'math.isFinite': test('isFinite', Number.isFinite),
    'math.abs': ofEach('abs', absolute),
    'math.sign': ofEach('sign', sign),
    'math.sqrt': numbers.map(([kind, type]) =>
      row(`math_sqrt_${kind}`, [type], doubleType, (x: Value) => {
        const number = x instanceof Double || x instanceof Uint ? x.value : (x as Int);
        return new Double(Math.sqrt(Number(number)));
      }),
    ),
    'math.bitAnd': bits('bitAnd', (a, b) => a & b),
    'math.bitOr': bits('bitOr', (a, b) => a | b),
    'math.bitXor': bits('bitXor', (a, b) => a ^ b),
    'math.bitNot': [
      row('math_bitNot_int_int', [intType], intType, (a: Int) => int(~BigInt(a))),
      row('math_bitNot_uint_uint', [uintType], uintType, (a: Uint) => uint(~BigInt(a.value))),
    ],
    'math.bitShiftLeft': shift('bitShiftLeft', (a, by) => a << by),
    'math.bitShiftRight': shift('bitShiftRight', (a, by) => a >> by),
  }),
};
