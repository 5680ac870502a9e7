/**
 * Concrete forms to the tree: ids in the order of the reference, literals read, macros expanded.
 *
 * Bounds: trees as deep as `recursionMax`, not counting what macros add.
 */
import type { Expr, MapEntry, StructField } from '../ast.ts';
import type { Macro } from '../declaration.ts';
import type { Value } from '../value.ts';
import type {
  BinaryForm,
  CallForm,
  Concrete,
  ConditionalForm,
  EntriesForm,
  FieldForm,
  IdentForm,
  IndexForm,
  LiteralForm,
  LogicForm,
  MemberCallForm,
  MessageForm,
  OptionalForm,
  SelectForm,
  UnaryForm,
} from './concrete.ts';
import type { Issues } from './issues.ts';
import { bytesLiteral, doubleLiteral, intLiteral, stringLiteral, uintLiteral } from './literals.ts';
import type { Literal } from './literals.ts';
import { MacroExpander } from './macro-expander.ts';
import { NodeMaker } from './node-maker.ts';
import { isReserved, operatorNames } from './operators.ts';
import { ParseAborted } from './recovery.ts';
import { locationOf, nowhere } from './source.ts';
import type { Location, Source } from './source.ts';
import { kinds as k } from './tokens.ts';
import type { Token } from './tokens.ts';

export interface BuildOptions {
  readonly recursionMax: number;
  readonly nodesMax: number;
  readonly optionals: boolean;
  readonly escapedIdentifiers: boolean;
  readonly findMacro: (name: string, argCount: number, member: boolean) => Macro | undefined;
}

const unsupportedName = "unsupported syntax: '`'";

export class TreeBuilder {
  readonly nodes: NodeMaker;
  readonly macroCalls = new Map<number, Expr>();
  readonly #source: Source;
  readonly #issues: Issues;
  readonly #options: BuildOptions;
  #depth = 0;

  constructor(source: Source, issues: Issues, options: BuildOptions) {
    this.#source = source;
    this.#issues = issues;
    this.#options = options;
    this.nodes = new NodeMaker(options.nodesMax);
  }

  build(form: Concrete | undefined): Expr {
    if (form === undefined || form.form === 'broken') {
      if (this.#issues.count === 0) this.#issues.add(nowhere, 'nothing that can be an expression');
      return this.#unspecified(0);
    }
    switch (form.form) {
      case 'logic':
        return this.#logic(form);
      case 'unary':
        return this.#unary(form);
      case 'ident':
        return this.#ident(form);
      case 'call':
        return this.#call(form);
      case 'list':
        return this.#list(form.open, form.elements ?? []);
      case 'map': {
        const id = this.#id(form.open);
        return { kind: 'map', id, entries: this.#entries(form.entries) };
      }
      case 'message':
        return this.#message(form);
      case 'literal':
        return this.#literal(form);
      default:
        return this.#nested(form);
    }
  }

  /** What nests by being long, `a.b.c`, counts as deep as what nests by brackets. */
  #nested(form: ConditionalForm | BinaryForm | SelectForm | MemberCallForm | IndexForm): Expr {
    this.#depth += 1;
    if (this.#depth > this.#options.recursionMax) {
      throw new ParseAborted('max recursion depth exceeded', false);
    }
    const expr = this.#nestedForm(form);
    this.#depth -= 1;
    return expr;
  }

  #nestedForm(form: ConditionalForm | BinaryForm | SelectForm | MemberCallForm | IndexForm): Expr {
    switch (form.form) {
      case 'conditional': {
        const condition = this.build(form.condition);
        const id = this.#id(form.op);
        const args = [condition, this.build(form.whenTrue), this.build(form.whenFalse)];
        return this.#functionOrMacro(id, '_?_:_', args);
      }
      case 'binary': {
        const name = form.op && operatorNames[form.op.text];
        if (name === undefined) return this.#fail(form.start, 'operator not found');
        const left = this.build(form.left);
        const id = this.#id(form.op);
        return this.#functionOrMacro(id, name, [left, this.build(form.right)]);
      }
      case 'select':
        return this.#select(form);
      case 'member-call': {
        const operand = this.build(form.operand);
        if (form.name === undefined) return this.#unspecified(form.start.start);
        const id = this.#id(form.open);
        const args = (form.args ?? []).map((arg) => this.build(arg));
        return this.#methodOrMacro(id, form.name.text, operand, args);
      }
      case 'index':
        return this.#index(form);
    }
  }

