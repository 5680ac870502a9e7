/** The YAML reader: what each form of a scalar or collection means, and that libraries agree. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import type { DocumentOptions, ToStringOptions } from 'yaml';
import { decodeYaml, yamlSteps } from '../../src/apimachinery/codecs/yaml.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { corpusPath, noVectors } from '../support/data/corpora.ts';

function read(text: string): JsonValue {
  const decoded = decodeYaml(Buffer.from(text));
  assert.equal(decoded.kind, 'value', JSON.stringify(text));
  assert.ok(decoded.kind === 'value');
  return decoded.value;
}

function refusalOf(text: string): string {
  const decoded = decodeYaml(Buffer.from(text));
  assert.ok(decoded.kind === 'refused', `${JSON.stringify(text)} is taken`);
  return decoded.error.message;
}

describe('the forms of YAML', () => {
  const rows: readonly [string, JsonValue][] = [
    // Blocks: chomping, indentation, folding.
    ['|\n a\n\n b\n', 'a\n\nb\n'],
    ['|-\n a\n\n\n', 'a'],
    ['|+\n a\n\n\n', 'a\n\n\n'],
    ['|2-\n   a\n  b', ' a\nb'],
    ['|-2 # told\n   a\n', ' a'],
    ['>\n a\n b\n\n c\n  d\n e\n', 'a b\nc\n d\ne\n'],
    ['>+\n\n a\n', '\na\n'],
    ['|\n', ''],
    ['a: |\n  x\nb: 1', { a: 'x\n', b: 1 }],
    ['- |\n x\n- >\n y\n', ['x\n', 'y\n']],
    ['|\r\n a\r\n b\r\n', 'a\nb\n'],
    // Quotes.
    ['"a\\n\\x41\\u0042\\U00000043\\/"', 'a\nABC/'],
    ['"a\n b\n\n c"', 'a b\nc'],
    ['"a \\\n   b"', 'a b'],
    ["'it''s\n  so'", "it's so"],
    ['"\\ud83d\\ude00"', '\u{1f600}'],
    ['"# no: comment"', '# no: comment'],
    // Plain text.
    ['a\n b\n\n c', 'a b\nc'],
    ['a: b#c # d', { a: 'b#c' }],
    ['http://x:80/?a=b', 'http://x:80/?a=b'],
    ['[http://x, a:b, -c, ?d]', ['http://x', 'a:b', '-c', '?d']],
    ['- -1\n- --flag\n- a - b', [-1, '--flag', 'a - b']],
    // Collections.
    ['a:\n- 1\n- 2\nb:\n  - 3', { a: [1, 2], b: [3] }],
    ['- - 1\n  - 2\n- a: 3\n  b: 4\n-\n  c: 5', [[1, 2], { a: 3, b: 4 }, { c: 5 }]],
    ['? a\n: b\n? c\n', { a: 'b', c: null }],
    ['{a, b: , "c":1, d: [], }', { a: null, b: null, c: 1, d: [] }],
    ['[a: 1, {b: 2},\n  c\n]', [{ a: 1 }, { b: 2 }, 'c']],
    ['[[],[{}],]', [[], [{}]]],
    ['a: &x\n  b: 1\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
    ['&k a: 1\nb: *k', { a: 1, b: 'a' }],
    ['!!map {a: !!seq [!!str 1]}', { a: ['1'] }],
    ['%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1', '1'],
    ['!<tag:yaml.org,2002:str> 1', '1'],
    ['a:\n\n  # between\n\n  b: 1 # end\n', { a: { b: 1 } }],
    ['0xffffffffffffffffff', 4722366482869645213695n],
  ];

  it('are read as the language says', () => {
    for (const [text, value] of rows) assert.deepEqual(read(text), value, JSON.stringify(text));
  });

  it('are refused with the place of the first error', () => {
    const faulty: readonly [string, RegExp][] = [
      ['a: b\n c: d\n', /line 2, column 3/],
      ['a\nb: c', /line 2/],
      ['[a, b', /',' or '\]' at line 1, column 6/],
      ['{a: 1]', /',' or '}' at line 1, column 6/],
      ['- a\nb: c', /line 2, column 1/],
      ['"a', /quote that is not closed at line 1, column 1/],
      ['"\\q"', /unknown escape at line 1, column 2/],
      ['"\\uD8"', /escape of no character/],
      ['"a\n---\nb"', /document marker inside quotes at line 2/],
      ['a: |x\n', /header of a block/],
      ['a: |0\n', /indicator of 0/],
      ['a: |\n\tb', /tab/],
      ['&a &b c', /line 1, column 4/],
      ['!a !b c', /line 1, column 4/],
      ['!e!x a', /no declared handle/],
      ['%YAML 2.0\n---\na', /directive/],
      ['%FOO\n---\na', /directive/],
      ['@a', /cannot start any token/],
      ['a: `b`', /cannot start any token/],
      ['a: &b 1\nc: *b c', /did not find/],
      ['a\0b', /control characters/],
      ['a\u0007b', /control characters/],
    ];
    for (const [text, pattern] of faulty) {
      assert.match(refusalOf(text), pattern, JSON.stringify(text));
    }
  });

  it('nest through aliases no deeper than in full', () => {
    const levels = (count: number, inner: string): string =>
      '['.repeat(count) + inner + ']'.repeat(count);
    const deep = (count: number): string => `a: &a ${levels(500, 'x')}\nb: ${levels(count, '*a')}`;
    assert.equal(decodeYaml(Buffer.from(deep(499))).kind, 'value');
    assert.match(refusalOf(deep(500)), /deeper than 1000 levels/);
  });
});

describe('long texts of YAML', () => {
  const size = 300_000;
  const lines = (line: string): string => line.repeat(size / line.length);
  const rows: readonly (readonly [what: string, body: string, value: (of: number) => JsonValue])[] =
    [
      ['a plain line', 'ab '.repeat(size / 3), (n) => 'ab '.repeat(n / 3).trim()],
      ['plain lines', lines('ab\n'), (n) => 'ab '.repeat(n / 3).trim()],
      ['escapes', `"${'\\n'.repeat(size / 2)}"`, (n) => '\n'.repeat(n / 2)],
      ['escapes of codes', `"${'\\u00e9'.repeat(size / 6)}"`, (n) => 'é'.repeat(n / 6)],
      ['half pairs', `"${'\\ud800'.repeat(size / 6)}"`, (n) => '\ufffd'.repeat(n / 6)],
      ['escaped breaks', `"${'\\\n'.repeat(size / 2)}"`, () => ''],
      ['quoted lines', `"${lines('ab\n')}"`, (n) => 'ab '.repeat(n / 3)],
      ['doubled quotes', `'${"''".repeat(size / 2)}'`, (n) => "'".repeat(n / 2)],
      ['empty lines in quotes', `'a${'\n'.repeat(size)}b'`, (n) => `a${'\n'.repeat(n - 1)}b`],
      ['a long line in quotes', `'${'a'.repeat(size)}'`, (n) => 'a'.repeat(n)],
      ['lines of a block', `|\n${lines(' a\n')}`, (n) => 'a\n'.repeat(n / 3)],
      ['lines that are folded', `>\n${lines(' a\n')}`, (n) => `${'a '.repeat(n / 3).trim()}\n`],
      ['a long line of a block', `|\n ${'a'.repeat(size)}\n`, (n) => `${'a'.repeat(n)}\n`],
      ['empty lines of a block', `|+\n a${'\n'.repeat(size)}`, (n) => `a${'\n'.repeat(n)}`],
      ['empty lines', `a${'\n'.repeat(size)}`, () => 'a'],
      ['comments', `${lines('# a\n')}a`, () => 'a'],
      ['blanks', `-${' '.repeat(size)}a`, () => ['a']],
      ['bytes', `!!binary ${'aaaa'.repeat(size / 4)}`, (n) => 'i\ufffd\ufffd'.repeat(n / 4)],
      [
        'scalars of thousands each',
        `- '${'a'.repeat(15_000)}'\n`.repeat(40),
        () => Array<string>(40).fill('a'.repeat(15_000)),
      ],
      ['bytes of text', `!!binary ${'w6nDqcOp'.repeat(size / 8)}`, (n) => 'é'.repeat((n / 8) * 3)],
    ];
  for (const [what, body, value] of rows) {
    it(`are read in many parts, and as at once: ${what}`, () => {
      const bytes = Buffer.from(body);
      const steps = yamlSteps(bytes);
      let parts = 1;
      let step = steps.next();
      for (; step.done !== true; parts += 1) step = steps.next();
      assert.ok(step.value.kind === 'value', what);
      assert.ok(step.value.value !== null);
      assert.deepEqual(step.value.value, value(size));
      assert.deepEqual(decodeYaml(bytes), step.value);
      assert.ok(parts >= 10, `${parts} parts`);
    });
  }

  it('hold no name of more than 1,024 characters', () => {
    const name = 'n'.repeat(1_020);
    assert.deepEqual(read(`a: &${name} 1\nb: *${name}`), { a: 1, b: 1 });
    for (const long of [`&${name}12345 1`, `!${name}12345 1`, `%TAG !a! ${name}12345\n--- 1`]) {
      assert.match(refusalOf(long), /a name of more than 1024 characters/);
    }
  });

  it('are refused at the place of the error, however many lines come before it', () => {
    assert.match(refusalOf(`${lines('# a\n')}a: "b`), /not closed at line 75001, column 4/);
    assert.match(refusalOf(`a: "${'\n'.repeat(9)}${lines('b\n')}\\q"`), /line 150010, column 1/);
  });
});

describe('another reader and writer of YAML', () => {
  const value = fc.letrec<{ node: JsonValue }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, true, false, 0, -7, 1.5),
      fc.string({ unit: fc.constantFrom(...'abz019 .,:;#-?&*!|>%@`"\\\n[]{}~+_=é€') }),
      fc.constantFrom(
        'yes',
        '1',
        '',
        ' a',
        'a ',
        'a\nb',
        '\na\n\n',
        '# a',
        'a: b',
        '- a',
        '"',
        "'",
      ),
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z0-9 .:-]{1,5}$/), tie('node'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  })).node;
  const styles: readonly (DocumentOptions & ToStringOptions)[] = [
    { version: '1.1' },
    { version: '1.1', defaultStringType: 'QUOTE_DOUBLE', lineWidth: 20, minContentWidth: 0 },
    { version: '1.1', defaultStringType: 'QUOTE_SINGLE', lineWidth: 20 },
    { version: '1.1', defaultStringType: 'BLOCK_FOLDED', lineWidth: 20 },
    { version: '1.1', defaultStringType: 'BLOCK_LITERAL', indentSeq: false },
    { version: '1.1', collectionStyle: 'flow', lineWidth: 30 },
  ];

  it('reads what it has written as it is read here', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...styles), (original, style) => {
        const text = stringify({ value: original }, style);
        assert.deepEqual(read(text), parse(text, { version: '1.1' }), JSON.stringify(text));
      }),
      { numRuns: 1500, seed: 14 },
    );
  });

  it('agrees on the definitions of custom types of public projects', { skip: noVectors }, () => {
    const root = corpusPath('crds-real');
    let files = 0;
    for (const project of readdirSync(root)) {
      const folder = path.join(root, project, 'crds');
      for (const name of readdirSync(folder).slice(0, 3)) {
        const text = readFileSync(path.join(folder, name), 'utf8');
        const documents = text.split(/^---$/m).filter((each) => /^\w/m.test(each));
        for (const document of documents) {
          assert.deepEqual(read(document), parse(document, { version: '1.1' }), name);
        }
        files += 1;
      }
    }
    assert.ok(files > 15, `${files} files`);
  });
});
