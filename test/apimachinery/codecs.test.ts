/** JSON, YAML and gzip bodies: what is taken, what is refused, and that nothing is lost. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import {
  acceptsGzip,
  checkContentEncoding,
  gzipAnswer,
  gzipBytes,
  gzipPacker,
  gunzipWhole,
} from '../../src/apimachinery/codecs/gzip.ts';
import type { ChunkTarget } from '../../src/apimachinery/codecs/gzip.ts';
import { bodyDepthMax, bodyValuesMax } from '../../src/apimachinery/codecs/body-bounds.ts';
import { decodeJson, encodeJson } from '../../src/apimachinery/codecs/json.ts';
import { decodeYaml, encodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import type { Decoded } from '../../src/apimachinery/codecs/json.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { corpusPath, noVectors } from '../support/data/corpora.ts';

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
      ['"\\ud800"', '\ufffd'],
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
    const deepest = valueOf(json(nested(bodyDepthMax)));
    assert.equal(text(encodeJson(deepest)), nested(bodyDepthMax));
    const withBigint = valueOf(json(nested(bodyDepthMax).replace('[]', '[12345678901234567890]')));
    assert.equal(text(encodeJson(withBigint)).length, 2 * bodyDepthMax + 20);
    assert.ok(encodeYaml(deepest).length > 0);
    assertRefused(json(nested(bodyDepthMax + 1)), /deeper than 1000/);
    assertRefused(json(nested(1_000_000)), /deeper than 1000/);
    assertRefused(json('['.repeat(100_000)), /deeper than 1000/);
    // Brackets in strings are text.
    assert.equal(valueOf(json(`"\\"${'['.repeat(5000)}"`)), `"${'['.repeat(5000)}`);
  });

  it('bounds the digits of a number, and not those of a text', () => {
    const rows = [
      ['{"a":0.', '1', '}'],
      ['[', '1', 'e-4000]'],
      ['{"a":1e-', '0', '}'],
    ] as const;
    for (const [start, digit, end] of rows) {
      valueOf(json(start + digit.repeat(4_096) + end));
      assertRefused(json(start + digit.repeat(4_097) + end), /a number of more than 4096 digits/);
    }
    valueOf(json(`{"a":"${'1'.repeat(5_000)}"}`));
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
      ['!!binary aGk=', 'hi'],
      ['!!binary |\n  aG\n  k=\n', 'hi'],
      ['!!binary /2hp4oI=', '\ufffdhi\ufffd\ufffd'],
      ['!mine 12', '12'],
      ['!!set {x}', { x: null }],
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
    assert.equal(yaml(`a: ${nested(300)}`).kind, 'value');
    const rows: readonly [string | Uint8Array, RegExp][] = [
      ['a: 1\n---\nb: 2\n', /more than one YAML document/],
      ['a: [1', /not valid YAML: .* line 1/],
      ['a: b: c', /not valid YAML/],
      ['\ta: 1', /not valid YAML/],
      ['a: *nowhere', /alias|not valid/i],
      ['a: &x [*x]', /before its anchor, or inside it/],
      [`t: &t "${'x'.repeat(600_000)}"\nu: [*t, *t]`, /aliases stand for more/],
      ['a: !!binary aGk', /binary value is not valid base64/],
      ['a: !!int x', /does not fit/],
      ['a: .inf', /no JSON form/],
      ['a: .NaN', /no JSON form/],
      ['? [1]\n: 2', /map key must be/],
      ['~: 2', /map key must be/],
      ['<<: 1', /only maps can be merged/],
      [nested(bodyDepthMax + 2), /deeper than 1000 levels/],
      [`a: ${nested(100_000)}`, /deeper than 1000 levels/],
      [`${'- '.repeat(50_000)}a`, /deeper than 1000 levels/],
      [Uint8Array.of(0x61, 0xff), /UTF-8/],
    ];
    for (const [source, pattern] of rows) assertRefused(yaml(source), pattern);
  });

  it('answers bodies of a thousand levels, closed or not, one after the other', () => {
    const openings = ['[', '{a: ', '[{a: ', '{? ', '- ', '? '];
    for (const opening of openings) {
      for (const tail of ['', 'x', '"x', '&a x']) {
        for (const levels of [900, 1001]) {
          const body = Buffer.from(opening.repeat(levels) + tail);
          const closes = !/[[{]/.test(opening) && levels === 900 && tail !== '"x';
          for (let round = 0; round < 2; round += 1) {
            const expected = closes && opening === '- ' ? 'value' : 'refused';
            assert.equal(decodeYaml(body).kind, expected, `${levels} ${opening} ${tail}`);
          }
        }
      }
    }
  });

  it('bounds the values of a body, those behind aliases counted each time', () => {
    const items = (count: number): string => Array(count).fill('x').join(',');
    const half = bodyValuesMax / 2;
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i <= 9; i += 1) {
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    }
    assert.equal(yaml(`[${items(bodyValuesMax)}]`).kind, 'value');
    assert.equal(json(`[${items(bodyValuesMax).replaceAll('x', '1')}]`).kind, 'value');
    const longer = Buffer.from(`[${items(bodyValuesMax + 1).replaceAll('x', '1')}]`);
    const patch = { findDuplicates: true, valuesMax: 2 * bodyValuesMax };
    assert.equal(decodeJson(longer, patch).kind, 'value');
    const tooMany = [
      json(`[${items(bodyValuesMax + 1).replaceAll('x', '1')}]`),
      yaml(`[${items(bodyValuesMax + 1)}]`),
      yaml('- a: 1\n'.repeat(half + 1)),
      yaml(`a: &a [${items(half)}]\nb: *a\n`),
      yaml(bomb.join('\n')),
    ];
    for (const decoded of tooMany) {
      assert.ok(decoded.kind === 'refused');
      assert.equal(decoded.error.code, 413);
      assert.match(
        decoded.error.message,
        new RegExp(`more than ${bodyValuesMax} members and items`),
      );
    }
  });

  it('keeps an own __proto__ key and touches no prototype', () => {
    const value = valueOf(yaml('__proto__: {polluted: 1}\nb: {<<: {__proto__: 2}}')) as object;
    assert.deepEqual(Object.keys(value), ['__proto__', 'b']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('agrees with JSON on every pair of the fixtures', { skip: noVectors }, () => {
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
    fc.constantFrom('__proto__', '<<', '---', '...', 'null', '\ufeff', '0o7', '1:20'),
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

interface SlowTarget extends ChunkTarget {
  readonly chunks: Uint8Array[];
  /** It has said so, and has not drained. */
  readonly waits: boolean;
  drain(): void;
}

