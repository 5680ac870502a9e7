// Rows of our own for quantities: what a clone without the shared vectors has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
} from '../../src/apimachinery/quantity.ts';
import type { Quantity } from '../../src/apimachinery/quantity.ts';

function read(text: string): Quantity {
  const quantity = parseQuantity(text);
  assert.ok(quantity !== undefined, text);
  return quantity;
}

describe('a quantity', () => {
  const written: readonly (readonly [text: string, canonical: string])[] = [
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['+5', '5'],
    ['-12', '-12'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['0.5', '500m'],
    ['.25', '250m'],
    ['1.', '1'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1000u', '1m'],
    ['1n', '1n'],
    ['1024Ki', '1Mi'],
    ['1536Mi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['1Ei', '1Ei'],
    ['1000M', '1G'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e-1', '1200e-3'],
    ['0.1n', '1n'],
  ];
  for (const [text, canonical] of written) {
    it(`${text} is written ${canonical}`, () => assert.equal(canonicalQuantity(text), canonical));
  }

  for (const text of ['', ' ', '1 ', '1kk', '1.2.3', '--1', '1K', '1mi', '1e', '0x1', ',5']) {
    it(`${JSON.stringify(text)} is none`, () => assert.equal(parseQuantity(text), undefined));
  }

  const ordered = [
    '-1Gi',
    '-1',
    '0',
    '1n',
    '1m',
    '0.5',
    '1',
    '1k',
    '1Ki',
    '1M',
    '1Mi',
    '1e9',
    '1Gi',
  ];
  it('is compared by its amount, whatever its suffix', () => {
    for (const [i, one] of ordered.entries()) {
      for (const [k, other] of ordered.entries()) {
        const sign = Math.sign(compareQuantities(read(one), read(other)));
        assert.equal(sign, Math.sign(i - k), `${one} and ${other}`);
      }
    }
    assert.equal(compareQuantities(read('1Ki'), read('1024')), 0);
    assert.equal(compareQuantities(read('1e3'), read('1k')), 0);
  });

  it('is added and subtracted without loss', () => {
    assert.equal(formatQuantity(addQuantities(read('100m'), read('900m'))), '1');
    assert.equal(formatQuantity(addQuantities(read('1Gi'), read('1'))), '1073741825');
    assert.equal(formatQuantity(subtractQuantities(read('1'), read('1m'))), '999m');
    assert.equal(formatQuantity(subtractQuantities(read('1Mi'), read('2Mi'))), '-1Mi');
  });
});
