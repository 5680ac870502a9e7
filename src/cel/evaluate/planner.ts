/**
 * Compiles a tree to closures. Whatever the types decide is decided here, once: which overload,
 * which comparison, where a variable is.
 *
 * Each node charges its cost when it is reached. So the cost equals the reference's also where an
 * error occurs, absorbed or not.
 */
import type { Ast, CallExpr, CheckedAst, Expr, MapExpr, StructExpr } from '../ast.ts';
import { conversions } from '../check/literal-patterns.ts';
import { candidateNames } from '../check/scope.ts';
import type { Declarations } from '../check/scope.ts';
import type { CostTable } from '../cost.ts';
import type { FunctionDeclaration } from '../declaration.ts';
import { evaluationError, noSuchOverload } from '../evaluation-error.ts';
import { eachLargePart } from '../large-parts.ts';
import { isDynamic, objectType } from '../type.ts';
import type { Type } from '../type.ts';
import { none, OptionalValue } from '../value.ts';
import type { Value } from '../value.ts';
import { constantPlan } from './frame.ts';
import type { Frame, Planned } from './frame.ts';
import type { Failure } from './failure.ts';
import { hasFailed, isLong, ofOperands } from './in-parts.ts';
import { EntryMap } from './maps.ts';
import {
  namesOf,
  planIndex,
  planLocal,
  planOptionalSelect,
  planSelect,
  planUnresolved,
  planVariable,
} from './plan-attribute.ts';
import { isAlternative, planAlternative } from './plan-alternative.ts';
import { evaluatesAll, planCall } from './plan-call.ts';
import {
  isOrder,
  planEquality,
  planIntSum,
  planScalarOrder,
  planSizedOrder,
} from './plan-comparison.ts';
import { planComprehension } from './plan-comprehension.ts';
import type { ComprehensionContext } from './plan-comprehension.ts';
import { planConditional, planLogic, planNot } from './plan-logic.ts';
import { planMembership } from './plan-membership.ts';

export interface PlanOptions {
  readonly declarations: Declarations;
  readonly costs: CostTable;
  readonly foldConstants: boolean;
}

interface Local {
  readonly name: string;
  readonly slot: number;
  readonly mayFail: boolean;
}

export class Planner implements ComprehensionContext {
  readonly costs: CostTable;
  readonly foldConstants: boolean;
  readonly #declarations: Declarations;
  readonly #types: ReadonlyMap<number, Type> | undefined;
  readonly #references: CheckedAst['references'] | undefined;
  readonly #locals: Local[] = [];
  /** Parts of a large tree. */
  readonly #planned = new Map<Expr, Planned>();
  localsCount = 0;
  /** Why a conversion of a constant has no value; undefined: all have one. */
  conversionProblem: string | undefined;
  /** Slots for operands that are evaluated in parts. */
  operandsCount = 0;

  constructor(ast: Ast | CheckedAst, options: PlanOptions) {
    this.costs = options.costs;
    this.foldConstants = options.foldConstants;
    this.#declarations = options.declarations;
    this.#types = 'types' in ast ? ast.types : undefined;
    this.#references = 'types' in ast ? ast.references : undefined;
  }

  /** Yields between the parts of a large tree. */
  *planInParts(root: Expr): Generator<undefined, Planned, undefined> {
    yield* eachLargePart(root, (part) => this.#planned.set(part, this.plan(part)));
    return this.plan(root);
  }

  plan(expr: Expr): Planned {
    const planned = this.#planned.get(expr);
    if (planned !== undefined) return planned;
    switch (expr.kind) {
      case 'constant':
        return constantPlan(expr.value);
      case 'ident':
        return this.#name(expr, [expr.name]);
      case 'select': {
        const names = this.#references === undefined ? namesOf(expr) : undefined;
        if (names !== undefined && this.#local(names[0] as string) === undefined) {
          return planUnresolved(names, this.#declarations, this.costs);
        }
        return this.#strict([this.plan(expr.operand)], ([operand]) =>
          planSelect(operand as Planned, expr, this.costs),
        );
      }
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr.elements, new Set(expr.optionalIndices));
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return planComprehension(expr, this);
      case 'unspecified':
        return {
          run: () => {
            throw noSuchOverload();
          },
        };
    }
  }

