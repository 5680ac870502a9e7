/** Quantities against the vectors of the reference. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  writeQuantity,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  quantityExponentMax,
  quantityTextMax,
  quantityToNumber,
  roundUpQuantity,
  subtractQuantities,
} from '../../src/apimachinery/quantity.ts';
import type { Quantity, QuantityFormat } from '../../src/apimachinery/quantity.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';

type Integer =
  number | string | { readonly $chain: readonly [string, readonly (string | number)[]][] };

interface Amount {
  readonly unscaled?: Integer;
  readonly exp10?: number;
  readonly format?: QuantityFormat;
  readonly Format?: QuantityFormat;
  readonly d?: 'maxAllowed';
}

interface Cases {
  readonly parse: readonly { readonly input: string; readonly expect: Amount }[];
  readonly parseInvalid: readonly string[];
  readonly parseEmit: readonly { readonly in: string; readonly expect: string }[];
  readonly string: readonly {
    readonly in: Amount;
    readonly expect: string;
    readonly alternate: string;
  }[];
  readonly cmp: readonly { readonly x: string; readonly y: string; readonly expect: number }[];
  readonly cmpIntDec: readonly { readonly a: Amount; readonly b: Amount; readonly cmp: number }[];
  readonly roundUp: readonly {
    readonly in: string;
    readonly scale: number;
    readonly expect: Amount;
  }[];
  readonly jsonWhitespace: readonly { readonly in: string; readonly expect: string }[];
  readonly parseStringParts: readonly {
    readonly input: string;
    readonly positive: boolean;
    readonly num: string;
    readonly denom: string;
    readonly suffix: string;
  }[];
  readonly parseAsIntOrDec: readonly {
    readonly input: string;
    readonly wantAsDec: string;
    readonly canonical?: string;
  }[];
  readonly add: readonly { readonly a: Amount; readonly b: Amount; readonly expected: Amount }[];
  readonly sub: Cases['add'];
  readonly neg: readonly { readonly a: Amount; readonly expected: Amount }[];
  readonly milliNew: readonly {
    readonly value: number;
    readonly format: string;
    readonly expect: string;
  }[];
  readonly new: Cases['milliNew'];
  readonly newScaled: readonly {
    readonly value: number;
    readonly scale: number;
    readonly expect: string;
  }[];
  readonly scaledValue: readonly {
    readonly fromScale: number;
    readonly toScale: number;
    readonly expected: number;
  }[];
  readonly asFloat64: readonly {
    readonly in: Amount;
    readonly out: number | string | { readonly args: readonly [number] };
  }[];
  readonly stringAsFloat64: readonly { readonly in: string; readonly out: number }[];
}

const cases = readCorpus<Cases>('quantity/cases.json');

/** Integers beyond a double are texts, or built: Add and Mul of two numbers. */
function integer(value: Integer): bigint {
  if (typeof value !== 'object') return BigInt(value);
  const [, [operation, [a = 0, b = 0]]] = value.$chain as [unknown, [string, (string | number)[]]];
  return operation === 'Add' ? BigInt(a) + BigInt(b) : BigInt(a) * BigInt(b);
}

function amount(given: Amount): Quantity {
  const format = given.format ?? given.Format ?? 'DecimalSI';
  if (given.d === 'maxAllowed') return { unscaled: 2n ** 63n - 1n, exp10: 0, format };
  return { unscaled: integer(given.unscaled ?? 0), exp10: given.exp10 ?? 0, format };
}

function parsed(text: string): Quantity {
  const quantity = parseQuantity(text);
  assert(quantity !== undefined, `${text} is a quantity`);
  return quantity;
}

function same(found: Quantity, expected: Quantity, what: string): void {
  assert.equal(compareQuantities(found, expected), 0, `${what}: ${formatQuantity(found)}`);
  assert.equal(found.format, expected.format, what);
}

function formatOf(name: string): QuantityFormat {
  return name === 'DecimalSI' || name === 'BinarySI' ? name : 'DecimalExponent';
}

describe('quantities are read as the reference reads them', () => {
  it(
    'every amount of the vectors, with any sign, has its value and format',
    { skip: noVectors },
    () => {
      for (const { input, expect } of cases.parse) {
        const expected = amount(expect);
        same(parsed(input), expected, input);
        same(parsed(`+${input}`), expected, `+${input}`);
        same(parsed(`-${input}`), negateQuantity(expected), `-${input}`);
      }
    },
  );

  it('what is no quantity is refused', () => {
    for (const text of cases.parseInvalid) assert.equal(parseQuantity(text), undefined, text);
    for (const text of ['', '1e', '1ee3', '0x10', '1_0', '١', 'NaN', 'Inf']) {
      assert.equal(parseQuantity(text), undefined, text);
    }
  });

  it('the parts of a text make its value', { skip: noVectors }, () => {
    for (const { input, positive, num, denom, suffix } of cases.parseStringParts) {
      const written = `${positive ? '' : '-'}${num}.${denom}${suffix}`;
      same(parsed(input), parsed(written), input);
    }
  });

  it('texts and exponents beyond the bounds are refused, so no text takes long', () => {
    assert.equal(parseQuantity('1'.repeat(quantityTextMax + 1)), undefined);
    assert.notEqual(parseQuantity('1'.repeat(quantityTextMax)), undefined);
    assert.equal(parseQuantity(`1e${quantityExponentMax + 1}`), undefined);
    assert.equal(parseQuantity('1e-99999999999'), undefined);
    assert.notEqual(parseQuantity(`1e${quantityExponentMax}`), undefined);
  });
});

