/**
 * Resolves names: variables of comprehensions, variables and constants of the environment, types,
 * functions. A name is looked up in the container first, from the inside out: in container `a.b`
 * the name `c` is `a.b.c`, `a.c` or `c`.
 */
import type { FunctionDeclaration, TypeProvider, VariableDeclaration } from '../declaration.ts';
import { intType, stringType, typeOfType } from '../type.ts';
import type { Type } from '../type.ts';
import type { Value } from '../value.ts';

export interface Declarations {
  readonly container: string;
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: ReadonlyMap<string, Type>;
  readonly providers: readonly TypeProvider[];
}

export interface Resolved {
  /** The full name; with a leading dot when a variable of a comprehension hides it. */
  readonly name: string;
  readonly type: Type;
  readonly value: Value | undefined;
  readonly isLocal: boolean;
}

export function candidateNames(container: string, name: string): readonly string[] {
  if (name.startsWith('.')) return [name.slice(1)];
  const names: string[] = [];
  for (let at = container; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    names.push(`${at}.${name}`);
  }
  names.push(name);
  return names;
}

export class Scope {
  readonly #declarations: Declarations;
  readonly #locals: Map<string, Type>[] = [];

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  get container(): string {
    return this.#declarations.container;
  }

  enter(variables: readonly (readonly [name: string, type: Type])[]): void {
    this.#locals.push(new Map(variables));
  }

  leave(): void {
    this.#locals.pop();
  }

  #local(name: string): Type | undefined {
    return this.#locals.findLast((scope) => scope.has(name))?.get(name);
  }

  ident(name: string): Resolved | undefined {
    const local = this.#local(name);
    if (local !== undefined) return { name, type: local, value: undefined, isLocal: true };
    return this.#global(name, name.startsWith('.') && this.#local(name.slice(1)) !== undefined);
  }

  /** `a.b.c` as one name. A local `a` has fields instead. */
  qualified(names: readonly string[]): Resolved | undefined {
    if (names.length === 1) return this.ident(names[0] as string);
    const first = names[0] as string;
    if (this.#local(first) !== undefined) return undefined;
    const hidden = first.startsWith('.') && this.#local(first.slice(1)) !== undefined;
    return this.#global(names.join('.'), hidden);
  }

  #global(name: string, hidden: boolean): Resolved | undefined {
    const { variables, types } = this.#declarations;
    for (const candidate of candidateNames(this.container, name)) {
      const full = hidden ? `.${candidate}` : candidate;
      const variable = variables.get(candidate);
      if (variable !== undefined) {
        const { type, value } = variable;
        return { name: full, type, value, isLocal: false };
      }
      const type = types.get(candidate) ?? this.#provided(candidate);
      if (type !== undefined) {
        return { name: full, type: typeOfType(type), value: type, isLocal: false };
      }
      const value = this.#constant(candidate);
      if (value !== undefined) {
        const constantType = typeof value === 'string' ? stringType : intType;
        return { name: full, type: constantType, value, isLocal: false };
      }
    }
    return undefined;
  }

  #provided(name: string): Type | undefined {
    for (const provider of this.#declarations.providers) {
      const type = provider.findType(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }

  #constant(name: string): Value | undefined {
    for (const provider of this.#declarations.providers) {
      const value = provider.findConstant?.(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  function(name: string): FunctionDeclaration | undefined {
    for (const candidate of candidateNames(this.container, name)) {
      const found = this.#declarations.functions.get(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The type that `Name{...}` makes, with its full name. */
  type(name: string): { readonly name: string; readonly type: Type } | undefined {
    for (const candidate of candidateNames(this.container, name)) {
      const type = this.#declarations.types.get(candidate) ?? this.#provided(candidate);
      if (type !== undefined) return { name: candidate, type };
    }
    return undefined;
  }

  field(type: Type, name: string): Type | undefined {
    for (const provider of this.#declarations.providers) {
      const found = provider.findField(type, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
