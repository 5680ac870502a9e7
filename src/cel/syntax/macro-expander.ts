/**
 * Makes the nodes of macros: with new ids, all at the position of the call that they replace.
 */
import type { Expr, MapEntry, StructField } from '../ast.ts';
import type { ComprehensionParts, MacroContext } from '../declaration.ts';
import type { NodeMaker } from './node-maker.ts';

/** `fail` was called: where, and what it said. */
export interface MacroFailure {
  readonly at: Expr;
  readonly message: string;
}

export class MacroExpander implements MacroContext {
  readonly accumulator = '@result';
  failure: MacroFailure | undefined;
  readonly #nodes: NodeMaker;
  readonly #offset: number;

  constructor(nodes: NodeMaker, callId: number) {
    this.#nodes = nodes;
    this.#offset = nodes.positions.get(callId) ?? 0;
  }

  #id(): number {
    return this.#nodes.id(this.#offset);
  }
  constant(value: Parameters<MacroContext['constant']>[0]): Expr {
    return { kind: 'constant', id: this.#id(), value };
  }
  ident(name: string): Expr {
    return { kind: 'ident', id: this.#id(), name };
  }
  select(operand: Expr, field: string): Expr {
    return { kind: 'select', id: this.#id(), operand, field, testOnly: false };
  }
  presenceTest(operand: Expr, field: string): Expr {
    return { kind: 'select', id: this.#id(), operand, field, testOnly: true };
  }
  call(name: string, ...args: readonly Expr[]): Expr {
    return { kind: 'call', id: this.#id(), target: undefined, function: name, args };
  }
  memberCall(name: string, target: Expr, ...args: readonly Expr[]): Expr {
    return { kind: 'call', id: this.#id(), target, function: name, args };
  }
  list(...elements: readonly Expr[]): Expr {
    return { kind: 'list', id: this.#id(), elements, optionalIndices: [] };
  }
  map(...entries: readonly (readonly [Expr, Expr])[]): Expr {
    const made = entries.map(([key, value]) => ({ id: this.#id(), key, value, optional: false }));
    return { kind: 'map', id: this.#id(), entries: made };
  }
  comprehension(parts: ComprehensionParts): Expr {
    const { iterVar2 } = parts;
    return { kind: 'comprehension', id: this.#id(), ...parts, iterVar2 };
  }
  fail(at: Expr, message: string): undefined {
    this.failure = { at, message };
    return undefined;
  }

  copy(expr: Expr): Expr {
    const id = this.#nodes.id(this.#nodes.positions.get(expr.id) ?? 0);
    switch (expr.kind) {
      case 'constant':
      case 'ident':
      case 'unspecified':
        return { ...expr, id };
      case 'select':
        return { ...expr, id, operand: this.copy(expr.operand) };
      case 'call': {
        const args = expr.args.map((arg) => this.copy(arg));
        return { ...expr, id, args, target: expr.target && this.copy(expr.target) };
      }
      case 'list':
        return { ...expr, id, elements: expr.elements.map((element) => this.copy(element)) };
      case 'map':
        return { ...expr, id, entries: expr.entries.map((entry) => this.#copyEntry(entry)) };
      case 'struct':
        return { ...expr, id, fields: expr.fields.map((field) => this.#copyField(field)) };
      case 'comprehension': {
        const range = this.copy(expr.range);
        const init = this.copy(expr.init);
        const condition = this.copy(expr.condition);
        const step = this.copy(expr.step);
        return { ...expr, id, range, init, condition, step, result: this.copy(expr.result) };
      }
    }
  }

  #copyEntry(entry: MapEntry): MapEntry {
    const id = this.#id();
    return { ...entry, id, key: this.copy(entry.key), value: this.copy(entry.value) };
  }

  #copyField(field: StructField): StructField {
    return { ...field, id: this.#id(), value: this.copy(field.value) };
  }
}
