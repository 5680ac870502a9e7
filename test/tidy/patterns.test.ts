/**
 * No regular expression of the server takes long over any text: each is tried on texts of one piece
 * again and again, with something in front that it may want and something behind that it may not.
 *
 * What it is not: a proof. It finds those that try the same characters in many ways, and those that
 * look anew from each character of a run.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import vm from 'node:vm';
import ts from 'typescript';

const length = 10_000;
/** Of processor time for one text: some ten microseconds are usual, who looks anew takes 100 ms and
 * more. */
const usualMs = 50;
/** For all texts of one expression: nobody waits for one that does not end. */
const allMs = 20_000;

const heads = ['', 'a', '1.', 'https://', '"pattern":"'];
const pieces = [
  ...['a', 'A', '0', '1', '.', '-', '/', '\\', '"', "'", ' ', '\t', '\n', ':', ',', '=', '*', '+'],
  ...['#', '?', '[', '@', '$', '~', '|', 'é', '\0', 'a.', '1.', 'a-', 'a/', 'a ', '1m', '1s', '0.'],
  ...['s000', "['", "a['b']", '::', 'ab:', 'a,', 'a=b&', '%41', '",', '\\"', '\\\\', '$(', '{{'],
  ...['-----BEGIN CERTIFICATE-----', '-----BEGIN A-----'],
];
const tails = ['', '!', '\n'];

const texts = pieces.flatMap((piece) => {
  const run = piece.repeat(length / piece.length);
  return heads.flatMap((head) => tails.map((tail) => head + run + tail));
});

interface Found {
  readonly source: string;
  readonly flags: string;
  readonly where: string;
}

function patternsOf(name: string): readonly Found[] {
  const text = readFileSync(name, 'utf8');
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ source, flags, where: `${name}:${line + 1}` });
    }
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

function production(): readonly Found[] {
  return ['src', 'actors', 'streams']
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map((each) => path.join(root, each)),
    )
    .filter((name) => name.endsWith('.ts'))
    .flatMap(patternsOf);
}

function spentMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The text that takes long, as far as it says which; undefined: none does. */
function longFor({ source, flags }: Found): string | undefined {
  let current = '';
  const tryAll = (): string | undefined => {
    const pattern = new RegExp(source, flags);
    for (const text of texts) {
      current = `${JSON.stringify(text.slice(0, 40))} ... ${JSON.stringify(text.slice(-3))}`;
      pattern.lastIndex = 0;
      if (spentMs(() => pattern.test(text)) > usualMs) return current;
    }
    return undefined;
  };
  try {
    // Who is asked here can be stopped, in the middle of an expression, too.
    return vm.runInNewContext('tryAll()', { tryAll }, { timeout: allMs }) as string | undefined;
  } catch (error) {
    return `${current}: ${String(error)}`;
  }
}

test('no regular expression takes long over any text', () => {
  const different = new Map(production().map((each) => [`/${each.source}/${each.flags}`, each]));
  assert.ok(different.size > 100);
  const long = [...different].flatMap(([shown, each]) => {
    const text = longFor(each);
    return text === undefined ? [] : [`${each.where}: ${shown} over ${text}`];
  });
  assert.deepEqual(long, []);
});
