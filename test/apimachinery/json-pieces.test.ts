/** A long JSON text is read in pieces, with the result of reading it at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePieces } from '../../src/apimachinery/codecs/json-pieces.ts';
import { parseJsonText, stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';

function inPieces(text: string, piece: number): JsonValue {
  return finished(parsePieces(text, parseJsonText, piece));
}

const outOfRange = 'a number is out of range';

/** What was read, with the order of its members, or the words of the refusal. The engine quotes
 * what is around the place: of a piece less than of the whole. */
function outcomeOf(read: () => JsonValue): string {
  try {
    return stringifyJson(read());
  } catch (error) {
    if (error instanceof RangeError) return outOfRange;
    assert(error instanceof SyntaxError, String(error));
    return error.message
      .replace(/^(Unexpected token '.{1,2}'), .*$/su, '$1')
      .replace(/ \(line \d+ column \d+\)$/, '');
  }
}

/** Of all control characters that may stand before an integer which is carried as a text. */
const everyMark = [1, 2, 3, 4, 5, 6, 7, 8].map((code) => `\\u000${code}`).join('');

const rows: readonly string[] = [
  '[]',
  '{}',
  '[[],[],[[]],{}]',
  '{"a":{"b":{"c":{"d":1}}},"e":2}',
  '{"a":{"b":[1,2,3],"c":4},"a":{"x":1},"a":[7,8,9,10,11]}',
  '{"b":1,"2":2,"1":[1,2,3,4],"a":{"3":1,"x":2,"1":3}}',
  '{"__proto__":{"a":1,"b":2},"x":{"__proto__":[1,2,3],"y":{"__proto__":1,"z":2}}}',
  ' {\n"a" : [ 1 ,\t2 , { "b" : "x,]}" , "c\\"," : "\\\\" } ] , "d" : null }\r\n',
  '"text, with a comma"',
  '12',
  '',
  ' ',
  '[1,2,]',
  '[1,2,3,4,5,]',
  '[,1,2,3,4]',
  '[1,,2,3,4]',
  '[[1,2,3,4]5,6]',
  '[[1,2,3,4],5 6]',
  '[1[2,3,4,5],6]',
  '{"a":{"b":1,"c":2}"d":3,"e":4}',
  '{"a":{"b":1,"c":2}{"d":3,"e":4},"f":5}',
  '{"a":[1,2,3,4},"b":5]',
  '{"a":1,"b":{"c":2,"d":3}',
  '{"a":1,"b":2,"c":3,}',
  '{"a":1,"b":2,{"c":3,"d":4}}',
  '{"a":1,"b"{"c":3,"d":4}}',
  '{"a":1,"b":{},[1,2,3]:4}',
  '{"a":1,"b":2,"c":3},{"d":4}',
  '{"a":1,"b":2,"c":3} x',
  '{"a":1,"b":2,"c":3}}',
  '1,2,3,4,5,6',
  '[1,2,3,4,tru]',
  '[1,2,3,"a\nb",4]',
  '[1,2,3,"a',
  '[1,2,3,4',
  '{"a":1,"b":{"c":12345678901234567,"d":"a long text"},"a long name":2}',
  '[1,["a long text","another"],{"x":"a long text"} "one more"]',
  `{"m":"${everyMark}","n":12345678901234567,"__proto__":{"m":"${everyMark}"}}`,
  '{"m":"\\u000112345678901234567","n":12345678901234567}',
  `[12345678901234567,"${'\\"'.repeat(70)}","${'\\\\'.repeat(70)}"]`,
];

const spaces = fc.constantFrom('', '', '', ' ', '\n', '\t ');
const keys = fc.constantFrom('a', 'b', '1', '2', '__proto__', 'constructor', '', 'é"');

