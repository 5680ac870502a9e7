/**
 * The concrete syntax: what the recognizer found, from which the tree is built. Parts that
 * a mistake left out are undefined. Rules that only pass one other rule on leave nothing here.
 */
import type { Token } from './tokens.ts';

export type Concrete =
  | ConditionalForm
  | LogicForm
  | BinaryForm
  | UnaryForm
  | SelectForm
  | MemberCallForm
  | IndexForm
  | IdentForm
  | CallForm
  | ListForm
  | MapForm
  | MessageForm
  | LiteralForm
  /** No alternative fitted. */
  | { readonly form: 'broken' };

export interface ConditionalForm {
  readonly form: 'conditional';
  readonly op: Token;
  readonly condition: Concrete | undefined;
  whenTrue?: Concrete | undefined;
  whenFalse?: Concrete | undefined;
}

/** a || b || c, or with &&. `ops` and `rest` go together. */
export interface LogicForm {
  readonly form: 'logic';
  readonly name: '_||_' | '_&&_';
  readonly start: Token;
  readonly first: Concrete | undefined;
  readonly ops: Token[];
  readonly rest: (Concrete | undefined)[];
}

export interface BinaryForm {
  readonly form: 'binary';
  readonly start: Token;
  readonly left: Concrete | undefined;
  op?: Token | undefined;
  right?: Concrete | undefined;
}

/** One operator or several of it: `!!a`. */
export interface UnaryForm {
  readonly form: 'unary';
  readonly name: '!_' | '-_';
  readonly ops: Token[];
  operand?: Concrete | undefined;
}

export interface SelectForm {
  readonly form: 'select';
  readonly start: Token;
  readonly operand: Concrete | undefined;
  dot?: Token | undefined;
  optional?: Token | undefined;
  field?: Token | undefined;
}

export interface MemberCallForm {
  readonly form: 'member-call';
  readonly start: Token;
  readonly operand: Concrete | undefined;
  name?: Token | undefined;
  open?: Token | undefined;
  args?: (Concrete | undefined)[] | undefined;
}

export interface IndexForm {
  readonly form: 'index';
  readonly start: Token;
  readonly operand: Concrete | undefined;
  open?: Token | undefined;
  optional?: Token | undefined;
  index?: Concrete | undefined;
}

export interface IdentForm {
  readonly form: 'ident';
  readonly start: Token;
  leadingDot?: Token | undefined;
  name?: Token | undefined;
}

export interface CallForm {
  readonly form: 'call';
  readonly start: Token;
  leadingDot?: Token | undefined;
  name?: Token | undefined;
  open?: Token | undefined;
  args?: (Concrete | undefined)[] | undefined;
}

export interface OptionalForm {
  readonly start: Token;
  optional?: Token | undefined;
  value?: Concrete | undefined;
}

export interface ListForm {
  readonly form: 'list';
  open?: Token | undefined;
  elements?: OptionalForm[] | undefined;
}

export interface MapForm {
  readonly form: 'map';
  open?: Token | undefined;
  entries?: EntriesForm<OptionalForm> | undefined;
}

/** `keys[i] colons[i] values[i]`; after a mistake some are shorter. */
export interface EntriesForm<Key> {
  readonly start: Token;
  readonly keys: Key[];
  readonly colons: (Token | undefined)[];
  readonly values: (Concrete | undefined)[];
}

export interface FieldForm {
  readonly start: Token;
  optional?: Token | undefined;
  name?: Token | undefined;
}

export interface MessageForm {
  readonly form: 'message';
  leadingDot?: Token | undefined;
  readonly names: Token[];
  open?: Token | undefined;
  fields?: EntriesForm<FieldForm> | undefined;
}

export interface LiteralForm {
  readonly form: 'literal';
  readonly start: Token;
  sign?: Token | undefined;
  token?: Token | undefined;
}