  #id(token: Token | undefined): number {
    return this.nodes.id(token?.start ?? 0);
  }

  #unspecified(offset: number): Expr {
    return { kind: 'unspecified', id: this.nodes.id(offset) };
  }

  #fail(token: Token, message: string): Expr {
    this.#issues.add(this.#locate(token.start), message);
    return this.#unspecified(token.start);
  }

  #locate(offset: number): Location {
    return locationOf(this.#source, offset);
  }

  #logic(form: LogicForm): Expr {
    const terms = [this.build(form.first)];
    const ops: number[] = [];
    for (const [i, op] of form.ops.entries()) {
      terms.push(this.build(form.rest[i]));
      ops.push(this.#id(op));
    }
    // A chain becomes a balanced tree, so that its depth does not grow with its length.
    const balanced = (low: number, high: number): Expr => {
      const middle = Math.floor((low + high + 1) / 2);
      const left = middle === low ? (terms[middle] as Expr) : balanced(low, middle - 1);
      const right = middle === high ? (terms[middle + 1] as Expr) : balanced(middle + 1, high);
      const id = ops[middle] as number;
      return { kind: 'call', id, target: undefined, function: form.name, args: [left, right] };
    };
    return balanced(0, ops.length - 1);
  }

  #unary(form: UnaryForm): Expr {
    if (form.ops.length % 2 === 0) return this.build(form.operand);
    const id = this.#id(form.ops[0]);
    return this.#functionOrMacro(id, form.name, [this.build(form.operand)]);
  }

  /** The name that a token spells; undefined after a message. */
  #nameOf(token: Token, reportAt: Token): string | undefined {
    if (token.kind !== k.escapedIdentifier) return token.text;
    if (this.#options.escapedIdentifiers) return token.text.slice(1, -1);
    this.#fail(reportAt, unsupportedName);
    return undefined;
  }

  #select(form: SelectForm): Expr {
    const operand = this.build(form.operand);
    if (form.field === undefined || form.dot === undefined) {
      return this.#unspecified(form.start.start);
    }
    const field = this.#nameOf(form.field, form.field) ?? '';
    if (form.optional !== undefined) {
      if (!this.#options.optionals) return this.#fail(form.dot, "unsupported syntax '.?'");
      const name: Expr = { kind: 'constant', id: this.#id(form.field), value: field };
      const id = this.#id(form.dot);
      return { kind: 'call', id, target: undefined, function: '_?._', args: [operand, name] };
    }
    return { kind: 'select', id: this.#id(form.dot), operand, field, testOnly: false };
  }

  #index(form: IndexForm): Expr {
    const operand = this.build(form.operand);
    if (form.open === undefined) return this.#unspecified(form.start.start);
    const id = this.#id(form.open);
    const index = this.build(form.index);
    if (form.optional !== undefined && !this.#options.optionals) {
      return this.#fail(form.open, "unsupported syntax '[?'");
    }
    return this.#functionOrMacro(id, form.optional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #ident(form: IdentForm): Expr {
    if (form.name === undefined) return this.#unspecified(form.start.start);
    const { text } = form.name;
    if (isReserved(text)) return this.#fail(form.start, `reserved identifier: ${text}`);
    const name = form.leadingDot === undefined ? text : `.${text}`;
    return { kind: 'ident', id: this.#id(form.name), name };
  }

  #call(form: CallForm): Expr {
    if (form.name === undefined) return this.#unspecified(form.start.start);
    const { text } = form.name;
    if (isReserved(text)) return this.#fail(form.start, `reserved identifier: ${text}`);
    const id = this.#id(form.open);
    const args = (form.args ?? []).map((arg) => this.build(arg));
    return this.#functionOrMacro(id, form.leadingDot === undefined ? text : `.${text}`, args);
  }

  #list(open: Token | undefined, forms: readonly OptionalForm[]): Expr {
    const id = this.#id(open);
    const optionalIndices: number[] = [];
    const elements = forms.map((form, i) => {
      const element = this.build(form.value);
      if (form.optional === undefined) return element;
      if (this.#options.optionals) optionalIndices.push(i);
      else this.#fail(form.optional, "unsupported syntax '?'");
      return element;
    });
    return { kind: 'list', id, elements, optionalIndices };
  }

  #entries(form: EntriesForm<OptionalForm> | undefined): MapEntry[] {
    const entries: MapEntry[] = [];
    for (const [i, form_] of (form?.keys ?? []).entries()) {
      const id = this.#id(form?.colons[i]);
      const optional = form_.optional !== undefined;
      if (optional && !this.#options.optionals) {
        this.#fail(form_.start, "unsupported syntax '?'");
        continue;
      }
      const key = this.build(form_.value);
      entries.push({ id, key, value: this.build(form?.values[i]), optional });
    }
    return entries;
  }

  #message(form: MessageForm): Expr {
    const names = form.names.map((name) => name?.text ?? '').join('.');
    const typeName = form.leadingDot === undefined ? names : `.${names}`;
    const id = this.#id(form.open);
    return { kind: 'struct', id, typeName, fields: this.#fields(form.fields) };
  }

  #fields(form: EntriesForm<FieldForm> | undefined): StructField[] {
    const fields: StructField[] = [];
    for (const [i, key] of (form?.keys ?? []).entries()) {
      const id = this.#id(form?.colons[i]);
      const optional = key.optional !== undefined;
      if (optional && !this.#options.optionals) {
        this.#fail(key.start, "unsupported syntax '?'");
        continue;
      }
      if (key.name === undefined) continue;
      const name = this.#nameOf(key.name, form?.start ?? key.start);
      if (name === undefined) continue;
      fields.push({ id, name, value: this.build(form?.values[i]), optional });
    }
    return fields;
  }

  #literal(form: LiteralForm): Expr {
    const { start, token } = form;
    if (token === undefined) return this.#unspecified(start.start);
    const made = readLiteral(token, form.sign !== undefined);
    if ('error' in made) {
      this.#fail(start, made.error);
      return { kind: 'constant', id: this.#id(start), value: token.text };
    }
    return { kind: 'constant', id: this.#id(start), value: made.value };
  }

  #functionOrMacro(id: number, name: string, args: readonly Expr[]): Expr {
    return (
      this.#expand(id, name, undefined, args) ?? {
        kind: 'call',
        id,
        target: undefined,
        function: name,
        args,
      }
    );
  }

  #methodOrMacro(id: number, name: string, target: Expr, args: readonly Expr[]): Expr {
    return (
      this.#expand(id, name, target, args) ?? { kind: 'call', id, target, function: name, args }
    );
  }

  #expand(
    id: number,
    name: string,
    target: Expr | undefined,
    args: readonly Expr[],
  ): Expr | undefined {
    const macro = this.#options.findMacro(name, args.length, target !== undefined);
    if (macro === undefined) return undefined;
    const expander = new MacroExpander(this.nodes, id);
    const made = macro.expand(expander, target, args);
    if (expander.failure !== undefined) {
      const { at, message } = expander.failure;
      const offset = this.nodes.positions.get(at.id) ?? this.nodes.positions.get(id) ?? 0;
      this.nodes.giveBack(id);
      this.#issues.add(this.#locate(offset), message);
      return this.#unspecified(offset);
    }
    if (made === undefined) return undefined;
    const written: Expr = {
      kind: 'call',
      id: 0,
      target: target && this.#asWritten(target),
      function: name,
      args: args.map((arg) => this.#asWritten(arg)),
    };
    this.macroCalls.set(made.id, written);
    this.nodes.giveBack(id);
    return made;
  }

  /** With macros inside it as references to what is kept of them already. */
  #asWritten(expr: Expr): Expr {
    if (this.macroCalls.has(expr.id)) return { kind: 'unspecified', id: expr.id };
    if (expr.kind === 'call') {
      const args = expr.args.map((arg) => this.#asWritten(arg));
      return { ...expr, args, target: expr.target && this.#asWritten(expr.target) };
    }
    if (expr.kind === 'list') {
      return { ...expr, elements: expr.elements.map((element) => this.#asWritten(element)) };
    }
    return expr;
  }
}

function readLiteral(token: Token, negative: boolean): Literal<Value> {
  switch (token.kind) {
    case k.int:
      return intLiteral(token.text, negative);
    case k.uint:
      return uintLiteral(token.text);
    case k.float:
      return doubleLiteral(token.text, negative);
    case k.string:
      return stringLiteral(token.text);
    case k.bytes:
      return bytesLiteral(token.text);
    case k.true:
      return { value: true };
    case k.false:
      return { value: false };
    default:
      return { value: null };
  }
}