/** JSON text with spaces anywhere and keys that come again. */
const { texts } = fc.letrec<{ texts: string; leaf: string; list: string; object: string }>(
  (tie) => ({
    texts: fc.oneof({ maxDepth: 5 }, tie('leaf'), tie('list'), tie('object')),
    leaf: fc.oneof(
      fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
      fc.integer().map(String),
      fc.constantFrom('null', 'true', '-0.5e3', '"\\u00e9,"', '1234567890.25'),
    ),
    list: fc
      .array(fc.tuple(spaces, tie('texts'), spaces), { maxLength: 6 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    object: fc
      .array(fc.tuple(spaces, keys, spaces, tie('texts'), spaces), { maxLength: 6 })
      .map((members) => {
        const written = members.map(([before, key, colon, value, after]) => {
          return `${before}${JSON.stringify(key)}${colon}:${colon}${value}${after}`;
        });
        return `{${written.join(',')}}`;
      }),
  }),
);

/** One character is taken away, put in, or is another. */
const damages = fc.record({
  at: fc.nat(),
  taken: fc.nat({ max: 2 }),
  put: fc.constantFrom('', '', ',', '{', '}', '[', ']', '"', ':', '1', '\\', ' '),
});

function damaged(text: string, { at, put, taken }: { at: number; put: string; taken: number }) {
  const start = at % (text.length + 1);
  return text.slice(0, start) + put + text.slice(start + taken);
}

describe('JSON in pieces', () => {
  for (const text of rows) {
    it(`is as at once: ${JSON.stringify(text)}`, () => {
      const expected = outcomeOf(() => parseJsonText(text));
      for (let piece = 0; piece <= text.length; piece += 1) {
        assert.equal(
          outcomeOf(() => inPieces(text, piece)),
          expected,
          `pieces of ${piece}`,
        );
      }
    });
  }

  it('a long text is a piece of its own', () => {
    const long = `"${'\\u0001 '.repeat(1_000)}"`;
    const text = `{"a":[12345678901234567,{"b":${long}},1],"c":2,"d":${long}}`;
    const pieces: string[] = [];
    const read = (each: string): JsonValue => {
      pieces.push(each);
      return parseJsonText(each);
    };
    assert.deepEqual(finished(parsePieces(text, read, 1_000)), parseJsonText(text));
    assert.deepEqual(
      pieces.filter((each) => each.length > 100),
      [`{"b":${long}}`, `{"d":${long}}`],
    );
  });

  it('any text gives the same value, its members in the same order', () => {
    const sizes = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(texts, sizes, (text, piece) => {
        const read = inPieces(text, piece);
        assert.deepEqual(read, parseJsonText(text));
        assert.equal(stringifyJson(read), stringifyJson(parseJsonText(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('any text that is not JSON is refused in the same words', () => {
    const sizes = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(texts, damages, sizes, (text, damage, piece) => {
        const broken = damaged(text, damage);
        const outcome = outcomeOf(() => inPieces(broken, piece));
        const expected = outcomeOf(() => parseJsonText(broken));
        // Which of two faults is found first is not said.
        if (outcome !== outOfRange) assert.equal(outcome, expected);
        else assert.throws(() => parseJsonText(broken));
      }),
      { numRuns: 5_000 },
    );
  });

  it('integers that a double cannot hold keep their digits', () => {
    const text =
      '{"a":[9007199254740993,1,2,3],"b":{"c":-9007199254740993,"d":"9007199254740993"}}';
    for (let piece = 0; piece < text.length; piece += 1) {
      assert.deepEqual(inPieces(text, piece), {
        a: [9007199254740993n, 1, 2, 3],
        b: { c: -9007199254740993n, d: '9007199254740993' },
      });
    }
  });

  it('others have a turn before a piece that is too long has been read', () => {
    const item = { name: 'x'.repeat(50), values: [1, 2, 3] };
    const value = { spec: { items: Array.from({ length: 200 }, () => item) }, status: { item } };
    const lengths: number[] = [];
    const steps = parsePieces(
      JSON.stringify(value),
      (text) => {
        lengths.push(text.length);
        return parseJsonText(text);
      },
      1_000,
    );
    let stepsCount = 1;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      assert(lengths.reduce((sum, length) => sum + length, 0) < 1_200, String(lengths));
      lengths.length = 0;
      stepsCount += 1;
    }
    assert.deepEqual(step.value, value);
    assert(stepsCount > 15, String(stepsCount));
  });
});