describe('quantities are written in one canonical form', () => {
  it('the vectors', { skip: noVectors }, () => {
    for (const row of cases.parseEmit) assert.equal(canonicalQuantity(row.in), row.expect, row.in);
    for (const row of cases.string) {
      assert.equal(formatQuantity(amount(row.in)), row.expect);
      if (row.alternate !== '')
        assert.equal(canonicalQuantity(row.alternate), row.expect, row.alternate);
    }
    for (const { input, wantAsDec, canonical } of cases.parseAsIntOrDec) {
      assert.equal(compareQuantities(parsed(input), parsed(wantAsDec)), 0, input);
      assert.equal(canonicalQuantity(input), canonical ?? input, input);
    }
    for (const row of cases.jsonWhitespace) {
      const text = String(JSON.parse(row.in)).trim();
      assert.equal(canonicalQuantity(text), row.expect);
    }
    for (const row of cases.new) {
      const quantity = { unscaled: BigInt(row.value), exp10: 0, format: formatOf(row.format) };
      assert.equal(formatQuantity(quantity), row.expect);
    }
    for (const row of cases.milliNew) {
      const quantity = { unscaled: BigInt(row.value), exp10: -3, format: formatOf(row.format) };
      assert.equal(formatQuantity(quantity), row.expect);
    }
    for (const row of cases.newScaled) {
      const quantity = {
        unscaled: BigInt(row.value),
        exp10: row.scale,
        format: 'DecimalSI',
      } as const;
      assert.equal(formatQuantity(quantity), row.expect);
    }
  });

  it('beyond the largest suffix the digits grow, so nothing is lost', () => {
    assert.equal(canonicalQuantity('1000E'), '1000E');
    assert.equal(canonicalQuantity('1000000Ei'), '9223372036854775807');
  });

  it('canonical text stays as it is, and stands for the same amount', () => {
    const suffix = fc.constantFrom(
      '',
      'n',
      'u',
      'm',
      'k',
      'M',
      'E',
      'Ki',
      'Mi',
      'Ei',
      'e3',
      'e-7',
      'E20',
    );
    const text = fc.tuple(
      fc.bigInt(-(10n ** 20n), 10n ** 20n),
      fc.integer({ min: 0, max: 6 }),
      suffix,
    );
    fc.assert(
      fc.property(text, ([digits, point, unit]) => {
        const whole = digits.toString();
        const at = Math.max(whole.length - point, digits < 0n ? 1 : 0);
        const canonical = canonicalQuantity(
          `${whole.slice(0, at)}.${whole.slice(at)}${unit}`,
        ) as string;
        assert.equal(canonicalQuantity(canonical), canonical);
        const once = parsed(`${whole.slice(0, at)}.${whole.slice(at)}${unit}`);
        assert.equal(compareQuantities(parsed(canonical), once), 0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('arithmetic of quantities is exact', () => {
  it('the vectors', { skip: noVectors }, () => {
    for (const row of cases.cmp)
      assert.equal(compareQuantities(parsed(row.x), parsed(row.y)), row.expect);
    for (const row of cases.cmpIntDec)
      assert.equal(compareQuantities(amount(row.a), amount(row.b)), row.cmp);
    for (const row of cases.add)
      same(addQuantities(amount(row.a), amount(row.b)), amount(row.expected), 'add');
    for (const row of cases.sub)
      same(subtractQuantities(amount(row.a), amount(row.b)), amount(row.expected), 'sub');
    for (const row of cases.neg) same(negateQuantity(amount(row.a)), amount(row.expected), 'neg');
    for (const row of cases.roundUp)
      same(roundUpQuantity(parsed(row.in), row.scale), amount(row.expect), row.in);
    for (const { fromScale, toScale, expected } of cases.scaledValue) {
      const { unscaled, exp10 } = roundUpQuantity(
        { unscaled: 1n, exp10: fromScale, format: 'DecimalSI' },
        toScale,
      );
      assert.equal(unscaled * 10n ** BigInt(exp10 - toScale), BigInt(expected));
    }
  });

  it('a sum that was written is read as anybody else would read it', () => {
    const texts = ['0', '5', '250m', '64Mi', '1536', '1.5Gi', '9Ei', '1e3', '100n', '12k', '7E'];
    const amounts = texts.map((text) => parseQuantity(text) as Quantity);
    for (const a of amounts) {
      for (const b of amounts) {
        for (const sum of [addQuantities(a, b), addQuantities(addQuantities(a, b), b)]) {
          const text = writeQuantity(sum);
          const read = parseQuantity(text) as Quantity;
          // A text of so many digits is not kept.
          const anew = parseQuantity(`${'0'.repeat(20)}${text}`) as Quantity;
          assert.deepEqual([read.format, compareQuantities(read, anew)], [anew.format, 0], text);
          assert.equal(formatQuantity(read), formatQuantity(anew));
        }
      }
    }
  });

  it('as a double it is the nearest one, or infinite', () => {
    for (const { in: given, out } of cases.asFloat64) {
      const expected =
        typeof out === 'number'
          ? out
          : typeof out === 'string'
            ? 2 ** 63
            : out.args[0] < 0
              ? -Infinity
              : Infinity;
      const found = quantityToNumber(amount(given));
      // The reference multiplies by a power of ten, which is one step off at times.
      const step = Math.abs(expected) * Number.EPSILON;
      assert(found === expected || Math.abs(found - expected) <= step, `${found} ${expected}`);
    }
    for (const row of cases.stringAsFloat64)
      assert.equal(quantityToNumber(parsed(row.in)), row.out);
  });
});
