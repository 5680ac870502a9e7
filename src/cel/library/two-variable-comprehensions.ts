/**
 * Macros with two variables: index and element of a list, key and value of a map. all, exists,
 * existsOne, transformList, transformMap and transformMapEntry; the last two make maps.
 */
import type { Expr } from '../ast.ts';
import type { Library, Macro, MacroContext } from '../declaration.ts';
import { evaluationError } from '../evaluation-error.ts';
import { insertInto } from '../evaluate/maps.ts';
import { mapType, typeParameter } from '../type.ts';
import type { Value } from '../value.ts';
import { iterationVariable, quantifierParts, transformParts } from './macros.ts';

const notAName = 'argument must be a simple name';

type Variables = { readonly iterVar: string; readonly iterVar2: string };

function variables(context: MacroContext, args: readonly Expr[]): Variables | undefined {
  const [first, second] = args as [Expr, Expr];
  if (first.kind !== 'ident') return context.fail(first, notAName);
  if (second.kind !== 'ident') return context.fail(second, notAName);
  if (first.name === second.name) {
    return context.fail(second, `duplicate variable name: ${first.name}`);
  }
  const iterVar = iterationVariable(context, first, notAName);
  const iterVar2 = iterVar && iterationVariable(context, second, notAName);
  return iterVar === undefined || iterVar2 === undefined ? undefined : { iterVar, iterVar2 };
}

function quantifier(name: string, kind: 'all' | 'exists' | 'one', since: number): Macro {
  return {
    name,
    argumentCount: 3,
    member: true,
    since,
    expand(context, target, args) {
      const names = variables(context, args);
      if (names === undefined) return undefined;
      const parts = quantifierParts(kind, context, args[2] as Expr);
      const range = target as Expr;
      return context.comprehension({ ...names, range, accuVar: context.accumulator, ...parts });
    },
  };
}

type Shape = 'transformList' | 'transformMap' | 'transformMapEntry';

function transform(name: Shape, argumentCount: 3 | 4, since: number): Macro {
  return {
    name,
    argumentCount,
    member: true,
    since,
    expand(context, target, args) {
      const names = variables(context, args);
      if (names === undefined) return undefined;
      const made = args[argumentCount - 1] as Expr;
      const filter = argumentCount === 4 ? args[2] : undefined;
      const accu = (): Expr => context.ident(context.accumulator);
      const grow = (): Expr => {
        if (name === 'transformList') return context.call('_+_', accu(), context.list(made));
        if (name === 'transformMapEntry') return context.call('cel.@mapInsert', accu(), made);
        return context.call('cel.@mapInsert', accu(), context.ident(names.iterVar), made);
      };
      const step = transformParts(context, grow(), filter);
      const init = name === 'transformList' ? context.list() : context.map();
      const condition = context.constant(true);
      const accuVar = context.accumulator;
      const range = target as Expr;
      return context.comprehension({
        ...names,
        ...{ range, accuVar, init, condition, step, result: accu() },
      });
    },
  };
}

const key = typeParameter('K');
const value = typeParameter('V');
const map = mapType(key, value);

function insert(target: Value, added: Value, more?: Value): Value {
  try {
    return insertInto(target, added, more);
  } catch (error) {
    throw error instanceof Error ? error : evaluationError(String(error));
  }
}

/** `since` is the release that it came in. */
export function twoVariableComprehensions(since: number): Library {
  return {
    name: 'two-variable-comprehensions',
    macros: [
      quantifier('all', 'all', since),
      quantifier('exists', 'exists', since),
      quantifier('existsOne', 'one', since),
      quantifier('exists_one', 'one', since),
      ...(['transformList', 'transformMap', 'transformMapEntry'] as const).flatMap((name) => [
        transform(name, 3, since),
        transform(name, 4, since),
      ]),
    ],
    functions: [
      {
        name: 'cel.@mapInsert',
        overloads: [
          {
            id: '@mapInsert_map_key_value',
            args: [map, key, value],
            result: map,
            member: false,
            implementation: (target, name, added) => insert(target as Value, name as Value, added),
          },
          {
            id: '@mapInsert_map_map',
            args: [map, map],
            result: map,
            member: false,
            implementation: (target, added) => insert(target as Value, added as Value),
          },
        ],
      },
    ],
  };
}
