/**
 * Quantities in expressions: those of `apimachinery/quantity.ts`, with the reference's limits.
 *
 * An amount is "small" while the reference keeps it in 64 bits and a power of ten: only such an
 * amount counts as an integer in an expression. `1Pi` is not small, for its digits are counted
 * before they are multiplied; `1.5Gi` is not, for it has a fraction. Existing rules rely on both.
 */
import {
  addQuantities,
  negateQuantity,
  parseQuantity,
  quantityToNumber,
} from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';

export interface Amount {
  readonly quantity: Quantity;
  readonly small: boolean;
}

export interface NoAmount {
  readonly problem: string;
}

const form = /^([+-]?[0-9.]+)(?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$/;
/** The same, as the reference writes it. */
const shownForm = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
/** Decimal digits that 64 bits always hold. */
const decimalDigits = 18;
const binaryDigits = 15;
const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

export function parseAmount(text: string): Amount | NoAmount {
  const quantity = parseQuantity(text);
  if (quantity !== undefined) return { quantity, small: isSmall(text, quantity) };
  const match = form.exec(text);
  if (match === null || /\..*\./.test(match[1] ?? '')) {
    return { problem: `quantities must match the regular expression '${shownForm}'` };
  }
  const [, number = ''] = match;
  if (!/\d/.test(number)) {
    return { problem: 'unable to parse numeric part of quantity' };
  }
  return { problem: "unable to parse quantity's suffix" };
}

function isSmall(text: string, { unscaled, exp10, format }: Quantity): boolean {
  const [, zeroless = '', , fraction = ''] = /^[+-]?0*(\d*)(\.(\d*))?/.exec(text) ?? [];
  const digits = Math.max(zeroless.length, 1);
  if (!fits(unscaled)) return false;
  if (format !== 'BinarySI') return digits + fraction.length <= decimalDigits && exp10 >= -9;
  const power = 'KMGTPE'.indexOf(text.at(-2) ?? '') + 1;
  return fraction === '' && binaryDigits - digits - power * 3 - 1 >= 0;
}

function fits(value: bigint): boolean {
  return value >= least && value <= most;
}

export function integerAmount(value: bigint): Amount {
  return { quantity: { unscaled: value, exp10: 0, format: 'DecimalExponent' }, small: true };
}

export function addAmounts(a: Amount, b: Amount): Amount {
  const quantity = addQuantities(a.quantity, b.quantity);
  return { quantity, small: a.small && b.small && fits(quantity.unscaled) };
}

export function subtractAmounts(a: Amount, b: Amount): Amount {
  return addAmounts(a, { quantity: negateQuantity(b.quantity), small: b.small });
}

/** Undefined where the reference has no integer for it. */
export function amountAsInteger({ quantity, small }: Amount): bigint | undefined {
  if (!small || quantity.exp10 < 0) return undefined;
  if (quantity.unscaled === 0n) return 0n;
  if (quantity.exp10 > decimalDigits) return undefined;
  const value = quantity.unscaled * 10n ** BigInt(quantity.exp10);
  return fits(value) ? value : undefined;
}

const nanos = 9;

/**
 * As the reference computes it: digits times a power of ten, both rounded to doubles; what is too
 * large for its 64 bits has nine digits behind the point.
 */
export function amountAsNumber({ quantity, small }: Amount): number {
  const { exp10, format, unscaled } = quantity;
  if (small) return exp10 === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${exp10}`);
  if (format === 'BinarySI' || exp10 < -nanos) return quantityToNumber(quantity);
  return Number(unscaled * 10n ** BigInt(nanos + exp10)) * 1e-9;
}