function slowTarget(takes: () => boolean): SlowTarget {
  const chunks: Uint8Array[] = [];
  let callback: (() => void) | undefined;
  let closed = false;
  return {
    chunks,
    write(chunk) {
      chunks.push(chunk);
      return takes();
    },
    onDrain: (given) => (callback = given),
    get waits() {
      return callback !== undefined;
    },
    drain() {
      const drained = callback;
      callback = undefined;
      drained?.();
    },
    end: () => (closed = true),
    abort: () => (closed = true),
    get closed() {
      return closed;
    },
  };
}

function drained(packer: { onDrain(callback: () => void): void }): Promise<void> {
  return new Promise((resolve) => packer.onDrain(resolve));
}

async function turnsLater(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

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

  it('takes so many complete answers at a time, and further ones when those are done', async () => {
    const answer = Buffer.alloc(4 * 1024 * 1024, 'answer');
    const packing: Promise<Uint8Array>[] = [];
    for (;;) {
      const one = gzipAnswer(answer);
      if (one === undefined) break;
      packing.push(one);
      assert.ok(packing.length <= 16, 'bytes that wait are bounded');
    }
    assert.equal(packing.length, 16);
    assert.notEqual(gzipAnswer(body.subarray(0, 0)), undefined, 'there is room for nothing');
    for (const packed of await Promise.all(packing)) {
      assert.equal(gunzipSync(packed).length, answer.length);
    }
    assert.notEqual(await gzipAnswer(answer), undefined, 'there is room again');
  });

  it('gives back the same bytes, whole and in chunks', async () => {
    assert.deepEqual(gunzipSync(await gzipBytes(body)), body);
    assert.deepEqual(await gunzipWhole(await gzipBytes(body), body.length), body);
    await assert.rejects(gunzipWhole(Buffer.from('not packed'), 10), { code: 'Z_DATA_ERROR' });
    const target = slowTarget(() => true);
    const packer = gzipPacker();
    assert.ok(packer !== undefined);
    packer.start(target);
    const memory = Buffer.from(body.subarray(0, 100_000));
    if (!packer.write(memory)) await drained(packer);
    // A chunk was copied: the writer uses its memory again.
    memory.fill(0);
    if (!packer.write(body.subarray(100_000))) await drained(packer);
    await new Promise<void>((resolve) => packer.end(resolve));
    assert.ok(target.closed);
    assert.deepEqual(gunzipSync(Buffer.concat(target.chunks)), body);
  });

  it('takes no more than its target does, and goes on when the target has drained', async () => {
    const target = slowTarget(() => false);
    const packer = gzipPacker();
    assert.ok(packer !== undefined);
    packer.start(target);
    const noise = randomBytes(65_536);
    let written = 0;
    for (; written < 1000; written += 1) {
      if (packer.write(noise)) continue;
      await Promise.race([drained(packer), turnsLater(20)]);
      if (target.waits) break;
    }
    assert.ok(written < 100, `${written} chunks were taken`);
    const before = target.chunks.length;
    while (target.chunks.length === before) {
      target.drain();
      await turnsLater(1);
    }
    assert.ok(target.chunks.length > before);
    packer.release();
  });

  it('is refused to more answers at once than may hold a window, and given back', () => {
    const packers: NonNullable<ReturnType<typeof gzipPacker>>[] = [];
    for (let next = gzipPacker(); next !== undefined; next = gzipPacker()) packers.push(next);
    assert.ok(packers.length > 1 && packers.length < 1000);
    packers[0]?.release();
    packers[0]?.release();
    const again = gzipPacker();
    assert.ok(again !== undefined && gzipPacker() === undefined);
    for (const packer of [...packers, again]) packer.release();
  });

  it('gives its place back when it has ended, or its target has gone', async () => {
    const all = (): NonNullable<ReturnType<typeof gzipPacker>>[] => {
      const packers: NonNullable<ReturnType<typeof gzipPacker>>[] = [];
      for (let next = gzipPacker(); next !== undefined; next = gzipPacker()) packers.push(next);
      return packers;
    };
    const packers = all();
    const [ends, goes, ...others] = packers;
    assert.ok(ends !== undefined && goes !== undefined);
    ends.start(slowTarget(() => true));
    await new Promise<void>((resolve) => ends.end(resolve));
    const gone = slowTarget(() => true);
    gone.end();
    goes.start(gone);
    goes.write(randomBytes(1_000_000));
    const again = all();
    for (let left = 10_000; again.length < 2 && left > 0; left -= 1) {
      await turnsLater(1);
      again.push(...all());
    }
    assert.equal(again.length, 2);
    assert.deepEqual(gone.chunks, [], 'who has gone is sent nothing');
    for (const packer of [...others, ...again]) packer.release();
    assert.equal(all().map((packer) => packer.release()).length, packers.length);
  });

  it('is not taken in requests', () => {
    assert.equal(checkContentEncoding(undefined), undefined);
    assert.equal(checkContentEncoding('identity'), undefined);
    assert.equal(checkContentEncoding('gzip')?.code, 415);
  });
});
