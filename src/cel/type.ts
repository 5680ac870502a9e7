/**
 * Types of the expression language. A type is also a value: `type(1) == int`.
 *
 * Two types are equal when their texts are equal; the text is the one users see in errors:
 * `list(int)`, `map(string, dyn)`, `optional_type(string)`, `wrapper(int)`, `type(int)`.
 *
 * A type provider says which fields an object type has.
 */
import { Boxed } from './boxed.ts';

export type TypeKind =
  | 'dyn'
  | 'any'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  /** With named fields: a message, or an object of a schema. */
  | 'object'
  /** A named type without fields, for example `optional_type(int)` or a library's `ip`. */
  | 'opaque'
  /** A scalar that may be null. */
  | 'wrapper'
  | 'type'
  /** A parameter of an overload's signature, for example the T of `list(T)`. */
  | 'parameter';

export class Type extends Boxed {
  readonly kind: TypeKind;
  /** What `type(x)` prints: `int`, `list`, `google.protobuf.Timestamp`, the name of an object. */
  readonly name: string;
  readonly parameters: readonly Type[];
  readonly text: string;
  /** A parameter of a signature occurs in it. */
  readonly isGeneric: boolean;

  constructor(kind: TypeKind, name: string, parameters: readonly Type[], text: string) {
    super();
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.text = text;
    this.isGeneric = kind === 'parameter' || parameters.some((p) => p.isGeneric);
  }

  override get valueKind(): 'type' {
    return 'type';
  }
}

const simple = (kind: TypeKind, name: string, text: string = name): Type =>
  new Type(kind, name, [], text);

export const dynType = simple('dyn', 'dyn');
export const anyType = simple('any', 'google.protobuf.Any', 'any');
export const errorType = simple('error', 'error', '!error!');
export const nullType = simple('null', 'null_type', 'null');
export const boolType = simple('bool', 'bool');
export const intType = simple('int', 'int');
export const uintType = simple('uint', 'uint');
export const doubleType = simple('double', 'double');
export const stringType = simple('string', 'string');
export const bytesType = simple('bytes', 'bytes');
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp', 'timestamp');
export const durationType = simple('duration', 'google.protobuf.Duration', 'duration');
/** The type of types, of any of them. */
export const typeType = simple('type', 'type');

const joined = (parameters: readonly Type[]): string => parameters.map((p) => p.text).join(', ');

export const listType = (element: Type): Type =>
  new Type('list', 'list', [element], `list(${element.text})`);

export const mapType = (key: Type, value: Type): Type =>
  new Type('map', 'map', [key, value], `map(${key.text}, ${value.text})`);

export const objectType = (name: string): Type => simple('object', name);

export const opaqueType = (name: string, ...parameters: readonly Type[]): Type =>
  new Type(
    'opaque',
    name,
    parameters,
    parameters.length === 0 ? name : `${name}(${joined(parameters)})`,
  );

export const optionalType = (value: Type): Type => opaqueType('optional_type', value);

export const wrapperType = (of: Type): Type =>
  new Type('wrapper', of.name, [of], `wrapper(${of.text})`);

export const typeOfType = (of: Type): Type => new Type('type', 'type', [of], `type(${of.text})`);

export const typeParameter = (name: string): Type => simple('parameter', name);

export const sameType = (a: Type, b: Type): boolean => a === b || a.text === b.text;

export const isOptional = (type: Type): boolean =>
  type.kind === 'opaque' && type.name === 'optional_type';

/** `type` itself when its types are known: dyn, any and error stand for anything. */
export const isDynamic = (type: Type): boolean =>
  type.kind === 'dyn' || type.kind === 'any' || type.kind === 'error';

/** As a declaration has it: messages about results say `google.protobuf.Timestamp`, `null_type`. */
export function declaredText(type: Type): string {
  if (type.kind === 'wrapper') return type.text;
  const { name, parameters } = type;
  return parameters.length === 0 ? name : `${name}(${parameters.map(declaredText).join(', ')})`;
}
