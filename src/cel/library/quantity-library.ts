/**
 * Quantities (release 1.28): `quantity("1.5Gi").isGreaterThan(quantity("1G"))`.
 */
import { compareQuantities } from '../../apimachinery/quantity.ts';
import type { Library } from '../declaration.ts';
import { evaluationError, noSuchOverload } from '../evaluation-error.ts';
import { boolType, doubleType, intType, opaqueType, stringType } from '../type.ts';
import { canonicalInt, Double, OpaqueValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method, overload } from './declare.ts';
import { walk } from './prices.ts';
import {
  addAmounts,
  amountAsInteger,
  amountAsNumber,
  integerAmount,
  parseAmount,
  subtractAmounts,
} from './quantity-amount.ts';
import type { Amount } from './quantity-amount.ts';

export const quantityType = opaqueType('kubernetes.Quantity');

class QuantityValue extends OpaqueValue {
  readonly amount: Amount;
  constructor(amount: Amount) {
    super();
    this.amount = amount;
  }
  override get type(): typeof quantityType {
    return quantityType;
  }
  override equalTo(other: Value): boolean {
    return other instanceof QuantityValue && order(this.amount, other.amount) === 0;
  }
}

const order = (a: Amount, b: Amount): number => compareQuantities(a.quantity, b.quantity);

function amountOf(value: Value): Amount {
  if (value instanceof QuantityValue) return value.amount;
  if (typeof value === 'number' || typeof value === 'bigint') return integerAmount(BigInt(value));
  throw noSuchOverload();
}

/** The value of a text; throws an evaluation error with what is wrong with it. */
function readQuantity(text: string): QuantityValue {
  const amount = parseAmount(text);
  if ('problem' in amount) throw evaluationError(amount.problem);
  return new QuantityValue(amount);
}

function asInteger(value: Value): Value {
  const integer = amountAsInteger(amountOf(value));
  if (integer === undefined) throw evaluationError('cannot convert value to integer');
  return canonicalInt(integer);
}

function signOf(value: Value): Value {
  const { unscaled } = amountOf(value).quantity;
  return unscaled > 0n ? 1 : unscaled < 0n ? -1 : 0;
}

const compared = (test: (order: number) => Value) => (a: Value, b: Value) =>
  test(order(amountOf(a), amountOf(b)));

const combined = (combine: (a: Amount, b: Amount) => Amount) => (a: Value, b: Value) =>
  new QuantityValue(combine(amountOf(a), amountOf(b)));

const two = [quantityType, quantityType];
const withInt = [quantityType, intType];

export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  types: [quantityType],
  functions: functions({
    quantity: [
      overload(
        'string_to_quantity',
        [stringType],
        quantityType,
        (text) => readQuantity(text as string),
        walk(),
      ),
    ],
    isQuantity: [
      overload(
        'is_quantity_string',
        [stringType],
        boolType,
        (text) => !('problem' in parseAmount(text as string)),
        walk(),
      ),
    ],
    sign: [
      // The reference declares it as a function; its documents show it as a method.
      overload('quantity_sign', [quantityType], intType, signOf),
    ],
    isGreaterThan: [
      method(
        'quantity_is_greater_than',
        two,
        boolType,
        compared((order) => order > 0),
      ),
    ],
    isLessThan: [
      method(
        'quantity_is_less_than',
        two,
        boolType,
        compared((order) => order < 0),
      ),
    ],
    compareTo: [
      method(
        'quantity_compare_to',
        two,
        intType,
        compared((order) => order),
      ),
    ],
    asApproximateFloat: [
      method(
        'quantity_get_float',
        [quantityType],
        doubleType,
        (value) => new Double(amountAsNumber(amountOf(value))),
      ),
    ],
    asInteger: [method('quantity_get_int', [quantityType], intType, asInteger)],
    isInteger: [
      method(
        'quantity_is_integer',
        [quantityType],
        boolType,
        (value) => amountAsInteger(amountOf(value)) !== undefined,
      ),
    ],
    add: [
      method('quantity_add', two, quantityType, combined(addAmounts)),
      method('quantity_add_int', withInt, quantityType, combined(addAmounts)),
    ],
    sub: [
      method('quantity_sub', two, quantityType, combined(subtractAmounts)),
      method('quantity_sub_int', withInt, quantityType, combined(subtractAmounts)),
    ],
  }),
};
