/**
 * The common root of values that JavaScript has no type for. See value.ts for all of them.
 */
export type BoxedKind =
  | 'uint'
  | 'double'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'object'
  | 'optional'
  | 'opaque'
  | 'type';

export abstract class Boxed {
  abstract get valueKind(): BoxedKind;
}