  withLocals<T>(names: readonly string[], body: (slots: readonly number[]) => T): T {
    const slots = names.map((name) => {
      const slot = this.localsCount;
      this.localsCount += 1;
      this.#locals.push({ name, slot, mayFail: true });
      return slot;
    });
    const result = body(slots);
    this.#locals.length -= names.length;
    return result;
  }

  #local(name: string): Local | undefined {
    return this.#locals.findLast((local) => local.name === name);
  }

  #name(expr: Expr & { readonly id: number }, names: readonly string[]): Planned {
    const name = names[0] as string;
    const local = this.#local(name);
    if (local !== undefined) return planLocal(local.slot, local.mayFail, this.costs);
    const reference = this.#references?.get(expr.id);
    if (reference?.kind === 'constant') return constantPlan(reference.value);
    if (reference?.kind === 'variable') {
      return planVariable(reference.name.replace(/^\./, ''), this.costs);
    }
    return planUnresolved(names, this.#declarations, this.costs);
  }

  /** Undefined: its value may have any type. */
  #typeOf(expr: Expr): Type | undefined {
    if (this.#isGuessed(expr)) return undefined;
    const type = this.#types?.get(expr.id);
    return type === undefined || isDynamic(type) ? undefined : type;
  }

  /** The check found no type, and took the one that is wanted: of what is in an optional that
   * comes from data of an unknown type. */
  #isGuessed(expr: Expr): boolean {
    if (expr.kind !== 'call' || expr.target === undefined) return false;
    return ofOptionals.has(expr.function) && this.#typeOf(expr.target) === undefined;
  }

  #call(expr: CallExpr): Planned {
    const { args } = expr;
    if (expr.target === undefined) {
      const [first, second, third] = args as [Expr, Expr, Expr];
      switch (expr.function) {
        case '_&&_':
          return planLogic(this.plan(first), this.plan(second), false);
        case '_||_':
          return planLogic(this.plan(first), this.plan(second), true);
        case '_?_:_':
          return planConditional(this.plan(first), this.plan(second), this.plan(third));
        case '!_':
          return this.#strict([this.plan(first)], ([operand]) => planNot(operand as Planned));
        case '_==_':
        case '_!=_':
          return this.#equality(expr);
        case '_[_]':
        case '_[?_]': {
          const optional = expr.function === '_[?_]';
          const make = ([operand, key]: readonly Planned[]): Planned =>
            planIndex(operand as Planned, key as Planned, optional, this.costs);
          return this.#strict([this.plan(first), this.plan(second)], make, isAbsent);
        }
        case '_?._':
          return this.#optionalSelect(first, second);
        default:
      }
    }
    return this.#operatorOrFunction(expr);
  }

  #equality({ args, function: name }: CallExpr): Planned {
    const operands = args.map((arg) => this.plan(arg));
    const make = ([left, right]: readonly Planned[]): Planned =>
      planEquality(left as Planned, right as Planned, name === '_!=_', this.costs.stringTraversal);
    return this.#strict(operands, make, never);
  }

  #optionalSelect(operand: Expr, field: Expr): Planned {
    const name = field.kind === 'constant' ? String(field.value) : '';
    return this.#strict([this.plan(operand)], ([target]) =>
      planOptionalSelect(target as Planned, name, this.costs),
    );
  }

  #operatorOrFunction(expr: CallExpr): Planned {
    return this.#specialised(expr) ?? this.#function(expr);
  }

  /** `planned`: its operands, where they are planned already. */
  #function(expr: CallExpr, planned?: readonly Planned[]): Planned {
    const found = this.#functionOf(expr);
    if (found === undefined) {
      return {
        run: () => {
          throw evaluationError(`no such overload: ${expr.function}`);
        },
      };
    }
    const { declaration, target } = found;
    const operandExprs = target === undefined ? expr.args : [target, ...expr.args];
    const operands = planned ?? operandExprs.map((operand) => this.plan(operand));
    const reference = this.#references?.get(expr.id);
    const ids = reference?.kind === 'function' ? reference.overloadIds : undefined;
    const isSure = !operandExprs.some((operand) => this.#isGuessed(operand));
    const overloads = declaration.overloads.filter(
      (overload) =>
        overload.member === (target !== undefined) &&
        overload.args.length === operands.length &&
        (ids === undefined || !isSure || ids.includes(overload.id)),
    );
    const [overload] = overloads;
    if (overload !== undefined && isAlternative(overload.id)) {
      return planAlternative(overload.id, operands[0] as Planned, operands[1] as Planned);
    }
    const operandTypes = operandExprs.map((operand) => this.#typeOf(operand));
    const { name } = declaration;
    const make = (values: readonly Planned[]): Planned =>
      planCall({ name, operands: values, operandTypes, overloads }, this.costs);
    const call = this.#strict(
      operands,
      make,
      evaluatesAll(name, operands, overloads.length) ? never : hasFailed,
    );
    return this.#folded(name, operands, call);
  }

  /** Operators on types that the check knows. */
  #specialised(expr: CallExpr): Planned | undefined {
    const { function: name, args } = expr;
    if (expr.target !== undefined || args.length !== 2) return undefined;
    const [left, right] = args as [Expr, Expr];
    const kind = this.#typeOf(left)?.kind;
    const isSame = kind !== undefined && kind === this.#typeOf(right)?.kind;
    if (isOrder(name)) return this.#order(name, left, right);
    if ((name === '_+_' || name === '_-_') && isSame && kind === 'int') {
      const make = ([a, b]: readonly Planned[]): Planned =>
        planIntSum(name, a as Planned, b as Planned);
      return this.#strict([this.plan(left), this.plan(right)], make, never);
    }
    if (name === '@in' && this.foldConstants && this.#typeOf(right)?.kind === 'list') {
      return this.#membership(expr, this.plan(left), this.plan(right));
    }
    return undefined;
  }

  #membership(expr: CallExpr, item: Planned, list: Planned): Planned {
    const found = planMembership(item, list);
    if (found === undefined) return this.#function(expr, [item, list]);
    if (!isLong(item)) return found;
    return this.#strict([item], ([value]) => planMembership(value as Planned, list) ?? found);
  }

  /** Whatever overloads the check left, values of all types that have an order are compared. */
  #order(name: Parameters<typeof planScalarOrder>[0], left: Expr, right: Expr): Planned {
    const isSized = [left, right].some((operand) => {
      const kind = this.#typeOf(operand)?.kind;
      return kind === 'string' || kind === 'bytes';
    });
    const make = (operands: readonly Planned[]): Planned => {
      const [a, b] = operands as [Planned, Planned];
      return isSized
        ? planSizedOrder(name, a, b, this.costs.stringTraversal)
        : planScalarOrder(name, a, b);
    };
    return this.#strict([this.plan(left), this.plan(right)], make, never);
  }

  #functionOf(
    expr: CallExpr,
  ): { declaration: FunctionDeclaration; target: Expr | undefined } | undefined {
    const { container, functions } = this.#declarations;
    const lookUp = (name: string): FunctionDeclaration | undefined =>
      candidateNames(container, name)
        .map((candidate) => functions.get(candidate))
        .find((declaration) => declaration !== undefined);
    const { target } = expr;
    if (target !== undefined && this.#references === undefined) {
      const names = namesOf(target);
      const namespaced = names && lookUp([...names, expr.function].join('.'));
      if (namespaced !== undefined) return { declaration: namespaced, target: undefined };
    }
    const declaration = lookUp(expr.function);
    return declaration && { declaration, target };
  }

  #folded(name: string, operands: readonly Planned[], planned: Planned): Planned {
    if (!this.foldConstants || !conversions.has(name)) return planned;
    if (operands.length !== 1 || operands[0]?.constant === undefined) return planned;
    try {
      return constantPlan(madeOnce(planned));
    } catch (error) {
      this.conversionProblem ??= error instanceof Error ? error.message : String(error);
      return planned;
    }
  }

  #list(elements: readonly Expr[], optional: ReadonlySet<number>): Planned {
    const planned = elements.map((element) => this.plan(element));
    const isConstant = planned.every((element) => element.constant !== undefined);
    if (this.foldConstants && isConstant && optional.size === 0) {
      return constantPlan(planned.map((element) => element.constant as Value));
    }
    const { listLiteral } = this.costs;
    return this.#strict(planned, (operands) => {
      const runs = operands.map(({ run }) => run);
      const run = (frame: Frame): Value => {
        frame.cost += listLiteral;
        const made: Value[] = [];
        for (let i = 0; i < runs.length; i += 1) {
          const value = (runs[i] as Planned['run'])(frame);
          if (!optional.has(i)) made.push(value);
          else addOptional(value, (inner) => made.push(inner));
        }
        return made;
      };
      return { run };
    });
  }

  #map(expr: MapExpr): Planned {
    const entries = expr.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    const { mapLiteral } = this.costs;
    const planned = this.#strict(
      entries.flatMap(({ key, value }) => [key, value]),
      (operands) => {
        const run = (frame: Frame): Value => {
          frame.cost += mapLiteral;
          const pairs: (readonly [Value, Value])[] = [];
          for (const [at, { optional }] of entries.entries()) {
            const name = (operands[2 * at] as Planned).run(frame);
            const made = (operands[2 * at + 1] as Planned).run(frame);
            if (optional) addOptional(made, (inner) => pairs.push([name, inner]));
            else pairs.push([name, made]);
          }
          return EntryMap.of(pairs);
        };
        return { run };
      },
    );
    const isConstant = entries.every(
      ({ key, value, optional }) =>
        key.constant !== undefined && value.constant !== undefined && !optional,
    );
    const constant = this.foldConstants && isConstant ? constantOf(planned) : undefined;
    return constant === undefined ? planned : constantPlan(constant);
  }

  #struct(expr: StructExpr): Planned {
    const { container, providers, types } = this.#declarations;
    const fields = expr.fields.map((field) => ({ ...field, planned: this.plan(field.value) }));
    const { structLiteral } = this.costs;
    const candidates = candidateNames(container, expr.typeName);
    const known = candidates.find(
      (name) => types.has(name) || providers.some((provider) => provider.findType(name)),
    );
    const provider = providers.find((one) => known !== undefined && one.findType(known));
    const values = fields.map(({ planned }) => planned);
    return this.#strict(values, (operands) => {
      const run = (frame: Frame): Value => {
        frame.cost += structLiteral;
        const made = new Map<string, Value>();
        for (const [at, { name, optional }] of fields.entries()) {
          const value = (operands[at] as Planned).run(frame);
          if (optional) addOptional(value, (inner) => made.set(name, inner));
          else made.set(name, value);
        }
        if (provider === undefined || known === undefined) {
          throw evaluationError(`unknown type: ${expr.typeName}`);
        }
        return provider.create(objectType(known), made);
      };
      return { run };
    });
  }

  /** A node that needs all of its operands. `stops`: no operand after this one is evaluated. */
  #strict(
    operands: readonly Planned[],
    make: (operands: readonly Planned[]) => Planned,
    stops: (found: Value | Failure) => boolean = hasFailed,
  ): Planned {
    const newSlot = (): number => {
      this.operandsCount += 1;
      return this.operandsCount - 1;
    };
    return ofOperands(operands, make, newSlot, stops);
  }
}

/** Nothing is looked up in what is not there. */
const isAbsent = (found: Value | Failure): boolean => found === none || hasFailed(found);

const ofOptionals: ReadonlySet<string> = new Set(['value', 'or', 'orValue']);

/** Both operands of a binary operator are evaluated, even where the first has failed. */
const never = (): boolean => false;

/** What an entry with `?` adds: nothing when it is none. */
function addOptional(value: Value, add: (inner: Value) => void): void {
  if (!(value instanceof OptionalValue)) {
    throw evaluationError('cannot initialize optional entry from a value that is not optional');
  }
  if (value.value !== undefined) add(value.value);
}

/** The value of something that depends on nothing; undefined when it fails. */
function constantOf(planned: Planned): Value | undefined {
  try {
    return madeOnce(planned);
  } catch {
    return undefined;
  }
}

/** Of what needs no data, and costs nothing. Throws what it fails with. */
function madeOnce({ run }: Planned): Value {
  return run({ charge: () => undefined, cost: 0 } as unknown as Frame);
}
