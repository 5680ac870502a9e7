/**
 * Numbers with a given number of digits, rounded half to even from their exact value.
 */

/** `value` is finite. */
export function fixedText(value: number, digits: number): string {
  const { mantissa, exponent } = exactParts(Math.abs(value));
  const scaled = mantissa * 10n ** BigInt(digits);
  const whole =
    exponent >= 0 ? scaled << BigInt(exponent) : rounded(scaled, 1n << BigInt(-exponent));
  const text = whole.toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + text.slice(0, point) + (digits === 0 ? '' : `.${text.slice(point)}`);
}

/** `value` = mantissa * 2^exponent, exactly. */
function exactParts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 };
}

function rounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

/** `2.718280e+00`; the exponent has two digits at least. `value` is finite. */
export function scientificText(value: number, digits: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(digits).split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  const negativeZero = Object.is(value, -0) ? '-' : '';
  return `${negativeZero}${mantissa}e${sign}${exponent.slice(1).padStart(2, '0')}`;
}

/** `-1234567.5` as `-1,234,567.5`. */
export function groupThousands(text: string): string {
  const point = text.indexOf('.');
  const whole = point < 0 ? text : text.slice(0, point);
  const digitsFrom = whole.startsWith('-') ? 1 : 0;
  const firstEnd = digitsFrom + ((whole.length - digitsFrom) % 3 || 3);
  const groups = [whole.slice(0, firstEnd)];
  for (let at = firstEnd; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3));
  return groups.join(',') + text.slice(whole.length);
}
