/**
 * A tree back to text that parses to the same tree. An expanded macro is written as the macro
 * again. Only necessary brackets are written; the layout is not kept.
 */
import type { Ast, CallExpr, Expr } from '../../src/cel/ast.ts';
import { Double, Uint } from '../../src/cel/value.ts';
import type { Value } from '../../src/cel/value.ts';
import { operatorNames } from '../../src/cel/syntax/operators.ts';

/** How a binary operator is written, by its name in the tree. */
const operatorTexts: ReadonlyMap<string, string> = new Map(
  Object.entries(operatorNames).map(([text, name]) => [name, text]),
);

/** A smaller number binds closer. */
const precedences: ReadonlyMap<string, number> = new Map([
  ['_?_:_', 8],
  ['_||_', 7],
  ['_&&_', 6],
  ...['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_', '@in'].map((name) => [name, 5] as const),
  ['_+_', 4],
  ['_-_', 4],
  ['_*_', 3],
  ['_/_', 3],
  ['_%_', 3],
  ['!_', 2],
  ['-_', 2],
]);

const closest = 1;
const unary = 2;

export function unparse(ast: Ast): string {
  return new Unparser(ast).text(ast.expr);
}

function quoted(text: string): string {
  // JSON writes half of a surrogate pair as an escape that the language refuses; no text has one.
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function bytesText(bytes: Uint8Array): string {
  const parts = Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`);
  return `b"${parts.join('')}"`;
}

function doubleText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text.replace('e+', 'e') : `${text}.0`;
}

function constantText(value: Value): string {
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Double) return doubleText(value.value);
  return value instanceof Uint8Array ? bytesText(value) : String(value);
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Words of the grammar, which no name can be even after a dot. */
const words: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

const fieldName = (name: string): string =>
  plainName.test(name) && !words.has(name) ? name : `\`${name}\``;

class Unparser {
  readonly #ast: Ast;

  constructor(ast: Ast) {
    this.#ast = ast;
  }

  text(expr: Expr): string {
    const written = this.#ast.macroCalls.get(expr.id);
    if (written !== undefined && written.kind === 'call') return this.#call(written);
    switch (expr.kind) {
      case 'constant':
        return constantText(expr.value);
      case 'ident':
        return expr.name;
      case 'select': {
        const text = `${this.#operand(expr.operand)}.${fieldName(expr.field)}`;
        return expr.testOnly ? `has(${text})` : text;
      }
      case 'call':
        return this.#call(expr);
      case 'list': {
        const elements = expr.elements.map((element, i) => {
          const mark = expr.optionalIndices.includes(i) ? '?' : '';
          return mark + this.text(element);
        });
        return `[${elements.join(', ')}]`;
      }
      case 'map': {
        const entries = expr.entries.map(
          ({ key, value, optional }) =>
            `${optional ? '?' : ''}${this.text(key)}: ${this.text(value)}`,
        );
        return `{${entries.join(', ')}}`;
      }
      case 'struct': {
        const fields = expr.fields.map(
          ({ name, value, optional }) =>
            `${optional ? '?' : ''}${fieldName(name)}: ${this.text(value)}`,
        );
        return `${expr.typeName}{${fields.join(', ')}}`;
      }
      case 'comprehension':
      case 'unspecified':
        throw new Error('a tree without its macro calls has no text');
    }
  }

  #call(expr: CallExpr): string {
    const { function: name, args, target } = expr;
    const [first, second, third] = args as [Expr, Expr, Expr];
    if (target !== undefined) return `${this.#operand(target)}.${name}(${this.#list(args)})`;
    switch (name) {
      case '_?_:_': {
        const condition = this.#bracketed(first, 7);
        return `${condition} ? ${this.#bracketed(second, 7)} : ${this.text(third)}`;
      }
      case '!_':
      case '-_': {
        // A minus before a literal would be part of it, and two of a kind cancel each other out.
        const operand = this.#bracketed(first, closest);
        const isLiteral = first.kind === 'constant';
        const wrapped = isLiteral && name === '-_' ? `(${operand})` : operand;
        return `${name === '!_' ? '!' : '-'}${wrapped}`;
      }
      case '_[_]':
      case '_[?_]':
        return `${this.#operand(first)}[${name === '_[?_]' ? '?' : ''}${this.text(second)}]`;
      case '_?._':
        return `${this.#operand(first)}.?${fieldName(String((second as { value: Value }).value))}`;
      default:
    }
    const operator = operatorTexts.get(name);
    if (operator === undefined) return `${name}(${this.#list(args)})`;
    const precedence = precedences.get(name) as number;
    // Operators of a kind go left to right, but chains of && and || are balanced trees.
    const isChain = name === '_&&_' || name === '_||_';
    const left = this.#bracketed(first, isChain ? precedence - 1 : precedence);
    return `${left} ${operator} ${this.#bracketed(second, precedence - 1)}`;
  }

  #list(args: readonly Expr[]): string {
    return args.map((arg) => this.text(arg)).join(', ');
  }

  #precedence(expr: Expr): number {
    if (this.#ast.macroCalls.has(expr.id)) return closest;
    if (expr.kind === 'constant') return isNegative(expr.value) ? unary : closest;
    if (expr.kind !== 'call' || expr.target !== undefined) return closest;
    return precedences.get(expr.function) ?? closest;
  }

  #bracketed(expr: Expr, max: number): string {
    const text = this.text(expr);
    const isInner = this.#precedence(expr) > Math.max(max, unary);
    return isInner || (max === closest && this.#precedence(expr) > closest) ? `(${text})` : text;
  }

  /** What a dot or a bracket can stand behind. */
  #operand(expr: Expr): string {
    return this.#bracketed(expr, closest);
  }
}

function isNegative(value: Value): boolean {
  const number = value instanceof Double ? value.value : value;
  return (
    (typeof number === 'number' || typeof number === 'bigint') &&
    (number < 0 || Object.is(number, -0))
  );
}
