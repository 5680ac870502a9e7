/**
 * Tables that can be asked with any text have no prototype: each object literal or fromEntries that
 * is declared, returned or given as a Record of strings comes from `lookup` (src/stdx/lookup.ts), or
 * what is asked of it would reach `constructor` and `__proto__`.
 *
 * What it is not: a rule for data under construction. Those records can be written to, are not
 * Readonly, and belong to no module.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

const recordOfTexts = /^Record<\s*string\s*,/;
const readonlyRecord = /^(?:Readonly<\s*Record<\s*string\s*,|ReadonlyRecord<)/;
const indexed = /^\{\s*readonly \[\w+: string\]/;

interface Parsed {
  readonly name: string;
  readonly source: ts.SourceFile;
}

function parsed(name: string, text: string): Parsed {
  return { name, source: ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true) };
}

function production(): readonly Parsed[] {
  return ['src', 'actors', 'streams']
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map((each) => path.join(root, each)),
    )
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(name, 'utf8')] as const)
    .filter(([, text]) => /Record|keyof|: string\]|import type/.test(text))
    .map(([name, text]) => parsed(name, text));
}

/** Records whose members become a part of an object or a header, each in its turn: nobody looks
 * into them by a text that comes from outside. */
const dataOnly: ReadonlySet<string> = new Set(['Labels', 'Data', 'Members', 'TypeDefaults']);

/** Names of types that are such a record and stand in this file. */
function aliasesOf({ source }: Parsed): readonly string[] {
  return source.statements
    .filter(ts.isTypeAliasDeclaration)
    .filter((alias) => isTableType(alias.type, new Set()))
    .map((alias) => alias.name.text)
    .filter((name) => !dataOnly.has(name));
}

/** Those, and the ones that it imports. */
function knownIn(file: Parsed, all: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const imported = file.source.statements.filter(ts.isImportDeclaration).flatMap((each) => {
    const target = (each.moduleSpecifier as ts.StringLiteral).text;
    return all.get(path.normalize(path.join(path.dirname(file.name), target))) ?? [];
  });
  return new Set([...aliasesOf(file), ...imported]);
}

function isTableType(type: ts.TypeNode | undefined, aliases: ReadonlySet<string>): boolean {
  if (type === undefined) return false;
  const text = type.getText();
  return readonlyRecord.test(text) || indexed.test(text) || aliases.has(text);
}

function isBare(value: ts.Expression | undefined): boolean {
  if (value === undefined) return false;
  if (ts.isParenthesizedExpression(value) || ts.isAsExpression(value)) {
    return isBare(value.expression);
  }
  if (ts.isSatisfiesExpression(value)) return isBare(value.expression);
  if (ts.isObjectLiteralExpression(value)) return value.properties.length > 0;
  if (!ts.isCallExpression(value)) return false;
  const callee = value.expression.getText();
  return (
    callee === 'Object.fromEntries' || (callee === 'Object.freeze' && isBare(value.arguments[0]))
  );
}

/** The lines of the file where such a table is made by hand. */
function handmade({ name, source }: Parsed, aliases: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const note = (node: ts.Node): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${name}:${line + 1}: made without a prototype by lookup() of src/stdx/lookup.ts`);
  };
  const judge = (type: ts.TypeNode | undefined, value: ts.Expression | undefined): void => {
    if (isTableType(type, aliases) && isBare(value)) note(value as ts.Expression);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node)) {
      judge(node.type, node.initializer);
      const inModule = ts.isSourceFile(node.parent.parent.parent);
      const written = inModule && recordOfTexts.test(node.type?.getText() ?? '');
      if (written && isBare(node.initializer)) note(node);
    }
    if (ts.isParameter(node) || ts.isPropertyDeclaration(node)) judge(node.type, node.initializer);
    if (ts.isSatisfiesExpression(node)) judge(node.type, node.expression);
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) judge(node.type, node.body);
    // What a function puts together from entries is data; what it lists is a table.
    if (ts.isReturnStatement(node) && node.expression?.kind !== ts.SyntaxKind.CallExpression) {
      judge(returnTypeAround(node), node.expression);
    }
    if (ts.isElementAccessExpression(node) && isGuess(node.argumentExpression)) note(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `table[text as keyof typeof table]` says what nobody has checked. */
function isGuess(key: ts.Expression): boolean {
  return ts.isAsExpression(key) && key.type.getText().startsWith('keyof ');
}

function returnTypeAround(node: ts.Node): ts.TypeNode | undefined {
  let at = node.parent;
  while (!ts.isFunctionLike(at) && !ts.isSourceFile(at)) at = at.parent;
  return ts.isSourceFile(at) ? undefined : at.type;
}

test('every table that is asked with a text is made without a prototype', () => {
  const files = production();
  assert.ok(files.length > 300);
  const aliases = new Map(files.map((file) => [file.name, aliasesOf(file)]));
  assert.deepEqual(
    files.flatMap((file) => handmade(file, knownIn(file, aliases))),
    [],
  );
});

test('the rule sees each way of making one', () => {
  const refused = [
    'const a: Readonly<Record<string, number>> = { b: 1 };',
    'const a: Record<string, number> = { b: 1 };',
    "const a: Readonly<Record<string, number>> = Object.fromEntries([['b', 1]]);",
    'const a: Readonly<Record<string, number>> = Object.freeze({ b: 1 });',
    'const a: Readonly<Record<string, number>> = { b: 1 } as const;',
    'const a: Alias = { b: 1 };',
    'const a: { readonly [key: string]: number } = { b: 1 };',
    'const a = { b: 1 } satisfies Readonly<Record<string, number>>;',
    'const a = (): Readonly<Record<string, number>> => ({ b: 1 });',
    'function a(): Readonly<Record<string, number>> { return { b: 1 }; }',
    'function a(c: Readonly<Record<string, number>> = { b: 1 }) { return c; }',
    'const a = { b: 1 }; const c = (text: string) => a[text as keyof typeof a];',
  ];
  for (const text of refused) {
    assert.equal(handmade(parsed('a.ts', text), new Set(['Alias'])).length, 1, text);
  }
  const allowed = [
    'const a: Readonly<Record<string, number>> = lookup({ b: 1 });',
    'const a: Readonly<Record<string, number>> = {};',
    "const a: Readonly<Record<'b', number>> = { b: 1 };",
    'function a() { const b: Record<string, number> = { c: 1 }; return b; }',
    'const a = { b: 1 }; const c = a["b"];',
  ];
  for (const text of allowed) {
    assert.deepEqual(handmade(parsed('a.ts', text), new Set(['Alias'])), [], text);
  }
});
