/**
 * Binds type parameters to types, and decides whether one type is assignable to another.
 *
 * `fits(a, b)` follows the reference: a parameter without a type is bound to the type that it is
 * compared with. When an attempt fails, its bindings are undone.
 */
import {
  dynType,
  isDynamic,
  listType,
  mapType,
  opaqueType,
  sameType,
  typeOfType,
} from '../type.ts';
import type { Type } from '../type.ts';

const isDyn = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'any';

/** A wrapper is its scalar here; only null tells them apart. */
const scalarOf = (type: Type): Type =>
  type.kind === 'wrapper' ? (type.parameters[0] as Type) : type;

const takesNull = (type: Type): boolean =>
  ['opaque', 'object', 'any', 'duration', 'timestamp', 'null', 'wrapper'].includes(type.kind);

/** Whether `a` says as much as `b` or less, so that it can stand for both. */
function isAsGeneral(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'parameter') return true;
  if (isDyn(b) || b.kind === 'parameter') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind === 'opaque' || a.kind === 'list' || a.kind === 'map') {
    return (
      a.name === b.name &&
      a.parameters.length === b.parameters.length &&
      a.parameters.every((parameter, i) => isAsGeneral(parameter, b.parameters[i] as Type))
    );
  }
  return sameType(a, b);
}

export const moreGeneral = (a: Type, b: Type): Type => (isAsGeneral(a, b) ? a : b);

export class Substitution {
  readonly #types = new Map<string, Type>();
  /** What each change replaced, to take changes back. */
  readonly #trail: [name: string, before: Type | undefined][] = [];

  /** From now on the parameter stands for this type. */
  bind(parameter: Type, type: Type): void {
    this.#set(parameter, type);
  }

  fits(a: Type, b: Type): boolean {
    return this.#attempt(() => this.#fits(a, b));
  }

  allFit(as: readonly Type[], bs: readonly Type[]): boolean {
    return as.length === bs.length && this.#attempt(() => this.#allFit(as, bs));
  }

  /** The type with its parameters replaced; those that have none become dyn when `toDyn`. */
  apply(type: Type, toDyn: boolean): Type {
    if (!type.isGeneric) return type;
    if (type.kind === 'parameter') {
      const found = this.#types.get(type.name);
      if (found !== undefined) return this.apply(found, toDyn);
      return toDyn ? dynType : type;
    }
    const [first, second] = type.parameters.map((parameter) => this.apply(parameter, toDyn));
    switch (type.kind) {
      case 'list':
        return listType(first as Type);
      case 'map':
        return mapType(first as Type, second as Type);
      case 'type':
        return typeOfType(first as Type);
      case 'opaque':
        return opaqueType(type.name, ...type.parameters.map((p) => this.apply(p, toDyn)));
      default:
        return type;
    }
  }

  #attempt(run: () => boolean): boolean {
    const mark = this.#trail.length;
    if (run()) return true;
    while (this.#trail.length > mark) {
      const [name, before] = this.#trail.pop() as [string, Type | undefined];
      if (before === undefined) this.#types.delete(name);
      else this.#types.set(name, before);
    }
    return false;
  }

  #set(parameter: Type, type: Type): void {
    this.#trail.push([parameter.name, this.#types.get(parameter.name)]);
    this.#types.set(parameter.name, type);
  }

  #allFit(as: readonly Type[], bs: readonly Type[]): boolean {
    return as.length === bs.length && as.every((a, i) => this.#fits(a, bs[i] as Type));
  }

  #fits(a: Type, b: Type): boolean {
    if (b.kind === 'parameter') {
      const hadType = this.#types.has(b.name);
      if (this.#standsFor(a, b)) return true;
      if (hadType) return false;
    }
    if (a.kind === 'parameter') return this.#standsFor(b, a);
    if (isDynamic(a) || isDynamic(b)) return true;
    if (a.kind === 'null') return takesNull(b);
    if (b.kind === 'null') return takesNull(a);
    const left = scalarOf(a);
    const right = scalarOf(b);
    switch (left.kind) {
      case 'type':
        return right.kind === 'type';
      case 'opaque':
      case 'list':
      case 'map':
        return (
          left.kind === right.kind &&
          left.name === right.name &&
          this.#allFit(left.parameters, right.parameters)
        );
      default:
        return left.kind === right.kind && left.name === right.name;
    }
  }

  /** Whether `type` can be what the parameter stands for; then it does, or something wider. */
  #standsFor(type: Type, parameter: Type): boolean {
    if (sameType(type, parameter)) return true;
    const found = this.#types.get(parameter.name);
    if (found !== undefined) {
      if (sameType(type, found)) return true;
      if (!this.#fits(type, found)) return false;
      const general = moreGeneral(type, found);
      if (!this.#contains(general, parameter)) this.#set(parameter, general);
      return true;
    }
    if (this.#contains(type, parameter)) return false;
    this.#set(parameter, type);
    return true;
  }

  #contains(type: Type, parameter: Type): boolean {
    if (!type.isGeneric) return false;
    if (sameType(type, parameter)) return true;
    if (type.kind === 'parameter') {
      const found = this.#types.get(type.name);
      return found !== undefined && this.#contains(found, parameter);
    }
    return type.parameters.some((inner) => this.#contains(inner, parameter));
  }
}
