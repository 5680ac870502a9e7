/**
 * The check: every name is resolved, every call gets its overloads, every node its type.
 *
 * The tree that comes out has full names (`a.b.c` becomes one identifier when that is a variable)
 * and is otherwise the tree that went in. All mistakes are reported, not only the first. A part
 * with a mistake gets the type `error`, which fits everything, so each mistake is reported once.
 *
 * Bounds: as deep as the tree; linear in its nodes, times the overloads of a function.
 */
import type {
  Ast,
  CallExpr,
  CheckedAst,
  ComprehensionExpr,
  Expr,
  ListExpr,
  MapExpr,
  Reference,
  SelectExpr,
  StructExpr,
} from '../ast.ts';
import type { FunctionDeclaration, Overload } from '../declaration.ts';
import { eachLargePart } from '../large-parts.ts';
import type { Issues } from '../syntax/issues.ts';
import { locationOf } from '../syntax/source.ts';
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  intType,
  isDynamic,
  isOptional,
  listType,
  mapType,
  nullType,
  objectType,
  optionalType,
  sameType,
  stringType,
  typeParameter,
  uintType,
} from '../type.ts';
import type { Type } from '../type.ts';
import { Double, Uint } from '../value.ts';
import type { Value } from '../value.ts';
import { Scope } from './scope.ts';
import type { Declarations } from './scope.ts';
import { moreGeneral, Substitution } from './substitution.ts';

export interface CheckOptions {
  readonly declarations: Declarations;
  readonly homogeneousLiterals: boolean;
  /** Overloads that are there at run time, but not for checked expressions. */
  readonly hiddenOverloads: ReadonlySet<string>;
}

const isDyn = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'any';

const unwrapOptional = (type: Type): Type | undefined =>
  isOptional(type) ? type.parameters[0] : undefined;

function constantType(value: Value): Type {
  if (value === null) return nullType;
  if (typeof value === 'boolean') return boolType;
  if (typeof value === 'string') return stringType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Double) return doubleType;
  return value instanceof Uint8Array ? bytesType : intType;
}

/** `a.b.c` as its names; undefined when it is something else. */
function qualifiedNames(expr: Expr): string[] | undefined {
  const names: string[] = [];
  let at = expr;
  while (at.kind === 'select') {
    if (at.testOnly) return undefined;
    names.push(at.field);
    at = at.operand;
  }
  if (at.kind !== 'ident') return undefined;
  names.push(at.name);
  return names.reverse();
}

export class Checker {
  readonly #ast: Ast;
  readonly #issues: Issues;
  readonly #options: CheckOptions;
  readonly #scope: Scope;
  readonly #types = new Map<number, Type>();
  readonly #references = new Map<number, Reference>();
  readonly #substitution = new Substitution();
  /** Parts of a large tree. */
  readonly #checked = new Map<Expr, Expr>();
  #typeVariables = 0;

  constructor(ast: Ast, issues: Issues, options: CheckOptions) {
    this.#ast = ast;
    this.#issues = issues;
    this.#options = options;
    this.#scope = new Scope(options.declarations);
  }

  /** Yields between the parts of a large tree. */
  *check(): Generator<undefined, CheckedAst, undefined> {
    const { expr: root } = this.#ast;
    yield* eachLargePart(root, (part) => this.#checked.set(part, this.#check(part)));
    const expr = this.#check(root);
    yield;
    for (const [id, type] of this.#types) {
      if (type.isGeneric) this.#types.set(id, this.#substitution.apply(type, true));
    }
    const type = this.#types.get(expr.id) ?? dynType;
    return { ...this.#ast, expr, types: this.#types, references: this.#references, type };
  }

  #report(id: number, message: string): void {
    this.#issues.add(locationOf(this.#issues.source, this.#ast.positions.get(id) ?? 0), message);
  }

  #mismatch(id: number, expected: Type, actual: Type): void {
    this.#report(id, `expected type '${expected.text}' but found '${actual.text}'`);
  }

