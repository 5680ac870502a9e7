/** JSON, YAML and gzip bodies: what is taken, what is refused, and that nothing is lost. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import {
  acceptsGzip,
  checkContentEncoding,
  gzipBytes,
  gzipChunks,
} from '../../src/apimachinery/codecs/gzip.ts';
import { decodeJson, encodeJson, jsonDepthMax } from '../../src/apimachinery/codecs/json.ts';
import { decodeYaml, encodeYaml, yamlBytesMax } from '../../src/apimachinery/codecs/yaml.ts';
import type { Decoded } from '../../src/apimachinery/codecs/json.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { corpusPath } from '../support/corpora.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

function valueOf(decoded: Decoded): JsonValue {
  assert.equal(decoded.kind, 'value', decoded.kind === 'refused' ? decoded.error.message : '');
  return decoded.kind === 'value' ? decoded.value : null;
}

function assertRefused(decoded: Decoded, pattern: RegExp): void {
  assert.equal(decoded.kind, 'refused');
  if (decoded.kind !== 'refused') return;
  assert.match(decoded.error.message, pattern);
  assert.equal(decoded.error.code, 400);
}

const json = (source: string | Uint8Array): Decoded => decodeJson(Buffer.from(source));
const yaml = (source: string | Uint8Array): Decoded => decodeYaml(Buffer.from(source));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON bodies', () => {
  it('takes what is JSON, exactly', () => {
    const rows: readonly [string, JsonValue][] = [
      [' {"a": [1, 2.5, "x\\u00e9", null, true]} \n', { a: [1, 2.5, 'xé', null, true] }],
      ['9223372036854775807', 9223372036854775807n],
      ['{"a":1,"a":2}', { a: 2 }],
      ['{"a":[12345678901234567890],"a":12345678901234567891}', { a: 12345678901234567891n }],
      ['"\\ud800"', '\ud800'],
      ['{"s":"{[{[\\"{[\\\\"}', { s: '{[{["{[\\' }],
    ];
    for (const [source, value] of rows) assert.deepEqual(valueOf(json(source)), value, source);
  });

  it('refuses what is not, and says why', () => {
    const rows: readonly [string | Uint8Array, RegExp][] = [
      ['', /not valid JSON/],
      ['{"a":1} x', /not valid JSON/],
      ['{"a":1}{"b":2}', /not valid JSON/],
      ['\ufeff{}', /not valid JSON/],
      ['{a:1}', /not valid JSON/],
      ['[1,]', /not valid JSON/],
      ['{"a":NaN}', /not valid JSON/],
      ['{"a":1e999}', /1e999 is out of range/],
      ['{"a":-1e400}', /out of range/],
      [`[${'9'.repeat(400)}]`, /out of range/],
      [Uint8Array.of(0x22, 0xff, 0x22), /UTF-8/],
      [Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), /UTF-8/],
    ];
    for (const [source, pattern] of rows) assertRefused(json(source), pattern);
  });

  it('bounds nesting, and works at the bound with every encoder', () => {
    const deepest = valueOf(json(nested(jsonDepthMax)));
    assert.equal(text(encodeJson(deepest)), nested(jsonDepthMax));
    const withBigint = valueOf(json(nested(jsonDepthMax).replace('[]', '[12345678901234567890]')));
    assert.equal(text(encodeJson(withBigint)).length, 2 * jsonDepthMax + 20);
    assert.ok(encodeYaml(deepest).length > 0);
    assertRefused(json(nested(jsonDepthMax + 1)), /deeper than 1000/);
    assertRefused(json(nested(1_000_000)), /deeper than 1000/);
    assertRefused(json('['.repeat(100_000)), /deeper than 1000/);
    // Brackets in strings are text.
    assert.equal(valueOf(json(`"\\"${'['.repeat(5000)}"`)), `"${'['.repeat(5000)}`);
  });

  it('indents by two when asked', () => {
    assert.equal(
      text(encodeJson({ a: [1n], b: {} }, true)),
      '{\n  "a": [\n    1\n  ],\n  "b": {}\n}',
    );
  });
});

describe('YAML bodies', () => {
  it('reads plain scalars as users of the reference expect', () => {
    const rows: readonly [string, JsonValue][] = [
      ['yes', true],
      ['No', false],
      ['ON', true],
      ['off', false],
      ['y', true],
      ['n', false],
      ['yEs', 'yEs'],
      ['~', null],
      ['', null],
      ['0755', 493],
      ['0o17', 15],
      ['08', 8],
      ['0x1F', 31],
      ['-0b11', -3],
      ['1_000', 1000],
      ['+5', 5],
      ['.5', 0.5],
      ['1e3', 1000],
      ['123e4567', '123e4567'],
      ['12345678901234567890123', 12345678901234567890123n],
      ['12:30:45', '12:30:45'],
      ['2001-01-01', '2001-01-01'],
      ['2008-01-01T01:01:01Z', '2008-01-01T01:01:01Z'],
      ['1.2.3', '1.2.3'],
      ['"yes"', 'yes'],
      ["'12'", '12'],
      ['!!str 12', '12'],
      ['!!int "12"', 12],
      ['! 12', '12'],
      ['|\n  a\n  b\n', 'a\nb\n'],
      ['>-\n  a\n  b\n', 'a b'],
      ['{a: [1, {b: c}]}', { a: [1, { b: 'c' }] }],
      ['{1: a, true: b, 0x10: c}', { 1: 'a', true: 'b', 16: 'c' }],
    ];
    for (const [source, value] of rows) {
      assert.deepEqual(valueOf(yaml(`k: ${source}`)), { k: value }, source);
    }
  });

  it('expands anchors and merge keys; explicit keys win, the last of equal keys wins', () => {
    const source = `
base: &base {a: 1, b: 2}
other: &other {b: 3, c: 4}
one: {<<: *base, b: 9}
two:
  b: 8
  <<: [*base, *other]
again: *base
quoted: {"<<": x}
twice: 1
twice: 2
`;
    assert.deepEqual(valueOf(yaml(source)), {
      base: { a: 1, b: 2 },
      other: { b: 3, c: 4 },
      one: { a: 1, b: 9 },
      two: { a: 1, b: 8, c: 4 },
      again: { a: 1, b: 2 },
      quoted: { '<<': 'x' },
      twice: 2,
    });
  });

  it('takes one document with markers, directives, a byte order mark, JSON, or nothing', () => {
    for (const source of ['---\na: 1\n', '%YAML 1.1\n---\na: 1\n...\n', '\ufeffa: 1', '{"a":1}']) {
      assert.deepEqual(valueOf(yaml(source)), { a: 1 }, source);
    }
    assert.deepEqual(valueOf(yaml('a: 1\n---\n')), { a: 1 });
    assert.deepEqual(valueOf(yaml('{"a": 1, b: 2}')), { a: 1, b: 2 });
    assert.equal(valueOf(yaml('')), null);
    assert.equal(valueOf(yaml('# nothing\n')), null);
  });

  it('refuses what it cannot carry, and says why', () => {
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i <= 9; i += 1) {
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    }
    assert.equal(yaml(`a: ${nested(300)}`).kind, 'value');
    const rows: readonly [string | Uint8Array, RegExp][] = [
      ['a: 1\n---\nb: 2\n', /more than one YAML document/],
      ['a: [1', /not valid YAML: .* line 1/],
      ['a: b: c', /not valid YAML/],
      ['\ta: 1', /not valid YAML/],
      ['a: *nowhere', /alias|not valid/i],
      ['a: &x [*x]', /before its anchor, or inside it/],
      [bomb.join('\n'), /aliases stand for more/],
      [`t: &t "${'x'.repeat(600_000)}"\nu: [*t, *t]`, /aliases stand for more/],
      ['a: !!binary aGk=', /tag .*binary is not supported/],
      ['a: !mine x', /tag !mine is not supported/],
      ['a: !!set {x}', /tag .*set is not supported/],
      ['a: !!int x', /does not fit/],
      ['a: .inf', /no JSON form/],
      ['a: .NaN', /no JSON form/],
      ['? [1]\n: 2', /map key must be/],
      ['~: 2', /map key must be/],
      ['<<: 1', /only maps can be merged/],
      [nested(jsonDepthMax + 2), /nests too deeply/],
      [`a: ${nested(100_000)}`, /nests too deeply/],
      [`${'- '.repeat(50_000)}a`, /nests too deeply/],
      [Uint8Array.of(0x61, 0xff), /UTF-8/],
    ];
    for (const [source, pattern] of rows) assertRefused(yaml(source), pattern);
  });

  it('bounds the size of YAML, but not that of JSON in its place', () => {
    const filler = 'x'.repeat(yamlBytesMax);
    const decoded = yaml(`a: ${filler}`);
    assert.equal(decoded.kind === 'refused' && decoded.error.code, 413);
    assert.equal(yaml(`{"a": "${filler}"}`).kind, 'value');
  });

  it('keeps an own __proto__ key and touches no prototype', () => {
    const value = valueOf(yaml('__proto__: {polluted: 1}\nb: {<<: {__proto__: 2}}')) as object;
    assert.deepEqual(Object.keys(value), ['__proto__', 'b']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('agrees with JSON on every pair of the fixtures', () => {
    const folder = corpusPath('fixtures-1.33');
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    let pairs = 0;
    for (const name of names) {
      const twin = path.join(folder, name.replace(/\.json$/, '.yaml'));
      const fromJson = valueOf(decodeJson(readFileSync(path.join(folder, name))));
      const fromYaml = valueOf(decodeYaml(readFileSync(twin)));
      assert.deepEqual(fromYaml, fromJson, name);
      assert.deepEqual(valueOf(decodeYaml(encodeYaml(fromJson))), fromJson, name);
      assert.deepEqual(valueOf(decodeJson(encodeJson(fromJson, true))), fromJson, name);
      pairs += 1;
    }
    assert.ok(pairs > 50, `${pairs} pairs`);
  });
});

describe('YAML responses', () => {
  it('are in block style, in the order of the value, and quote what could be misread', () => {
    const value: JsonValue = {
      kind: 'T',
      metadata: { name: 'x', labels: { on: 'yes', version: '1.10' } },
      items: [{ a: 1, b: [[], {}] }, [1, 'two words'], 12345678901234567890n, null],
      text: 'line 1\n\n  line 2\n',
      odd: 'ends with blank ',
      at: '2008-01-01T01:01:01Z',
    };
    assert.equal(
      text(encodeYaml(value)),
      [
        'kind: T',
        'metadata:',
        '  name: x',
        '  labels:',
        '    "on": "yes"',
        '    version: "1.10"',
        'items:',
        '- a: 1',
        '  b:',
        '  - []',
        '  - {}',
        '- - 1',
        '  - two words',
        '- 12345678901234567890',
        '- null',
        'text: |',
        '  line 1',
        '',
        '    line 2',
        'odd: "ends with blank "',
        'at: "2008-01-01T01:01:01Z"',
        '',
      ].join('\n'),
    );
  });

  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.string({
      unit: fc.constantFrom(...'aY0128eExo_+-.:# \n\t?&*!|>%@`\'"{}[],~=<\u0085\u2028é'.split('')),
      maxLength: 12,
    }),
    fc.constantFrom('__proto__', '<<', '---', '...', 'null', '\ud800', '\ufeff', '0o7', '1:20'),
    fc.constant('k'.repeat(1500)),
  );
  const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((n) => n + 0),
      fc.bigInt({ min: 2n ** 60n, max: 2n ** 80n }),
      word,
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(word, tie('value')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }));

  it('read back as the same value, by this reader', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        assert.deepEqual(valueOf(decodeYaml(encodeYaml({ value }))), { value });
        assert.deepEqual(valueOf(decodeYaml(encodeYaml(value))), value);
      }),
      { numRuns: 1000 },
    );
  });

  it('read back as the same strings by readers of YAML 1.1 and 1.2', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const bytes = encodeYaml({ words });
        for (const version of ['1.1', '1.2'] as const) {
          assert.deepEqual(parseYaml(text(bytes), { version }), { words });
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('gzip', () => {
  const body = Buffer.from('{"a":"bcdefghij"}'.repeat(40_000));

  it('is chosen only when the client takes it', () => {
    const rows: readonly [string | undefined, boolean][] = [
      [undefined, false],
      ['gzip', true],
      ['deflate, GZIP;q=0.5', true],
      ['gzip;q=0', false],
      ['gzip; q=0.00', false],
      ['br, identity', false],
      ['*', false],
      ['xgzip', false],
    ];
    for (const [header, takes] of rows) assert.equal(acceptsGzip(header), takes, String(header));
  });

  it('gives back the same bytes, whole and in chunks', async () => {
    assert.deepEqual(gunzipSync(await gzipBytes(body)), body);
    const chunks: Uint8Array[] = [];
    const source = [body.subarray(0, 100_000), body.subarray(100_000)];
    for await (const chunk of gzipChunks(source)) chunks.push(chunk);
    assert.deepEqual(gunzipSync(Buffer.concat(chunks)), body);
  });

  it('takes from the source as the consumer takes, and releases it when the consumer stops', async () => {
    let made = 0;
    let released = false;
    function* endless(): Generator<Uint8Array> {
      try {
        for (;;) {
          made += 1;
          yield Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i * made * 7919) >> 3));
        }
      } finally {
        released = true;
      }
    }
    for await (const chunk of gzipChunks(endless())) {
      assert.ok(chunk.length > 0);
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(released);
    assert.ok(made < 100, `${made} chunks were read`);
  });

  it('passes on an error of the source', async () => {
    function* broken(): Generator<Uint8Array> {
      yield body;
      throw new Error('source broke');
    }
    await assert.rejects(async () => {
      for await (const chunk of gzipChunks(broken())) assert.ok(chunk.length > 0);
    }, /source broke/);
  });

  it('is not taken in requests', () => {
    assert.equal(checkContentEncoding(undefined), undefined);
    assert.equal(checkContentEncoding('identity'), undefined);
    assert.equal(checkContentEncoding('gzip')?.code, 415);
  });
});
