/**
 * The tree as the reference's tests print it: each node with what it is, nested by two spaces.
 * `"A"^#*expr.Constant_StringValue#`. Written from the printed vectors.
 */
import type { Expr } from '../../src/cel/ast.ts';
import { Double, Uint } from '../../src/cel/value.ts';
import type { Value } from '../../src/cel/value.ts';

const quoted = (text: string): string =>
  JSON.stringify(text)
    .replace(/[\u007f-\uffff]/g, (c) => c)
    .replace(/\\u00([0-9a-f]{2})/g, '\\x$1')
    .replaceAll('\u0007', '\\a')
    .replaceAll('\\x07', '\\a')
    .replaceAll('\\x0b', '\\v');

function bytesText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes);
  const decoded = text.toString('utf8');
  if (Buffer.from(decoded).equals(text)) return `b${quoted(decoded)}`;
  let shown = '';
  for (const byte of bytes) {
    shown +=
      byte >= 0x20 && byte < 0x7f
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `b"${shown}"`;
}

function constant(value: Value): string {
  if (value === null) return 'null^#*expr.Constant_NullValue#';
  if (typeof value === 'boolean') return `${value}^#*expr.Constant_BoolValue#`;
  if (typeof value === 'string') return `${quoted(value)}^#*expr.Constant_StringValue#`;
  if (value instanceof Uint) return `${value.value}u^#*expr.Constant_Uint64Value#`;
  if (value instanceof Double) {
    const text = Number.isInteger(value.value) ? String(value.value) : String(value.value);
    return `${text.replace('e+', 'e+')}^#*expr.Constant_DoubleValue#`;
  }
  if (value instanceof Uint8Array) return `${bytesText(value)}^#*expr.Constant_BytesValue#`;
  return `${String(value)}^#*expr.Constant_Int64Value#`;
}

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');

const block = (open: string, parts: readonly string[], close: string): string =>
  parts.length === 0 ? `${open}${close}` : `${open}\n${indent(parts.join(',\n'))}\n${close}`;

export function shownTree(expr: Expr): string {
  switch (expr.kind) {
    case 'constant':
      return constant(expr.value);
    case 'ident':
      return `${expr.name}^#*expr.Expr_IdentExpr#`;
    case 'select': {
      const test = expr.testOnly ? '~test-only~' : '';
      return `${shownTree(expr.operand)}.${expr.field}${test}^#*expr.Expr_SelectExpr#`;
    }
    case 'call': {
      const target = expr.target === undefined ? '' : `${shownTree(expr.target)}.`;
      const args = block('(', expr.args.map(shownTree), ')');
      return `${target}${expr.function}${args}^#*expr.Expr_CallExpr#`;
    }
    case 'list': {
      const elements = expr.elements.map((element, i) =>
        expr.optionalIndices.includes(i) ? `?${shownTree(element)}` : shownTree(element),
      );
      return `${block('[', elements, ']')}^#*expr.Expr_ListExpr#`;
    }
    case 'map': {
      const entries = expr.entries.map(({ key, value, optional }) => {
        const name = `${optional ? '?' : ''}${shownTree(key)}`;
        return `${name}:${shownTree(value)}^#*expr.Expr_CreateStruct_Entry#`;
      });
      return `${block('{', entries, '}')}^#*expr.Expr_StructExpr#`;
    }
    case 'struct': {
      const fields = expr.fields.map(({ name, value, optional }) => {
        const field = `${optional ? '?' : ''}${name}`;
        return `${field}:${shownTree(value)}^#*expr.Expr_CreateStruct_Entry#`;
      });
      return `${expr.typeName}${block('{', fields, '}')}^#*expr.Expr_StructExpr#`;
    }
    case 'comprehension': {
      const parts: [string, string][] = [['Variable', expr.iterVar]];
      if (expr.iterVar2 !== undefined) parts.push(['Variable2', expr.iterVar2]);
      parts.push(
        ['Target', shownTree(expr.range)],
        ['Accumulator', expr.accuVar],
        ['Init', shownTree(expr.init)],
        ['LoopCondition', shownTree(expr.condition)],
        ['LoopStep', shownTree(expr.step)],
        ['Result', shownTree(expr.result)],
      );
      const inner = parts.map(([name, text]) => `// ${name}\n${text}`).join(',\n');
      return `__comprehension__(\n${indent(inner)})^#*expr.Expr_ComprehensionExpr#`;
    }
    case 'unspecified':
      return '';
  }
}