  #undeclared(id: number, name: string): void {
    const { container } = this.#scope;
    this.#report(id, `undeclared reference to '${name}' (in container '${container}')`);
  }

  #type(expr: Expr): Type {
    return this.#types.get(expr.id) ?? errorType;
  }

  #newTypeVariable(): Type {
    this.#typeVariables += 1;
    return typeParameter(`_var${this.#typeVariables - 1}`);
  }

  #check(expr: Expr): Expr {
    const checked = this.#checked.get(expr);
    if (checked !== undefined) return checked;
    switch (expr.kind) {
      case 'constant':
        this.#types.set(expr.id, constantType(expr.value));
        return expr;
      case 'ident':
        return this.#ident(expr.id, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
      case 'unspecified':
        this.#types.set(expr.id, errorType);
        this.#report(expr.id, 'unexpected unspecified type: unspecified');
        return expr;
    }
  }

  #ident(id: number, name: string): Expr {
    const found = this.#scope.ident(name);
    if (found === undefined) {
      this.#types.set(id, errorType);
      this.#undeclared(id, name);
      return { kind: 'ident', id, name };
    }
    this.#types.set(id, found.type);
    if (!found.isLocal) this.#refer(id, found.name, found.value);
    return { kind: 'ident', id, name: found.name };
  }

  #refer(id: number, name: string, value: Value | undefined): void {
    const reference: Reference =
      value === undefined ? { kind: 'variable', name } : { kind: 'constant', name, value };
    this.#references.set(id, reference);
  }

  #select(expr: SelectExpr): Expr {
    const names = qualifiedNames(expr);
    const found = names && this.#scope.qualified(names);
    if (found !== undefined) {
      this.#types.set(expr.id, found.type);
      this.#refer(expr.id, found.name, found.value);
      return { kind: 'ident', id: expr.id, name: found.name };
    }
    const operand = this.#check(expr.operand);
    const type = this.#fieldType(expr.id, operand, expr.field, false);
    const result = expr.testOnly ? boolType : this.#substitution.apply(type, false);
    this.#types.set(expr.id, result);
    return { ...expr, operand };
  }

  #fieldType(id: number, operand: Expr, field: string, optional: boolean): Type {
    const operandType = this.#substitution.apply(this.#type(operand), false);
    const inner = unwrapOptional(operandType);
    const result = this.#memberType(id, inner ?? operandType, field);
    return inner !== undefined || optional ? optionalType(result) : result;
  }

  #memberType(id: number, type: Type, field: string): Type {
    switch (type.kind) {
      case 'map':
        return type.parameters[1] as Type;
      case 'object': {
        const found = this.#scope.field(type, field);
        if (found === undefined) this.#report(id, `undefined field '${field}'`);
        return found ?? errorType;
      }
      case 'parameter':
        this.#substitution.fits(dynType, type);
        return dynType;
      default:
        if (!isDynamic(type)) {
          this.#report(id, `type '${type.text}' does not support field selection`);
        }
        return dynType;
    }
  }

  #optionalSelect(expr: CallExpr): Expr {
    const [target, name] = expr.args as [Expr, Expr];
    const operand = this.#check(target);
    const field = name.kind === 'constant' ? name.value : undefined;
    if (typeof field !== 'string') {
      this.#report(name.id, 'unsupported optional field selection');
      this.#types.set(expr.id, errorType);
      return expr;
    }
    const type = this.#fieldType(expr.id, operand, field, true);
    this.#types.set(expr.id, this.#substitution.apply(type, false));
    this.#references.set(expr.id, { kind: 'function', overloadIds: ['select_optional_field'] });
    return { ...expr, args: [operand, name] };
  }

  #call(expr: CallExpr): Expr {
    if (expr.function === '_?._') return this.#optionalSelect(expr);
    const args = expr.args.map((arg) => this.#check(arg));
    if (expr.target === undefined) {
      const found = this.#scope.function(expr.function);
      if (found === undefined) return this.#noFunction({ ...expr, args });
      this.#resolve(expr.id, found, undefined, args);
      return { ...expr, function: found.name, args };
    }
    // `a.b.f(x)`: the function `a.b.f`, or the method `f` of `a.b`.
    const names = qualifiedNames(expr.target);
    const namespaced = names && this.#scope.function([...names, expr.function].join('.'));
    if (namespaced !== undefined) {
      this.#resolve(expr.id, namespaced, undefined, args);
      return { ...expr, target: undefined, function: namespaced.name, args };
    }
    const target = this.#check(expr.target);
    const method = this.#scope.function(expr.function);
    if (method === undefined) return this.#noFunction({ ...expr, target, args });
    this.#resolve(expr.id, method, target, args);
    return { ...expr, target, args };
  }

  #noFunction(expr: CallExpr): Expr {
    this.#types.set(expr.id, errorType);
    this.#undeclared(expr.id, expr.function);
    return expr;
  }

  #resolve(
    id: number,
    declaration: FunctionDeclaration,
    target: Expr | undefined,
    args: readonly Expr[],
  ): void {
    const operands = target === undefined ? args : [target, ...args];
    if (declaration.name === '_&&_' || declaration.name === '_||_') {
      return this.#resolveLogic(id, declaration, args);
    }
    const types = operands.map((operand) => this.#type(operand));
    const overloadIds: string[] = [];
    let result: Type | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== (target !== undefined)) continue;
      if (this.#options.hiddenOverloads.has(overload.id)) continue;
      const { parameters, result: overloadResult } = this.#instance(overload);
      if (!this.#substitution.allFit(types, parameters)) continue;
      overloadIds.push(overload.id);
      const found = this.#substitution.apply(overloadResult, false);
      if (result === undefined) result = found;
      else if (!isDyn(result) && !sameType(result, found)) result = dynType;
    }
    if (result === undefined) {
      const shown = types.map((type) => this.#substitution.apply(type, true).text);
      const on = target === undefined ? '' : `${shown.shift()}.`;
      const signature = `${on}(${shown.join(', ')})`;
      const { name } = declaration;
      this.#report(id, `found no matching overload for '${name}' applied to '${signature}'`);
      this.#types.set(id, errorType);
      return;
    }
    this.#types.set(id, result);
    this.#references.set(id, { kind: 'function', overloadIds });
  }

  /** A signature whose type parameters nothing else uses. */
  #instance(overload: Overload): { readonly parameters: readonly Type[]; readonly result: Type } {
    const { args, result } = overload;
    if (!result.isGeneric && !args.some((arg) => arg.isGeneric))
      return { parameters: args, result };
    const instantiate = this.#instantiator(new Substitution());
    return { parameters: args.map(instantiate), result: instantiate(result) };
  }

  /** Replaces the parameters of one signature by variables that nothing else uses. */
  #instantiator(fresh: Substitution): (type: Type) => Type {
    const seen = new Set<string>();
    const meet = (type: Type): void => {
      if (type.kind === 'parameter' && !seen.has(type.name)) {
        seen.add(type.name);
        fresh.bind(type, this.#newTypeVariable());
      }
      type.parameters.forEach(meet);
    };
    return (type) => {
      if (!type.isGeneric) return type;
      meet(type);
      return fresh.apply(type, false);
    };
  }

  #resolveLogic(id: number, declaration: FunctionDeclaration, args: readonly Expr[]): void {
    let wrong = false;
    for (const arg of args) {
      if (this.#substitution.fits(this.#type(arg), boolType)) continue;
      this.#mismatch(arg.id, boolType, this.#type(arg));
      wrong = true;
    }
    this.#types.set(id, wrong ? errorType : boolType);
    const overloadIds = declaration.overloads.map((overload) => overload.id);
    if (!wrong) this.#references.set(id, { kind: 'function', overloadIds });
  }

  #join(at: Expr, previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    if (this.#substitution.fits(previous, current)) return moreGeneral(previous, current);
    if (!this.#options.homogeneousLiterals) return dynType;
    this.#mismatch(at.id, previous, current);
    return errorType;
  }

  /** The type of what `?value` adds. */
  #optionalPart(value: Expr): Type {
    const type = this.#type(value);
    const inner = unwrapOptional(type);
    if (inner === undefined && !isDyn(type)) this.#mismatch(value.id, optionalType(type), type);
    return inner ?? type;
  }

  #list(expr: ListExpr): Expr {
    const optional = new Set(expr.optionalIndices);
    let elementType: Type | undefined;
    const elements = expr.elements.map((written, i) => {
      const element = this.#check(written);
      const type = optional.has(i) ? this.#optionalPart(element) : this.#type(element);
      elementType = this.#join(element, elementType, type);
      return element;
    });
    this.#types.set(expr.id, listType(elementType ?? this.#newTypeVariable()));
    return { ...expr, elements };
  }

  #map(expr: MapExpr): Expr {
    let keyType: Type | undefined;
    let valueType: Type | undefined;
    const entries = expr.entries.map((entry) => {
      const key = this.#check(entry.key);
      keyType = this.#join(key, keyType, this.#type(key));
      const value = this.#check(entry.value);
      const type = entry.optional ? this.#optionalPart(value) : this.#type(value);
      valueType = this.#join(value, valueType, type);
      return { ...entry, key, value };
    });
    const type = mapType(keyType ?? this.#newTypeVariable(), valueType ?? this.#newTypeVariable());
    this.#types.set(expr.id, type);
    return { ...expr, entries };
  }

  #struct(expr: StructExpr): Expr {
    const found = this.#scope.type(expr.typeName);
    if (found === undefined) {
      this.#types.set(expr.id, errorType);
      this.#undeclared(expr.id, expr.typeName);
      return expr;
    }
    const { type } = found;
    // Some messages are scalars, lists or maps in the language; they are made by their names.
    const message = type.kind === 'object' ? type : objectType(found.name);
    if (type.kind !== 'object' && !found.name.startsWith('google.protobuf.')) {
      this.#report(expr.id, `'${type.text}' is not a message type`);
    }
    this.#types.set(expr.id, type);
    this.#refer(expr.id, found.name, undefined);
    const fields = expr.fields.map((field) => {
      const value = this.#check(field.value);
      const fieldType = this.#scope.field(message, field.name);
      if (fieldType === undefined) this.#report(field.id, `undefined field '${field.name}'`);
      const valueType = field.optional ? this.#optionalPart(value) : this.#type(value);
      if (fieldType !== undefined && !this.#substitution.fits(fieldType, valueType)) {
        const expected = `expected type of field '${field.name}' is '${fieldType.text}'`;
        this.#report(field.id, `${expected} but provided type is '${valueType.text}'`);
      }
      return { ...field, value };
    });
    return { ...expr, typeName: found.name, fields };
  }

  #comprehension(expr: ComprehensionExpr): Expr {
    const range = this.#check(expr.range);
    const init = this.#check(expr.init);
    const accuType = this.#type(init);
    this.#scope.enter([[expr.accuVar, accuType]]);
    const [type, type2] = this.#iterationTypes(range, expr.iterVar2 !== undefined);
    const variables: [string, Type][] = [[expr.iterVar, type]];
    if (expr.iterVar2 !== undefined) variables.push([expr.iterVar2, type2]);
    this.#scope.enter(variables);
    const condition = this.#check(expr.condition);
    this.#assert(condition, boolType);
    const step = this.#check(expr.step);
    this.#assert(step, accuType);
    this.#scope.leave();
    const result = this.#check(expr.result);
    this.#scope.leave();
    this.#types.set(expr.id, this.#substitution.apply(this.#type(result), false));
    return { ...expr, range, init, condition, step, result };
  }

  #iterationTypes(range: Expr, two: boolean): [Type, Type] {
    const type = this.#substitution.apply(this.#type(range), false);
    const [first, second] = type.parameters;
    switch (type.kind) {
      case 'list':
        return [two ? intType : (first as Type), first as Type];
      case 'map':
        return [first as Type, second as Type];
      case 'dyn':
      case 'any':
      case 'error':
      case 'parameter':
        this.#substitution.fits(dynType, type);
        return [dynType, dynType];
      default: {
        const what = `expression of type '${type.text}' cannot be range of a comprehension`;
        this.#report(range.id, `${what} (must be list, map, or dynamic)`);
        return [errorType, errorType];
      }
    }
  }

  #assert(expr: Expr, expected: Type): void {
    const type = this.#type(expr);
    if (!this.#substitution.fits(expected, type)) this.#mismatch(expr.id, expected, type);
  }
}
